"""Is the candidate better than the baseline against the same field? Each seed and opponent is played by both.

How this works. What makes a seed hard for the one mostly makes it hard for the other, so the difference of their two
results on the same seed and against the same opponent (common random numbers) varies much less than either. Those
differences are tested by themselves: there are nine for pairs, from -1 (two losses against two wins) to 1, and the
generalised SPRT on their mean is the one of ladder.statistics.sprt, with the score (1 + difference) / 2.

What a difference of strength in Elo is on this scale depends on the field: both stand around the mean of the two
scores, M Elo from the field, half the difference above and below. Then difference = sinh u / (cosh u + cosh m), where u
is half the difference of strength and m is M, both in units of 400 / ln 10 Elo. Normalised Elo counts in deviations of
a pair's score, of which the candidate and the baseline have the same on the average.
"""

from collections.abc import Iterable, Sequence
from math import asinh, atanh, cosh, log, sinh, sqrt
from typing import TypeVar

import numpy as np

from engine.errors import UsageFault
from engine.immutable import immutable
from ladder.statistics.elo import MOST_ELO, PENTANOMIAL, Estimate, known_mean, t_value_of
from ladder.statistics.sprt import (
    CHANCES,
    REGULARISED_ZERO,
    Distribution,
    Floats,
    careful,
    distribution,
    stopped_walk,
    with_mean,
)
from ladder.statistics.sprt_settings import LOGISTIC, SprtSettings, bounds

Joint = Sequence[Sequence[float]]
"""How often the candidate had outcome i (row) where the baseline had outcome j (column), both from worst to best."""
ELO_UNIT = 400 / log(10)
Number = TypeVar("Number", float, Floats)


@immutable
class SeedComparison:
    """A candidate and a baseline on common seeds. `differences`: of their pairs, as scores from 0 to 1."""

    candidate: Distribution
    baseline: Distribution
    differences: Distribution

    @property
    def mean(self) -> float:
        """How much more the candidate scores per pair, -1 to 1."""
        return 2 * self.differences.mean - 1

    @property
    def deviation(self) -> float:
        return 2 * self.differences.deviation

    def difference_at(self, elo: float, model: str = LOGISTIC) -> float:
        """Return the mean difference of pairs that a difference of strength stands for."""
        if model == LOGISTIC:
            return float(difference_of(elo, (self.candidate.mean + self.baseline.mean) / 2))
        deviation = sqrt((self.candidate.variance + self.baseline.variance) / 2)
        return t_value_of(elo, self.candidate.matches_per_pair) * deviation

    def elo_at(self, difference: float) -> float:
        """Return the logistic Elo that a mean difference of pairs stands for, 1000 at the most."""
        most = self.difference_at(MOST_ELO)
        held = min(max(difference, -most), most)
        off_centre = cosh_of_field((self.candidate.mean + self.baseline.mean) / 2)
        return 2 * ELO_UNIT * (atanh(held) + asinh(held * off_centre / sqrt(1 - held * held)))


def difference_of(elo: float, middle: Number) -> Number:
    """Return the mean difference of pairs that a difference in logistic Elo stands for. `middle`: of both scores."""
    half = elo / 2 / ELO_UNIT
    return sinh(half) / (cosh(half) + cosh_of_field(middle))


def cosh_of_field(middle: Number) -> Number:
    """Return cosh m, where m is how far the middle of both scores is from the field."""
    return 1 / (2 * middle * (1 - middle)) - 1


def joint_counts(candidate: Iterable[int], baseline: Iterable[int], outcomes: int = PENTANOMIAL) -> list[list[int]]:
    """Count outcomes (0 is the worst) that come in the same order of seeds and opponents. Raises UsageFault."""
    table = [[0] * outcomes for _ in range(outcomes)]
    try:
        for candidate_outcome, baseline_outcome in zip(candidate, baseline, strict=True):
            if not (0 <= candidate_outcome < outcomes and 0 <= baseline_outcome < outcomes):
                raise UsageFault(
                    f"an outcome is a number from 0 to {outcomes - 1}, not {candidate_outcome} or {baseline_outcome}"
                )
            table[candidate_outcome][baseline_outcome] += 1
    except ValueError as error:
        raise UsageFault("candidate and baseline have to be compared on the same seeds and opponents") from error
    return table


def compare(joint: Joint) -> SeedComparison:
    """Look at joint counts. Raises UsageFault where they make no sense."""
    table = np.array(joint, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise UsageFault("joint counts are a square table")
    candidate, baseline = distribution(list(table.sum(1))), distribution(list(table.sum(0)))
    differences = np.array(counts_of_differences(joint))
    differences[differences == 0] = REGULARISED_ZERO
    pairs = float(differences.sum())
    scores = np.linspace(0.0, 1.0, len(differences))
    return SeedComparison(candidate, baseline, Distribution(pairs, differences / pairs, scores))


def counts_of_differences(joint: Joint) -> list[float]:
    """Return how often the candidate did worse or better by how much, from worst to best."""
    outcomes = len(joint)
    return [float(np.trace(np.array(joint), -difference)) for difference in range(1 - outcomes, outcomes)]


def log_likelihood_ratio(joint: Joint, settings: SprtSettings) -> float:
    """Return how much better elo1 explains the differences than elo0 does. Raises UsageFault."""
    compared = compare(joint)
    return compared.differences.pairs * float(compared.differences.shares @ jumps(compared, settings))


def jumps(compared: SeedComparison, settings: SprtSettings) -> Floats:
    low, high = (
        with_mean(compared.differences.shares, compared.differences.scores, (1 + difference) / 2)
        for difference in hypotheses(compared, settings)
    )
    return np.log(high / low)


def hypotheses(compared: SeedComparison, settings: SprtSettings) -> tuple[float, float]:
    """Return the mean differences that elo0 and elo1 stand for. Raises UsageFault where no results are so far apart."""
    low, high = (compared.difference_at(elo, settings.model) for elo in (settings.elo0, settings.elo1))
    if not -1 < low < high < 1:
        raise UsageFault(f"no results of pairs are {settings.elo0:g} or {settings.elo1:g} Elo apart")
    return low, high


def estimate(joint: Joint) -> Estimate:
    """Return by how much the candidate is better, after a gauntlet of fixed length. Raises UsageFault."""
    compared = compare(joint)
    counts = counts_of_differences(joint)
    best = len(joint) - 1
    mean = known_mean([difference / best for difference in range(-best, best + 1)], counts, middle=0.0)
    return Estimate(compared.elo_at(mean.mean), compared.elo_at(mean.low), compared.elo_at(mean.high), mean.chance)


def unbiased_estimate(joint: Joint, settings: SprtSettings) -> Estimate:
    """Return the median-unbiased estimate after a test that may have stopped early. Raises UsageFault."""
    compared = compare(joint)
    walk = stopped_walk(
        compared.differences.pairs, compared.mean, compared.deviation, hypotheses(compared, settings), bounds(settings)
    )
    most = compared.difference_at(MOST_ELO)
    elo, low, high = (compared.elo_at(walk.mean_at(chance, -most, most)) for chance in CHANCES)
    return careful(Estimate(elo, low, high, walk.chance_of_worse(0.0)), estimate(joint), compared.differences.pairs)
