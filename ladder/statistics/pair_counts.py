"""What a gauntlet has seen, as counts: how many pairs ended in each way, from worst to best.

A pair is one seed in both seat orders, so it has five outcomes: two losses, a loss and a draw, an even pair, a draw and
a win, two wins. Games with one seat order have three: loss, draw, win. Two matches on one seed depend on each other (an
unfair map gives a win and a loss), which is why pairs are counted and not matches.

In a game of more players the unit is a rotation: one seed with the same others, and the candidate in every seat once. A
match of n gives it one of 2(n - 1) + 1 numbers of points (see `engine.conversation.Outcome`) from 0 to 1, so the mean
of the n matches of a rotation has 2n(n - 1) + 1 values at equal distances: 5 for two players, 13 for three, 25 for
four. All that is computed here goes by these scores, and a pair is the rotation of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite, sqrt

import numpy as np
from numpy.typing import NDArray

from engine.errors import UsageFault
from ladder.statistics.elo import outcomes_of

Floats = NDArray[np.float64]

TRINOMIAL = 3
PENTANOMIAL = 5
MOST_PLAYERS = 8
REGULARISED_ZERO = 1e-3
"""Stands for a count of 0, so that what was not seen yet is unlikely and not impossible. The value is fishtest's."""


MATCHES = {TRINOMIAL: 1} | {outcomes_of(players): players for players in range(2, MOST_PLAYERS + 1)}
"""How many matches a pair or rotation has, by its number of outcomes."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """Counts as a distribution. `pairs`: how many; `shares` of the outcomes, whose `scores` go from 0 to 1."""

    pairs: float
    shares: Floats
    scores: Floats

    @property
    def mean(self) -> float:
        return float(self.shares @ self.scores)

    @property
    def variance(self) -> float:
        return float(self.shares @ (self.scores - self.mean) ** 2)

    @property
    def deviation(self) -> float:
        return sqrt(self.variance)

    @property
    def matches_per_pair(self) -> int:
        """Two, or as many as there are players, or one where there is one seat order."""
        return MATCHES[len(self.shares)]


def distribution(counts: Sequence[float]) -> Distribution:
    """Return the distribution that counts of outcomes stand for. Raises UsageFault where they make no sense."""
    check(counts)
    regularised = np.array([count or REGULARISED_ZERO for count in counts], dtype=np.float64)
    pairs = float(regularised.sum())
    return Distribution(pairs, regularised / pairs, np.linspace(0.0, 1.0, len(counts)))


def check(counts: Sequence[float]) -> None:
    """Raise UsageFault unless these are counts of as many outcomes as matches, pairs or rotations have."""
    if len(counts) not in MATCHES:
        raise UsageFault(
            f"{len(counts)} counts make no result: give {PENTANOMIAL} of pairs, from two losses to two wins, "
            f"or {TRINOMIAL} of matches: losses, draws, wins; of games of three, four and more players "
            f"{outcomes_of(3)}, {outcomes_of(4)} and so on, of seeds with every seat once"
        )
    wrong = [count for count in counts if count < 0 or not isfinite(count)]
    if wrong:
        raise UsageFault(f"a count cannot be {wrong[0]:g}")


def draw_ratio(counts: Sequence[float]) -> float:
    """Return the share of pairs that ended even, 0 to 1; 0 where nothing was played."""
    check(counts)
    total = sum(counts)
    return counts[len(counts) // 2] / total if total else 0.0


def pair_ratio(counts: Sequence[float]) -> float | None:
    """Return how many pairs were won for each one that was lost, or None where none was lost."""
    check(counts)
    middle = len(counts) // 2
    lost = sum(counts[:middle])
    return sum(counts[middle + 1 :]) / lost if lost else None
