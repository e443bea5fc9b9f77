"""`make sprt`: does the sequential test keep its word?

Gauntlets between versions of known strength are drawn by lot, thousands of each kind, and each is looked at after every
pair, as strictly as can be; those of four players after every seed, which is played with the candidate in every seat.
The exit status is 1 if more than alpha of them pass what is no better or more than beta fail what is, beyond their own
sampling error; if their mean length is more than 5 % off theory; if the estimate after stopping is biased; if common
seeds do not save what theory says; if a gate with symmetric bounds keeps less than nine tenths of what versions gain;
or if few pairs claim more than they can bear.

How this works. All gauntlets of a kind go on side by side, some hundred pairs at a time. The exact log-likelihood ratio
is dear, so a cheap approximation says first where it may be near a bound, and only there it is computed.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table
from scipy.optimize import brentq
from scipy.special import ndtr

from ladder.gauntlets.plan import PAIRS_OF_A_TEST
from ladder.statistics import common_seeds
from ladder.statistics.common_seeds import SeedComparison, compare, difference_of
from ladder.statistics.elo import CONFIDENCE, KnownMean, known_mean, score_of
from ladder.statistics.sprt import REGULARISED_ZERO, Distribution, Floats, hypothesis, unbiased_estimate, with_mean
from ladder.statistics.sprt_settings import SprtSettings, bounds
from tests.sprt_length import forecast, forecast_of_differences, times_fewer

Counts = NDArray[np.int32]
LlrOf = Callable[[Counts], Floats]

DRAW_RATIOS = (0.1, 0.3, 0.5, 0.7, 0.9)
DIFFERENCES = (0.0, 5.0, 10.0)
QUESTIONS = (SprtSettings(0, 5), SprtSettings(0, 10))
SHARES = (0.0, 0.3, 0.6, 0.9)
MANY_PLAYERS = 4
MANY_DRAW_RATIOS = (0.01, 0.1, 0.5)
MANY_SHARE = 0.6
COMMON_QUESTION = SprtSettings(0, 20)
COMMON_DRAW_RATIO = 0.3
MOST_OFF = 0.05
"""So far mean lengths may be from theory."""
MOST_OFF_IN_SHORT_TESTS = 0.1
"""With most of the luck in the seeds, a comparison takes few pairs, most of which end alike, and theory is for many."""
ERRORS_ALLOWED = 3.0
"""Rates and medians may be this many of their standard errors off."""
SURELY_BETWEEN = 0.85
"""Below this part of a bound, the approximation is trusted to be right that the bound is not reached."""
AT_ONCE = 1_500_000
"""This many counts are drawn at a time."""
GATES = (SprtSettings(-5, 0), SprtSettings(-20, 20), SprtSettings(-30, 30), None)
"""None: 100 pairs, and 95 % confidence."""
SPREAD_ELO = 40.0
"""By so much versions that go through gates are better or worse than the ones before: the deviation of a normal one."""
STRENGTHS = 41
FIXED_PAIRS = 100
KEPT_SHARE = 0.9
FEWEST_COVERED = 0.94
"""Of the intervals of few pairs: with six, exactly 94.1 % hold the truth."""
SMALL_SAMPLES = (5, 6, 10, 30)
EVEN_SHARES = (0.35, 0.6)
"""Of the pairs of two versions of a bot, of which each has one match or both: the maps decide much."""
LUCK_POINTS = 60
"""Where the luck of a player is looked at, to average over it."""


@dataclass(frozen=True, slots=True)
class Ends:
    """How gauntlets ended: after how many pairs, whether they passed, and with which counts."""

    pairs: NDArray[np.int64]
    passed: NDArray[np.bool_]
    counts: Counts

    @property
    def pass_rate(self) -> float:
        return float(self.passed.mean())

    @property
    def mean_pairs(self) -> float:
        return float(self.pairs.mean())


@dataclass(frozen=True, slots=True)
class Kind:
    """Gauntlets of one kind. `difference`: the true one in Elo; `draw_ratio`: the share of matches that are draws.

    Of more than two players it is the share of equals that are level with one another.
    """

    question: SprtSettings
    difference: float
    draw_ratio: float
    players: int = 2


@dataclass(frozen=True, slots=True)
class Row:
    """What gauntlets of one kind showed. `wrong`: the share with the wrong answer, None where neither is wrong."""

    elo0: float
    elo1: float
    players: int
    difference: float
    draw_ratio: float
    gauntlets: int
    passed: float
    wrong: float | None
    pairs: float
    pairs_by_theory: float
    is_as_promised: bool


@dataclass(frozen=True, slots=True)
class CommonRow:
    """What common seeds save. `share`: of a match's luck that is the seed's; `pairs`: with and without common seeds."""

    players: int
    share: float
    difference: float
    gauntlets: int
    wrong: float
    wrong_apart: float
    pairs: float
    pairs_by_theory: float
    pairs_apart: float
    times_fewer: float
    times_fewer_by_theory: float
    is_as_promised: bool


@dataclass(frozen=True, slots=True)
class EstimateRow:
    """How good estimates after stopping are: how many lie too high, and how many intervals hold the true value."""

    difference: float
    draw_ratio: float
    gauntlets: int
    too_high: float
    covered: float
    plain_too_high: float
    is_as_promised: bool


@dataclass(frozen=True, slots=True)
class GateRow:
    """What a gate costs and lets in. `pairs`: of a version; `kept`: what is gained by versions that pass, in Elo.

    `possible`: what a gate that knows the truth would keep. `refused`: of the versions that are better.
    """

    gate: str
    gauntlets: int
    pairs: float
    kept: float
    possible: float
    refused: float
    is_as_promised: bool


@dataclass(frozen=True, slots=True)
class SmallRow:
    """What few pairs of two equals claim: how many are called better, and how many intervals hold the truth.

    `plain`: with the scatter that was seen and a normal distribution, as long series may be taken.
    """

    pairs: int
    even: float
    gauntlets: int
    plain_better: float
    better: float
    plain_covered: float
    covered: float
    is_as_promised: bool


def main() -> int:
    """Simulate everything, print it, and return the exit status."""
    options = parsed_options()
    console = Console(stderr=True)
    columns = ("simulating", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    kinds = [Kind(*kind) for kind in product(QUESTIONS, DIFFERENCES, DRAW_RATIOS)]
    many = product(QUESTIONS[-1:], DIFFERENCES, MANY_DRAW_RATIOS)
    kinds += [Kind(question, difference, draws, MANY_PLAYERS) for question, difference, draws in many]
    differences = (COMMON_QUESTION.elo0, COMMON_QUESTION.elo1)
    generator = np.random.default_rng(options.seed)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        common_kinds = [*product(SHARES, differences, [2]), *product([MANY_SHARE], differences, [MANY_PLAYERS])]
        small = [*product(SMALL_SAMPLES, EVEN_SHARES)]
        task = progress.add_task("", total=len(kinds) + len(common_kinds) + len(DIFFERENCES) + len(GATES) + len(small))

        def each(rows: Iterator[Any]) -> list[Any]:
            found = []
            for row in rows:
                found.append(row)
                progress.advance(task)
            return found

        rows = each(row_of(kind, options.gauntlets, generator) for kind in kinds)
        common = each(
            common_row(share, difference, options.gauntlets, generator, players)
            for share, difference, players in common_kinds
        )
        estimates = each(estimate_row(difference, 0.5, options.gauntlets, generator) for difference in DIFFERENCES)
        gates = each(gate_row(test, options.gauntlets, generator) for test in GATES)
        few = each(small_row(pairs, even, options.gauntlets, generator) for pairs, even in small)
    show(rows, common, estimates, gates, few, as_json=options.json)
    return 0 if all(row.is_as_promised for row in [*rows, *common, *estimates, *gates, *few]) else 1


def parsed_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.sprt", description=__doc__)
    parser.add_argument("--gauntlets", type=int, default=2000, help="of each kind; 2000 by default")
    parser.add_argument("--seed", type=int, default=1, help="the same seed gives the same figures; 1 by default")
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    options = parser.parse_args()
    if options.gauntlets < 100:
        parser.error("fewer than 100 gauntlets show nothing")
    return options


# Gauntlets against one opponent


def pairs_of(difference: float, draw_ratio: float) -> Distribution:
    """Return how pairs end whose two matches are independent, with a difference in logistic Elo."""
    wins = score_of(difference) - draw_ratio / 2
    losses = 1 - wins - draw_ratio
    match = np.array([losses, draw_ratio, wins])
    return Distribution(1.0, np.convolve(match, match), np.linspace(0.0, 1.0, 5))


def rotations_of(difference: float, draw_ratio: float, players: int) -> Distribution:
    """Return how seeds end with the candidate in every seat once, among equals that are this much weaker in Elo.

    The performance of each is its strength and normal luck. The luck of a match is the candidate's own against all of
    the others, so its results against them depend on one another.
    """
    half_draw = NormalDist().inv_cdf((1 + draw_ratio) / 2) * sqrt(2)
    scores = np.linspace(0.0, 1.0, 2 * players - 1)

    def too_much(lead: float) -> float:
        return float(points_of_match(lead, half_draw, players) @ scores) - score_of(difference)

    match = points_of_match(brentq_of(too_much, -3.0, 3.0), half_draw, players)
    shares = convolved([match] * players)
    return Distribution(1.0, shares, np.linspace(0.0, 1.0, len(shares)))


def points_of_match(lead: float, half_draw: float, players: int, luck: float = 1.0) -> Floats:
    """Return the shares of a match's points, from none to all, of a player with a lead in strength over all others.

    `luck`: the variance of its luck; that of the others is 1.
    """
    points, weights = hermegauss(LUCK_POINTS)
    losses, not_wins = (ndtr(limit - lead - sqrt(luck) * points) for limit in (-half_draw, half_draw))
    against_one = np.stack([losses, not_wins - losses, 1 - not_wins], axis=1)
    with_luck = np.array([convolved([one] * (players - 1)) for one in against_one])
    shares: Floats = weights / weights.sum() @ with_luck
    return shares


def convolved(parts: Sequence[Floats]) -> Floats:
    """Return how the sum of independent numbers from 0 on is distributed."""
    found = parts[0]
    for part in parts[1:]:
        found = np.convolve(found, part)
    return found


def row_of(kind: Kind, gauntlets: int, generator: np.random.Generator) -> Row:
    """Play gauntlets of one kind and hold them against what was promised."""
    question = kind.question
    if kind.players == 2:
        truth = pairs_of(kind.difference, kind.draw_ratio)
    else:
        truth = rotations_of(kind.difference, kind.draw_ratio, kind.players)
    ends = play(truth.shares, llr_of(question, truth), near(question, truth), bounds(question), gauntlets, generator)
    theory = forecast(truth, question)
    wrong = wrong_share(ends, kind.difference, question)
    return Row(
        elo0=question.elo0,
        elo1=question.elo1,
        players=kind.players,
        difference=kind.difference,
        draw_ratio=kind.draw_ratio,
        gauntlets=gauntlets,
        passed=ends.pass_rate,
        wrong=wrong,
        pairs=ends.mean_pairs,
        pairs_by_theory=theory.pairs,
        is_as_promised=is_rare(wrong, gauntlets) and is_near(ends.mean_pairs, theory.pairs),
    )


def wrong_share(ends: Ends, difference: float, question: SprtSettings) -> float | None:
    """Return the share of wrong answers; between elo0 and elo1 none is wrong."""
    if difference <= question.elo0:
        return ends.pass_rate
    return 1 - ends.pass_rate if difference >= question.elo1 else None


def is_rare(share: float | None, gauntlets: int) -> bool:
    """Say whether a share of errors agrees with at most 5 %."""
    return share is None or share <= 0.05 + ERRORS_ALLOWED * sqrt(0.05 * 0.95 / gauntlets)


def is_near(found: float, theory: float, most_off: float = MOST_OFF) -> bool:
    return abs(found / theory - 1) <= most_off


def llr_of(question: SprtSettings, truth: Distribution) -> LlrOf:
    """Return what computes exact log-likelihood ratios of tables of counts."""

    def compute(counts: Counts) -> Floats:
        pairs, shares = regularised(counts)
        low, high = (hypothesis(shares, truth.scores, elo, question.model) for elo in (question.elo0, question.elo1))
        values: Floats = pairs * (shares * np.log(high / low)).sum(-1)
        return values

    return compute


def regularised(counts: Counts) -> tuple[Floats, Floats]:
    filled = np.where(counts == 0, REGULARISED_ZERO, counts)
    pairs = filled.sum(-1)
    return pairs, filled / pairs[..., None]


def near(question: SprtSettings, truth: Distribution) -> LlrOf:
    return approximation(truth.scores, (score_of(question.elo0), score_of(question.elo1)))


def approximation(scores: Floats, hypotheses: tuple[float, float]) -> LlrOf:
    """Return what computes nearly the log-likelihood ratios for these mean scores."""
    low, high = hypotheses

    def compute(counts: Counts) -> Floats:
        pairs = counts.sum(-1)
        mean = counts @ scores / pairs
        variance = counts @ scores**2 / pairs - mean**2 + REGULARISED_ZERO / pairs
        values: Floats = pairs * (high - low) * (2 * mean - low - high) / (2 * variance)
        return values

    return compute


def play(
    shares: Floats,
    exact: LlrOf,
    approximate: LlrOf,
    ends: tuple[float, float],
    gauntlets: int,
    generator: np.random.Generator,
    surely_between: float = SURELY_BETWEEN,
) -> Ends:
    """Play gauntlets until each has ended. `shares`: of the outcomes of a pair."""
    pairs = np.zeros(gauntlets, dtype=np.int64)
    passed = np.zeros(gauntlets, dtype=np.bool_)
    counts = np.zeros((gauntlets, len(shares)), dtype=np.int32)
    going = np.arange(gauntlets)
    while len(going):
        drawn = draw(shares, len(going), max(8, min(128, AT_ONCE // len(shares) // len(going))), generator)
        tables = counts[going, None, :] + drawn
        values = approximate(tables)
        maybe = (values >= surely_between * ends[1]) | (values <= surely_between * ends[0])
        values[maybe] = exact(tables[maybe])
        over = maybe & ((values >= ends[1]) | (values <= ends[0]))
        first = np.where(over.any(1), over.argmax(1), over.shape[1] - 1)
        row = np.arange(len(going))
        counts[going] = tables[row, first]
        pairs[going] += first + 1
        passed[going] = values[row, first] >= ends[1]
        going = going[~over.any(1)]
    return Ends(pairs, passed, counts)


def draw(shares: Floats, gauntlets: int, pairs: int, generator: np.random.Generator) -> Counts:
    limits = np.cumsum(shares)[:-1]
    outcomes = np.searchsorted(limits, generator.random((gauntlets, pairs)), side="right")
    return np.cumsum(outcomes[..., None] == np.arange(len(shares)), axis=1, dtype=np.int32)


# Estimates after stopping


def estimate_row(difference: float, draw_ratio: float, gauntlets: int, generator: np.random.Generator) -> EstimateRow:
    """Play gauntlets and see how often the estimates are too high and the intervals right."""
    question, truth = QUESTIONS[-1], pairs_of(difference, draw_ratio)
    ends = play(truth.shares, llr_of(question, truth), near(question, truth), bounds(question), gauntlets, generator)
    estimates = [unbiased_estimate(counts.tolist(), question) for counts in ends.counts]
    too_high = sum(estimate.elo > difference for estimate in estimates) / gauntlets
    covered = sum(estimate.low <= difference <= estimate.high for estimate in estimates) / gauntlets
    plain = (ends.counts @ truth.scores / ends.pairs > truth.mean).mean()
    return EstimateRow(
        difference=difference,
        draw_ratio=draw_ratio,
        gauntlets=gauntlets,
        too_high=too_high,
        covered=covered,
        plain_too_high=float(plain),
        is_as_promised=abs(too_high - 0.5) <= ERRORS_ALLOWED * 0.5 / sqrt(gauntlets)
        and covered >= 0.95 - ERRORS_ALLOWED * sqrt(0.05 * 0.95 / gauntlets),
    )


# Candidate and baseline on common seeds


def joint_shares(difference: float, share: float, draw_ratio: float = COMMON_DRAW_RATIO, players: int = 2) -> Floats:
    """Return how often candidate and baseline end pairs on the same seed so and so.

    A match is decided by strength plus normal luck, of which a share is the seed's: it is the same in all seats and for
    both bots. `players`: of more than two it is the luck of the candidate or baseline, and the others have their own.
    """
    half_draw = float(brentq_of(lambda limit: float(ndtr(limit) - ndtr(-limit)) - draw_ratio, 0.0, 5.0))
    off = brentq_of(lambda lead: off_by(lead, difference, share, half_draw, players), -2.0, 2.0)
    return table_of(off, share, half_draw, players)


def off_by(lead: float, difference: float, share: float, half_draw: float, players: int) -> float:
    found = compare(large(table_of(lead, share, half_draw, players)))
    return found.mean - found.difference_at(difference)


def table_of(lead: float, share: float, half_draw: float, players: int) -> Floats:
    points, weights = hermegauss(LUCK_POINTS)
    candidate, baseline = (outcomes_on(points * sqrt(share) + own, share, half_draw, players) for own in (lead, 0.0))
    table: Floats = np.einsum("s,si,sj->ij", weights / weights.sum(), candidate, baseline)
    return table


def outcomes_on(strengths: Floats, share: float, half_draw: float, players: int) -> Floats:
    """Return the shares of a pair's outcomes on seeds that make a bot so strong."""
    if players > 2:
        many = [points_of_match(strength, half_draw, players, 1 - share) for strength in strengths]
        return np.array([convolved([match] * players) for match in many])
    luck = sqrt(1 - share)
    losses, not_wins = (ndtr((limit - strengths) / luck) for limit in (-half_draw, half_draw))
    matches = np.stack([losses, not_wins - losses, 1 - not_wins], axis=1)
    return np.array([np.convolve(match, match) for match in matches])


def brentq_of(function: Callable[[float], float], low: float, high: float) -> float:
    found: Any = brentq(function, low, high)
    return float(found)


def large(table: Floats) -> list[list[float]]:
    counts: list[list[float]] = (table * 1e9).tolist()
    return counts


def common_row(
    share: float, difference: float, gauntlets: int, generator: np.random.Generator, players: int = 2
) -> CommonRow:
    """Play comparisons on common seeds, and others where each bot has seeds of its own."""
    table = joint_shares(difference, share, players=players)
    truth, apart = compare(large(table)), compare(large(np.outer(table.sum(1), table.sum(0))))
    ends = play_common(table, truth, gauntlets, generator)
    ends_apart = play_common(np.outer(table.sum(1), table.sum(0)), apart, gauntlets, generator)
    theory = forecast_of_differences(truth, COMMON_QUESTION).pairs
    theory_apart = forecast_of_differences(apart, COMMON_QUESTION).pairs
    wrong, wrong_apart = (wrong_share(one, difference, COMMON_QUESTION) or 0.0 for one in (ends, ends_apart))
    return CommonRow(
        players=players,
        share=share,
        difference=difference,
        gauntlets=gauntlets,
        wrong=wrong,
        wrong_apart=wrong_apart,
        pairs=ends.mean_pairs,
        pairs_by_theory=theory,
        pairs_apart=ends_apart.mean_pairs,
        times_fewer=ends_apart.mean_pairs / ends.mean_pairs,
        times_fewer_by_theory=times_fewer(truth),
        is_as_promised=is_rare(wrong, gauntlets)
        and is_rare(wrong_apart, gauntlets)
        and is_near(ends.mean_pairs, theory, MOST_OFF_IN_SHORT_TESTS)
        and is_near(ends_apart.mean_pairs, theory_apart)
        and (share == 0 or ends.mean_pairs < ends_apart.mean_pairs),
    )


def play_common(table: Floats, truth: SeedComparison, gauntlets: int, generator: np.random.Generator) -> Ends:
    size = len(table)
    differences = np.subtract.outer(np.arange(size), np.arange(size)).ravel() + size - 1
    as_differences = np.equal.outer(differences, np.arange(2 * size - 1)).astype(np.int32)
    points = np.linspace(0.0, 1.0, size)
    middles = np.add.outer(points, points).ravel() / 2
    scores = np.linspace(0.0, 1.0, 2 * size - 1)
    low, high = common_seeds.hypotheses(truth, COMMON_QUESTION)
    cheap = approximation(scores, ((1 + low) / 2, (1 + high) / 2))

    def exact(counts: Counts) -> Floats:
        pairs, shares = regularised(counts @ as_differences)
        middle = counts @ middles / counts.sum(-1)
        middle = np.clip(middle, REGULARISED_ZERO, 1 - REGULARISED_ZERO)
        under_h0, under_h1 = (
            with_mean(shares, scores, (1 + difference_of(elo, middle)) / 2)
            for elo in (COMMON_QUESTION.elo0, COMMON_QUESTION.elo1)
        )
        values: Floats = pairs * (shares * np.log(under_h1 / under_h0)).sum(-1)
        return values

    def approximate(counts: Counts) -> Floats:
        return cheap(counts @ as_differences)

    return play(table.ravel(), exact, approximate, bounds(COMMON_QUESTION), gauntlets, generator)


# Gates, and few pairs


def gate_row(test: SprtSettings | None, gauntlets: int, generator: np.random.Generator) -> GateRow:
    """Let versions of all strengths through a gate; what is undecided after the most pairs is refused."""
    strengths = [NormalDist(0, SPREAD_ELO).inv_cdf((place + 0.5) / STRENGTHS) for place in range(STRENGTHS)]
    each = max(gauntlets // STRENGTHS, 10)
    gone = [at_gate(test, decided_pairs(strength, EVEN_SHARES[0]), each, generator) for strength in strengths]
    pairs, passes = (np.array(part) for part in zip(*gone, strict=True))
    gains, better = np.array(strengths), np.array(strengths) > 0
    kept, possible = float(gains @ passes) / STRENGTHS, float(gains[better].sum()) / STRENGTHS
    is_symmetric = test is not None and test.elo0 == -test.elo1
    return GateRow(
        gate=f"{test.elo0:g} to {test.elo1:g}" if test else f"{FIXED_PAIRS} pairs, {CONFIDENCE:.0%}",
        gauntlets=each * STRENGTHS,
        pairs=float(pairs.mean()),
        kept=kept,
        possible=possible,
        refused=1 - float(passes[better].mean()),
        is_as_promised=not is_symmetric or kept >= KEPT_SHARE * possible,
    )


def decided_pairs(difference: float, even: float) -> Distribution:
    """Return how pairs end of which this share is even, and of which the others are won or lost whole."""
    won = score_of(difference) - even / 2
    return Distribution(1.0, np.array([1 - even - won, 0, even, 0, won]), np.linspace(0.0, 1.0, 5))


def at_gate(
    test: SprtSettings | None, truth: Distribution, gauntlets: int, generator: np.random.Generator
) -> tuple[float, float]:
    """Return the mean number of pairs, and the share that passes."""
    if test is None:
        counts = draw(truth.shares, gauntlets, FIXED_PAIRS, generator)[:, -1]
        return FIXED_PAIRS, sum(is_better(known(row, truth)) for row in counts) / gauntlets
    ends = play(truth.shares, llr_of(test, truth), near(test, truth), bounds(test), gauntlets, generator)
    passed = ends.passed & (ends.pairs <= PAIRS_OF_A_TEST)
    return float(np.minimum(ends.pairs, PAIRS_OF_A_TEST).mean()), float(passed.mean())


def small_row(pairs: int, even: float, gauntlets: int, generator: np.random.Generator) -> SmallRow:
    truth = decided_pairs(0, even)
    counts = draw(truth.shares, gauntlets, pairs, generator)[:, -1]
    means = [known(row, truth) for row in counts]
    plain = [plainly_known(row, truth) for row in counts]
    better, covered = (sum(map(test, means)) / gauntlets for test in (is_better, is_covered))
    return SmallRow(
        pairs=pairs,
        even=even,
        gauntlets=gauntlets,
        plain_better=sum(map(is_better, plain)) / gauntlets,
        better=better,
        plain_covered=sum(map(is_covered, plain)) / gauntlets,
        covered=covered,
        is_as_promised=is_rare(better, gauntlets)
        and covered >= FEWEST_COVERED - ERRORS_ALLOWED * sqrt(0.05 * 0.95 / gauntlets),
    )


def known(counts: Counts, truth: Distribution) -> KnownMean:
    return known_mean(truth.scores.tolist(), counts.tolist())


def plainly_known(counts: Counts, truth: Distribution) -> KnownMean:
    pairs, shares = regularised(counts)
    mean = float(shares @ truth.scores)
    error = sqrt(float(shares @ (truth.scores - mean) ** 2) / float(pairs))
    half = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * error
    return KnownMean(mean, mean - half, mean + half, NormalDist(0.5, error).cdf(mean))


def is_better(mean: KnownMean) -> bool:
    return mean.chance >= CONFIDENCE


def is_covered(mean: KnownMean) -> bool:
    return mean.low <= 0.5 <= mean.high


# Printing


def show(
    rows: Sequence[Row],
    common: Sequence[CommonRow],
    estimates: Sequence[EstimateRow],
    gates: Sequence[GateRow],
    small: Sequence[SmallRow],
    *,
    as_json: bool,
) -> None:
    """Print all that was found."""
    if as_json:
        found: dict[str, Sequence[Any]] = {"sprt": rows, "common_seeds": common, "estimates": estimates}
        found |= {"gates": gates, "small_samples": small}
        sys.stdout.write(json.dumps({name: [asdict(row) for row in part] for name, part in found.items()}, indent=2))
        sys.stdout.write("\n")
        return
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 140)
    console.print(sprt_table(rows), common_table(common), estimates_table(estimates))
    console.print(gates_table(gates), small_table(small))


def sprt_table(rows: Sequence[Row]) -> Table:
    """Draw how often the test was wrong, and how long it took."""
    table = Table("SPRT", "players", "true Elo", "draws", "passed", "wrong", "seeds", "by theory", "off", "")
    for row in rows:
        question = (f"{row.elo0:g} to {row.elo1:g}", f"{row.players}", f"{row.difference:g}", f"{row.draw_ratio:g}")
        shares = (f"{row.passed:.1%}", "" if row.wrong is None else f"{row.wrong:.1%}")
        table.add_row(*question, *shares, *lengths(row), mark(row.is_as_promised))
    return table


def common_table(rows: Sequence[CommonRow]) -> Table:
    """Draw what common seeds save."""
    question, found = ("players", "seed's share", "true Elo", "wrong", "wrong apart"), ("pairs", "by theory", "off")
    title = "candidate and baseline on common seeds, or apart"
    table = Table(*question, *found, "pairs apart", "fewer", "by theory", "", title=title)
    for row in rows:
        shares = (f"{row.share:.0%}", f"{row.difference:g}", f"{row.wrong:.1%}", f"{row.wrong_apart:.1%}")
        apart = (f"{row.pairs_apart:.0f}", f"{row.times_fewer:.2f} x", f"{row.times_fewer_by_theory:.2f} x")
        table.add_row(f"{row.players}", *shares, *lengths(row), *apart, mark(row.is_as_promised))
    return table


def lengths(row: Row | CommonRow) -> tuple[str, str, str]:
    """Write how many pairs a test took, how many it should have taken, and by how much that is off."""
    return f"{row.pairs:.0f}", f"{row.pairs_by_theory:.0f}", f"{row.pairs / row.pairs_by_theory - 1:+.1%}"


def estimates_table(rows: Sequence[EstimateRow]) -> Table:
    """Draw how good the estimates after stopping are."""
    names = ("true Elo", "draws", "too high", "within the 95 % interval", "plain estimate too high", "")
    table = Table(*names, title="estimates after stopping")
    for row in rows:
        shares = (f"{part:.1%}" for part in (row.too_high, row.covered, row.plain_too_high))
        table.add_row(f"{row.difference:g}", f"{row.draw_ratio:g}", *shares, mark(row.is_as_promised))
    return table


def gates_table(rows: Sequence[GateRow]) -> Table:
    """Draw what gates cost and keep."""
    spread = f"versions that are better or worse by N(0, {SPREAD_ELO:g} Elo)"
    table = Table("gate", "pairs each", "Elo kept", "of", "better ones refused", "", title=f"gates: {spread}")
    for row in rows:
        figures = (f"{row.pairs:.0f}", f"{row.kept:.1f}", f"{row.possible:.1f}", f"{row.refused:.0%}")
        table.add_row(row.gate, *figures, mark(row.is_as_promised))
    return table


def small_table(rows: Sequence[SmallRow]) -> Table:
    """Draw what few pairs of two equals claim."""
    names = ("pairs", "even", "plainly better", "better", "plain interval holds", "interval holds")
    table = Table(*names, "", title="few pairs of two equals, by the plain formula and by ours")
    for row in rows:
        shares = (row.plain_better, row.better, row.plain_covered, row.covered)
        table.add_row(f"{row.pairs}", f"{row.even:.0%}", *(f"{part:.1%}" for part in shares), mark(row.is_as_promised))
    return table


def mark(is_as_promised: bool) -> str:
    return "" if is_as_promised else "FAILED"


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
