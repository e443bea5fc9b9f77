"""A host that is too busy for a match or a build, met by a real worker: it is given back, and is nobody's fault.

How this works. The worker is kept to one core, together with programs that never rest. They are its equals, so it
claims, asks and records as ever, and so do its bots until each has had its first turn. Then these are made to run only
where nobody else wants to, which takes no privilege: the kernel leaves them some thousandth of the core, and a turn of
30 ms would take them longer than any turn may. As for builds, whatever takes longer than its wide limit without having
been charged for more than its own is the host's fault: a wide limit that is shorter than what the build computes makes
any host too busy.
"""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from psycopg.rows import TupleRow

from engine.errors import HostBusy
from engine.sandbox.standstill import OVERLOAD
from engine.toolchains import build
from ladder.bots import versions
from ladder.bots.builds import MOST_ATTEMPTS
from ladder.database.connection import Pool, transaction
from ladder.fleet import workers
from ladder.ids import MatchId
from ladder.leagues import leagues
from ladder.matches import claims, match_rows
from ladder.matches.failures import FailedAttempt, failures_of
from ladder.matches.match_rows import MatchRow
from tests.acceptance.conftest import Desk
from tests.fair import busy_programs
from tests.ladder.arena import DRIFTER, GAME, a_pair, claimed, drifter, on_the_board, rows_of, submitted, within
from tests.patience import wait_until
from tests.processes import a_worker, give_way
from tests.throwaway import language_table, written
from workers.app import CeleryQueue, queue_for
from workers.commands import ENVIRONMENT, worker_command
from workers.embedded.state_file import Running
from workers.jobs import build_version
from workers.worker_process import WorkerProcess

SPARE_ROOM = "?virtual_host=7"
"""Where in the broker no other test has left messages."""
COMPUTE = """
import time
turns = iter(range(12))

def compute():
    done = time.process_time() + (0.03 if next(turns, None) is not None else 0)
    while time.process_time() < done:
        pass
"""
COMPUTING = drifter(in_each_turn="compute()", beforehand=COMPUTE)
"""A bot whose first turns but the very first take a while, so that the match is not over before it is noticed."""


@dataclass(frozen=True)
class Found:
    """A match as it is stored now, and the attempts at it that failed."""

    row: MatchRow
    failures: list[FailedAttempt]

    @property
    def is_done(self) -> bool:
        return self.row.state in {"finished", "void"}


class Worker:
    """A real worker that plays one match at a time, on one core."""

    def __init__(self, process: subprocess.Popen[bytes], core: int, queue: CeleryQueue, pool: Pool) -> None:
        self.process, self.core, self.queue, self.pool = process, core, queue, pool
        self.starved: set[int] = set()

    def play(self, match_id: MatchId, until: Callable[[Found], object], *, busy: bool = False) -> Found:
        """Let it play a match, again each time it is given back, until that holds; `busy`: on a host that is."""
        rung_after, found = -1, self.find(match_id)

        def is_there() -> bool:
            nonlocal rung_after, found
            found = self.find(match_id)
            if until(found):
                return True
            if found.row.state == "queued" and found.row.attempt > rung_after:
                rung_after = found.row.attempt
                self.queue.enqueue_match(match_id)
            if busy:
                self.starve_bots()
            return False

        with busy_programs(3 if busy else 0, {self.core}):
            self.work_until(is_there)
        return found

    def work_until(self, it_is_so: Callable[[], bool]) -> None:
        def look() -> bool:
            assert self.process.poll() is None, "the worker has ended"
            return it_is_so()

        wait_until(look, "what the worker is to do", 0.04)

    def has_enlisted(self) -> bool:
        return bool(within(self.pool, workers.live_workers))

    def find(self, match_id: MatchId) -> Found:
        with transaction(self.pool) as connection:
            row = match_rows.find_match(connection, match_id)
            assert row is not None
            return Found(row, failures_of(connection, [match_id]))

    def starve_bots(self) -> None:
        """Leave hardly any of the core to bots that have had a turn: they, and what watches over them, are stopped."""
        for process in psutil.Process(self.process.pid).children(recursive=True):
            # Ended meanwhile; or the kernel wants to be asked again: it lets people change few priorities a second.
            with suppress(psutil.NoSuchProcess, ProcessLookupError, BlockingIOError):
                is_bot = process.status() == psutil.STATUS_STOPPED and process.name() != "bwrap"
                if is_bot and process.pid not in self.starved:
                    give_way(process.pid)
                    self.starved.add(process.pid)


@pytest.fixture
def worker(services: Running, database_url: str, pool: Pool, tmp_path: Path, busy_core: int) -> Iterator[Worker]:
    broker_url = services.broker_url + SPARE_ROOM
    addresses = {"LADDER_DATABASE_URL": database_url, "LADDER_BROKER_URL": broker_url}
    command = ["taskset", "--cpu-list", str(busy_core), *worker_command(1, "busy")]
    environment = {**os.environ, **addresses, **ENVIRONMENT}
    with (
        (tmp_path / "worker.log").open("wb") as log,
        subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment) as process,
    ):
        try:
            worker = Worker(process, busy_core, queue_for(broker_url), pool)
            worker.work_until(worker.has_enlisted)
            yield worker
        finally:
            process.terminate()


@pytest.fixture
def pair(pool: Pool) -> list[MatchId]:
    within(pool, leagues.set_battles, GAME, 1)
    return a_pair(pool, on_the_board(pool, "kraken", COMPUTING), on_the_board(pool, "orca", f"{COMPUTING}\n"))


def standings(pool: Pool) -> list[TupleRow]:
    return rows_of(pool, "SELECT * FROM standings ORDER BY version_id")


def test_a_match_on_a_busy_host_is_played_again_at_most_twice_and_counts_once_it_could_be_played(
    worker: Worker, pool: Pool, pair: list[MatchId], desk: Desk
) -> None:
    hopeless, delayed = pair
    before = standings(pool)
    for _ in range(3):  # attempts of earlier workers, as each takes a while
        within(pool, claims.give_back, claimed(pool, hopeless), "the host left a bot without a CPU", host_busy=True)
    found = worker.find(hopeless)
    assert (found.row.state, found.row.attempt, found.row.host_faults) == ("void", 3, 3)
    shown = " ".join(desk.ok("match", "show", str(hopeless)).split())
    assert "given up after 3 attempts, 3 of them because the host was too busy" in shown
    assert standings(pool) == before

    found = worker.play(delayed, lambda found: found.row.host_faults, busy=True)
    assert (found.row.state, found.row.attempt) == ("queued", 1)
    assert [("without a CPU" in failure.why, failure.counts) for failure in found.failures] == [(True, True)]
    assert standings(pool) == before

    worker.queue.enqueue_match(hopeless)  # in vain
    found = worker.play(delayed, lambda found: found.is_done)
    assert (found.row.state, found.row.attempt, found.row.host_faults) == ("finished", 2, 1)
    assert worker.find(hopeless).row.attempt == 3
    with transaction(pool) as connection:
        seats = match_rows.seats_of(connection, pair)
        rated = connection.execute("SELECT match_id, count(*) FROM ledger GROUP BY match_id").fetchall()
    assert [(seat.match_id, seat.verdict) for seat in seats] == [(hopeless, None)] * 2 + [(delayed, "ok")] * 2
    assert rated == [(delayed, 2)]


@pytest.mark.weekly
def test_a_host_that_is_too_busy_in_a_versions_turns_a_third_time_against_a_third_opponent_is_the_versions_loss(
    worker: Worker, pool: Pool, pair: list[MatchId]
) -> None:
    """Nobody knows how it brings that about, but its opponents do not. An overloaded machine excuses it."""
    ((suspect,),) = rows_of(pool, "SELECT version_id FROM seats WHERE match_id = %s AND seat = 0", pair[0])
    for name in ("eel", "crab"):
        earlier, _ = a_pair(pool, suspect, on_the_board(pool, name, name))
        claim = claimed(pool, earlier)
        within(pool, claims.give_back, claim, "the host left a bot without a CPU", host_busy=True, seat=0)
    found = worker.play(pair[0], lambda found: found.is_done, busy=True)
    if found.row.state == "void":
        assert os.getloadavg()[0] > (os.cpu_count() or 1) * OVERLOAD / 2
        return
    assert found.row.state == "finished"
    first, second = within(pool, match_rows.seats_of, [pair[0]])
    assert (first.verdict, first.result, second.verdict, second.result) == ("timeout", "loss", "ok", "win")
    assert first.message.startswith("cheated the clock: the host left a bot without a CPU")
    assert first.message.endswith("against other opponents")


CHECK = ["python3", "-c", "import time\nwhile time.process_time() < 0.25: pass"]
LANGUAGE = language_table("slow", run=["python3", "-u", "{source}"], check=CHECK)
"""Python whose sources take 0.25 s of computing to check."""


def test_a_build_for_which_the_host_is_too_busy_costs_its_version_no_attempt(
    process: WorkerProcess, pool: Pool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LADDER_LANGUAGES", str(written(tmp_path / "languages.toml", LANGUAGE)))
    version_id = submitted(pool, source=f"{DRIFTER}# {os.urandom(4).hex()}", language="slow")
    process.presence.worker_id_once_there()  # which tries what compilers there are
    with monkeypatch.context() as impatient:
        impatient.setattr(build, "WIDE", 0.005)
        impatient.setattr(build, "LONGEST_S", 0)
        for _ in range(MOST_ATTEMPTS + 1):
            with pytest.raises(HostBusy):
                build_version(process, version_id)
    assert within(pool, versions.find_version, version_id).state == "building"
    build_version(process, version_id)
    assert within(pool, versions.find_version, version_id).state == "accepted"


def test_while_versions_wait_to_be_built_half_of_a_worker_plays(
    database_url: str, broker_url: str, pool: Pool, tmp_path: Path
) -> None:
    table = written(tmp_path / "languages.toml", LANGUAGE)
    match_id, _ = a_pair(pool, on_the_board(pool, "kraken", DRIFTER), on_the_board(pool, "orca", f"{DRIFTER}\n"))
    sources = [f"{DRIFTER}# {os.urandom(4).hex()}" for _ in range(3)]
    building = [submitted(pool, f"bot{number}", source, language="slow") for number, source in enumerate(sources)]
    for version_id in building:
        queue_for(broker_url).enqueue_build(version_id)
    queue_for(broker_url).enqueue_match(match_id)
    at_once, left_at_its_end = 0, 0

    def all_are_built() -> bool:
        nonlocal at_once, left_at_its_end
        query = "SELECT count(*), count(lease_until) FROM versions WHERE state = 'building' AND language = 'slow'"
        ((left, under_way),) = rows_of(pool, query)
        at_once = max(at_once, under_way)
        is_over = rows_of(pool, "SELECT 1 FROM matches WHERE id = %s AND state = 'finished'", match_id)
        if left and not left_at_its_end and is_over:
            left_at_its_end = left
        return not left

    with a_worker(tmp_path / "worker.log", database_url, broker_url, 2, LADDER_LANGUAGES=str(table)):
        wait_until(all_are_built, "the last version")
    assert at_once == 1
    assert left_at_its_end > 0, "the match was over before all versions were built"
