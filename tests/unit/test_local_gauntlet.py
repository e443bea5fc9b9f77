"""A gauntlet that is played here: what counts of each pair, and what does not."""

from dataclasses import replace

import pytest

from engine.conversation import OK, Outcome, SeatVerdict, Verdict
from engine.match import MatchResult, MatchSpec
from engine.series import PlayedTask, UnplayedTask
from ladder.gauntlets.local import Run
from ladder.ids import VersionId
from tests.catalogue import GAMES
from tests.unit.test_gauntlet_texts import GAUNTLET

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
