"""Matches in which seats first say what was recorded: of nim, where whoever takes the last of the heap has won."""

from pathlib import Path
from typing import Any

import pytest

from cli.play.entry import lead_on, take_overs
from engine.bot.conditions import OFFICIAL
from engine.conversation import OK, Ask, Outcome, SeatVerdict, TimeLimits, Verdict
from engine.game import Game, GameLeague
from engine.match import SCRIPT_OVER, MatchResult, MatchSpec, Script, Stopped
from engine.series import PlaySettings, Task, play_one
from ladder.views.turns.match import TakeOver
from tests.referees.live import in_shell

HEAP = 9
TAKES_ONE, TAKES_TWO, TAKES_THREE = (in_shell(f"while read -r line; do echo {number}; done") for number in (1, 2, 3))


def nim(*_: object) -> Any:
    heap, seat = HEAP, 0
    while True:
        answer = yield Ask(seat, (str(heap),), 1000)
        if answer is None or not 1 <= int(answer) <= min(3, heap):
            verdicts = [OK, OK]
            verdicts[seat] = SeatVerdict(Verdict.ILLEGAL, f"took {answer} of {heap}")
            return Outcome((seat, 1 - seat), "illegal", tuple(verdicts))
        heap -= int(answer)
        if not heap:
            return Outcome((1 - seat, seat), "empty", (OK, OK))
        seat = 1 - seat


LEAGUES = (GameLeague("arena", "Arena", 1, 20, None),)
SPEC = MatchSpec(Game("nim", "Nim", Path(), LEAGUES, 0.1, 100, TimeLimits(1000, 50), nim), 1, 7)
SETTINGS = PlaySettings(OFFICIAL, 1)


def lines_of(result: Any) -> list[str | None]:
    return [turn.line for turn in result.turns]


def test_a_bot_hears_all_questions_while_its_seat_says_what_was_recorded() -> None:
    counts = in_shell("said=0; while read -r line; do said=$((said + 1)); echo $said; done")
    played = play_one(Task(SPEC, (counts, None), (Script(("1", "1")), Script(("1", "1", "1")))), SETTINGS)
    assert lines_of(played.result)[:5] == ["1", "1", "1", "1", "3"]


def test_a_match_stops_at_the_first_answer_that_is_not_the_recorded_one() -> None:
    recorded = Script(("2", "2", "1"), stops_at_other=True)
    with pytest.raises(Stopped) as stopped:
        play_one(Task(SPEC, (TAKES_TWO, None), (recorded, Script(("1", "1", "1")))), SETTINGS)
    assert (stopped.value.own_turn, stopped.value.reply.line) == (3, "2")


def test_a_seat_with_nothing_more_to_say_ends_the_match_and_blames_no_bot() -> None:
    played = play_one(Task(SPEC, (TAKES_TWO, None), (Script(), Script(("1",)))), SETTINGS)
    assert lines_of(played.result) == ["2", "1", "2", None]
    assert SCRIPT_OVER.message == "what was recorded of it ends here"


def test_where_the_referee_refuses_a_recorded_answer_somebody_else_plays_on_from_there() -> None:
    recorded = (Script(("1",)), Script(("3", "3")))
    played, used = lead_on(Task(SPEC, (TAKES_ONE, TAKES_ONE), recorded), 0, SETTINGS)
    assert (lines_of(played.result), used) == (["1", "3", "1", "3", "1"], recorded), "none is refused"
    played, used = lead_on(Task(SPEC, (TAKES_THREE, TAKES_ONE), recorded), 0, SETTINGS)
    assert lines_of(played.result) == ["1", "3", "3", "1", "3"], "three of two are refused"
    assert isinstance(played.result, MatchResult)
    assert list(take_overs(played.result, used, 0, ["", "other"])) == [TakeOver(1, 4, "other")]
