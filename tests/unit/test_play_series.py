"""Series and gauntlets that are played here: what counts, and what is void as the host was too busy."""

from dataclasses import replace
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
from ladder.gauntlets.local import Run
from ladder.ids import VersionId
from ladder.settings import settings_from
from ladder.views.encoding import plain
from tests.catalogue import GAMES
from tests.unit.test_gauntlet_texts import GAUNTLET

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


CANDIDATE, OLD, OPPONENT = VersionId(-1), VersionId(7), "kraken@v7"
BUSY = UnplayedTask("the host left a bot 900 ms without a CPU")


def a_run() -> Run:
    of_whom = replace(GAUNTLET, candidate_id=CANDIDATE, candidate="kraken.py", opponent_ids=[OLD], opponents=[OPPONENT])
    begun = replace(of_whom, seeds=[11, 12, 13, 14, 15], pairs=5, state="running", verdict=None, ended_at=None)
    return Run(begun, frozenset({OPPONENT}))


def match(*scores: int, verdicts: tuple[Verdict, ...] = (), starved: int = 0) -> PlayedTask:
    found = Outcome(scores, "dead", tuple(map(seat, verdicts or (Verdict.OK,) * len(scores))))
    return PlayedTask(MatchResult(MatchSpec(GAMES.find("ocean-of-code"), 1, 1), found, ()), starved)


def seat(verdict: Verdict) -> SeatVerdict:
    return OK if verdict is Verdict.OK else SeatVerdict(verdict, "why")


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        (match(0, 1), match(1, 0), 0),
        (match(0, 1), match(1, 1), 1),
        (match(0, 1), match(0, 1), 2),
        (match(1, 0), match(1, 0), 2),
        (match(1, 1), match(0, 1), 3),
        (match(1, 0), match(0, 1), 4),
    ],
)
def test_the_candidate_sits_in_seat_0_first_then_in_seat_1(first: PlayedTask, second: PlayedTask, outcome: int) -> None:
    run = a_run()
    run.take(run.gauntlet.plan.slot(0), (first, second))
    assert [pair.outcome for pair in run.pairs] == [outcome]


def test_of_four_players_it_has_each_seat_once_and_two_half_points_for_each_that_it_left_behind() -> None:
    run = a_run()
    run.gauntlet = replace(run.gauntlet, players=4, deciding_ids=None)
    scores = [(9, 0, 0, 0), (0, 3, 3, 3), (5, 5, 5, 5), (1, 4, 0, 2)]  # in seat 0, 3, 2 and 1
    run.take(run.gauntlet.plan.slot(0), [match(*one) for one in scores])
    assert [pair.by_seat for pair in run.pairs] == [[6, 6, 3, 4]]
    assert [pair.outcome for pair in run.pairs] == [19]
    assert len(run.report().overall.counts) == 25


def test_a_pair_that_the_host_was_too_busy_for_counts_for_neither_version() -> None:
    run = a_run()
    run.take(run.gauntlet.plan.slot(0), (match(0, 1), PlayedTask(BUSY, 3)))
    run.take(run.gauntlet.plan.slot(1), (match(1, 0), match(0, 1)))
    assert [pair.slot for pair in run.pairs] == [1]
    assert run.void == [BUSY.why]


def test_matches_that_were_played_again_make_the_host_too_busy() -> None:
    run = a_run()
    run.take(run.gauntlet.plan.slot(0), (match(1, 0, starved=2), match(0, 1)))
    assert run.report().starved == 0.5
    assert run.report().host_was_too_busy


def test_time_outs_and_other_faults_are_counted_apart_for_whom_they_are() -> None:
    run = a_run()
    first = match(0, 1, verdicts=(Verdict.TIMEOUT, Verdict.OK))
    second = match(1, 0, verdicts=(Verdict.CRASHED, Verdict.TIMEOUT))
    run.take(run.gauntlet.plan.slot(0), (first, second))
    faults = {row.version: (row.timeouts, row.faults) for row in run.report().faults}
    assert faults == {"kraken.py": (2, 0), OPPONENT: (0, 1)}


def test_a_gauntlet_of_fixed_length_has_its_verdict_when_it_is_finished() -> None:
    run = a_run()
    for number in range(5):
        assert not run.is_answered
        run.take(run.gauntlet.plan.slot(number), (match(0, 1), match(1, 0)))
    assert run.report("stopped").gauntlet.verdict is None
    finished = run.report("finished")
    assert finished.gauntlet.verdict == "failed"
    assert [lost.seed for lost in finished.lost] == [11, 12, 13, 14, 15]
    assert [one.opponent for one in finished.regressions] == [OPPONENT]
