"""Is it stronger? A generalised sequential probability ratio test (GSPRT) on counts of pairs.

How this works. H0 says that the difference is elo0, H1 that it is elo1. Under each, the most likely distribution of
outcomes with that difference is found; the log of the ratio of the two likelihoods of what was seen (LLR) grows where
H1 explains it better and falls where H0 does. The test ends when it leaves the interval between Wald's bounds.

The most likely distribution with a given mean s is p / (1 + x (score - s)) for the one x that makes the mean right: a
decreasing function has to be 0 (M. Van den Bergh, "GSPRT approximation"; A. Owen, "Empirical Likelihood", 2.9). With a
given t-value the condition is not linear, but at its solution it has the same form with other scores, which depend on
the solution's own mean and deviation; so it is found by going round until nothing moves ("Normalized Elo", section 4).
Everything works on many tables of counts at once (the last axis are the outcomes), for simulations.

How strong is it really, when the test stopped as soon as it knew enough (`unbiased_estimate`)? A test that stops at a
bound stops at a lucky moment (or an unlucky one), so that the mean score then is too far out. Instead, the
log-likelihood ratio is taken as a Brownian motion whose drift is the true difference, and all ends that the test can
have are put in order: stopped at the lower bound, the earlier the worse; still between the bounds, by place; stopped at
the upper bound, the earlier the better. The chance of an end worse than ours falls as the true difference rises. Where
it is one half lies the median-unbiased estimate, where it is 97.5 % and 2.5 % the ends of a 95 % interval, and at
difference 0 it is the likelihood of superiority. (D. Siegmund, "Sequential Analysis", III.4 and corollary 3.45; M. Van
den Bergh, "Brownian approximation", formulas 2.1 and 6.1.)

That chance is a sum over paths that touch the two bounds in turn. Reflected at each touch (with Girsanov's factor for
the drift), a path ends as one of an undisturbed motion, so that every term is a normal tail. Terms alternate, each
smaller than the one before, and each is a probability: nothing overflows.

Of a few pairs the scatter is little known, and the walk is none of many small steps. So below FEW_PAIRS the interval is
no narrower than that of a gauntlet of fixed length, which allows for that.
"""

from collections.abc import Callable, Sequence
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from engine.immutable import immutable
from ladder.statistics.elo import (
    CONFIDENCE,
    MATCHES,
    MOST_ELO,
    Estimate,
    check_counts,
    elo_of,
    estimate,
    score_of,
    t_value_of,
)
from ladder.statistics.sprt_settings import LOGISTIC, SprtSettings, bounds

Floats = NDArray[np.float64]

REGULARISED_ZERO = 1e-3
"""Stands for a count of 0, so that what was not seen yet is unlikely and not impossible. The value is fishtest's."""
MOST_STEPS = 200
MOST_ROUNDS = 100
CLOSE = 1e-12
"""A share that moves less than this has arrived."""
CLOSEST = 1e-13
"""So near to x, likelihoods are exact to the last digit: they are flat there."""
DEVIATIONS_SUMMED = 9.0
"""Paths that would have to go this many deviations far are left out of the sum."""
FEW_PAIRS = 30
CHANCES = (0.5, (1 + CONFIDENCE) / 2, (1 - CONFIDENCE) / 2)
"""Of a worse end at the estimate and at the lower and upper end of its interval."""


@immutable
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
    check_counts(counts)
    regularised = np.array([count or REGULARISED_ZERO for count in counts], dtype=np.float64)
    pairs = float(regularised.sum())
    return Distribution(pairs, regularised / pairs, np.linspace(0.0, 1.0, len(counts)))


def log_likelihood_ratio(counts: Sequence[float], settings: SprtSettings) -> float:
    """Return how much better elo1 explains counts of outcomes than elo0 does. Raises UsageFault for bad counts."""
    return log_likelihood_ratios([counts], settings)[0]


def log_likelihood_ratios(many: Sequence[Sequence[float]], settings: SprtSettings) -> list[float]:
    """Return the same for many tables of counts at once, which takes little longer. Raises UsageFault."""
    series = [distribution(counts) for counts in many]
    shares = np.array([row.shares for row in series])
    moved = (shares * jumps(shares, series[0].scores, settings)).sum(-1)
    return [row.pairs * float(each) for row, each in zip(series, moved, strict=True)]


def jumps(shares: Floats, scores: Floats, settings: SprtSettings) -> Floats:
    """Return by how much each outcome moves the log-likelihood ratio of one distribution, or many (more axes)."""
    low, high = (hypothesis(shares, scores, elo, settings.model) for elo in (settings.elo0, settings.elo1))
    return np.log(high / low)


def hypothesis(shares: Floats, scores: Floats, elo: float, model: str) -> Floats:
    """Return the most likely shares if the true difference is `elo`."""
    if model == LOGISTIC:
        return with_mean(shares, scores, score_of(elo))
    return with_t_value(shares, scores, t_value_of(elo, MATCHES[len(scores)]))


def hypothetical_scores(outcomes: Distribution, settings: SprtSettings) -> tuple[float, float]:
    """Return the mean scores that elo0 and elo1 stand for, with the deviation that was seen."""
    if settings.model == LOGISTIC:
        return score_of(settings.elo0), score_of(settings.elo1)
    t_values = (t_value_of(elo, outcomes.matches_per_pair) for elo in (settings.elo0, settings.elo1))
    low, high = (0.5 + t_value * outcomes.deviation for t_value in t_values)
    return low, high


def with_mean(shares: Floats, scores: Floats, mean: float | Floats) -> Floats:
    """Return the most likely shares among those with a mean score. `mean`: between the lowest and highest score."""
    return balanced(shares, np.broadcast_to(scores - np.expand_dims(mean, -1), shares.shape))


def with_t_value(shares: Floats, scores: Floats, t_value: float) -> Floats:
    """Return the likeliest shares with a mean `t_value` deviations above one half, iterating from a coin's."""
    deviation = np.full((*shares.shape[:-1], 1), 0.5 / sqrt(1 + t_value * t_value))
    mean = 0.5 + t_value * deviation
    best = shares
    for _ in range(MOST_ROUNDS):
        apart = (scores - mean) / deviation
        better = balanced(shares, scores - 0.5 - t_value * deviation / 2 * (1 + apart * apart))
        moved = np.abs(better - best).max()
        best = better
        if moved < CLOSE:
            break
        mean = (best * scores).sum(-1, keepdims=True)
        deviation = np.sqrt((best * (scores - mean) ** 2).sum(-1, keepdims=True))
    return best


def balanced(shares: Floats, weights: Floats) -> Floats:
    """Return the likeliest shares under which the mean of `weights`, of both signs, is 0: shares / (1 + x weights)."""
    size = shares.shape[-1]
    x = balance(shares.reshape(-1, size), weights.reshape(-1, size)).reshape(*shares.shape[:-1], 1)
    most_likely: Floats = shares / (1 + x * weights)
    return most_likely


def balance(shares: Floats, weights: Floats) -> Floats:
    """Return x of each row: by Newton's method between the bounds that shares give, bisecting outside of them."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        limits = (shares - 1) / weights
    low = np.where(weights > 0, limits, -np.inf).max(-1)
    high = np.where(weights < 0, limits, np.inf).min(-1)
    near_enough = CLOSEST * np.minimum(-low, high)
    x = np.zeros(len(shares))
    going = np.arange(len(shares))
    for _ in range(MOST_STEPS):
        here, own, pull = x[going], shares[going], weights[going]
        parts = pull / (1 + here[:, None] * pull)
        value = np.einsum("ij,ij->i", own, parts)
        slope = np.einsum("ij,ij,ij->i", own, parts, parts)
        low[going] = np.where(value > 0, here, low[going])
        high[going] = np.where(value > 0, high[going], here)
        step = here + value / slope
        is_inside = (step > low[going]) & (step < high[going])
        x[going] = np.where(is_inside, step, (low[going] + high[going]) / 2)
        going = going[np.abs(x[going] - here) > near_enough[going]]
        if not len(going):
            break
    return x


@immutable
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
        root: Any = brentq(lambda mean: self.chance_of_worse(mean) - chance, least, most, xtol=1e-15)
        return float(root)


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
    outcomes = distribution(counts)
    walk = stopped_walk(
        outcomes.pairs, outcomes.mean, outcomes.deviation, hypothetical_scores(outcomes, settings), bounds(settings)
    )
    limits = score_of(-MOST_ELO), score_of(MOST_ELO)
    elo, low, high = (elo_of(walk.mean_at(chance, *limits)) for chance in CHANCES)
    return careful(Estimate(elo, low, high, walk.chance_of_worse(0.5)), estimate(counts), outcomes.pairs)


def careful(stopped: Estimate, fixed: Estimate, pairs: float) -> Estimate:
    """Return the estimate after an early stop, of few pairs no surer than the one of a fixed length."""
    if pairs >= FEW_PAIRS:
        return stopped
    los = min(stopped.los, fixed.los, key=lambda chance: abs(chance - 0.5))
    return Estimate(stopped.elo, min(stopped.low, fixed.low), max(stopped.high, fixed.high), los)
