"""Whom a gauntlet is against, which pairs it plays, and when its question is answered and how."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import Refused, UnknownName, UsageFault
from ladder.gauntlets import variants
from ladder.gauntlets.lineup import (
    LineupWords,
    Participant,
    Word,
    WordKind,
    lacks_earlier,
    lineup_of_those_there,
    make_lineup,
    read_word,
    version_before,
    words_or_usual,
)
from ladder.gauntlets.plan import Plan, open_slots
from ladder.gauntlets.variants import RoundRobin, VariantComparison, chosen_variants, conclusion, variants_of
from ladder.gauntlets.verdict import common_tasks, counted, fixed_verdict, is_regression, judge, slots_of
from ladder.ids import BotId, VersionId
from ladder.statistics.elo import CONFIDENCE, Estimate, estimate, outcomes_of
from ladder.statistics.sprt_settings import SprtSettings, bounds
from tests.fakes import version_ids

GAME = "ocean-of-code"


def version(
    version_id: int, number: int, bot: str = "kraken", state: str = "accepted", game: str = GAME
) -> Participant:
    return Participant(VersionId(version_id), f"{bot}@v{number}", game, "python", bot, BotId(1), number, state)


CANDIDATE = version(8, 8)
FILE = Participant(VersionId(-1), "old.py", GAME, "python")
KNOWN = {
    "kraken@v7": [version(7, 7)],
    "prior:2": [version(7, 7), version(6, 6)],
    "boss": [version(1, 1, "boss")],
    "./old.py": [FILE],
    "kraken@v8": [CANDIDATE],
    "kraken@v5": [version(5, 5, state="rejected")],
    "kraken@v9": [version(9, 9, state="building")],
    "marcher": [version(3, 1, "marcher", game="ice-and-fire")],
    "prior:9": [],
}


def meant(word: str) -> Sequence[Participant]:
    if word not in KNOWN:
        raise UnknownName(f"there is no bot {word}")
    return KNOWN[word]


def test_each_opponent_takes_part_once_in_the_order_in_which_it_is_named() -> None:
    chosen = make_lineup(CANDIDATE, None, LineupWords(("boss", "prior:2", "kraken@v7", "./old.py")), meant)
    assert [one.name for one in chosen.opponents] == ["boss@v1", "kraken@v7", "kraken@v6", "old.py"]
    assert chosen.participants[0] is CANDIDATE


def test_the_baseline_is_no_opponent() -> None:
    chosen = make_lineup(CANDIDATE, version(7, 7), LineupWords(("prior:2", "boss")), meant)
    assert [one.name for one in chosen.opponents] == ["kraken@v6", "boss@v1"]
    assert [one.name for one in chosen.participants] == ["kraken@v8", "kraken@v7", "kraken@v6", "boss@v1"]


def test_the_version_before_decides_where_it_takes_part_and_else_all_do() -> None:
    assert make_lineup(CANDIDATE, None, LineupWords(("boss", "prior:2")), meant).deciding_ids == (7,)
    assert make_lineup(CANDIDATE, None, LineupWords(("boss", "./old.py")), meant).deciding_ids is None
    assert make_lineup(CANDIDATE, version(7, 7), LineupWords(("prior:2",)), meant).deciding_ids is None


def test_a_file_that_would_be_a_bots_next_version_is_decided_by_the_version_before_too() -> None:
    file = Participant(VersionId(-2), "kraken.py", GAME, "python", "kraken", BotId(1), 9)
    assert make_lineup(file, None, LineupWords(("prior:2", "boss")), meant).deciding_ids == (7,)


@pytest.mark.parametrize(
    ("baseline", "words", "sentence"),
    [
        (None, ["kraken@v8"], "kraken@v8 cannot play against itself"),
        (None, ["prior:9"], "prior:9: no such opponent for kraken@v8 yet; name others with --against"),
        (None, ["kraken@v5"], "kraken@v5 was rejected, so it cannot play"),
        (None, ["marcher"], "marcher@v1 plays ice-and-fire, and kraken@v8 plays ocean-of-code"),
        (CANDIDATE, ["boss"], "kraken@v8 cannot be compared with itself"),
        (version(5, 5, state="rejected"), ["boss"], "kraken@v5 was rejected, so it cannot play"),
        (version(7, 7), ["kraken@v7"], "kraken@v7: no such opponent for kraken@v8 yet"),
    ],
)
def test_who_cannot_take_part_is_refused(baseline: Participant | None, words: list[str], sentence: str) -> None:
    with pytest.raises(Refused, match=sentence):
        make_lineup(CANDIDATE, baseline, LineupWords(tuple(words)), meant)


def test_a_candidate_that_was_rejected_is_refused() -> None:
    with pytest.raises(Refused, match="kraken@v5 was rejected"):
        make_lineup(version(5, 5, state="rejected"), None, LineupWords(("boss",)), meant)


def test_an_automatic_gauntlet_passes_over_words_without_an_opponent_now() -> None:
    words = ("gone", "prior:9", "kraken@v5", "kraken@v9", "marcher", "kraken@v8", "prior:2")

    def there(word: str) -> Sequence[Participant]:
        return () if word == "gone" else meant(word)

    chosen = lineup_of_those_there(CANDIDATE, LineupWords(words), there)
    assert chosen is not None
    assert [one.name for one in chosen.opponents] == ["kraken@v7", "kraken@v6"]
    assert lineup_of_those_there(CANDIDATE, LineupWords(words[:-1]), there) is None


def test_it_is_known_whether_earlier_versions_were_asked_for_and_there_are_none() -> None:
    with_earlier = make_lineup(CANDIDATE, None, LineupWords(("boss", "prior:2")), meant)
    without = make_lineup(CANDIDATE, None, LineupWords(("boss",)), meant)
    assert not lacks_earlier(with_earlier, ["boss", "prior:2"])
    assert lacks_earlier(without, ["boss", "prior:9"])
    assert not lacks_earlier(without, ["boss"])


def test_the_usual_opponent_is_the_predecessor_with_others_for_information_and_with_a_baseline_the_boss() -> None:
    assert words_or_usual([], None, has_baseline=False) == LineupWords(("predecessor",), ("prior:3", "boss"))
    assert words_or_usual([], (), has_baseline=False) == LineupWords(("predecessor",))
    assert words_or_usual([], ("orca",), has_baseline=False) == LineupWords(("predecessor",), ("orca",))
    assert words_or_usual([], None, has_baseline=True) == LineupWords(("boss",))
    assert words_or_usual(["orca"], None, has_baseline=False) == LineupWords(("orca",))
    assert words_or_usual(["orca"], ("boss",), has_baseline=True) == LineupWords(("orca",), ("boss",))


def test_opponents_for_information_come_last_once_and_decide_nothing() -> None:
    chosen = make_lineup(CANDIDATE, None, LineupWords(("kraken@v7",), ("prior:2", "boss")), meant)
    assert [one.name for one in chosen.opponents] == ["kraken@v7"]
    assert [one.name for one in chosen.context] == ["kraken@v6", "boss@v1"]
    assert chosen.deciding_ids == (7,)
    rival = make_lineup(CANDIDATE, None, LineupWords(("boss",), ("prior:2",)), meant)
    assert [one.name for one in rival.opponents] == ["boss@v1"]
    assert rival.deciding_ids is None, "all opponents that are not for information"


def test_the_candidate_is_no_opponent_for_information() -> None:
    with pytest.raises(Refused, match="kraken@v8 cannot play against itself"):
        make_lineup(CANDIDATE, None, LineupWords(("boss",), ("kraken@v8",)), meant)


def test_where_there_is_no_predecessor_the_opponents_for_information_take_its_place() -> None:
    words = LineupWords(("prior:9",), ("boss",))
    for chosen in (make_lineup(CANDIDATE, None, words, meant), lineup_of_those_there(CANDIDATE, words, meant)):
        assert chosen is not None
        assert [one.name for one in chosen.opponents] == ["boss@v1"]
        assert chosen.context == ()
    with pytest.raises(Refused, match="prior:9 and prior:9: no such opponent for kraken@v8 yet"):
        make_lineup(CANDIDATE, None, LineupWords(("prior:9",), ("prior:9",)), meant)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("boss", Word("boss", WordKind.BOSS)),
        ("predecessor", Word("predecessor", WordKind.PREDECESSOR)),
        ("prior:12", Word("prior:12", WordKind.PRIOR, 12)),
        ("board:top3", Word("board:top3", WordKind.BOARD_TOP, 3)),
        ("kraken@v3", Word("kraken@v3", WordKind.VERSION)),
    ],
)
def test_words_are_read(text: str, word: Word) -> None:
    assert read_word(text) == word


@pytest.mark.parametrize("text", ["", "prior:", "prior:0", "prior:x", "board:top1234567", "board:5", "later:2"])
def test_words_that_cannot_name_an_opponent_are_bad_use(text: str) -> None:
    with pytest.raises(UsageFault, match=r"there are BOT@vN.* prior:N, boss, board:topN"):
        read_word(text)


PLAN = Plan(candidate_id=VersionId(8), baseline_id=None, opponent_ids=version_ids(5, 6, 7), pairs=4, seed=42)
COMPARED = replace(PLAN, baseline_id=VersionId(4))


def test_every_opponent_is_met_on_the_same_seeds() -> None:
    slots = [PLAN.slot(number) for number in range(PLAN.slots)]
    met = {opponent: [slot.seed for slot in slots if slot.opponent_id == opponent] for opponent in (5, 6, 7)}
    assert len(slots) == sum(map(len, met.values()))
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
    assert [(slot.version_id, slot.opponent_id) for slot in slots] == [(0, 1), (0, 2), (1, 2)] * 2
    of_a_gauntlet = Plan(VersionId(1), None, version_ids(2), 2, 5)
    assert [slot.seed for slot in slots] == [of_a_gauntlet.slot(number).seed for number in (0, 0, 0, 1, 1, 1)]
    assert [RoundRobin(3, 2, 5, (7, 9)).slot(number).seed for number in (2, 3)] == [7, 9]


def test_of_more_than_two_players_one_has_every_seat_once_and_the_two_change_parts() -> None:
    plan, tally = RoundRobin(2, 2, 5, players=4), variants.PairPoints(outcomes_of(4) - 1)
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
    tally, plan = variants.PairPoints(4), RoundRobin(3, 1, 5)
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
    assert variants.names_of(chosen) == ["DEPTH=4", "DEPTH=6"]
    assert chosen_variants([], {"WIDTH": "9"}) == ({"WIDTH": "9"},)
    assert chosen_variants([], {}) == ()


LONG_PLAN = Plan(candidate_id=VersionId(8), baseline_id=None, opponent_ids=version_ids(5, 6), pairs=1000, seed=42)
LONG_COMPARED = replace(LONG_PLAN, baseline_id=VersionId(4))
TEST = SprtSettings(0, 20)


def outcomes(*counts: int) -> dict[int, int]:
    return dict(enumerate(outcome for outcome, count in enumerate(counts) for _ in range(count)))


def test_a_sequential_test_ends_as_soon_as_it_is_clear_that_the_candidate_is_better() -> None:
    judgement = judge(LONG_PLAN, TEST, outcomes(2, 20, 100, 80, 30), is_over=False)
    assert judgement.verdict == "passed"
    assert judgement.llr is not None
    assert judgement.bounds is not None
    assert judgement.llr >= judgement.bounds[1]


def test_it_ends_likewise_when_it_is_clear_that_it_is_not() -> None:
    assert judge(LONG_PLAN, TEST, outcomes(30, 80, 100, 20, 2), is_over=False).verdict == "failed"


def test_while_it_is_not_clear_it_goes_on_and_is_undecided_when_no_pairs_are_left() -> None:
    few = outcomes(1, 5, 10, 6, 1)
    assert judge(LONG_PLAN, TEST, few, is_over=False).verdict is None
    assert judge(LONG_PLAN, TEST, few, is_over=True).verdict == "undecided"


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
    assert judge(LONG_PLAN, None, outcomes(*counts), is_over=False).verdict is None
    assert judge(LONG_PLAN, None, outcomes(*counts), is_over=True).verdict == verdict


def test_a_gauntlet_of_fixed_length_shows_what_is_known_so_far() -> None:
    judgement = judge(LONG_PLAN, None, outcomes(1, 5, 30, 25, 10), is_over=False)
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


@pytest.mark.parametrize("plan", [LONG_PLAN, LONG_COMPARED])
def test_nothing_played_is_nothing_known(plan: Plan) -> None:
    judgement = judge(plan, TEST, {}, is_over=False)
    assert judgement.verdict is None
    assert judgement.estimate is None
    assert judgement.counts == (0, 0, 0, 0, 0)
    assert (judgement.llr, judgement.bounds) == (0, bounds(TEST))


def test_with_more_players_there_are_more_outcomes() -> None:
    """Of three players, from 0 for the last place in each of the three matches on a seed to 12 for the first."""
    plan = replace(LONG_PLAN, players=3)
    assert judge(plan, None, {0: 12, 1: 0, 2: 12}, is_over=False).counts == (1, *[0] * 11, 2)
    compared = replace(LONG_COMPARED, players=3)
    found = {number: 12 if number % 2 == 0 else 6 for number in range(20)}
    assert judge(compared, None, found, is_over=True).verdict == "passed"
    assert judge(compared, TEST, found | {0: 0}, is_over=False).counts == (1, *[0] * 11, 9)


def test_pairs_are_counted_from_worst_to_best() -> None:
    assert counted([0, 4, 2, 2, 3]) == (1, 0, 2, 1, 1)


def test_candidate_and_baseline_are_compared_where_both_have_played() -> None:
    assert common_tasks(LONG_COMPARED, {0: 4, 1: 2, 2: 1, 3: 1, 4: 3, 7: 0}) == [(4, 2), (1, 1)]


def test_with_a_baseline_the_difference_decides_and_not_the_score() -> None:
    """The candidate loses most pairs, but the baseline loses all: on the same seeds it is better."""
    found = {number: 1 if number % 2 == 0 else number // 2 % 2 for number in range(800)}
    judgement = judge(LONG_COMPARED, TEST, found, is_over=False)
    assert judgement.counts == (0, 400, 0, 0, 0)
    assert judgement.verdict == "passed"
    assert judgement.estimate is not None
    assert judgement.estimate.low > 0
    assert judge(LONG_COMPARED, None, found, is_over=True).verdict == "passed"


DECIDED = replace(LONG_PLAN, opponent_ids=version_ids(7, 5, 6), deciding_ids=version_ids(7))
ALONE = replace(LONG_PLAN, opponent_ids=version_ids(7))
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
    for plan, step in ((LONG_PLAN, 1), (LONG_COMPARED, 2))
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


def test_a_better_version_passes_however_strong_the_others_are() -> None:
    """It takes four points of five from the one before it, and none from the two others."""
    found = {slot: 0 if slot % 3 else (4, 4, 2, 4, 2)[slot // 3 % 5] for slot in range(300)}
    assert judge(DECIDED, None, found, is_over=True).verdict == "passed"
    assert judge(DECIDED, TEST, found, is_over=False).verdict == "passed"


def test_a_version_that_is_no_better_does_not_pass_however_weak_the_others_are() -> None:
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
    assert [slot.number for slot in slots_of(LONG_COMPARED, VersionId(8), found)] == [0, 2, 4, 6]
    assert [slot.number for slot in slots_of(LONG_COMPARED, VersionId(4), found)] == [1, 3, 5, 7]


@pytest.mark.parametrize(("los", "regression"), [(0.02, True), (1 - CONFIDENCE, True), (0.06, False), (0.5, False)])
def test_a_regression_is_an_opponent_that_is_better_with_confidence(los: float, regression: bool) -> None:
    assert is_regression(Estimate(-20, -40, 0, los), pairs=5) is regression
    assert not is_regression(Estimate(-20, -40, 0, los), pairs=4)
    assert not is_regression(None, pairs=0)
