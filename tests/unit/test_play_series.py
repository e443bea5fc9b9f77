"""A series in which the host was too busy for a match: void, nobody's loss, and said so."""

from pathlib import Path

import pytest

from cli.context import Context
from cli.play.series import Seating, complain, match_line
from cli.play.texts import show_series, view_of
from engine.bot.clock import Clock, Policy, TimeRule
from engine.bot.conditions import OFFICIAL
from engine.conversation import OK, Outcome, SeatVerdict, Verdict
from engine.errors import BoxNotBuilt, HostBusy, SandboxFault
from engine.match import MatchResult, MatchSpec
from engine.series import MOST_TRIES, PlayedTask, PlaySettings, Task, UnplayedTask, in_order
from engine.toolchains.program import Program
from ladder.settings import settings_from
from ladder.views.encoding import plain
from tests.catalogue import GAMES

SPEC = MatchSpec(GAMES.find("ocean-of-code"), 1, -5)
PLAYED = MatchResult(SPEC, Outcome((1, 0), "dead", (OK, OK)), ())
RULE = TimeRule(Policy.CODINGAME, Clock.WALL)
UNPLAYED = UnplayedTask("the host left a bot 900 ms without a CPU")


def test_a_void_match_is_one_sentence_and_exit_status_1_and_a_series_without_one_is_not() -> None:
    complain([PLAYED, PLAYED])
    with pytest.raises(HostBusy) as fault:
        complain([PLAYED, UNPLAYED, PLAYED])
    assert str(fault.value) == "1 of 3 matches void after 3 tries: the host left a bot 900 ms without a CPU"
    assert fault.value.exit_status == 1


def test_a_void_match_has_a_row_without_points_with_the_rule_by_which_it_was_judged() -> None:
    row = plain(view_of(Seating(SPEC, order=(1, 0)), PlayedTask(UNPLAYED, 3), [("a.py", {}), ("b.py", {})], RULE))
    assert row["bots"] == ["b.py", "a.py"]
    assert row["void"] == UNPLAYED.why
    assert "points_of_first" not in row
    assert row["host_faults"] == 3
    assert (row["time_policy"], row["clock"]) == ("codingame", "wall")


def test_only_a_match_that_was_void_and_played_again_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    series = [Seating(SPEC, order) for order in ((0, 1), (1, 0), (0, 1))]
    came = [PlayedTask(PLAYED, starved) for starved in range(3)]
    show_series(Context(settings_from({})), series, came, ("a.py", "b.py"), 1.0)
    first, second, third, *_ = capsys.readouterr().out.splitlines()
    assert first.endswith("a.py wins (dead, 0 turns)")
    assert second.endswith("b.py wins (dead, 0 turns)  (played again, void once because the host was too busy)")
    assert third.endswith("(played again, void 2 times because the host was too busy)")


def test_a_series_says_how_many_of_its_matches_were_void(capsys: pytest.CaptureFixture[str]) -> None:
    series = [Seating(SPEC, order) for order in ((0, 1), (1, 0))]
    came = [PlayedTask(PLAYED, 0), PlayedTask(UNPLAYED, 3)]
    show_series(Context(settings_from({})), series, came, ("a.py", "b.py"), 1.0)
    _, void, total, *_ = capsys.readouterr().out.splitlines()
    assert void.endswith(f"void: {UNPLAYED.why}")
    assert total.endswith("1.0 matches/s, 1 void")


def two_tasks() -> list[Task]:
    program = Program("", "python", Path("/usr"), ("true",), {})
    return [Task(MatchSpec(GAMES.find("ocean-of-code"), 1, seed), (program, program)) for seed in (0, 1)]


def test_a_match_whose_sandbox_breaks_each_time_is_void_and_the_series_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []

    def play(spec: MatchSpec, *_: object, **__: object) -> MatchResult:
        tries.append(spec.seed)
        if spec.seed == 0:
            raise SandboxFault("the box came to an end from outside")
        return PLAYED

    monkeypatch.setattr("engine.live.play", play)
    first, second = in_order(two_tasks(), PlaySettings(OFFICIAL, jobs=1))
    assert first == PlayedTask(UnplayedTask("the box came to an end from outside"), 0)
    assert second == PlayedTask(PLAYED, 0)
    assert tries == [0] * MOST_TRIES + [1]


def test_where_no_box_can_be_built_at_all_a_series_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(*_: object, **__: object) -> MatchResult:
        raise BoxNotBuilt("bubblewrap gave up")

    monkeypatch.setattr("engine.live.play", play)
    with pytest.raises(BoxNotBuilt):
        list(in_order(two_tasks(), PlaySettings(OFFICIAL, jobs=1)))


def test_a_match_is_described_in_words() -> None:
    ended = SeatVerdict(Verdict.CRASHED, "the program ended without an answer (exit code 0)")
    late = SeatVerdict(Verdict.TIMEOUT, "no complete line within 50 ms")
    line = match_line(MatchResult(SPEC, Outcome((1, 1), "turn_limit", (ended, late)), ()), ("a.py", "b.py"))
    assert line == (
        "seed -5  a.py - b.py  1:1  draw (crash and time-out, 0 turns)  "
        "a.py: crash: the program ended without an answer (exit code 0)  b.py: time-out: no complete line within 50 ms"
    )
