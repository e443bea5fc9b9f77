"""The scheduler: how often workers ask for it, what becomes of its messages, and the round that comes once a day.

It goes on when its machine's clock is set back. Without one, workers still free what a dead one held, and
`ladder status` says who is missing.
"""

import multiprocessing
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from redis import Redis

from ladder.bots import builds
from ladder.database.connection import Pool, one, transaction
from ladder.fleet import workers
from ladder.fleet.workers import MaintenanceRound, Overdue
from ladder.flows import pruning
from ladder.flows.pruning import Pruning, prune_for
from ladder.ids import MatchId
from ladder.matches.claims import MatchClaim
from ladder.retention import Retention
from ladder.views.fleet import missing_text
from tests.acceptance.conftest import Desk
from tests.catalogue import GAMES
from tests.chaos.machine import Clock
from tests.fakes import result_of
from tests.fleet.share import ABLE, NO_SANDBOX
from tests.ladder.arena import a_pair, claimed, on_the_board, state_of, within
from tests.ladder.rated import History, change
from tests.patience import wait_until
from tests.processes import a_worker
from tests.throwaway import written
from workers.app import queue_for
from workers.broker import broker
from workers.commands import scheduler_command
from workers.embedded.folders import SystemAccount, redis_server
from workers.jobs import record_patiently
from workers.presence import LockHolder, Presence
from workers.worker_process import SCHEDULE_AT_MOST_EVERY_S, SharedMoment, WorkerProcess, open_sessions, shared_moment

LONG_AGO = """
    INSERT INTO rounds
    SELECT name, now() - interval '125 seconds' FROM unnest(ARRAY['scheduler', 'schedule', 'sweep']) AS name
"""


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scheduler")


@pytest.fixture
def own_broker(folder: Path) -> Iterator[Redis]:
    socket = folder / "redis.sock"
    command = [str(redis_server(SystemAccount.current())), "--port", "0", "--unixsocket", str(socket), "--save", ""]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    client = Redis(unix_socket_path=str(socket))
    wait_until(socket.exists, "the socket of Redis")
    yield client
    client.close()
    server.kill()
    server.wait()


@pytest.fixture
def clock(folder: Path) -> Clock:
    clock = Clock(folder, "scheduler")
    assert clock.is_ours, "a C compiler makes it"
    return clock


@pytest.fixture
def scheduler(folder: Path, own_broker: Redis, clock: Clock) -> Iterator[subprocess.Popen[bytes]]:
    url = f"redis+socket://{folder / 'redis.sock'}"
    environment = {**os.environ, **clock.environment, "LADDER_BROKER_URL": url, "PYTHONPATH": os.pathsep.join(sys.path)}
    started = subprocess.Popen(scheduler_command(), env=environment)
    yield started
    started.kill()
    started.wait()


def take(own_broker: Redis) -> int:
    """Wait for messages and take them all, as a worker would; return how many there were."""
    wait_until(lambda: own_broker.exists("control"), "a message")
    time.sleep(0.2)
    count = int(own_broker.llen("control"))
    own_broker.delete("control")
    return count


@pytest.mark.usefixtures("scheduler")
def test_it_goes_on_when_the_clock_is_set_forward_and_back_by_a_day(own_broker: Redis, clock: Clock) -> None:
    take(own_broker)
    for offset_s in (3_600, -86_400):
        clock.set(offset_s)
        assert take(own_broker) > 0
        assert take(own_broker) > 0


@pytest.mark.usefixtures("scheduler")
def test_while_no_worker_takes_its_messages_it_sends_no_more(own_broker: Redis) -> None:
    wait_until(lambda: own_broker.llen("control"), "three messages", fits=lambda count: count == 3)
    time.sleep(3)
    assert own_broker.llen("control") == 3, "one message each to schedule, to sweep and to prune"


def test_it_sends_again_when_the_broker_is_back(own_broker: Redis, scheduler: subprocess.Popen[bytes]) -> None:
    take(own_broker)
    own_broker.config_set("timeout", 1)
    own_broker.client_kill_filter(_type="normal", skipme=True)
    assert take(own_broker) > 0
    assert scheduler.poll() is None


def test_without_a_scheduler_workers_free_what_a_dead_one_held_and_status_says_who_is_missing(
    database_url: str, broker_url: str, pool: Pool, desk: Desk, tmp_path: Path
) -> None:
    match_id, _ = a_pair(pool, on_the_board(pool, "kraken", "a"), on_the_board(pool, "orca", "b"))
    claimed(pool, match_id)
    change(pool, LONG_AGO)
    log = tmp_path / "worker.log"
    with a_worker(log, database_url, broker_url, LADDER_LOG_LEVEL="debug"):
        wait_until(lambda: state_of(pool, match_id) != "running", log.read_text, 0.1)
        shown = desk.ok("status")
    assert re.search(r" info round kind=sweep freed=1 .* host=\S+ pid=\d+$", log.read_text(), re.MULTILINE)
    assert re.search(
        r"^no scheduler has been at work for 1[2-9]\d seconds: `ladder scheduler` starts one", shown, re.MULTILINE
    )


def test_a_scheduler_that_lives_is_not_missing(database_url: str, pool: Pool, own_broker: Redis, folder: Path) -> None:
    def missing() -> list[str]:
        return [one.round for one in within(pool, workers.overdue)]

    change(pool, LONG_AGO)
    assert sorted(missing()) == ["schedule", "scheduler", "sweep"]
    addresses = {"LADDER_DATABASE_URL": database_url, "LADDER_BROKER_URL": f"redis+socket://{folder / 'redis.sock'}"}
    with subprocess.Popen(scheduler_command(), env=os.environ | addresses) as scheduler:
        try:
            assert take(own_broker) > 0
            wait_until(lambda: "scheduler" not in missing(), "its sign of life")
        finally:
            scheduler.terminate()
    assert sorted(missing()) == ["schedule", "sweep"]
    assert "though a scheduler is at work: no worker takes its messages" in str(missing_text([Overdue("schedule", 70)]))


PROCESSES = 2
WINDOW_S = 8 * SCHEDULE_AT_MOST_EVERY_S


@dataclass(slots=True)
class Scheduler:
    """Takes each message for the scheduler at once, so that none is held back because another one waits; counts them.

    `since`: when the first process began to ask.
    """

    client: Redis
    over: threading.Event = field(default_factory=threading.Event)
    messages: int = 0

    def listen(self) -> None:
        while not self.over.is_set():
            self.messages += self.client.brpop(["control"], timeout=0.2) is not None


def finish_matches(
    database_url: str,
    broker_url: str,
    claim: MatchClaim,
    ready: threading.Semaphore,
    go: threading.Event,
    over: threading.Event,
) -> int:
    """Be a worker process that finishes one match after the other; return how many."""
    holder = LockHolder(database_url)
    sessions = open_sessions(database_url)
    process = WorkerProcess(sessions, queue_for(broker_url), Presence(holder, lambda: ABLE), NO_SANDBOX, GAMES)
    finished = 0
    ready.release()
    go.wait()
    while not over.wait(SCHEDULE_AT_MOST_EVERY_S / 10):
        record_patiently(process, claim, result_of(claim, (1, 0)))  # but for the first it changes nothing
        finished += 1
    sessions.close()
    holder.close()
    return finished


def test_a_fleet_asks_the_scheduler_four_times_a_second_in_all(pool: Pool, database_url: str, broker_url: str) -> None:
    """Nothing is queued, so each of them would ask after each match."""
    first, second = (on_the_board(pool, name, name) for name in ("kraken", "orca"))
    claim = claimed(pool, a_pair(pool, first, second)[0])
    claimed(pool, MatchId(claim.match_id + 1))
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, ProcessPoolExecutor(PROCESSES, context) as others, broker(broker_url) as client:
        ready, go, over = manager.Semaphore(0), manager.Event(), manager.Event()
        jobs = [
            others.submit(finish_matches, database_url, broker_url, claim, ready, go, over) for _ in range(PROCESSES)
        ]
        for _ in jobs:
            ready.acquire()
        scheduler = Scheduler(client)
        thread = threading.Thread(target=scheduler.listen)
        thread.start()
        began = time.monotonic()
        go.set()
        time.sleep(WINDOW_S)
        over.set()
        finished = [job.result() for job in jobs]
        lasted_s = time.monotonic() - began
        scheduler.over.set()
        thread.join()
    assert min(finished) > 1
    assert 1 < scheduler.messages <= 1 + lasted_s / SCHEDULE_AT_MOST_EVERY_S, finished


def asks_for_the_scheduler(database_url: str, broker_url: str, looked_at: SharedMoment) -> bool:
    """Say whether a process of a worker that sees that nothing waits asks for the scheduler."""
    holder, sessions = LockHolder(database_url), open_sessions(database_url)
    presence = Presence(holder, lambda: ABLE)
    process = WorkerProcess(sessions, queue_for(broker_url), presence, NO_SANDBOX, GAMES, looked_at=looked_at)
    process.look_whether_few_wait()
    sessions.close()
    holder.close()
    with broker(broker_url) as client:
        return bool(client.llen("control"))


def test_of_a_worker_one_process_looks_whether_few_matches_wait(database_url: str, broker_url: str) -> None:
    looked_at = shared_moment()
    pid = os.fork()
    if pid == 0:
        looked_at.value = time.monotonic() + 60
        os._exit(0)
    os.waitpid(pid, 0)
    assert not asks_for_the_scheduler(database_url, broker_url, looked_at)
    assert asks_for_the_scheduler(database_url, broker_url, shared_moment())


def kept_records(pool: Pool) -> int:
    return int(within(pool, one, "SELECT count(record) FROM matches", {})[0])


def long_ago(pool: Pool) -> None:
    change(pool, "UPDATE matches SET finished_at = finished_at - interval '30 years'")


def test_a_worker_does_it_once_a_day_archives_first_and_writes_down_what_it_let_go(
    database_url: str, broker_url: str, pool: Pool, history: History, tmp_path: Path
) -> None:
    archive = written(tmp_path / "archive", "a file")
    change(pool, "INSERT INTO rounds VALUES ('prune', now() - interval '25 hours')")
    long_ago(pool)
    retention = {"LADDER_RECORD_DAYS": "365", "LADDER_KEEP_NEWEST": "0", "LADDER_ARCHIVE": str(archive)}
    log, count = tmp_path / "worker.log", len(history.matches)
    with a_worker(log, database_url, broker_url, 1, **retention):
        queue_for(broker_url).enqueue_prune()
        wait_until(lambda: f"the archive {archive} cannot be written" in log.read_text(), log.read_text, 0.1)
        assert kept_records(pool) == count, "nothing is let go that is not there"
        archive.unlink()
        change(pool, "UPDATE rounds SET at = now() - interval '25 hours' WHERE name = 'prune'")
        queue_for(broker_url).enqueue_prune()
        wait_until(lambda: kept_records(pool) == 0, log.read_text, 0.1)
        wait_until(lambda: "info retention" in log.read_text(), log.read_text, 0.1)
    assert {file.name for file in archive.iterdir()} == {f"{match_id}.match" for match_id in history.matches}
    assert f" info retention records={count} stderr={count} bytes=" in log.read_text()
    assert not within(pool, workers.begin_of_day, MaintenanceRound.PRUNE), "it was done today"
    assert within(pool, workers.overdue) == [], "and nobody misses it before tomorrow"


def test_it_goes_on_from_where_it_was(pool: Pool, history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "BATCH", 5)
    long_ago(pool)
    wanted = Pruning(Retention(record_days=1, newest=0))
    after: int | None = 0
    left = []
    while after is not None:
        after = prune_for(pool, wanted, after, limit_s=1e-9)[1]
        left.append(kept_records(pool))
    assert left == [7, 2, 0, 0]


def test_without_a_row_for_it_or_while_another_begins_there_is_no_round(pool: Pool) -> None:
    change(pool, "INSERT INTO rounds VALUES ('prune', now() - interval '25 hours')")
    with transaction(pool) as first, transaction(pool) as other:
        assert workers.begin_of_day(first, MaintenanceRound.PRUNE)
        assert not workers.begin_of_day(other, MaintenanceRound.PRUNE)
    assert not within(pool, workers.begin_of_day, MaintenanceRound.PRUNE)


def test_the_built_bots_that_were_fetched_last_are_kept(pool: Pool) -> None:
    for key in ("old", "in use", "new"):
        within(pool, builds.store_artefact, key, bytes(1000))
    change(pool, "UPDATE artefacts SET used_at = now() - interval '3 days' WHERE key <> 'new'")
    assert within(pool, builds.fetch_artefact, "in use") == bytes(1000)
    assert within(pool, builds.prune_artefacts, 3000) == 0
    assert within(pool, builds.prune_artefacts, 2500) == 1
    assert within(pool, builds.fetch_artefact, "old") is None
    assert within(pool, builds.prune_artefacts, 0) == 0, "what was used within a day stays"
    assert within(pool, builds.fetch_artefact, "in use") is not None
