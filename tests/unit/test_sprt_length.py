"""How long a test takes, by theory."""

import numpy as np
import pytest

from ladder.gauntlets.plan import BOUNDS, PAIRS_OF_A_TEST
from ladder.statistics.elo import score_of
from ladder.statistics.sprt import Distribution
from ladder.statistics.sprt_settings import SprtSettings, narrowest, pairs_of_equals
from tests.sprt_length import forecast, forecast_of, mean_overshoot

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


def pairs_of(elo: float) -> Distribution:
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
    low, middle, high = (forecast(pairs_of(elo), SprtSettings(0, 20)) for elo in (0, 10, 20))
    assert low.passes < 0.05
    assert middle.passes == pytest.approx(0.5, abs=0.01)
    assert high.passes > 0.95
    assert middle.pairs > max(low.pairs, high.pairs)


def test_a_test_that_is_nearly_over_takes_less_and_one_that_is_over_nothing() -> None:
    truth, test = pairs_of(20), SprtSettings(0, 20)
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
    assert forecast(pairs_of(0), usual).passes == pytest.approx(0.5, abs=0.01)
    assert forecast(pairs_of(25), usual).passes > 0.97
    assert forecast(pairs_of(0), usual).pairs < PAIRS_OF_A_TEST / 10
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
