"""Tuning: ranges as they are typed, the rule that moves values, and what pairs say."""

import pytest

from engine.errors import UsageFault
from ladder.gauntlets.variants import ComparedVariants
from ladder.ids import VersionId
from ladder.statistics.elo import EloInterval
from ladder.tuning.parameters import Parameter, ParameterKind, read_parameter, read_parameters, start_of
from ladder.tuning.plan import Ends, MatchSeen, Spsa, TunePlan, mean_of_second_half, shared_out
from ladder.tuning.report import Findings, PlayedPair, findings_of, verdict
from tests.tuner import tuned

SURE, K = read_parameters(("SURE=1..20", "K=0.5..4.0"))


def a_rule(pairs: int = 500) -> Spsa:
    return Spsa((SURE, K), (0.5, 0.5), pairs, 7)


def a_plan(*opponents: int, pairs: int = 500, players: int = 2) -> TunePlan:
    return TunePlan(a_rule(pairs), VersionId(1), tuple(map(VersionId, opponents)), players=players)


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("SURE=1..20", Parameter("SURE", ParameterKind.INT, 1, 20)),
        ("T=-5..5", Parameter("T", ParameterKind.INT, -5, 5)),
        ("K=0.5..4.0", Parameter("K", ParameterKind.FLOAT, 0.5, 4)),
        ("K=1..4:float", Parameter("K", ParameterKind.FLOAT, 1, 4)),
        ("C=0.01..10:log", Parameter("C", ParameterKind.LOG, 0.01, 10)),
        ("MODE=dig,move,train", Parameter("MODE", ParameterKind.CHOICE, 0, 2, ("dig", "move", "train"))),
    ],
)
def test_a_range_says_what_kind_it_is_of(word: str, found: Parameter) -> None:
    assert read_parameter(word) == found
    assert read_parameter(f"{found.name}={found.range_text}").range_text == found.range_text


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("SURE", "--param SURE has no range"),
        ("SURE=", "--param SURE= has no range"),
        ("SURE=6", "--param SURE=6 is not a range"),
        ("SURE=1..", "--param SURE=1.. is not a range"),
        ("SURE=1..2:lin", "--param SURE=1..2:lin is not a range"),
        ("SURE=5..5", "the range SURE=5..5 is empty"),
        ("SURE=20..1", "the range SURE=20..1 is backwards: write SURE=1..20"),
        ("SURE=0..nan", "--param SURE=0..nan is not a range"),
        ("SURE=0.5..2:int", "the range SURE=0.5..2:int has ends that are not whole numbers"),
        ("SURE=0..2:log", "the range SURE=0..2:log has to begin above 0"),
        ("MODE=a,a", "--param MODE=a,a is not a range"),
        ("K=-1e308..1e308", "--param K=-1e308..1e308 is not a range"),
        ("PATH=1..2", "PATH cannot be a bot's parameter"),
    ],
)
def test_a_range_that_is_none_is_refused_in_one_sentence(word: str, why: str) -> None:
    with pytest.raises(UsageFault, match="^" + why.replace(".", "\\.")):
        read_parameters((word,))


def test_values_stand_in_their_ranges() -> None:
    assert [SURE.text_at(place) for place in (0.0, 0.5, 1.0)] == ["1", "11", "20"]
    assert [K.text_at(place) for place in (0.0, 0.5, 1.0)] == ["0.5", "2.25", "4"]
    log = read_parameter("C=0.01..100:log")
    assert [log.text_at(place) for place in (0.0, 0.5, 1.0)] == ["0.01", "1", "100"]
    assert read_parameter("MODE=dig,move").text_at(0.9) == "move"
    for one in (SURE, K, log):
        assert one.text_at(one.place_of(one.text_at(0.3))) == one.text_at(0.3)


def test_the_start_is_what_is_said_else_the_versions_own_else_the_middle() -> None:
    start = start_of((SURE, K), {"SURE": "20", "OTHER": "3"}, {})
    assert (start.places, start.unknown) == ((1.0, 0.5), ("K",))
    assert start_of((SURE, K), {"SURE": "20"}, {"SURE": "1", "K": "4"}).places == (0.0, 1.0)
    with pytest.raises(UsageFault, match=r"SURE starts with 21, which is not in 1\.\.20"):
        start_of((SURE,), {"SURE": "21"}, {})
    with pytest.raises(UsageFault, match="no --param of that name is tuned"):
        start_of((SURE,), {}, {"K": "1"})


def test_a_fifth_of_the_pairs_is_kept_for_the_start() -> None:
    assert shared_out(None, 2) == (640, 160)
    assert shared_out(5000, 12) == (4000, 1000)
    with pytest.raises(UsageFault, match="12 parameters can be tuned in 120 to 1,000,000 pairs, not in 100"):
        shared_out(100, 12)


def test_a_pair_is_the_same_whenever_it_is_made() -> None:
    rule = a_rule()
    assert rule.ends(40, (0.4, 0.6)) == a_rule().ends(40, (0.4, 0.6))
    assert {tuple(rule.lots(number)) for number in range(50)} == {(1, 1), (1, -1), (-1, 1), (-1, -1)}
    assert rule.ends(40, (0.4, 0.6)) != Spsa((SURE, K), (0.5, 0.5), 500, 8).ends(41, (0.4, 0.6))


def test_the_first_pairs_play_the_ends_of_one_range_and_move_nothing() -> None:
    rule = a_rule()
    upper, lower = (rule.params(end) for end in rule.ends(0, rule.start))
    assert (upper, lower) == ({"SURE": "20", "K": "2.25"}, {"SURE": "1", "K": "2.25"})
    upper, lower = (rule.params(end) for end in rule.ends(1, rule.start))
    assert (upper, lower) == ({"SURE": "11", "K": "4"}, {"SURE": "11", "K": "0.5"})
    assert rule.moved(0, (0.4, 0.4), 2.0) == (0.4, 0.4)


def test_values_move_toward_the_end_that_took_more_by_the_step_of_the_pairs_own_number() -> None:
    rule = a_rule()
    lots = rule.lots(30)
    won, lost = rule.moved(30, (0.5, 0.5), 2.0), rule.moved(30, (0.5, 0.5), -2.0)
    assert [one > 0.5 for one in won] == [lot > 0 for lot in lots]
    assert won == pytest.approx([1 - one for one in lost])
    early, late = (abs(rule.moved(number, (0.5, 0.5), 1.0)[0] - 0.5) for number in (30, 400))
    assert early > late
    assert rule.moved(30, (0.99, 0.01), 50.0 * lots[0])[0] == 1.0, "no value leaves its range"


def test_the_ends_of_whole_numbers_are_never_the_same_value() -> None:
    rule = Spsa(read_parameters(("N=1..3", "MODE=a,b")), (0.5, 0.5), 2000, 3)
    for number in range(2, 2000, 50):
        for place in (0.0, 0.3, 0.5, 0.75, 1.0):
            upper, lower = (rule.params(end) for end in rule.ends(number, (place, place)))
            assert upper["N"] != lower["N"]
            assert upper["MODE"] != lower["MODE"]


def test_the_last_step_and_reach_are_as_documented() -> None:
    for pairs, rate in ((500, 0.04), (2000, 0.01), (100_000, 0.005), (100, 0.06)):
        rule = a_rule(pairs)
        assert rule.rate(pairs - 1) == pytest.approx(rate)
        assert rule.reaches(pairs - 1) == pytest.approx([1 / 8, 1 / 8])


def test_the_result_is_the_mean_of_the_second_half_of_the_path() -> None:
    assert mean_of_second_half([(0.0,), (0.1,), (0.4,), (0.6,)], (0.5,)) == pytest.approx((0.5,))
    assert mean_of_second_half([], (0.5,)) == (0.5,)


def test_both_ends_meet_each_other_or_the_same_opponent_on_one_seed() -> None:
    (slot,) = a_plan().slots_of(9, (0.5, 0.5))
    assert slot.player_ids == (1, 1)
    assert slot.params[0] != slot.params[1]
    upper, lower = a_plan(5, 6).slots_of(9, (0.5, 0.5))
    assert (upper.number, lower.number, upper.seed) == (18, 19, lower.seed)
    assert {upper.player_ids, lower.player_ids} == {(1, 6)}, "opponents take turns"
    assert (upper.params[0], lower.params[0]) == slot.params
    assert upper.params[1] == {}


def test_a_lead_means_the_same_against_itself_and_against_another() -> None:
    direct, met = a_plan(), a_plan(5)
    assert direct.lead(direct.points(3, [4])) == 2.0
    assert direct.lead(direct.points(3, [2])) == 0.0
    assert met.lead(met.points(3, [4, 2])) == 2.0
    assert met.lead(met.points(3, [0, 4])) == -4.0


def test_of_more_than_two_players_the_ends_take_turns_in_being_the_one_among_many() -> None:
    plan = a_plan(players=3)
    for number in (8, 9):
        (slot,) = plan.slots_of(number, (0.5, 0.5))
        one, *many = slot.params
        upper = plan.rule.params(plan.rule.ends(number, (0.5, 0.5))[0])
        assert (one == upper) == (number == 8)
        assert many[0] == many[1]
        assert plan.points(number, [12]) == ((1.0, 0.0) if number == 8 else (0.0, 1.0))


def test_faults_belong_to_the_end_that_made_them() -> None:
    first, second = MatchSeen(0, ("timeout", "ok")), MatchSeen(2, ("timeout", "crashed"))
    ends = a_plan().ends_of(9, [[first, second]])
    assert (ends.points, ends.timeouts, ends.faults) == ((0.5, 0.5), (1, 1), (1, 0))
    met = a_plan(5).ends_of(9, [[first, second], [MatchSeen(4, ("ok", "timeout"))] * 2])
    assert (met.timeouts, met.faults) == ((1, 1), (1, 0)), "the opponent's own are nobody's here"


def played(plan: TunePlan, lead_of: float, pairs: int = 60, **of_upper: int) -> Findings:
    """Return findings of pairs of which the end with the higher first parameter takes more by so much."""
    places, found = plan.rule.start, []
    for number in range(pairs):
        lot = 1 if number < 2 else plan.rule.lots(number)[0]
        points = (0.5 + lot * lead_of, 0.5 - lot * lead_of)
        faults = (of_upper.get("timeouts", 0), 0) if lot > 0 else (0, of_upper.get("timeouts", 0))
        ends = Ends(points, faults, (0, 0), number < of_upper.get("alike", 0))
        after = plan.rule.moved(number, places, plan.lead(points))
        found.append(PlayedPair(number, places, ends, after))
        places = after
    return findings_of(plan, found, "kraken.py")


def test_what_a_parameter_gains_shows_beside_what_luck_leaves_open() -> None:
    found = played(a_plan(pairs=100), 0.3, 100)
    sure, k = found.parameters
    assert float(sure.value) > float(sure.start)
    assert sure.gain is not None
    assert k.gain is not None
    assert sure.gain.elo > 5 * abs(k.gain.elo)
    assert found.gain is not None
    assert found.gain.low < found.gain.elo < found.gain.high
    last = sure.curve[-1]
    assert (last.pairs, last.low < last.value <= last.high) == (100, True)
    assert found.remarks == []


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (5, 40, "better by 5 to 40 Elo (9 pairs)"),
        (-30, 90, "not surely better than the start: -30 to +90 Elo (9 pairs)"),
        (-90, -20, "no better than the start: -90 to -20 Elo (9 pairs)"),
    ],
)
def test_a_result_is_no_better_than_the_start_only_where_that_is_sure(low: float, high: float, words: str) -> None:
    compared = ComparedVariants("result", "start", 9, [0, 2, 5, 2, 0], 0.5, EloInterval((low + high) / 2, low, high))
    assert verdict(played(a_plan(pairs=100), 0.3, 100), compared) == words


def test_a_parameter_that_is_not_read_is_named() -> None:
    found = played(a_plan(), 0.0, 3, alike=1)
    assert found.remarks == ["both ends of SURE played alike: kraken.py seems not to read it"]
    assert [one.is_read for one in found.parameters] == [False, True]
    nothing = findings_of(a_plan(), [], "kraken.py")
    assert [one.is_read for one in nothing.parameters] == [None, None]
    assert (nothing.gain, nothing.values) == (None, "K=2.25, SURE=11")


def test_what_is_lost_by_the_clock_at_one_end_is_told_apart_from_strength() -> None:
    found = played(a_plan(), -0.2, 40, timeouts=1)
    assert "with SURE=20 kraken.py lost its first match by the clock" in found.remarks
    assert any(
        one.startswith("with a higher SURE kraken.py lost 39 matches by the clock, with a lower one 0")
        for one in found.remarks
    )
    assert not any(one.startswith(("with a higher K ", "with a lower K ")) for one in found.remarks)


def test_simulated_bots_gain_most_of_what_there_is() -> None:
    runs = [tuned(2, 300, seed) for seed in range(6)]
    assert min(gain for gain, _ in runs) > 20
    assert sum(gain for gain, _ in runs) / len(runs) > 45
    assert sum(is_held for _, is_held in runs) >= 5
