"""How well the mean of a series of fixed length is known: of a gauntlet's pairs, of differences, of seeds played here.

How this works. One even result is added to those that were seen, and a little scatter to theirs. So a series that was
won to the last match is not taken for certain, and a long one hardly changes. How far the mean may be off follows
Student's distribution, as the scatter of a few results is little known itself: of two equal versions, one is called
better after five pairs in some 2 % of all cases, and the interval holds the truth in 94 % or more.

Imports inside functions: SciPy takes up to half a second to import, and many commands that show Elo do not need it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt

from ladder.statistics.defaults import CONFIDENCE

SCATTER = 0.12
"""Added to the sum of squares: what one pair of two equals scatters without draws."""


@dataclass(frozen=True, slots=True)
class KnownMean:
    """A mean, its 95 % interval, which may go beyond what a mean can be, and the chance that it is above the middle."""

    mean: float
    low: float
    high: float
    chance: float


def known_mean(results: Sequence[float], counts: Sequence[float] | None = None, middle: float = 0.5) -> KnownMean:
    """Return what is known of the mean. `counts`: how often each result was seen, else once; `middle`: of equals."""
    from scipy.special import stdtr, stdtrit

    times = [1.0] * len(results) if counts is None else counts
    seen = sum(times)
    mean = (sum(result * count for result, count in zip(results, times, strict=True)) + middle) / (seen + 1)
    if seen < 2:
        return KnownMean(mean, -inf, inf, 0.5)
    squares = sum(count * (result - mean) ** 2 for result, count in zip(results, times, strict=True))
    error = sqrt((squares + SCATTER) / seen / (seen + 1))
    half = float(stdtrit(seen - 1, (1 + CONFIDENCE) / 2)) * error
    return KnownMean(mean, mean - half, mean + half, float(stdtr(seen - 1, (mean - middle) / error)))
