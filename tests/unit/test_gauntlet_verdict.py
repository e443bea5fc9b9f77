"""When a gauntlet's question is answered, and how."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ladder.gauntlets.lineup import version_before
from ladder.gauntlets.plan import Plan
from ladder.gauntlets.verdict import common_tasks, counted, fixed_verdict, is_regression, judge, slots_of
from ladder.ids import VersionId
from ladder.statistics.elo import CONFIDENCE, Estimate, estimate
from ladder.statistics.sprt_settings import SprtSettings, bounds
from tests.fakes import version_ids

PLAN = Plan(candidate_id=VersionId(8), baseline_id=None, opponent_ids=version_ids(5, 6), pairs=1000, seed=42)
COMPARED = replace(PLAN, baseline_id=VersionId(4))
TEST = SprtSettings(0, 20)


def outcomes(*counts: int) -> dict[int, int]:
    return dict(enumerate(outcome for outcome, count in enumerate(counts) for _ in range(count)))


def test_a_sequential_test_ends_as_soon_as_it_is_clear_that_the_candidate_is_better_or_is_not() -> None:
    judgement = judge(PLAN, TEST, outcomes(2, 20, 100, 80, 30), is_over=False)
    assert judgement.verdict == "passed"
    assert judgement.llr is not None
    assert judgement.bounds is not None
    assert judgement.llr >= judgement.bounds[1]
    assert judge(PLAN, TEST, outcomes(30, 80, 100, 20, 2), is_over=False).verdict == "failed"


def test_while_it_is_not_clear_it_goes_on_and_is_undecided_when_no_pairs_are_left() -> None:
    few = outcomes(1, 5, 10, 6, 1)
    assert judge(PLAN, TEST, few, is_over=False).verdict is None
    assert judge(PLAN, TEST, few, is_over=True).verdict == "undecided"


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ((1, 5, 30, 25, 10), "passed"),
        ((10, 25, 30, 5, 1), "failed"),
        ((5, 10, 30, 10, 5), "undecided"),
        ((0, 0, 0, 0, 5), "passed"),
        ((0, 0, 0, 0, 4), "undecided"),
        ((4, 0, 0, 0, 0), "undecided"),
    ],
)
def test_a_gauntlet_of_fixed_length_ends_with_its_last_pair(counts: tuple[int, ...], verdict: str) -> None:
    assert judge(PLAN, None, outcomes(*counts), is_over=False).verdict is None
    assert judge(PLAN, None, outcomes(*counts), is_over=True).verdict == verdict


def test_a_gauntlet_of_fixed_length_shows_what_is_known_so_far() -> None:
    judgement = judge(PLAN, None, outcomes(1, 5, 30, 25, 10), is_over=False)
    assert judgement.counts == (1, 5, 30, 25, 10)
    assert judgement.estimate == estimate((1, 5, 30, 25, 10))
    assert (judgement.llr, judgement.bounds) == (None, None)


@pytest.mark.parametrize(
    ("los", "verdict"),
    [
        (CONFIDENCE, "passed"),
        (CONFIDENCE - 1e-9, "undecided"),
        (1 - CONFIDENCE + 1e-9, "undecided"),
        (1 - CONFIDENCE, "failed"),
    ],
)
def test_without_a_sequential_test_it_takes_the_confidence_asked_for_and_no_more(los: float, verdict: str) -> None:
    assert fixed_verdict(Estimate(0, -20, 20, los), pairs=5) == verdict


@pytest.mark.parametrize("plan", [PLAN, COMPARED])
def test_nothing_played_is_nothing_known(plan: Plan) -> None:
    judgement = judge(plan, TEST, {}, is_over=False)
    assert judgement.verdict is None
    assert judgement.estimate is None
    assert judgement.counts == (0, 0, 0, 0, 0)
    assert (judgement.llr, judgement.bounds) == (0, bounds(TEST))


def test_with_more_players_there_are_more_outcomes() -> None:
    """Of three players, from 0 for the last place in each of the three matches on a seed to 12 for the first."""
    plan = replace(PLAN, players=3)
    assert judge(plan, None, {0: 12, 1: 0, 2: 12}, is_over=False).counts == (1, *[0] * 11, 2)
    compared = replace(COMPARED, players=3)
    found = {number: 12 if number % 2 == 0 else 6 for number in range(20)}
    assert judge(compared, None, found, is_over=True).verdict == "passed"
    assert judge(compared, TEST, found | {0: 0}, is_over=False).counts == (1, *[0] * 11, 9)


def test_pairs_are_counted_from_worst_to_best() -> None:
    assert counted([0, 4, 2, 2, 3]) == (1, 0, 2, 1, 1)


def test_candidate_and_baseline_are_compared_where_both_have_played() -> None:
    found = {0: 4, 1: 2, 2: 1, 3: 1, 4: 3, 7: 0}
    assert common_tasks(COMPARED, found) == [(4, 2), (1, 1)]


def test_with_a_baseline_the_difference_decides_and_not_the_score() -> None:
    """The candidate loses most pairs, but the baseline loses all: on the same seeds it is better."""
    found = {number: 1 if number % 2 == 0 else number // 2 % 2 for number in range(800)}
    judgement = judge(COMPARED, TEST, found, is_over=False)
    assert judgement.counts == (0, 400, 0, 0, 0)
    assert judgement.verdict == "passed"
    assert judgement.estimate is not None
    assert judgement.estimate.low > 0
    assert judge(COMPARED, None, found, is_over=True).verdict == "passed"


DECIDED = replace(PLAN, opponent_ids=version_ids(7, 5, 6), deciding_ids=version_ids(7))
ALONE = replace(PLAN, opponent_ids=version_ids(7))
"""The same gauntlet with nobody but the opponent that decides."""


@given(
    decisive=st.dictionaries(st.integers(0, 60), st.integers(0, 4)),
    others=st.dictionaries(st.integers(0, 180).filter(lambda slot: slot % 3 != 0), st.integers(0, 4)),
    test=st.sampled_from([None, TEST, SprtSettings(-5, 0), SprtSettings(0, 100, 0.2, 0.1)]),
    is_over=st.booleans(),
)
@settings(max_examples=100)
def test_opponents_that_do_not_decide_change_nothing_in_the_judgement(
    decisive: dict[int, int], others: dict[int, int], test: SprtSettings | None, is_over: bool
) -> None:
    """So the sequential test has the error rates that it has with one opponent, which `make sprt` measures."""
    found = {3 * slot: outcome for slot, outcome in decisive.items()} | others
    assert judge(DECIDED, test, found, is_over=is_over) == judge(ALONE, test, decisive, is_over=is_over)


WITH_CONTEXT = [
    (replace(plan, opponent_ids=version_ids(7, 5, 6), context_ids=version_ids(5, 6)), plan, step)
    for plan, step in ((PLAN, 1), (COMPARED, 2))
]
SLOTS = [[beside.slot(number) for number in range(400)] for beside, *_ in WITH_CONTEXT]


@given(outcome_of=st.dictionaries(st.integers(0, 40), st.integers(0, 4)), others=st.integers(0, 4))
@settings(max_examples=100)
def test_neither_do_opponents_for_information_whatever_is_compared(outcome_of: dict[int, int], others: int) -> None:
    for (beside, plan, step), slots in zip(WITH_CONTEXT, SLOTS, strict=True):
        alone = replace(plan, opponent_ids=version_ids(7))
        decisive = [slot.number for slot in slots if slot.opponent_id == 7]
        found = {
            decisive[slot]: outcome
            for slot, outcome in outcome_of.items()
            if slot % step == 0 or slot - 1 in outcome_of
        }
        expected = {slot: outcome for slot, outcome in outcome_of.items() if slot % step == 0 or slot - 1 in outcome_of}
        found |= {slot.number: others for slot in slots if slot.opponent_id != 7}
        assert judge(beside, TEST, found, is_over=True) == judge(alone, TEST, expected, is_over=True)


def test_a_better_version_passes_and_no_other_does_however_strong_or_weak_the_others_are() -> None:
    """It takes four points of five from the one before it, and none from the two others."""
    found = {slot: 0 if slot % 3 else (4, 4, 2, 4, 2)[slot // 3 % 5] for slot in range(300)}
    assert judge(DECIDED, None, found, is_over=True).verdict == "passed"
    assert judge(DECIDED, TEST, found, is_over=False).verdict == "passed"
    found = {slot: 4 if slot % 3 else 2 for slot in range(300)}
    assert judge(DECIDED, None, found, is_over=True).verdict == "undecided"
    assert judge(DECIDED, TEST, found, is_over=False).verdict != "passed"


@pytest.mark.parametrize(
    ("number", "others", "before"), [(8, [5, 7, 6], 7), (8, [9, 3, 12], 3), (1, [4, 2, 3], 2), (8, [], None)]
)
def test_a_version_is_compared_with_the_last_one_before_it_or_else_with_the_next(
    number: int, others: list[int], before: int | None
) -> None:
    assert version_before(number, others) == before


def test_slots_can_be_looked_at_by_side() -> None:
    found = dict.fromkeys(range(8), 2)
    assert [slot.number for slot in slots_of(COMPARED, VersionId(8), found)] == [0, 2, 4, 6]
    assert [slot.number for slot in slots_of(COMPARED, VersionId(4), found)] == [1, 3, 5, 7]


@pytest.mark.parametrize(("los", "regression"), [(0.02, True), (1 - CONFIDENCE, True), (0.06, False), (0.5, False)])
def test_a_regression_is_an_opponent_that_is_better_with_confidence(los: float, regression: bool) -> None:
    assert is_regression(Estimate(-20, -40, 0, los), pairs=5) is regression
    assert not is_regression(Estimate(-20, -40, 0, los), pairs=4)
    assert not is_regression(None, pairs=0)
