"""One bad match: it is tried three times, put aside with what happened each time, and never stops the rest."""

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Final, LiteralString

import pytest

from cli.texts.matches import referee_faults_text
from engine.conversation import Referee, TimeLimits
from engine.errors import ArenaError, HostBusy, RefereeFault, SandboxFault, UnknownName
from engine.game import Games
from engine.referees.program import ProgramBounds
from engine.workspace import CACHE_VARIABLE, open_workspace
from ladder.bots import versions
from ladder.database.connection import Pool, transaction
from ladder.errors import DatabaseDown
from ladder.flows.scheduling import sweep
from ladder.games.referee_faults import RefereeFaults
from ladder.ids import MatchId
from ladder.matches import claims, match_rows
from ladder.matches.failures import FailedAttempt, failures_of
from ladder.matches.match_rows import MatchRow
from ladder.names import NamedVersion
from ladder.views.bots import read_bot
from tests.acceptance.conftest import Desk
from tests.catalogue import GAMES
from tests.ladder.arena import DRIFTER, GAME, a_pair, claimed, on_the_board, rest_is_over, submitted, within
from tests.ladder.rated import change, numbers
from tests.referees.live import laid_out, program_of
from workers.embedded.state_file import Running
from workers.jobs import blame_for, build_version, play_match
from workers.worker_process import FAULT_PAUSES_S, WorkerProcess

TALKER = "while True:\n    input()\n    print('WAIT', flush=True)"
BAD_REFEREE = Path(__file__).parents[1] / "referees" / "bad.py"


@pytest.fixture
def pair(pool: Pool) -> list[MatchId]:
    return a_pair(pool, on_the_board(pool, "kraken", DRIFTER), on_the_board(pool, "orca", f"{DRIFTER}\n"))


@pytest.fixture
def talkers(pool: Pool) -> list[MatchId]:
    return a_pair(pool, on_the_board(pool, "kraken", TALKER), on_the_board(pool, "orca", f"{TALKER}\n"))


def found(pool: Pool, match_id: MatchId) -> tuple[MatchRow, list[FailedAttempt]]:
    with transaction(pool) as connection:
        row = match_rows.find_match(connection, match_id)
        assert row is not None
        return row, failures_of(connection, [match_id])


NO_SEATS: Final = "DELETE FROM seats WHERE match_id = %s"
STRANGE_SEED: Final = "UPDATE matches SET seed = 1 WHERE id = %s"
STRANGE_GAME: Final = """
    WITH copy AS (
        INSERT INTO leagues (game, name, title, position, rules_level, battles, longest_s)
        SELECT 'no-such-game', name, title, position, rules_level, battles, longest_s FROM leagues
        WHERE id = (SELECT min(league_id) FROM matches) RETURNING id)
    UPDATE matches SET league_id = copy.id FROM copy WHERE matches.id = %s
"""


@pytest.fixture(autouse=True)
def stumbling(process: WorkerProcess) -> None:
    """Give the game a referee with a bug: seed 1, which trial matches have, makes it stumble."""
    game = GAMES.find(GAME)

    def referee(seed: int, rules_level: int, limits: TimeLimits) -> Referee:
        maps = {seed: rules_level} if seed != 1 else {}
        return game.referee(seed, maps[seed], limits)

    process.games = Games((replace(game, referee=referee),), {})


@pytest.mark.parametrize(
    ("break_it", "told"),
    [(NO_SEATS, "2 seats"), (STRANGE_SEED, "KeyError: 1"), (STRANGE_GAME, "no-such-game")],
    ids=["a poisoned row", "a referee that stumbles", "a game that is gone"],
)
def test_a_bad_match_is_put_aside_after_three_attempts_with_its_evidence(
    process: WorkerProcess, pool: Pool, pair: list[MatchId], break_it: LiteralString, told: str
) -> None:
    bad, good = pair
    change(pool, break_it, bad)
    for _ in range(3):
        with pytest.raises(Exception, match=told.removeprefix("KeyError: ")):
            play_match(process, bad)
    play_match(process, bad)  # nobody touches it any more
    row, failures = found(pool, bad)
    assert (row.state, row.attempt) == ("void", 3)
    assert row.reason.startswith("given up after 3 attempts; the last: ")
    assert told in row.reason
    assert [failure.attempt for failure in failures] == [1, 2, 3]
    assert all(told in failure.why and failure.counts for failure in failures)
    assert {failure.pid for failure in failures} == {os.getpid()}
    play_match(process, good)
    assert found(pool, good)[0].state == "finished"


def test_a_referee_program_that_breaks_is_nobodys_loss_and_a_version_after_whose_answers_it_does_so_often_is_flagged(
    process: WorkerProcess, pool: Pool, talkers: list[MatchId], desk: Desk
) -> None:
    game = process.games.find(GAME)
    with laid_out(BAD_REFEREE) as folder:
        program = program_of(folder, "python3", "-I", "-S", "bad.py", "ends at question 5")
        process.games = Games((replace(game, program=program),), {})
        for _ in range(3):
            with pytest.raises(RefereeFault, match='its last words: "out of ideas"'):
                play_match(process, talkers[0])
    row, failures = found(pool, talkers[0])
    assert row.state == "void"
    told = 'the referee ended before the end of the match: the program ended with exit code 1; its last words: "out of'
    assert row.reason == f'given up after 3 attempts; the last: {told} ideas"'
    why = failures[0].why.splitlines()
    assert why[1].endswith("the last question, number 4, was to seat 1; the last answer was that of seat 1")
    assert "[[INIT] 2]" in why
    assert "--- what it was sent, all of it:" in desk.ok("match", "show", str(talkers[0]))
    assert all(failure.counts for failure in failures)
    with transaction(pool) as connection:
        first, second = (seat.version for seat in match_rows.seats_of(connection, [talkers[0]]))
        faults = [read_bot(connection, NamedVersion(name.partition("@")[0])).referee_faults for name in (first, second)]
    assert faults == [[], [RefereeFaults(second, void=1, lately=1)]]
    words = referee_faults_text(RefereeFaults("orca@v1", void=2, lately=2))
    assert words == "orca@v1: 2 matches void, as the referee broke after its answer"
    words = referee_faults_text(RefereeFaults("orca@v1", void=4, lately=3))
    assert words == (
        "orca@v1: 4 matches void, as the referee broke after its answer; 3 of them among its latest 100: flagged, look "
        "at what it answers there"
    )


@pytest.mark.parametrize(
    ("way", "bounds", "told"),
    [
        ("fails", ProgramBounds(), "it broke: IllegalStateException: no more berries"),
        ("hangs in mid-match", ProgramBounds(question_s=1), "asked nothing for 1 s"),
    ],
)
def test_however_a_referee_breaks_its_match_is_void_with_evidence_and_rates_nobody(
    process: WorkerProcess, pool: Pool, talkers: list[MatchId], way: str, bounds: ProgramBounds, told: str
) -> None:
    game = process.games.find(GAME)
    before = numbers(pool)
    with laid_out(BAD_REFEREE) as folder:
        program = program_of(folder, "python3", "-I", "-S", "bad.py", way, memory_mb=64, bounds=bounds)
        process.games = Games((replace(game, program=program),), {})
        for _ in range(3):
            with pytest.raises(RefereeFault, match=told):
                play_match(process, talkers[0])
    row, failures = found(pool, talkers[0])
    assert (row.state, [failure.counts for failure in failures]) == ("void", [True] * 3)
    assert told in row.reason
    assert all("--- what it was sent, all of it:" in failure.why for failure in failures)
    assert numbers(pool) == before


def test_a_bug_is_shown_with_the_way_to_it(process: WorkerProcess, pool: Pool, pair: list[MatchId], desk: Desk) -> None:
    change(pool, STRANGE_SEED, pair[0])
    with pytest.raises(RefereeFault, match="raised KeyError"):
        play_match(process, pair[0])
    words = desk.ok("match", "show", str(pair[0]))
    assert "attempts that failed" in words
    assert f"process {os.getpid()}: KeyError: 1 (it counts against the match)" in words
    assert "return game.referee(seed, maps[seed], limits)" in words, "the lines that led there"
    told = desk.json("match", "show", str(pair[0]))
    assert [failure["attempt"] for failure in told["failed_attempts"]] == [1]


def test_a_match_that_ends_its_worker_is_put_aside_at_the_third_time_with_its_evidence_while_its_bots_play_on(
    process: WorkerProcess, pool: Pool, pair: list[MatchId], desk: Desk
) -> None:
    bad, good = pair
    play_match(process, good)
    for attempt in (1, 2, 3):
        rest_is_over(pool)
        assert claimed(pool, bad).attempt == attempt  # by a worker that is no longer there
        sweep(pool, process.queue)
    play_match(process, bad)  # its message comes back
    row, failures = found(pool, bad)
    assert (row.state, row.attempt) == ("void", 3)
    assert [failure.counts for failure in failures] == [True] * 3
    words = desk.ok("match", "show", str(bad))
    assert "given up after 3 attempts; the last: its worker was lost" in words
    assert words.count("its worker was lost (it counts against the match)") == 3
    assert found(pool, good)[0].state == "finished"


def test_a_build_that_fails_for_our_sake_is_tried_again_and_turned_down_without_blame(
    process: WorkerProcess, pool: Pool, services: Running
) -> None:
    version_id = submitted(pool, source=DRIFTER)
    for _ in range(3):
        with pytest.raises(RefereeFault, match="raised KeyError"):
            build_version(process, version_id)
    version = within(pool, versions.find_version, version_id)
    assert (version.state, "not its fault" in version.message) == ("rejected", True)


def test_a_worker_whose_machine_is_sick_leaves_more_and_more_of_the_work_to_others(
    process: WorkerProcess, pool: Pool, pair: list[MatchId], open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One whose disk is full fails at once, so it would always be the first to take the next match."""
    cache = open_folder / f"cache-{os.urandom(4).hex()}"
    monkeypatch.setenv(CACHE_VARIABLE, str(cache))
    open_workspace()
    full_scratch = cache / "scratch"
    full_scratch.rmdir()
    full_scratch.symlink_to("/proc/self/fdinfo")  # a folder in which nobody can make anything
    rests = []
    for _ in range(3):
        began = time.monotonic()
        with pytest.raises(SandboxFault):
            play_match(process, pair[0])
        rests.append(time.monotonic() - began)
    full_scratch.unlink()
    full_scratch.mkdir(mode=0o755)
    play_match(process, pair[1])
    assert all(rest >= pause_s for rest, pause_s in zip(rests, FAULT_PAUSES_S, strict=False))
    assert FAULT_PAUSES_S[0] < FAULT_PAUSES_S[1] < FAULT_PAUSES_S[2]
    assert process.faults_in_a_row == 0, "it is well again"
    assert found(pool, pair[1])[0].state == "finished"


def test_a_worker_does_not_rest_for_long_because_the_host_was_too_busy_for_a_turn(process: WorkerProcess) -> None:
    """One bot may bring that about in each of its matches, and the queue would stand still."""
    process.faults_in_a_row = len(FAULT_PAUSES_S)
    began = time.monotonic()
    process.rest_if_sick(HostBusy("the host left a bot without a CPU"))
    assert time.monotonic() - began < FAULT_PAUSES_S[-1] / 2
    assert process.faults_in_a_row == len(FAULT_PAUSES_S) + 1, "after other faults it rests as ever"


def test_a_service_away_is_no_matchs_fault_a_bug_is_and_both_are_given_up(pool: Pool, pair: list[MatchId]) -> None:
    faults = [DatabaseDown("away"), ArenaError("the sandbox broke"), UnknownName("?"), KeyError(77)]
    assert [blame_for(fault).name for fault in faults] == ["NONE", "LIKELY", "LIKELY", "CERTAIN"]
    states = []
    for _ in range(30):
        claim = claimed(pool, pair[0])
        within(pool, claims.give_back, claim, "the database is away", blame=blame_for(DatabaseDown("away")))
        states.append(found(pool, pair[0])[0].state)
    assert states == ["queued"] * 29 + ["void"]
    assert not any(failure.counts for failure in found(pool, pair[0])[1])
