"""What a version's predecessor says of its strength, joined with what it did itself."""

import numpy as np
import pytest

from ladder.statistics.davidson import CLOSE, ELO, NO_PREDECESSOR, Floats, Ints, inherited, pairs_of, settle

NOBODY = NO_PREDECESSOR


def scattered(*errors_elo: float) -> Floats:
    """Rows of deviations that are exactly as wide as that."""
    noise = np.random.default_rng(7).standard_normal((len(errors_elo), 4000))
    noise = (noise - noise.mean(axis=1, keepdims=True)) / noise.std(axis=1, keepdims=True)
    found: Floats = noise * np.array(errors_elo)[:, None] / ELO
    return found


def joined(strengths_elo: tuple[float, ...], errors_elo: tuple[float, ...], *before: int) -> tuple[Floats, Floats]:
    found, spread = inherited(np.array(strengths_elo) / ELO, scattered(*errors_elo), np.array(before))
    return found * ELO, spread.std(axis=1) * ELO


def test_a_version_that_has_played_little_is_taken_for_about_as_strong_as_its_predecessor() -> None:
    found, errors = joined((100.0, -50.0), (10.0, 200.0), NOBODY, 0)
    assert found[0] == pytest.approx(100)
    assert 60 < found[1] < 100
    assert CLOSE < errors[1] < 100
    known, error = joined((100.0, -50.0), (10.0, 5.0), NOBODY, 0)
    assert known[1] == pytest.approx(-50, abs=1)
    assert error[1] == pytest.approx(5, abs=0.1)


def test_a_rewrite_is_believed_its_own_results_sooner_than_one_normal_prior_would_let_it() -> None:
    found, _ = joined((0.0, 500.0), (10.0, 60.0), NOBODY, 0)
    by_one_normal = 500 * (CLOSE**2 + 10**2) / (CLOSE**2 + 10**2 + 60**2)
    assert found[1] > by_one_normal + 150


def test_a_predecessor_and_everybody_else_are_left_as_they_are_and_successors_follow_one_another() -> None:
    found, errors = joined((100.0, 0.0, -300.0, 7.0), (10.0, 300.0, 300.0, 20.0), NOBODY, 0, 1, NOBODY)
    assert (found[0], found[3]) == (pytest.approx(100), pytest.approx(7))
    assert (errors[0], errors[3]) == (pytest.approx(10), pytest.approx(20))
    assert found[2] > 10, "what its predecessor was taken for counts, not what that did alone"


def test_a_newcomer_ranks_by_its_predecessor_until_its_own_matches_say_otherwise() -> None:
    """Version 0 beats 1 and 2 mostly; 3 comes after it, and has lost its first two matches."""
    rows = [(0, 1, 2, 40), (0, 1, 0, 10), (0, 2, 2, 40), (0, 2, 0, 10), (1, 2, 2, 25), (1, 2, 0, 25), (3, 1, 0, 2)]
    first, second, half_points, times = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    before: Ints = np.array([NOBODY, NOBODY, NOBODY, 0])
    alone = {row.version: row for row in settle(pairs_of(first, second, half_points, times), 4)}
    heir = {row.version: row for row in settle(pairs_of(first, second, half_points, times), 4, predecessors=before)}
    assert alone[3].rank == 4
    assert heir[3].rank == 2
    assert heir[3].rank_high - heir[3].rank_low <= alone[3].rank_high - alone[3].rank_low
    gap = {version: row.strength - heir[0].strength for version, row in heir.items()}
    assert gap[1] == pytest.approx(alone[1].strength - alone[0].strength, abs=1)
