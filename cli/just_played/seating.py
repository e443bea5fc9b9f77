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
    """One match of a series. `swapped`: the second bot sits in seat 0."""

    spec: MatchSpec
    swapped: bool


def in_seats(seating: Seating, bots: tuple[T, T]) -> tuple[T, T]:
    """Return what belongs to the first and second bot in the order of the seats they take in this match."""
    first, second = bots
    return (second, first) if seating.swapped else (first, second)


def points(seating: Seating, result: MatchResult) -> float:
    """Return what the first bot got: 1 for a win, 0.5 for a draw."""
    winner = result.outcome.winner
    if winner is None:
        return 0.5
    return float((winner == 1) == seating.swapped)


def complain(results: Sequence[MatchResult | Unplayed]) -> None:
    """Raise HostBusy if there is a match that could not be played."""
    unplayed = [result for result in results if isinstance(result, Unplayed)]
    if unplayed:
        raise HostBusy(f"{len(unplayed)} of {len(results)} matches void after {MOST_TRIES} tries: {unplayed[-1].why}")
