"""`make sprt` in short: some hundred gauntlets of a few kinds."""

import numpy as np
import pytest

from ladder.statistics.elo import outcomes_of, score_of
from ladder.statistics.sprt import log_likelihood_ratio
from ladder.statistics.sprt_settings import SprtSettings, bounds, decision_at
from tests.sprt import (
    Kind,
    common_row,
    estimate_row,
    gate_row,
    llr_of,
    near,
    pairs_of,
    play,
    rotations_of,
    row_of,
    small_row,
)

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


@pytest.mark.parametrize("players", [3, 4, 8])
@pytest.mark.parametrize("difference", [0.0, 20.0])
def test_errors_are_as_rare_with_more_players(players: int, difference: float) -> None:
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
    given = (truth.shares, llr_of(QUESTION, truth), near(QUESTION, truth), bounds(QUESTION), 60)
    quick, thorough = (play(*given, np.random.default_rng(5), surely_between=part) for part in (0.85, 0.0))
    assert (quick.pairs == thorough.pairs).all()
    assert (quick.counts == thorough.counts).all()
    for counts, pairs, passed in zip(quick.counts, quick.pairs, quick.passed, strict=True):
        assert sum(counts) == pairs
        assert decision_at(log_likelihood_ratio(counts.tolist(), QUESTION), QUESTION) == (
            "passed" if passed else "failed"
        )


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
