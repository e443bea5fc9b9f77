"""How a seat did by its place, in the words of the database: win, draw or loss."""

from __future__ import annotations

from collections.abc import Sequence

PLACE_BY_RESULT = {"win": 1, "draw": 1, "loss": 2}
"""The places of a match of two by its results; older matches have no others."""


def result_word(places: Sequence[int], seat: int) -> str:
    """Say win of a seat that is alone on the first place, draw of one that shares it, and loss of every other."""
    if places[seat] > 1:
        return "loss"
    return "win" if places.count(1) == 1 else "draw"
