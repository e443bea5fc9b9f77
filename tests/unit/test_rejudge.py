"""How a finished match would have ended under another rule for time."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bot.clock import Clock, Policy, Spent, TimeRule
from engine.conversation import NO_ANSWER, OK, Outcome, SeatVerdict, Verdict
from engine.errors import ArenaError
from engine.game import Game
from engine.match import MatchResult, MatchSpec, Turn, converse, replay
from engine.rejudge import Decisive, Rejudged, RejudgedEnd, limits_of, overruns_of, rejudge, rulings
from tests.catalogue import GAMES
from tests.fakes import Scripted, surface
from tests.watching import as_played, records_of

STRICT_FAIR = TimeRule(Policy.STRICT, Clock.FAIR)
STRICT_WALL = TimeRule(Policy.STRICT, Clock.WALL)
CODINGAME_FAIR = TimeRule(Policy.CODINGAME, Clock.FAIR)
CODINGAME_WALL = TimeRule(Policy.CODINGAME, Clock.WALL)
RULES = (STRICT_FAIR, STRICT_WALL, CODINGAME_FAIR, CODINGAME_WALL)
LIMIT_MS = 50
SPEC = MatchSpec(GAMES.find("ocean-of-code"), 1, -5)


def computing(wall_ms: float) -> Spent:
    return Spent(wall_us=round(1000 * wall_ms), cpu_us=round(1000 * wall_ms))


def kept_waiting(wall_ms: float, wait_ms: float) -> Spent:
    return Spent(wall_us=round(1000 * wall_ms), cpu_us=round(1000 * (wall_ms - wait_ms)), wait_us=round(1000 * wait_ms))


def played(*turns: tuple[int, Spent], lost: Verdict | None = None) -> MatchResult:
    """A match of those turns; with `lost` the last of them gave no answer, for that reason."""
    said = [Turn(seat, "SURFACE", spent) for seat, spent in turns]
    verdicts = [OK, OK]
    if lost is not None:
        said[-1] = replace(said[-1], line=None)
        verdicts[said[-1].seat] = SeatVerdict(lost, "why")
    return MatchResult(SPEC, Outcome((0, 0), "dead", (verdicts[0], verdicts[1])), tuple(said))


def judged(result: MatchResult, rule: TimeRule) -> Rejudged:
    return rejudge(result, [LIMIT_MS] * len(result.turns), rule)


@pytest.mark.parametrize("rule", RULES)
def test_a_match_without_a_slow_turn_ends_the_same_under_every_rule(rule: TimeRule) -> None:
    assert judged(played((0, computing(50)), (1, computing(1))), rule) == Rejudged(RejudgedEnd.SAME)


def test_the_first_overrun_loses_under_strict_and_the_message_holds_its_time_and_limit() -> None:
    result = played((0, computing(10)), (1, computing(61.2)), (0, computing(10)))
    assert judged(result, STRICT_FAIR) == Rejudged(RejudgedEnd.TIMEOUT, Decisive(1, 2, LIMIT_MS, 61_200, 1))


def test_waiting_for_the_host_counts_by_the_wall_clock_only() -> None:
    result = played((0, kept_waiting(80, 40)), (1, computing(10)))
    assert judged(result, STRICT_FAIR).end is RejudgedEnd.SAME
    assert judged(result, STRICT_WALL) == Rejudged(RejudgedEnd.TIMEOUT, Decisive(0, 1, LIMIT_MS, 80_000, 1))


def test_our_own_lateness_is_not_charged() -> None:
    late = Spent(wall_us=70_000, cpu_us=5_000, wait_us=0, late_us=30_000)
    assert judged(played((0, late)), STRICT_FAIR).end is RejudgedEnd.SAME
    assert judged(played((0, late)), STRICT_WALL).end is RejudgedEnd.TIMEOUT


def test_two_overruns_within_the_grace_are_forgiven_by_codingame_and_the_third_loses() -> None:
    two = played((0, computing(60)), (1, computing(1)), (0, computing(100)), (1, computing(1)))
    assert judged(two, CODINGAME_FAIR).end is RejudgedEnd.SAME
    three = played(*[(turn.seat, turn.spent) for turn in two.turns], (0, computing(50.001)))
    assert judged(three, CODINGAME_FAIR) == Rejudged(RejudgedEnd.TIMEOUT, Decisive(0, 5, LIMIT_MS, 50_001, 3))


def test_each_seat_has_overruns_of_its_own() -> None:
    result = played(*[(seat, computing(60)) for seat in (0, 1, 0, 1)])
    assert judged(result, CODINGAME_FAIR).end is RejudgedEnd.SAME


def test_an_overrun_beyond_the_grace_loses_at_once() -> None:
    result = played((0, computing(1)), (1, computing(100.001)))
    assert judged(result, CODINGAME_FAIR) == Rejudged(RejudgedEnd.TIMEOUT, Decisive(1, 2, LIMIT_MS, 100_001, 1))


def test_by_the_wall_clock_waiting_uses_up_the_grace_too() -> None:
    result = played((0, kept_waiting(101, 90)))
    assert judged(result, CODINGAME_FAIR).end is RejudgedEnd.SAME
    assert judged(result, CODINGAME_WALL).end is RejudgedEnd.TIMEOUT


def test_every_turn_is_held_against_its_own_limit() -> None:
    result = played((0, computing(900)), (0, computing(40)))
    assert rejudge(result, (1000, 50), STRICT_FAIR).end is RejudgedEnd.SAME
    assert rejudge(result, (800, 50), STRICT_FAIR).end is RejudgedEnd.TIMEOUT


def test_a_time_out_that_another_rule_forgives_leaves_the_match_open() -> None:
    result = played((0, computing(1)), (1, kept_waiting(80, 40)), lost=Verdict.TIMEOUT)
    assert judged(result, STRICT_WALL).end is RejudgedEnd.SAME
    assert judged(result, STRICT_FAIR) == Rejudged(RejudgedEnd.OPEN, Decisive(1, 2, LIMIT_MS, 40_000, 0))
    assert judged(result, CODINGAME_WALL) == Rejudged(RejudgedEnd.OPEN, Decisive(1, 2, LIMIT_MS, 80_000, 1))


def test_a_time_out_by_the_third_overrun_is_one_by_the_first_under_strict() -> None:
    result = played((0, computing(60)), (0, computing(60)), (0, computing(60)), lost=Verdict.TIMEOUT)
    assert judged(result, CODINGAME_FAIR).end is RejudgedEnd.SAME
    assert judged(result, STRICT_FAIR).decisive == Decisive(0, 1, LIMIT_MS, 60_000, 1)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("reason", [Verdict.CRASHED, Verdict.MEMORY, Verdict.FLOODED, Verdict.ILLEGAL])
@pytest.mark.parametrize("wall_ms", [1, 300])
def test_what_was_lost_for_another_reason_than_time_stays_lost(rule: TimeRule, reason: Verdict, wall_ms: int) -> None:
    assert judged(played((0, computing(wall_ms)), lost=reason), rule).end is RejudgedEnd.SAME


@pytest.mark.parametrize("rule", RULES)
def test_a_missing_answer_that_came_to_nothing_within_the_limit_is_not_about_time(rule: TimeRule) -> None:
    assert judged(played((0, computing(10)), lost=Verdict.TIMEOUT), rule).end is RejudgedEnd.SAME


def test_a_time_out_that_would_have_come_earlier_counts_although_the_match_was_lost_otherwise() -> None:
    result = played((1, computing(60)), (0, computing(1)), lost=Verdict.CRASHED)
    assert judged(result, STRICT_FAIR).decisive == Decisive(1, 1, LIMIT_MS, 60_000, 1)


def ruled(result: MatchResult, rule: TimeRule) -> list[str]:
    return rulings(result.turns, [LIMIT_MS] * len(result.turns), rule)


def test_overruns_that_are_forgiven_are_counted_for_each_seat_and_the_third_loses() -> None:
    times = [(0, 60), (1, 70), (0, 1), (0, 100), (0, 70)]
    result = played(*[(seat, computing(wall_ms)) for seat, wall_ms in times], lost=Verdict.TIMEOUT)
    first, second = "forgiven, 1 of 2", "forgiven, 2 of 2"
    assert ruled(result, CODINGAME_FAIR) == [first, first, "", second, "the third overrun"]


def test_an_overrun_beyond_the_grace_is_reported_as_such_even_as_the_first() -> None:
    result = played((0, computing(107.3)), lost=Verdict.TIMEOUT)
    assert ruled(result, CODINGAME_FAIR) == ["beyond the limit and 50 ms of grace"]


def test_of_what_the_limit_itself_explains_nothing_more_is_said() -> None:
    assert ruled(played((0, computing(70)), lost=Verdict.TIMEOUT), STRICT_FAIR) == [""]
    assert ruled(played((0, kept_waiting(80, 40))), CODINGAME_FAIR) == [""]


def test_a_crash_within_the_grace_is_not_forgiven() -> None:
    assert ruled(played((0, computing(70)), lost=Verdict.CRASHED), CODINGAME_FAIR) == [""]


def test_where_the_limit_is_not_known_nothing_is_ruled() -> None:
    assert rulings(played((0, computing(70))).turns, [None], CODINGAME_FAIR) == [""]


Sequel = list[tuple[int, Spent]]
microseconds = st.integers(0, 130_000)
times = st.builds(Spent, microseconds, microseconds, st.integers(0, 60_000), st.integers(0, 20_000))


def first_loss(turns: Sequel, rule: TimeRule) -> int | None:
    """Say, as the referee's clock would in play, which turn loses by that rule."""
    overruns = [0, 0]
    for number, (seat, spent) in enumerate(turns):
        if rule.loses(spent, LIMIT_MS, overruns[seat]):
            return number
        overruns[seat] += rule.is_overrun(spent, LIMIT_MS)
    return None


@given(turns=st.lists(st.tuples(st.integers(0, 1), times), max_size=12))
def test_it_says_what_playing_the_same_turns_by_the_other_rule_would_have_given(turns: Sequel) -> None:
    for rule, other in product(RULES, RULES):
        here, there = first_loss(turns, rule), first_loss(turns, other)
        result = played(*turns) if here is None else played(*turns[: here + 1], lost=Verdict.TIMEOUT)
        told = judged(result, other)
        if here == there:
            assert told == Rejudged(RejudgedEnd.SAME)
        elif there is not None and (here is None or there < here):
            assert (told.end, told.decisive and told.decisive.turn) == (RejudgedEnd.TIMEOUT, there + 1)
        else:
            assert (told.end, told.decisive and told.decisive.turn) == (RejudgedEnd.OPEN, here is not None and here + 1)


def overruns(spent: Sequence[Spent], rule: TimeRule) -> tuple[int, ...]:
    result = played(*[(number % 2, one) for number, one in enumerate(spent)])
    return overruns_of(result, [LIMIT_MS] * len(spent), rule)


def test_overruns_are_counted_for_each_seat_by_the_rules_clock() -> None:
    spent = [kept_waiting(80, 40), computing(60), computing(50), computing(51)]
    assert overruns(spent, STRICT_FAIR) == (0, 2)
    assert overruns(spent, CODINGAME_WALL) == (1, 2)


def conversation(first: Scripted, second: Scripted) -> MatchResult:
    outcome, turns = converse(SPEC, (first, second))
    return MatchResult(SPEC, outcome, turns)


def test_limits_come_from_leading_the_conversation_again_whatever_bots_wrote() -> None:
    result = conversation(Scripted(surface), Scripted(surface))
    assert limits_of(result) == (1000, 1000, *[50] * (len(result.turns) - 2))
    noisy = replace(result, turns=tuple(replace(turn, stderr_chars=7) for turn in result.turns))
    assert limits_of(noisy) == limits_of(result)
    assert replay(noisy) == noisy


def test_limits_of_a_match_by_other_rules_are_not_found() -> None:
    with pytest.raises(ArenaError, match="it was played by rules 2; these are 1"):
        limits_of(replace(conversation(Scripted(surface), Scripted(surface)), rules_version=2))


def test_limits_are_found_where_a_seat_gave_no_answer() -> None:
    silent = Scripted(lambda ask: surface(ask) if ask.limit_ms == 1000 else None, NO_ANSWER)
    result = conversation(Scripted(surface), silent)
    assert result.outcome.verdicts[1].verdict is Verdict.TIMEOUT
    assert limits_of(result) == (1000, 1000, 50, 50)


@pytest.mark.parametrize("game", GAMES.all, ids=lambda game: game.name)
def test_no_turn_of_a_game_has_less_time_than_its_table_says(game: Game) -> None:
    """Recording relies on it: a turn within that time needs no second look."""
    records = [*islice(records_of(game.name), 20)]
    assert len(records) == 20
    for record in records:
        assert set(limits_of(as_played(record))) == {game.limits.first_ms, game.limits.turn_ms}


def test_a_record_that_does_not_lead_to_the_end_or_goes_on_after_it_is_an_error_of_ours() -> None:
    result = conversation(Scripted(surface), Scripted(surface))
    longer = (*result.turns, Turn(0, "SURFACE"))
    for turns, words in ((result.turns[:4], "record"), ((), "record"), (longer, "rules have changed")):
        with pytest.raises(ArenaError, match=words):
            limits_of(replace(result, turns=turns))
