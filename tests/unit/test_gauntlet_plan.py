"""Which pairs a gauntlet plays."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageFault
from ladder.gauntlets.plan import Plan, open_slots
from ladder.gauntlets.variants import (
    PairPoints,
    RoundRobin,
    VariantComparison,
    chosen_variants,
    conclusion,
    names_of,
    tally_of,
    variants_of,
)
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


NAMES = ["DEPTH=4", "DEPTH=6", "DEPTH=8"]


def complaint(*words: str, given: dict[str, str] | None = None) -> str:
    with pytest.raises(UsageFault) as fault:
        variants_of(words, given or {})
    assert "\n" not in str(fault.value)
    return str(fault.value)


def test_each_value_of_one_parameter_is_played_with_each_of_the_others() -> None:
    assert variants_of(["DEPTH=4,6,8"], {}) == [{"DEPTH": "4"}, {"DEPTH": "6"}, {"DEPTH": "8"}]
    assert variants_of(["A=1,2", "B=x,"], {"C": "3"}) == [
        {"A": "1", "B": "x"}, {"A": "1", "B": ""}, {"A": "2", "B": "x"}, {"A": "2", "B": ""}
    ]  # fmt: skip


def test_what_cannot_vary_is_said() -> None:
    for word in ("DEPTH", "DEPTH=4", "DEPTH="):
        assert f"--vary {word} does not name several values: write it as in DEPTH=4,6,8" in complaint(word)
    assert "names a value twice" in complaint("DEPTH=4,6,4")
    assert "DEPTH comes twice" in complaint("DEPTH=4,6", "DEPTH=8,9")
    assert "DEPTH comes twice" in complaint("DEPTH=4,6", given={"DEPTH": "3"})
    assert "--vary makes 9 variants; 8 is the limit" in complaint("A=1,2,3", "B=1,2,3")
    assert "PATH cannot be a bot's parameter" in complaint("PATH=a,b")
    assert "capital letters" in complaint("depth=1,2")


def test_all_meet_all_others_on_the_same_seeds_which_are_those_of_a_gauntlet() -> None:
    plan = RoundRobin(3, 2, 5)
    slots = [plan.slot(number) for number in range(plan.slots)]
    twos = [(0, 1), (0, 2), (1, 2)]
    assert [(slot.version_id, slot.opponent_id) for slot in slots] == twos * 2
    of_a_gauntlet = Plan(VersionId(1), None, version_ids(2), 2, 5)
    assert [slot.seed for slot in slots] == [of_a_gauntlet.slot(number).seed for number in (0, 0, 0, 1, 1, 1)]
    assert [RoundRobin(3, 2, 5, (7, 9)).slot(number).seed for number in (2, 3)] == [7, 9]


def test_of_more_than_two_players_one_has_every_seat_once_and_the_two_change_parts() -> None:
    plan, tally = RoundRobin(2, 2, 5, players=4), tally_of(4)
    first, second = plan.slot(0), plan.slot(1)
    assert (first.player_ids, second.player_ids) == ((0, 1, 1, 1), (1, 0, 0, 0))
    tally.take(first, 6)
    tally.take(second, 20)
    (row,) = tally.compared(["A=1", "A=2"])
    assert [outcome for outcome, count in enumerate(row.counts) if count] == [4, 6], "of 24 half points"
    assert row.share == pytest.approx(10 / 48)
    assert [tally.share_of(number) for number in (0, 1)] == [10 / 48, 38 / 48]


def comparison(*half_points: list[int]) -> VariantComparison:
    """Return three variants compared; the half-points that the first of each two took from its pairs."""
    tally, plan = PairPoints(), RoundRobin(3, 1, 5)
    for number, pairs in enumerate(half_points):
        for pair in pairs:
            tally.take(plan.slot(number), pair)
    params = [{"DEPTH": name[-1]} for name in NAMES]
    scores, rows = tally.scores(NAMES, params), tally.compared(NAMES)
    return VariantComparison("ocean-of-code", "Legend", "bot.py", 5, 1, "finished", scores, rows)


def test_each_two_have_their_counts_and_an_elo_interval_and_the_best_comes_first() -> None:
    found = comparison([0] * 20, [0] * 20, [2, 1, 3, 2] * 5)
    assert [(row.first, row.second, row.pairs, row.counts) for row in found.compared] == [
        ("DEPTH=4", "DEPTH=6", 20, [20, 0, 0, 0, 0]),
        ("DEPTH=4", "DEPTH=8", 20, [20, 0, 0, 0, 0]),
        ("DEPTH=6", "DEPTH=8", 20, [0, 5, 10, 5, 0]),
    ]
    worst, _, even = (row.elo for row in found.compared)
    assert worst is not None
    assert even is not None
    assert worst.high < 0
    assert even.low < 0 == even.elo < even.high
    assert [one.name for one in found.variants][-1] == "DEPTH=4"
    assert [one.share for one in found.variants] == [0.75, 0.75, 0.0]
    assert conclusion(found) == "DEPTH=6 and DEPTH=8 did equally well (75.0 % of all points)"


def test_the_conclusion_claims_no_more_than_the_intervals() -> None:
    clear = conclusion(comparison([0] * 20, [0] * 20, [0] * 20))
    assert clear == "DEPTH=8 is better than every other variant with 95 % confidence (100.0 % of all points)"
    close = conclusion(comparison([0] * 20, [0] * 20, [2, 1, 3, 1] * 5))
    assert close == "DEPTH=8 did best (78.1 % of all points), but is not clearly better than DEPTH=6"
    assert conclusion(comparison()) == "nothing was played, so nothing is known"
    assert "not clearly better" in conclusion(comparison([0], [0], [1])), "one pair shows nothing"


def test_variants_are_called_by_what_differs_and_have_what_is_given_to_all() -> None:
    chosen = chosen_variants(["DEPTH=4,6"], {"WIDTH": "9"})
    assert chosen == ({"WIDTH": "9", "DEPTH": "4"}, {"WIDTH": "9", "DEPTH": "6"})
    assert names_of(chosen) == ["DEPTH=4", "DEPTH=6"]
    assert chosen_variants([], {"WIDTH": "9"}) == ({"WIDTH": "9"},)
    assert chosen_variants([], {}) == ()
