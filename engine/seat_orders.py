"""Who sits where in the matches of a battle. Pure: numbers in, orders out."""

from __future__ import annotations

from enum import StrEnum
from itertools import permutations


class SeatOrders(StrEnum):
    """In which orders the players of a battle take their seats, all on one seed.

    `rotations`: each player has each seat once, in as many matches as there are players. `all`: every order, n! matches
    of n players. `one`: a single match. Two players always have both orders.
    """

    ROTATIONS = "rotations"
    ALL = "all"
    ONE = "one"


def seat_orders(players: int, which: str = SeatOrders.ROTATIONS) -> list[tuple[int, ...]]:
    """Return the matches of a battle: for each the number of the player in seat 0, in seat 1 and so on."""
    order = tuple(range(players))
    if players > 2 and which == SeatOrders.ALL:
        return list(permutations(order))
    if players > 2 and which == SeatOrders.ONE:
        return [order]
    return [order[first:] + order[:first] for first in order]
