"""Which pairs a gauntlet plays."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.gauntlets.plan import Plan, open_slots
from ladder.ids import VersionId
from tests.fakes import version_ids

PLAN = Plan(candidate_id=VersionId(8), baseline_id=None, opponent_ids=version_ids(5, 6, 7), pairs=4, seed=42)
COMPARED = replace(PLAN, baseline_id=VersionId(4))


def test_every_opponent_is_met_on_the_same_seeds() -> None:
    met: dict[int, list[int]] = {}
    for number in range(PLAN.slots):
        slot = PLAN.slot(number)
        met.setdefault(slot.opponent_id, []).append(slot.seed)
    assert set(met) == {5, 6, 7}
    assert met[5] == met[6] == met[7]
    assert len(set(met[5])) == 4


def test_candidate_and_baseline_have_the_same_tasks_in_the_same_order() -> None:
    slots = [COMPARED.slot(number) for number in range(COMPARED.slots)]
    tasks = {side: [(slot.seed, slot.opponent_id) for slot in slots if slot.version_id == side] for side in (8, 4)}
    assert tasks[8] == tasks[4]
    assert len(tasks[8]) == 12


def test_a_gauntlet_can_be_repeated_exactly_by_its_seed_and_not_by_another() -> None:
    seeds = [PLAN.seed_of(number) for number in range(20)]
    assert seeds == [replace(PLAN, pairs=100).seed_of(number) for number in range(20)]
    assert not set(seeds) & {replace(PLAN, seed=43).seed_of(number) for number in range(20)}


def test_given_seeds_are_played_in_their_order() -> None:
    plan = replace(PLAN, seeds=(9, -3, 5, 1))
    assert [plan.slot(number).seed for number in range(0, plan.slots, 3)] == [9, -3, 5, 1]


@pytest.mark.parametrize(("pairs", "met", "context"), [(1, 1, 2), (4, 2, 1), (5, 1, 4), (12, 2, 3)])
@pytest.mark.parametrize("baseline_id", [None, 4])
def test_opponents_for_information_are_met_on_every_fifth_seed_of_the_others(
    pairs: int, met: int, context: int, baseline_id: VersionId | None
) -> None:
    opponents = version_ids(*range(10, 10 + met + context))
    plan = Plan(VersionId(8), baseline_id, opponents, pairs, 42, context_ids=opponents[met:])
    slots = [plan.slot(number) for number in range(plan.slots)]
    for side in plan.sides:
        for opponent in opponents:
            seeds = [slot.seed for slot in slots if (slot.version_id, slot.opponent_id) == (side, opponent)]
            assert seeds == [plan.seed_of(number) for number in range(0, pairs, 5 if opponent >= 10 + met else 1)]
    assert all(plan.decides(opponent) == (opponent < 10 + met) for opponent in opponents)


@given(st.integers(-(2**63), 2**63 - 1), st.integers(0, 10**6))
def test_seeds_are_signed_64_bit_numbers(seed: int, number: int) -> None:
    assert -(2**63) <= replace(PLAN, seed=seed).seed_of(number) < 2**63


@pytest.mark.parametrize(
    ("taken", "most", "expected"),
    [((), 3, [0, 1, 2]), ((0, 2), 2, [1, 3]), (range(11), 5, [11]), (range(12), 5, []), ((), 0, []), ((), -1, [])],
)
def test_the_first_free_slots_are_played_next(taken: tuple[int, ...], most: int, expected: list[int]) -> None:
    assert [slot.number for slot in open_slots(PLAN, taken, most)] == expected
