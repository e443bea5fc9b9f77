"""Java's `java.util.Random`, so that a seed gives the map that the official referees give for it.

How this works. The state is 48 bits wide and follows a linear congruential rule; a draw is the upper bits of the new
state. Only what the games need is here: raw bits and integers below a bound.
"""

_MULTIPLIER = 0x5DEECE66D
_INCREMENT = 0xB
_STATE_BITS = 48
_STATE_MASK = (1 << _STATE_BITS) - 1


class JavaRandom:
    __slots__ = ("_state",)

    def __init__(self, seed: int) -> None:
        """Only the low 48 bits matter."""
        self._state = (seed ^ _MULTIPLIER) & _STATE_MASK

    def next_bits(self, bits: int) -> int:
        """`bits`: 1 to 48."""
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _STATE_MASK
        return self._state >> (_STATE_BITS - bits)

    def next_int(self, bound: int) -> int:
        """Below `bound` (1 to 2^31 - 1). Raises ValueError for another bound."""
        if not 0 < bound < 1 << 31:
            raise ValueError(f"the bound is {bound}, it must be from 1 to 2147483647")
        drawn = self.next_bits(31)
        if bound & (bound - 1) == 0:
            return bound * drawn >> 31
        # The last, incomplete run of `bound` numbers would favour the small ones: draw again.
        while drawn - drawn % bound + bound > 1 << 31:
            drawn = self.next_bits(31)
        return drawn % bound
