"""Differences of strength: logistic and normalised Elo, and what a gauntlet of fixed length says about them.

Logistic Elo is the common one: a difference of 400 is ten wins for one loss. Normalised Elo counts in deviations of a
match's score instead: the same value takes the same number of matches to find, however many of them are draws. Both as
fishtest defines them (M. Van den Bergh, "Normalized Elo"): a t-value per match of ln 10 / 800 is one normalised Elo, so
that without draws a small difference has the same value on both scales.

Imports inside functions: NumPy takes a tenth of a second to import, and many commands that show Elo do not need it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, log10, sqrt

from ladder.statistics.points import KnownMean, known_mean

ELO_PER_T_VALUE = 800 / log(10)
"""Normalised Elo of a match whose mean score is one deviation above one half."""
MOST_ELO = 1000.0
"""The largest difference that can be asked for, and that is shown after an early stop."""
EXTREME_SCORE = 1e-3
"""Scores nearer to 0 or 1 than this are shown as if they were this: about 1200 Elo."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is known of a difference, in logistic Elo: value, 95 % interval, likelihood of superiority (0 to 1)."""

    elo: float
    low: float
    high: float
    los: float

    @property
    def half_width(self) -> float:
        return (self.high - self.low) / 2


def score_of(elo: float) -> float:
    """Return the mean score, 0 to 1, of who is this many logistic Elo stronger."""
    return 1 / (1 + exp(-elo * log(10) / 400))


def elo_of(score: float) -> float:
    held = min(max(score, EXTREME_SCORE), 1 - EXTREME_SCORE)
    return -400 * log10(1 / held - 1)


def elo_text(elo: float) -> str:
    """Write a difference in whole Elo, with its sign where it has one: `+12`, `-3`, `0`."""
    whole = f"{elo:+z.0f}"
    return "0" if whole == "+0" else whole


def estimate_text(estimate: Estimate) -> str:
    """Write an estimate with its interval: `+12 (-3 to +27)`."""
    return f"{elo_text(estimate.elo)} ({elo_text(estimate.low)} to {elo_text(estimate.high)})"


def t_value_of(normalised_elo: float, matches_per_pair: int) -> float:
    """Return how many deviations of a pair's score its mean is above one half."""
    return normalised_elo / ELO_PER_T_VALUE * sqrt(matches_per_pair)


def estimate(counts: Sequence[float]) -> Estimate:
    """Return the estimate from a gauntlet whose length did not depend on its results. Raises UsageFault."""
    from ladder.statistics.pair_counts import check

    check(counts)
    best = len(counts) - 1
    return estimate_of(known_mean([place / best for place in range(best + 1)], counts))


def estimate_of(known: KnownMean) -> Estimate:
    return Estimate(elo_of(known.mean), elo_of(known.low), elo_of(known.high), known.chance)
