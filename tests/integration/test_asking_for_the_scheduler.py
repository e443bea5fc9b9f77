"""How often workers ask for the scheduler: the bound holds for the whole fleet, however many processes it has."""

import multiprocessing
import os
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

from redis import Redis

from ladder.database.connection import Pool
from ladder.ids import MatchId
from ladder.matches.claims import MatchClaim
from tests.catalogue import GAMES
from tests.fakes import result_of
from tests.fleet.share import ABLE, NO_SANDBOX
from tests.ladder.arena import a_pair, claimed, on_the_board
from workers.app import queue_for
from workers.broker import broker
from workers.jobs import record_patiently
from workers.presence import LockHolder, Presence
from workers.worker_process import SCHEDULE_AT_MOST_EVERY_S, SharedMoment, WorkerProcess, open_sessions, shared_moment

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


def test_a_fleet_whose_processes_all_see_few_matches_asks_for_the_scheduler_four_times_a_second_in_all(
    pool: Pool, database_url: str, broker_url: str
) -> None:
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


def test_a_process_does_not_look_whether_few_matches_wait_where_another_one_of_its_worker_has_just_looked(
    database_url: str, broker_url: str
) -> None:
    looked_at = shared_moment()
    pid = os.fork()
    if pid == 0:
        looked_at.value = time.monotonic() + 60
        os._exit(0)
    os.waitpid(pid, 0)
    assert not asks_for_the_scheduler(database_url, broker_url, looked_at)
    assert asks_for_the_scheduler(database_url, broker_url, shared_moment())
