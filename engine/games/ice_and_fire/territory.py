"""The cells that a player owns, and which of them are active: connected with the headquarters through its own."""

from __future__ import annotations

from engine.games.ice_and_fire.board import NEIGHBOURS, flooded


class Territory:
    """Owned cells and active cells of one player as sets. The active ones are kept up to date cell by cell.

    The headquarters' own cell is lost only once, at the end of a match; what is active after that means nothing.
    """

    __slots__ = ("active", "headquarters", "owned")

    def __init__(self, headquarters: int, owned: int) -> None:
        """Start with the cell of the headquarters and the set of owned cells that contains it."""
        self.headquarters = headquarters
        self.owned = owned
        self.active = flooded(1 << headquarters, owned)

    def gain(self, cell: int) -> None:
        """Own a cell; nothing happens if it was owned before."""
        self.owned |= 1 << cell
        around = NEIGHBOURS[cell]
        if around & self.active:
            self.active |= 1 << cell
            if around & self.owned & ~self.active:  # it joins what was cut off
                self.active = flooded(self.active, self.owned)

    def lose(self, cell: int) -> None:
        """Own an owned cell no more."""
        lost = 1 << cell
        self.owned &= ~lost
        if self.active & lost:
            self.active &= ~lost
            around = NEIGHBOURS[cell] & self.active
            if around & around - 1:  # two or more neighbours may have had no other connection
                self.active = flooded(1 << self.headquarters, self.active)
