"""The sequential test, its length, and the estimate of fixed length: held to known values and what must be true."""

from dataclasses import replace
from math import exp

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import ndtr

from engine.errors import UsageFault
from ladder.gauntlets.plan import BOUNDS, PAIRS_OF_A_TEST
from ladder.statistics.elo import draw_ratio, elo_of, elo_text, estimate, outcomes_of, pair_ratio, score_of, t_value_of
from ladder.statistics.sprt import (
    Distribution,
    StoppedWalk,
    distribution,
    hypothesis,
    log_likelihood_ratio,
    stopped_walk,
    unbiased_estimate,
)
from ladder.statistics.sprt_settings import MODELS, SprtSettings, bounds, decision_at, narrowest, pairs_of_equals
from tests import sprt
from tests.sprt import Kind, common_row, estimate_row, gate_row, near, pairs_of, play, rotations_of, row_of, small_row
from tests.sprt_length import forecast, forecast_of, mean_overshoot
from tests.unit.known_sprt_values import KNOWN, Known

TEST = SprtSettings(0, 10)
counts_of_pairs = st.lists(st.integers(0, 2000), min_size=5, max_size=5).filter(lambda counts: sum(counts) >= 5)
counts_of_matches = st.lists(st.integers(0, 2000), min_size=3, max_size=3).filter(lambda counts: sum(counts) >= 5)
any_counts = counts_of_pairs | counts_of_matches
models = st.sampled_from(MODELS)
elos = st.floats(-100, 100)


@pytest.mark.parametrize("known", KNOWN)
def test_the_log_likelihood_ratio_agrees_with_fishtest(known: Known) -> None:
    assert log_likelihood_ratio(known.counts, known.test) == pytest.approx(known.llr, abs=1e-6)


@pytest.mark.parametrize("known", [known for known in KNOWN if sum(known.counts) >= 50])
def test_from_fifty_pairs_on_the_estimate_of_fixed_length_hardly_differs_from_fishtests(known: Known) -> None:
    """Which takes the scatter of the pairs for known, and so claims too much of a few pairs."""
    found, (elo, half_width, los) = estimate(known.counts), known.fixed
    assert found.elo == pytest.approx(elo, abs=0.02 * half_width)
    assert found.half_width == pytest.approx(half_width, rel=0.02)
    assert found.los == pytest.approx(los, abs=0.002)


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "llr"),
    [
        ((93, 18711, 58877, 18739, 100), -1.75, 0.25, 2.9420974720708513),  # fishtest, issue 1737
        ((365, 16618, 36229, 16974, 390), 0, 2, 2.25),  # fastchess, pull request 426
    ],
)
def test_llr_of_long_tests_is_as_published(counts: tuple[int, ...], elo0: float, elo1: float, llr: float) -> None:
    """As exactly as they told it: 2.25 stands for 2.245 to 2.255."""
    found = log_likelihood_ratio(counts, SprtSettings(elo0, elo1, model="normalized"))
    assert found == pytest.approx(llr, abs=0.005 if llr == 2.25 else 1e-9)


@given(any_counts, elos, st.floats(0.5, 100), models)
def test_looking_from_the_other_side_is_the_opposite(counts: list[int], elo0: float, apart: float, model: str) -> None:
    """Counts reversed: Elo is negated, and with negated bounds the log-likelihood ratio is."""
    seen, turned = estimate(counts), estimate(counts[::-1])
    assert (turned.elo, turned.low, turned.high, turned.los) == pytest.approx(
        (-seen.elo, -seen.high, -seen.low, 1 - seen.los), abs=1e-6
    )
    there, back = SprtSettings(elo0, elo0 + apart, model=model), SprtSettings(-elo0 - apart, -elo0, model=model)
    assert log_likelihood_ratio(counts, there) == pytest.approx(
        -log_likelihood_ratio(counts[::-1], back), rel=1e-6, abs=1e-6
    )


@given(counts_of_pairs, st.integers(0, 3), models)
def test_a_better_pair_in_place_of_a_worse_one_speaks_for_strength(counts: list[int], worse: int, model: str) -> None:
    """For counts without holes, where nothing rests on the value that stands for 0."""
    filled = [count + 20 for count in counts]
    better = list(filled)
    better[worse] -= 1
    better[worse + 1] += 1
    test = SprtSettings(0, 5, model=model)
    assert log_likelihood_ratio(better, test) > log_likelihood_ratio(filled, test)
    assert estimate(better).elo > estimate(filled).elo
    assert estimate(better).los >= estimate(filled).los


@given(any_counts, st.integers(2, 50), models)
def test_the_same_shares_of_more_pairs_say_the_same_but_more_surely(counts: list[int], times: int, model: str) -> None:
    assume(all(counts))
    many = [count * times for count in counts]
    test = SprtSettings(-3, 8, model=model)
    assert log_likelihood_ratio(many, test) == pytest.approx(times * log_likelihood_ratio(counts, test), rel=1e-6)
    assert abs(estimate(many).elo) >= abs(estimate(counts).elo)
    assert estimate(many).half_width < estimate(counts).half_width


@given(any_counts, elos, models)
def test_a_hypothesis_has_the_difference_that_it_stands_for(counts: list[int], elo: float, model: str) -> None:
    seen = distribution(counts)
    shares = hypothesis(seen.shares, seen.scores, elo, model)
    mean = float(shares @ seen.scores)
    deviation = float(shares @ (seen.scores - mean) ** 2) ** 0.5
    assert (shares > 0).all()
    assert shares.sum() == pytest.approx(1, abs=1e-6)
    if model == "logistic":
        assert mean == pytest.approx(score_of(elo), abs=1e-9)
    else:
        assert (mean - 0.5) / deviation == pytest.approx(t_value_of(elo, seen.matches_per_pair), abs=1e-6)


@given(counts_of_pairs, elos, st.integers(0, 4), st.integers(0, 4))
def test_no_other_distribution_with_that_mean_is_likelier(counts: list[int], elo: float, one: int, other: int) -> None:
    """Moved a little in any direction that keeps the sum and, for logistic Elo, the mean, the likelihood falls."""
    assume(one != other)
    third = next(outcome for outcome in range(5) if outcome not in {one, other})
    seen = distribution([count + 1 for count in counts])
    best = hypothesis(seen.shares, seen.scores, elo, "logistic")
    for sign in (1, -1):
        moved = best.copy()
        step = sign * 1e-3 * best.min()
        moved[one] += step * (third - other)
        moved[other] += step * (one - third)
        moved[third] += step * (other - one)
        assert moved @ seen.scores == pytest.approx(best @ seen.scores)
        assert (seen.shares * (abs(moved / best) - 1)).sum() < 1e-9


@given(elos)
def test_elo_and_score_are_each_others_inverse(elo: float) -> None:
    assert elo_of(score_of(elo)) == pytest.approx(elo, abs=1e-9)


def test_differences_are_written_with_a_sign_but_none_is_plus_or_minus_zero() -> None:
    assert [elo_text(elo) for elo in (12.4, -3.6, 0.0, -0.0, 0.4, -0.4)] == ["+12", "-4", "0", "0", "0", "0"]


def test_the_bounds_are_walds() -> None:
    assert bounds(TEST) == pytest.approx((-2.9444389791664403, 2.9444389791664403))
    assert bounds(SprtSettings(0, 10, alpha=0.01, beta=0.1)) == pytest.approx((-2.2925347571405443, 4.499809670330265))


def test_leaving_the_bounds_decides() -> None:
    assert decision_at(log_likelihood_ratio((2, 20, 100, 80, 30), TEST), TEST) == "passed"
    assert decision_at(log_likelihood_ratio((30, 80, 100, 20, 2), TEST), TEST) == "failed"
    assert decision_at(log_likelihood_ratio((3, 25, 60, 40, 9), TEST), TEST) == "undecided"


def test_pairs_that_always_end_even_differ_from_those_of_a_better_version() -> None:
    """Two identical bots without luck: every pair is even, in either model."""
    for test in (SprtSettings(0, 20, model=model) for model in MODELS):
        assert decision_at(log_likelihood_ratio((0, 0, 600, 0, 0), test), test) == "failed"


def test_nothing_played_says_nothing() -> None:
    assert decision_at(log_likelihood_ratio((0, 0, 0, 0, 0), TEST), TEST) == "undecided"
    nothing = estimate((0, 0, 0))
    assert nothing.elo == pytest.approx(0)
    assert nothing.los == pytest.approx(0.5)


def test_ratios_of_pairs() -> None:
    assert draw_ratio((3, 25, 60, 40, 9)) == pytest.approx(60 / 137)
    assert pair_ratio((3, 25, 60, 40, 9)) == pytest.approx(49 / 28)
    assert pair_ratio((120, 30, 160)) == pytest.approx(160 / 120)
    assert pair_ratio((0, 0, 5, 1, 0)) is None
    assert draw_ratio((0, 0, 0)) == 0


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ((1, 2), "2 counts make no result"),
        ((1, 2, 3, 4), "4 counts make no result"),
        ((1, -2, 3), "a count cannot be -2"),
        ((1, float("nan"), 3), "a count cannot be nan"),
    ],
)
def test_counts_that_cannot_be_are_refused(counts: tuple[float, ...], sentence: str) -> None:
    for function in (estimate, draw_ratio, pair_ratio, lambda counts: log_likelihood_ratio(counts, TEST)):
        with pytest.raises(UsageFault, match=sentence):
            function(counts)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ({"elo0": 5, "elo1": 5}, "elo0 has to be less than elo1, but they are 5 and 5"),
        ({"elo0": 0, "elo1": float("nan")}, "elo0 has to be less than elo1"),
        ({"elo0": 0, "elo1": 1e-300}, "at least 0.01 apart"),
        ({"elo0": 0, "elo1": 2000}, "within 1000 of 0"),
        ({"elo0": 0, "elo1": 5, "alpha": 0}, "alpha is an error rate between 0 and 0.5, not 0"),
        ({"elo0": 0, "elo1": 5, "alpha": 1e-320}, "alpha is at least"),
        ({"elo0": 0, "elo1": 5, "beta": 0}, "beta is an error rate"),
        ({"elo0": 0, "elo1": 5, "beta": 0.5}, "beta is an error rate"),
        ({"elo0": 0, "elo1": 5, "model": "bayes"}, "unknown model 'bayes'; known: logistic, normalized"),
    ],
)
def test_questions_that_cannot_be_are_refused(question: dict[str, float], sentence: str) -> None:
    with pytest.raises(UsageFault, match=sentence):
        SprtSettings(**question)  # type: ignore[arg-type]


def test_both_spellings_of_the_model_are_one() -> None:
    assert SprtSettings(0, 5, model="normalised") == SprtSettings(0, 5, model="normalized")


filled_counts = st.lists(st.integers(1, 3000), min_size=5, max_size=5)
tests_of = st.builds(lambda elo0, apart: SprtSettings(elo0, elo0 + apart), st.floats(-20, 20), st.floats(1, 40))
drifts = st.floats(-0.5, 0.5)
walks = st.builds(
    lambda pairs, lower, upper, part: StoppedWalk(pairs, lower + part * (upper - lower), lower, upper, float),
    st.floats(1, 3000),
    st.floats(-60, -2),
    st.floats(2, 60),
    st.floats(0, 1),
)


@pytest.mark.parametrize("known", KNOWN)
def test_the_estimate_as_if_it_stopped_here_agrees_with_fishtest(known: Known) -> None:
    found = unbiased_estimate(known.counts, known.test)
    assert (found.elo, found.low, found.high, found.los) == pytest.approx(known.stopped, abs=1e-6)


@given(walks, drifts, drifts)
def test_the_chance_of_a_worse_end_falls_with_the_true_strength(walk: StoppedWalk, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert walk.chance_of_worse(high) >= -1e-9
    assert walk.chance_of_worse(high) <= walk.chance_of_worse(low) + 1e-9
    assert walk.chance_of_worse(low) <= 1 + 1e-9


@given(walks, drifts)
def test_seen_from_the_other_side_a_worse_end_is_a_better_one(walk: StoppedWalk, drift: float) -> None:
    turned = replace(walk, place=-walk.place, lower=-walk.upper, upper=-walk.lower)
    assert turned.chance_of_worse(-drift) == pytest.approx(1 - walk.chance_of_worse(drift), abs=1e-9)


@given(drifts, st.floats(-30, 30))
def test_far_from_its_bounds_it_is_a_plain_normal_distribution(drift: float, place: float) -> None:
    walk = StoppedWalk(100, place, -1000, 1000, float)
    assert walk.chance_of_worse(drift) == pytest.approx(float(ndtr((place - 100 * drift) / 10)), abs=1e-12)


@given(st.floats(0.02, 0.4), st.floats(-20, -5), st.floats(5, 20))
def test_after_very_long_all_that_is_worse_has_stopped_below(drift: float, lower: float, upper: float) -> None:
    """Wald's formula for the chance to get there first."""
    walk = StoppedWalk(1e6, 0, lower, upper, float)
    falls, rises = exp(2 * drift * lower), exp(-2 * drift * (upper - lower))
    assert walk.chance_of_worse(drift) == pytest.approx((falls - rises) / (1 - rises), abs=1e-9)


@given(filled_counts, tests_of)
def test_the_interval_holds_the_estimate_and_all_turns_with_the_counts(counts: list[int], test: SprtSettings) -> None:
    found = unbiased_estimate(counts, test)
    assert found.low <= found.elo <= found.high
    turned = unbiased_estimate(counts[::-1], SprtSettings(-test.elo1, -test.elo0))
    assert (turned.elo, turned.low, turned.high, turned.los) == pytest.approx(
        (-found.elo, -found.high, -found.low, 1 - found.los), abs=1e-5
    )


def test_a_test_that_was_stopped_by_luck_is_estimated_lower_than_its_score() -> None:
    test = SprtSettings(0, 10)
    lucky, unlucky = (30, 180, 500, 250, 45), (45, 250, 500, 180, 30)
    decided = [decision_at(log_likelihood_ratio(counts, test), test) for counts in (lucky, unlucky)]
    assert decided == ["passed", "failed"]
    assert unbiased_estimate(lucky, test).elo < estimate(lucky).elo - 0.5
    assert unbiased_estimate(unlucky, test).elo > estimate(unlucky).elo + 0.5


def test_wins_or_losses_alone_are_shown_as_a_thousand_elo_at_most() -> None:
    assert unbiased_estimate((0, 0, 0, 0, 50), SprtSettings(0, 10)).elo == pytest.approx(1000)
    assert unbiased_estimate((50, 0, 0, 0, 0), SprtSettings(0, 10)).elo == pytest.approx(-1000)


def test_what_is_played_beyond_a_bound_does_not_count() -> None:
    """Twice as long a walk in the same direction stopped where the first one did."""
    once, twice = (stopped_walk(pairs, 0.6, 0.3, (0.5, 0.52), (-2.9, 2.9)) for pairs in (400, 800))
    assert once == replace(twice, drift_of=once.drift_of)
    assert once.place == pytest.approx(once.upper)


QUESTION = SprtSettings(0, 20)
BOTH_WAYS, COARSE = SprtSettings(-20, 20), SprtSettings(-30, 30)


@pytest.mark.parametrize("difference", [0.0, 10.0, 20.0])
@pytest.mark.parametrize("draw_ratio", [0.5, 0.9])
def test_errors_are_as_rare_and_tests_as_long_as_promised(difference: float, draw_ratio: float) -> None:
    """Mean lengths of so few are known to 5 % or so; `make sprt` takes more."""
    row = row_of(Kind(QUESTION, difference, draw_ratio), 600, np.random.default_rng(7))
    assert row.wrong is None or row.wrong <= 0.05 + 3 * (0.05 * 0.95 / 600) ** 0.5
    assert row.pairs == pytest.approx(row.pairs_by_theory, rel=0.1)
    if row.wrong is None:
        assert row.passed == pytest.approx(0.5, abs=0.07)


@pytest.mark.parametrize(("players", "difference"), [(3, 0.0), (4, 20.0), (8, 0.0)])
def test_errors_are_as_rare_with_more_players(players: int, difference: float) -> None:
    """`make sprt` tries all with all, on more gauntlets."""
    row = row_of(Kind(QUESTION, difference, 0.1, players), 600, np.random.default_rng(7))
    assert row.wrong is not None
    assert row.wrong <= 0.05 + 3 * (0.05 * 0.95 / 600) ** 0.5
    assert row.pairs == pytest.approx(row.pairs_by_theory, rel=0.15)


def test_a_rotation_of_two_is_a_pair() -> None:
    """As long as the luck of both is the same whoever it is looked at from."""
    assert rotations_of(10, 0.3, 2).shares == pytest.approx(pairs_of(10, 0.3).shares, abs=1e-4)


@pytest.mark.parametrize("players", [2, 3, 4, 8])
def test_outcomes_are_all_sums_of_points(players: int) -> None:
    points = {below + level / 2 for below in range(players) for level in range(players - below)}
    assert outcomes_of(players) == 2 * players * max(points) + 1
    truth = rotations_of(25, 0.1, players)
    assert len(truth.shares) == outcomes_of(players)
    assert truth.matches_per_pair == players
    assert truth.mean == pytest.approx(score_of(25))


def test_the_quick_look_never_misses_an_end() -> None:
    truth = pairs_of(20, 0.7)
    given = (truth.shares, sprt.llr_of(QUESTION, truth), near(QUESTION, truth), bounds(QUESTION), 60)
    quick, thorough = (play(*given, np.random.default_rng(5), surely_between=part) for part in (0.85, 0.0))
    assert (quick.pairs == thorough.pairs).all()
    assert (quick.counts == thorough.counts).all()
    for counts, pairs, passed in zip(quick.counts, quick.pairs, quick.passed, strict=True):
        assert sum(counts) == pairs
        decision = decision_at(log_likelihood_ratio(counts.tolist(), QUESTION), QUESTION)
        assert decision == ("passed" if passed else "failed")


def test_estimates_after_stopping_are_not_biased() -> None:
    row = estimate_row(10, 0.9, 300, np.random.default_rng(11))
    assert row.too_high == pytest.approx(0.5, abs=0.09)
    assert row.covered >= 0.91


def test_common_seeds_need_fewer_pairs() -> None:
    row = common_row(0.9, 20, 200, np.random.default_rng(13))
    assert row.times_fewer > 4
    assert row.wrong <= 0.1
    assert row.pairs == pytest.approx(row.pairs_by_theory, rel=0.15)


def test_a_symmetric_gate_keeps_most_of_what_versions_gain_and_a_short_fixed_one_refuses_half_of_it() -> None:
    usual, coarse, fixed = (gate_row(test, 2000, np.random.default_rng(17)) for test in (BOTH_WAYS, COARSE, None))
    assert usual.kept > 0.9 * usual.possible
    assert 150 < usual.pairs < 280
    assert coarse.pairs < 0.75 * usual.pairs
    assert fixed.kept < 0.7 * usual.kept
    assert fixed.refused > 2 * usual.refused


def test_few_pairs_of_equals_claim_less_than_by_the_plain_formula() -> None:
    row = small_row(5, 0.35, 2000, np.random.default_rng(19))
    assert row.better < 0.05 < row.plain_better
    assert row.plain_covered < 0.92
    assert row.covered > 0.94


COIN = np.array([-1.0, 1.0])
FAIR = np.array([0.5, 0.5])


def solved(moves: list[int], shares: list[float], lower: int, upper: int) -> tuple[float, float]:
    """Return mean length and chance to end above of a walk on whole numbers from 0, exactly: two linear systems."""
    places = range(lower + 1, upper)
    steps, ends = np.eye(len(places)), np.zeros(len(places))
    for row, place in enumerate(places):
        for move, share in zip(moves, shares, strict=True):
            if place + move in places:
                steps[row, place + move - places[0]] -= share
            elif place + move >= upper:
                ends[row] += share
    start = -places[0]
    return float(np.linalg.solve(steps, np.ones(len(places)))[start]), float(np.linalg.solve(steps, ends)[start])


def pairs_with_draws(elo: float) -> Distribution:
    wins = score_of(elo) - 1 / 6
    match = [2 / 3 - wins, 1 / 3, wins]
    return Distribution(1.0, np.convolve(match, match), np.linspace(0, 1, 5))


def test_a_coin_goes_half_a_step_too_far_and_normal_steps_so_much_as_is_known() -> None:
    """0.5826: D. Siegmund, "Sequential Analysis", chapter X."""
    assert mean_overshoot(COIN, FAIR) == pytest.approx(0.5, abs=2e-3)
    points = np.linspace(-6, 6, 61)
    weights = np.exp(-(points**2) / 2)
    assert mean_overshoot(points, weights / weights.sum()) == pytest.approx(0.5826, abs=1e-2)


def test_overshoot_is_measured_in_the_unit_of_the_steps() -> None:
    assert mean_overshoot(7 * COIN, FAIR) == pytest.approx(7 * mean_overshoot(COIN, FAIR))


@pytest.mark.parametrize("shares", [[0.1, 0.2, 0.4, 0.2, 0.1], [0.08, 0.2, 0.4, 0.22, 0.1], [0.3, 0.1, 0.0, 0.2, 0.4]])
def test_length_and_chance_agree_with_a_walk_that_was_solved(shares: list[float]) -> None:
    """Bounds halfway between whole numbers are as far beyond the last place within as before the first one outside."""
    moves = [-2, -1, 0, 1, 2]
    pairs, passes = solved(moves, shares, -25, 30)
    found = forecast_of(np.array(moves, dtype=np.float64), np.array(shares), (-24.5, 29.5))
    assert found.pairs == pytest.approx(pairs, rel=0.02)
    assert found.passes == pytest.approx(passes, abs=0.01)


def test_the_middle_takes_longest_and_passes_half_the_time() -> None:
    low, middle, high = (forecast(pairs_with_draws(elo), SprtSettings(0, 20)) for elo in (0, 10, 20))
    assert low.passes < 0.05
    assert middle.passes == pytest.approx(0.5, abs=0.01)
    assert high.passes > 0.95
    assert middle.pairs > max(low.pairs, high.pairs)


def test_a_test_that_is_nearly_over_takes_less_and_one_that_is_over_nothing() -> None:
    truth, test = pairs_with_draws(20), SprtSettings(0, 20)
    assert forecast(truth, test, llr=2.5).pairs < forecast(truth, test).pairs / 2
    over = forecast(truth, test, llr=3.0)
    assert (over.pairs, over.passes) == (0, 1)
    assert forecast(truth, test, llr=-3.0).passes == 0


@pytest.mark.parametrize("bounds", [(-20, 20), (-30, 30), (-5, 0), (0, 10), (-5, 5)])
@pytest.mark.parametrize("model", ["logistic", "normalized"])
def test_what_equals_take_is_about_what_the_exact_formula_says(bounds: tuple[float, float], model: str) -> None:
    test = SprtSettings(*bounds, model=model)
    exact = forecast(Distribution(1.0, np.array([0.25, 1e-9, 0.5, 1e-9, 0.25]), np.linspace(0, 1, 5)), test)
    assert pairs_of_equals(test) == pytest.approx(exact.pairs, rel=0.15)
    assert pairs_of_equals(test, players=4) < pairs_of_equals(test)


def test_with_symmetric_bounds_equals_pass_as_often_as_they_fail_and_better_ones_soon() -> None:
    usual, narrow = SprtSettings(*BOUNDS), SprtSettings(-5, 0)
    assert forecast(pairs_with_draws(0), usual).passes == pytest.approx(0.5, abs=0.01)
    assert forecast(pairs_with_draws(25), usual).passes > 0.97
    assert forecast(pairs_with_draws(0), usual).pairs < PAIRS_OF_A_TEST / 10
    assert pairs_of_equals(narrow) > PAIRS_OF_A_TEST


@pytest.mark.parametrize("model", ["logistic", "normalized"])
def test_the_narrowest_bounds_are_those_that_equals_answer_in_so_many_pairs(model: str) -> None:
    usual = SprtSettings(-20, 20, alpha=0.1, model=model)
    for pairs in (20, 200, 5000):
        test = narrowest(usual, pairs)
        assert test is not None
        assert (test.alpha, test.model, -test.elo0) == (0.1, model, test.elo1)
        finer = SprtSettings(test.elo0 + 1, test.elo1 - 1, alpha=0.1, model=model)
        assert pairs_of_equals(test) <= pairs < pairs_of_equals(finer)
    assert narrowest(usual, 1) is None
