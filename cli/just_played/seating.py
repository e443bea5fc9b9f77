"""Who sat where in a match, and what the bot that was named first got."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from engine.errors import HostBusy
from engine.match import MatchResult, MatchSpec
from engine.series import MOST_TRIES, Unplayed

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Seating:
    """One match of a series. `order`: the number of the bot in seat 0, in seat 1 and so on, as they were named."""

    spec: MatchSpec
    order: tuple[int, ...] = (0, 1)

    @property
    def seat_of_first(self) -> int:
        """The seat of the bot that was named first."""
        return self.order.index(0)


def in_seats(seating: Seating, bots: Sequence[T]) -> tuple[T, ...]:
    """Return what belongs to the bots, given as they were named, in the order of the seats they take in this match."""
    return tuple(bots[who] for who in seating.order)


def points(seating: Seating, result: MatchResult) -> float:
    """Return what the first bot got, from 0 to 1: of two 1 for a win, 0.5 for a draw."""
    return result.outcome.points[seating.seat_of_first]


def complain(results: Sequence[MatchResult | Unplayed]) -> None:
    """Raise HostBusy if there is a match that could not be played."""
    unplayed = [result for result in results if isinstance(result, Unplayed)]
    if unplayed:
        raise HostBusy(f"{len(unplayed)} of {len(results)} matches void after {MOST_TRIES} tries: {unplayed[-1].why}")
