"""Results as counts of pairs, and differences of strength: what a series of fixed length says about them, in Elo.

A gauntlet's results are counts: how many pairs ended in each way, from worst to best. A pair is one seed in both seat
orders, so it has five outcomes: two losses, a loss and a draw, an even pair, a draw and a win, two wins. Games with one
seat order have three: loss, draw, win. Two matches on one seed depend on each other (an unfair map gives a win and a
loss), which is why pairs are counted and not matches.

In a game of more players the unit is a rotation: one seed with the same others, and the candidate in every seat once. A
match of n gives it one of 2(n - 1) + 1 numbers of points (see `engine.conversation.Outcome`) from 0 to 1, so the mean
of the n matches of a rotation has 2n(n - 1) + 1 values at equal distances: 5 for two players, 13 for three, 25 for
four. All that is computed here goes by these scores, and a pair is the rotation of two.

Logistic Elo is the common one: a difference of 400 is ten wins for one loss. Normalised Elo counts in deviations of a
match's score instead: the same value takes the same number of matches to find, however many of them are draws. Both as
fishtest defines them (M. Van den Bergh, "Normalized Elo"): a t-value per match of ln 10 / 800 is one normalised Elo, so
that without draws a small difference has the same value on both scales.

How well the mean of such a series is known (`known_mean`): of a gauntlet's pairs, of differences, of seeds played here.
One even result is added to those that were seen, and a little scatter to theirs. So a series that was won to the last
match is not taken for certain, and a long one hardly changes. How far the mean may be off follows Student's
distribution, as the scatter of a few results is little known itself: of two equal versions, one is called better after
five pairs in some 2 % of all cases, and the interval holds the truth in 94 % or more.

Imports inside functions: SciPy takes up to half a second to import, and many commands that show Elo do not need it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, isfinite, log, log10, sqrt

from engine.errors import UsageFault
from engine.immutable import immutable

TRINOMIAL = 3
PENTANOMIAL = 5
MOST_PLAYERS = 8
ELO_PER_T_VALUE = 800 / log(10)
"""Normalised Elo of a match whose mean score is one deviation above one half."""
MOST_ELO = 1000.0
"""The largest difference that can be asked for, and that is shown after an early stop."""
EXTREME_SCORE = 1e-3
"""Scores nearer to 0 or 1 than this are shown as if they were this: about 1200 Elo."""
CONFIDENCE = 0.95
"""With which somebody is called better, and with which intervals hold the truth."""
SCATTER = 0.12
"""Added to the sum of squares: what one pair of two equals scatters without draws."""


def outcomes_of(players: int) -> int:
    """Return how many outcomes a rotation has: `players` matches, each of up to 2 (players - 1) half points."""
    return 2 * players * (players - 1) + 1


MATCHES = {TRINOMIAL: 1} | {outcomes_of(players): players for players in range(2, MOST_PLAYERS + 1)}
"""How many matches a pair or rotation has, by its number of outcomes."""


def check_counts(counts: Sequence[float]) -> None:
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
    check_counts(counts)
    total = sum(counts)
    return counts[len(counts) // 2] / total if total else 0.0


def pair_ratio(counts: Sequence[float]) -> float | None:
    """Return how many pairs were won for each one that was lost, or None where none was lost."""
    check_counts(counts)
    middle = len(counts) // 2
    lost = sum(counts[:middle])
    return sum(counts[middle + 1 :]) / lost if lost else None


@immutable
class EloInterval:
    """A difference of strength in logistic Elo, with its 95 % interval."""

    elo: float
    low: float
    high: float


@immutable
class Estimate(EloInterval):
    """What is known of a difference. `los`: the likelihood of superiority, 0 to 1."""

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


def estimate_text(estimate: EloInterval) -> str:
    """Write an estimate with its interval: `+12 (-3 to +27)`."""
    return f"{elo_text(estimate.elo)} ({elo_text(estimate.low)} to {elo_text(estimate.high)})"


def t_value_of(normalised_elo: float, matches_per_pair: int) -> float:
    """Return how many deviations of a pair's score its mean is above one half."""
    return normalised_elo / ELO_PER_T_VALUE * sqrt(matches_per_pair)


def estimate(counts: Sequence[float]) -> Estimate:
    """Return the estimate from a gauntlet whose length did not depend on its results. Raises UsageFault."""
    check_counts(counts)
    best = len(counts) - 1
    return estimate_of(known_mean([place / best for place in range(best + 1)], counts))


def estimate_of(mean: KnownMean) -> Estimate:
    return Estimate(elo_of(mean.mean), elo_of(mean.low), elo_of(mean.high), mean.chance)


@immutable
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
    number = sum(times)
    mean = (sum(result * count for result, count in zip(results, times, strict=True)) + middle) / (number + 1)
    if number < 2:
        return KnownMean(mean, -inf, inf, 0.5)
    squares = sum(count * (result - mean) ** 2 for result, count in zip(results, times, strict=True))
    error = sqrt((squares + SCATTER) / number / (number + 1))
    half = float(stdtrit(number - 1, (1 + CONFIDENCE) / 2)) * error
    return KnownMean(mean, mean - half, mean + half, float(stdtr(number - 1, (mean - middle) / error)))
