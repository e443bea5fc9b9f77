"""Comparing two bots on common seeds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageFault
from ladder.statistics.common_seeds import compare, estimate, joint_counts, log_likelihood_ratio, unbiased_estimate
from ladder.statistics.elo import score_of
from ladder.statistics.sprt_settings import MODELS, SprtSettings, decision_at
from tests.sprt_length import forecast_of_differences, times_fewer

TEST = SprtSettings(0, 20)
ALIKE = [[8, 2, 0, 0, 0], [2, 60, 9, 1, 0], [0, 8, 140, 9, 0], [0, 0, 9, 70, 3], [0, 0, 0, 2, 12]]
"""Two bots that nearly always do equally well on the same seed."""
joints = st.lists(st.lists(st.integers(0, 300), min_size=5, max_size=5), min_size=5, max_size=5)
filled_joints = joints.map(lambda table: [[count + 1 for count in row] for row in table])


def turned(table: list[list[int]]) -> list[list[int]]:
    return [list(column) for column in zip(*table, strict=True)]


def apart(table: list[list[int]], pairs: int = 10**6) -> list[list[float]]:
    shares = np.array(table) / np.sum(table)
    counts: list[list[float]] = (np.outer(shares.sum(1), shares.sum(0)) * pairs).tolist()
    return counts


def test_outcomes_are_counted_where_both_met_the_same_seed_and_opponent() -> None:
    table = joint_counts([4, 2, 2, 0], [2, 2, 2, 1])
    assert table[4][2] == 1
    assert table[2][2] == 2
    assert table[0][1] == 1
    assert sum(map(sum, table)) == 4
    assert compare(table).mean == pytest.approx((2 + 0 + 0 - 1) / 4 / 4, abs=1e-2)


@given(filled_joints, st.sampled_from(MODELS))
def test_comparing_the_other_way_round_gives_the_opposite(table: list[list[int]], model: str) -> None:
    seen, back = estimate(table), estimate(turned(table))
    assert (back.elo, back.low, back.high, back.los) == pytest.approx(
        (-seen.elo, -seen.high, -seen.low, 1 - seen.los), abs=1e-6
    )
    assert log_likelihood_ratio(turned(table), SprtSettings(-20, 0, model=model)) == pytest.approx(
        -log_likelihood_ratio(table, SprtSettings(0, 20, model=model)), rel=1e-6, abs=1e-6
    )


@given(filled_joints)
def test_the_estimate_after_stopping_lies_in_its_interval(table: list[list[int]]) -> None:
    found = unbiased_estimate(table, TEST)
    assert found.low <= found.elo <= found.high


@given(filled_joints)
def test_far_from_the_bounds_the_estimate_after_stopping_is_the_plain_one(table: list[list[int]]) -> None:
    wide = SprtSettings(estimate(table).elo - 0.1, estimate(table).elo + 0.1)
    assert unbiased_estimate(table, wide).elo == pytest.approx(estimate(table).elo, abs=0.5)


@given(filled_joints, st.floats(-300, 300))
def test_elo_and_differences_of_scores_are_each_others_inverse(table: list[list[int]], elo: float) -> None:
    seen = compare(table)
    assert seen.elo_at(seen.difference_at(elo)) == pytest.approx(elo, abs=1e-6)


def test_in_an_even_field_half_the_elo_above_and_below_is_the_difference() -> None:
    assert compare([[10] * 5] * 5).difference_at(40) == pytest.approx(score_of(20) - score_of(-20))


def test_common_seeds_find_a_small_difference_that_seeds_of_ones_own_do_not() -> None:
    better = [list(row) for row in ALIKE]
    better[3][2] += 25
    better[2][3] = 0
    assert decision_at(log_likelihood_ratio(better, TEST), TEST) == "passed"
    pairs = sum(map(sum, better))
    assert decision_at(log_likelihood_ratio(apart(better, pairs), TEST), TEST) == "undecided"
    assert estimate(better).half_width < estimate(apart(better, pairs)).half_width / 2


def test_so_many_times_fewer_pairs_are_needed_as_variances_say() -> None:
    assert times_fewer(compare(apart(ALIKE))) == pytest.approx(1, rel=1e-3)
    seen = compare(ALIKE)
    assert times_fewer(seen) > 4
    narrow = SprtSettings(0, 3)  # long tests: overshoot is nothing
    shorter, longer = (forecast_of_differences(one, narrow) for one in (seen, compare(apart(ALIKE))))
    assert longer.pairs / shorter.pairs == pytest.approx(times_fewer(seen), rel=0.15)


def test_two_bots_that_do_the_same_on_every_seed_are_taken_for_equal() -> None:
    same = [[50 if row == column else 0 for column in range(5)] for row in range(5)]
    assert decision_at(log_likelihood_ratio(same, TEST), TEST) == "failed"
    assert estimate(same).elo == pytest.approx(0, abs=1e-6)
    assert estimate(same).half_width < 2


@pytest.mark.parametrize(
    ("candidate", "baseline", "sentence"),
    [([1, 2], [1], "on the same seeds"), ([5], [1], "from 0 to 4, not 5 or 1"), ([-1], [1], "not -1 or 1")],
)
def test_outcomes_that_belong_to_nothing_are_refused(candidate: list[int], baseline: list[int], sentence: str) -> None:
    with pytest.raises(UsageFault, match=sentence):
        joint_counts(candidate, baseline)


def test_a_table_that_is_not_square_is_refused() -> None:
    with pytest.raises(UsageFault, match="square"):
        compare([[1, 2, 3], [1, 2, 3]])
