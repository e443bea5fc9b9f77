"""How well the share of points that a short series gives is known.

Wilson's interval, in which a series counts as so many independent trials as the scatter of its seeds stands for
(L. Korn and B. Graubard, "Confidence Intervals for Proportions with Small Expected Number of Positive Counts"): two
matches on one seed depend on each other. It never leaves 0 to 1, and a series that was won to the last match is not
taken for certain, which an interval from the scatter alone would do.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from ladder.statistics.elo import DEVIATIONS

MOST_TRIALS_PER_SEED = 4
"""Small scatter in a short series is partly chance: a seed of two matches counts as at most so many trials."""


def interval(scores: Sequence[float]) -> tuple[float, float] | None:
    """Return the 95 % interval of the share of points; None for less than two seeds.

    `scores`: of each seed the share of its points, 0 to 1.
    """
    seeds = len(scores)
    if seeds < 2:
        return None
    mean = sum(scores) / seeds
    variance = sum((score - mean) ** 2 for score in scores) / (seeds - 1)
    trials = seeds * min(max(mean * (1 - mean) / variance, 1), MOST_TRIALS_PER_SEED) if variance else seeds
    return wilson(mean, trials)


def wilson(mean: float, trials: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval for a share that was seen in so many independent trials."""
    squared = DEVIATIONS**2
    middle = (mean + squared / (2 * trials)) / (1 + squared / trials)
    half = DEVIATIONS / (1 + squared / trials) * sqrt(mean * (1 - mean) / trials + squared / (4 * trials**2))
    return max(middle - half, 0.0), min(middle + half, 1.0)
