"""`engine.games.java_random` draws what `java.util.Random` draws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.java_random import JavaRandom
from tests.unit.conversations import SIGNED_64_BIT


@pytest.mark.parametrize(
    ("seed", "drawn"),
    [
        (0, [18, 13, 4, 21, 5, 8, 7, 6, 9, 16, 2, 2]),
        (1337, [25, 9, 14, 0, 9, 13, 25, 4, 7, 15, 1, 13]),
        (-1, [5, 5, 9, 5, 14, 3, 11, 3, 10, 11, 3, 2]),
    ],
)
def test_draws_below_bounds_that_are_no_powers_of_two(seed: int, drawn: list[int]) -> None:
    """The samples of the rules text, with the bounds 26, 15, 15 in turn."""
    random = JavaRandom(seed)
    assert [random.next_int(bound) for bound in (26, 15, 15) * 4] == drawn


def test_thirty_two_bits_are_the_integers_that_java_prints() -> None:
    """Java prints them signed."""
    random, signed = JavaRandom(42), (-1170105035, 234785527, -1360544799, 205897768)
    assert [random.next_bits(32) for _ in range(4)] == [number % (1 << 32) for number in signed]


@given(SIGNED_64_BIT, st.integers(0, 30))
def test_a_bound_that_is_a_power_of_two_takes_the_upper_bits(seed: int, bits: int) -> None:
    """A draw below 2^bits is the upper `bits` bits of one step, and a bound of 1 uses a step up all the same."""
    bounded, raw = JavaRandom(seed), JavaRandom(seed)
    assert bounded.next_int(1 << bits) == raw.next_bits(31) >> (31 - bits)
    assert bounded.next_bits(31) == raw.next_bits(31)


@given(SIGNED_64_BIT)
def test_a_draw_from_an_incomplete_run_is_repeated(seed: int) -> None:
    """With a bound just above 2^30 about every second draw is thrown away."""
    bound = (1 << 30) + 1
    bounded, raw = JavaRandom(seed), JavaRandom(seed)
    kept = [drawn for drawn in (raw.next_bits(31) for _ in range(40)) if drawn < bound]
    assert [bounded.next_int(bound) for _ in kept] == kept


@given(SIGNED_64_BIT, st.integers(-5, 5))
def test_only_the_low_48_bits_of_the_seed_matter(seed: int, multiple: int) -> None:
    """Seeds that differ by multiples of 2^48 draw the same."""
    assert JavaRandom(seed).next_bits(48) == JavaRandom(seed + (multiple << 48)).next_bits(48)


@pytest.mark.parametrize("bound", [0, -1, 1 << 31])
def test_a_bound_that_java_cannot_have_is_refused(bound: int) -> None:
    with pytest.raises(ValueError, match=f"the bound is {bound}, it must be from 1 to 2147483647"):
        JavaRandom(0).next_int(bound)
