"""Is it stronger? A generalised sequential probability ratio test (GSPRT) on counts of pairs.

How this works. H0 says that the difference is elo0, H1 that it is elo1. Under each, the most likely distribution of
outcomes with that difference is found; the log of the ratio of the two likelihoods of what was seen (LLR) grows where
H1 explains it better and falls where H0 does. The test ends when it leaves the interval between Wald's bounds.

The most likely distribution with a given mean s is p / (1 + x (score - s)) for the one x that makes the mean right: a
decreasing function has to be 0 (M. Van den Bergh, "GSPRT approximation"; A. Owen, "Empirical Likelihood", 2.9). With a
given t-value the condition is not linear, but at its solution it has the same form with other scores, which depend on
the solution's own mean and deviation; so it is found by going round until nothing moves ("Normalized Elo", section 4).
Everything works on many tables of counts at once (the last axis are the outcomes), for simulations.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from ladder.statistics.elo import score_of, t_value_of
from ladder.statistics.pair_counts import MATCHES, Distribution, Floats, distribution
from ladder.statistics.sprt_settings import LOGISTIC, SprtSettings

MOST_STEPS = 200
MOST_ROUNDS = 100
CLOSE = 1e-12
"""A share that moves less than this has arrived."""
CLOSEST = 1e-13
"""So near to x, likelihoods are exact to the last digit: they are flat there."""


def log_likelihood_ratio(counts: Sequence[float], settings: SprtSettings) -> float:
    """Return how much better elo1 explains counts of outcomes than elo0 does. Raises UsageFault for bad counts."""
    seen = distribution(counts)
    return seen.pairs * float(seen.shares @ jumps(seen, settings))


def log_likelihood_ratios(many: Sequence[Sequence[float]], settings: SprtSettings) -> list[float]:
    """Return the same for many tables of counts at once, which takes little longer. Raises UsageFault."""
    seen = [distribution(counts) for counts in many]
    shares = np.array([one.shares for one in seen])
    moved = (shares * jumps_of(shares, seen[0].scores, settings)).sum(-1)
    return [one.pairs * float(each) for one, each in zip(seen, moved, strict=True)]


def jumps(seen: Distribution, settings: SprtSettings) -> Floats:
    """Return by how much each outcome moves the log-likelihood ratio where outcomes are distributed like this."""
    return jumps_of(seen.shares, seen.scores, settings)


def jumps_of(shares: Floats, scores: Floats, settings: SprtSettings) -> Floats:
    """Return the same for many distributions at once: `shares` has one more axis in front."""
    low, high = (hypothesis(shares, scores, elo, settings.model) for elo in (settings.elo0, settings.elo1))
    return np.log(high / low)


def hypothesis(shares: Floats, scores: Floats, elo: float, model: str) -> Floats:
    """Return the most likely shares if the true difference is `elo`."""
    if model == LOGISTIC:
        return with_mean(shares, scores, score_of(elo))
    return with_t_value(shares, scores, t_value_of(elo, MATCHES[len(scores)]))


def hypothetical_scores(seen: Distribution, settings: SprtSettings) -> tuple[float, float]:
    """Return the mean scores that elo0 and elo1 stand for, with the deviation that was seen."""
    if settings.model == LOGISTIC:
        return score_of(settings.elo0), score_of(settings.elo1)
    t_values = (t_value_of(elo, seen.matches_per_pair) for elo in (settings.elo0, settings.elo1))
    low, high = (0.5 + t_value * seen.deviation for t_value in t_values)
    return low, high


def with_mean(shares: Floats, scores: Floats, mean: float | Floats) -> Floats:
    """Return the most likely shares among those with a mean score. `mean`: between the lowest and highest score."""
    return balanced(shares, np.broadcast_to(scores - np.expand_dims(mean, -1), shares.shape))


def with_t_value(shares: Floats, scores: Floats, t_value: float) -> Floats:
    """Return the likeliest shares with a mean `t_value` deviations above one half, iterating from a coin's."""
    deviation = np.full((*shares.shape[:-1], 1), 0.5 / sqrt(1 + t_value * t_value))
    mean = 0.5 + t_value * deviation
    found = shares
    for _ in range(MOST_ROUNDS):
        apart = (scores - mean) / deviation
        better = balanced(shares, scores - 0.5 - t_value * deviation / 2 * (1 + apart * apart))
        moved = np.abs(better - found).max()
        found = better
        if moved < CLOSE:
            break
        mean = (found * scores).sum(-1, keepdims=True)
        deviation = np.sqrt((found * (scores - mean) ** 2).sum(-1, keepdims=True))
    return found


def balanced(shares: Floats, weights: Floats) -> Floats:
    """Return the likeliest shares under which the mean of `weights`, of both signs, is 0: shares / (1 + x weights)."""
    size = shares.shape[-1]
    x = balance(shares.reshape(-1, size), weights.reshape(-1, size)).reshape(*shares.shape[:-1], 1)
    found: Floats = shares / (1 + x * weights)
    return found


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
