"""How strong is it really, when the test stopped as soon as it knew enough? An estimate without the bias of that.

How this works. A test that stops at a bound stops at a lucky moment (or an unlucky one), so that the mean score then is
too far out. Instead, the log-likelihood ratio is taken as a Brownian motion whose drift is the true difference, and all
ends that the test can have are put in order: stopped at the lower bound, the earlier the worse; still between the
bounds, by place; stopped at the upper bound, the earlier the better. The chance of an end worse than ours falls as the
true difference rises. Where it is one half lies the median-unbiased estimate, where it is 97.5 % and 2.5 % the ends of
a 95 % interval, and at difference 0 it is the likelihood of superiority. (D. Siegmund, "Sequential Analysis", III.4 and
corollary 3.45; M. Van den Bergh, "Brownian approximation", formulas 2.1 and 6.1.)

That chance is a sum over paths that touch the two bounds in turn. Reflected at each touch (with Girsanov's factor for
the drift), a path ends as one of an undisturbed motion, so that every term is a normal tail. Terms alternate, each
smaller than the one before, and each is a probability: nothing overflows.

Of a few pairs the scatter is little known, and the walk is none of many small steps. So below FEW_PAIRS the interval is
no narrower than that of a gauntlet of fixed length, which allows for that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from ladder.statistics.defaults import CONFIDENCE
from ladder.statistics.elo import MOST_ELO, Estimate, elo_of, estimate, score_of
from ladder.statistics.pair_counts import distribution
from ladder.statistics.sprt import hypothetical_scores
from ladder.statistics.sprt_settings import SprtSettings, bounds

DEVIATIONS_SUMMED = 9.0
"""Paths that would have to go this many deviations far are left out of the sum."""

FEW_PAIRS = 30


@dataclass(frozen=True, slots=True)
class StoppedWalk:
    """A test as Brownian motion, variance 1 per pair: `place` after `pairs`. `drift_of`: of a mean score."""

    pairs: float
    place: float
    lower: float
    upper: float
    drift_of: Callable[[float], float]

    def chance_of_worse(self, mean: float) -> float:
        """Return the chance of an end worse than this one, if the true mean score is `mean`."""
        drift, pairs, place = self.drift_of(mean), self.pairs, self.place
        to_lower = touches(drift, pairs, place, self.lower, self.upper - self.lower)
        to_upper = touches(-drift, pairs, -place, -self.upper, self.upper - self.lower)
        return float(ndtr((place - drift * pairs) / sqrt(pairs))) + to_lower - to_upper

    def mean_at(self, chance: float, least: float, most: float) -> float:
        """Return the true mean score at which the chance of a worse end is `chance`, or the nearer of the limits."""
        if self.chance_of_worse(least) <= chance:
            return least
        if self.chance_of_worse(most) >= chance:
            return most
        found: Any = brentq(lambda mean: self.chance_of_worse(mean) - chance, least, most, xtol=1e-15)
        return float(found)


def touches(drift: float, pairs: float, place: float, lower: float, width: float) -> float:
    """Return the chance to touch the lower bound before the upper one, and yet to end above `place`."""
    rounds = np.arange(ceil(DEVIATIONS_SUMMED * sqrt(pairs) / (2 * width)) + 2)
    begun_below = 2 * width * rounds - 2 * lower
    begun_above = 2 * width * (rounds + 1)

    below, above = (
        np.exp(-drift * way + log_ndtr((drift * pairs - place - way) / sqrt(pairs)))
        for way in (begun_below, begun_above)
    )
    return float((below - above).sum())


def stopped_walk(
    pairs: float, mean: float, deviation: float, hypotheses: tuple[float, float], ends: tuple[float, float]
) -> StoppedWalk:
    """Return the walk that saw this mean, cut where its straight line crosses a bound. `hypotheses`: mean scores."""
    middle = sum(hypotheses) / 2
    unit = deviation / (hypotheses[1] - hypotheses[0])
    lower, upper = (end * unit for end in ends)
    place = pairs * (mean - middle) / deviation
    held = min(max(place, lower), upper)
    until = pairs if held == place else pairs * held / place
    return StoppedWalk(until, held, lower, upper, lambda true_mean: (true_mean - middle) / deviation)


def unbiased_estimate(counts: Sequence[float], settings: SprtSettings) -> Estimate:
    """Return the median-unbiased estimate of a test, as if stopped now where it goes on. Raises UsageFault."""
    seen = distribution(counts)
    walk = stopped_walk(seen.pairs, seen.mean, seen.deviation, hypothetical_scores(seen, settings), bounds(settings))
    limits = score_of(-MOST_ELO), score_of(MOST_ELO)
    elo, low, high = (elo_of(walk.mean_at(chance, *limits)) for chance in chances())
    return careful(Estimate(elo, low, high, walk.chance_of_worse(0.5)), estimate(counts), seen.pairs)


def careful(stopped: Estimate, fixed: Estimate, pairs: float) -> Estimate:
    """Return the estimate after an early stop, of few pairs no surer than the one of a fixed length."""
    if pairs >= FEW_PAIRS:
        return stopped
    los = min(stopped.los, fixed.los, key=lambda one: abs(one - 0.5))
    return Estimate(stopped.elo, min(stopped.low, fixed.low), max(stopped.high, fixed.high), los)


def chances() -> tuple[float, float, float]:
    """Return the chances of a worse end at the estimate and at the lower and upper end of its interval."""
    return 0.5, (1 + CONFIDENCE) / 2, (1 - CONFIDENCE) / 2
