"""A share of a simulated fleet: many workers' processes as threads of one process, which claim, wait and record.

How this works. Presence, claim and record are the project's own, as are the messages; only playing is left out: a match
lasts as long as it is told, and its result is made up.
"""

from __future__ import annotations

import base64
import json
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.synchronize import Event as EventType
from queue import Empty, Queue
from random import Random
from typing import Any, cast

from redis import Redis

from engine.sandbox.box import Sandbox
from engine.toolchains.build import Installed
from ladder.ids import MatchId
from tests.catalogue import GAMES
from tests.fakes import result_of
from workers.app import CeleryQueue, queue_for
from workers.broker import plain_address
from workers.clerk import TOGETHER, Clerk, Desk
from workers.jobs import claim_or_refuse, record_patiently
from workers.presence import LockHolder, Presence
from workers.worker_process import WorkerProcess, open_sessions, shared_moment

ABLE = Installed(builds=("python",), plays=("python",))
LOOK_S = 0.2
SHORT_S = 0.005
NO_SANDBOX = cast("Sandbox", None)
"""Nobody builds or plays here."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one process simulates. `workers`: of each how many processes it has; `length_s`: of a match on average."""

    database_url: str
    broker_url: str
    workers: tuple[int, ...]
    length_s: float
    seed: int

    @property
    def processes(self) -> int:
        return sum(self.workers)


@dataclass(frozen=True, slots=True)
class Played:
    """When a match was claimed and recorded, by the clock that all processes share, and how long both took."""

    began: float
    ended: float
    claim_s: float
    record_s: float


@dataclass(slots=True)
class Tally:
    """What was played, and what went wrong."""

    played: list[Played] = field(default_factory=list[Played])
    faults: list[str] = field(default_factory=list[str])

    def __iadd__(self, other: Tally) -> Tally:
        self.played += other.played
        self.faults += other.faults
        return self


_over: list[EventType] = []
"""Is set when the simulation ends."""


def end_with(over: EventType) -> None:
    _over[:] = [over]


def is_over() -> bool:
    return _over[0].is_set()


def simulate(share: Share) -> Tally:
    tally, inbox = Tally(), Queue[int]()
    with ExitStack() as opened:
        queue = queue_for(share.broker_url)
        processes = [
            process
            for processes in share.workers
            for process in opened.enter_context(a_worker(share, queue, processes))
        ]
        threads = [
            threading.Thread(target=work, args=(share, process, inbox, tally, Random(share.seed + number)))
            for number, process in enumerate(processes)
        ]
        for thread in threads:
            thread.start()
        hand_out(share, inbox)
        for thread in threads:
            thread.join()
    return tally


@contextmanager
def a_worker(share: Share, queue: CeleryQueue, processes: int) -> Iterator[list[WorkerProcess]]:
    with ExitStack() as opened:
        holder = LockHolder(share.database_url)
        opened.callback(holder.close)
        clerk = Clerk(partial(open_sessions, share.database_url), TOGETHER)
        opened.callback(clerk.close)
        looked_at = shared_moment()
        found: list[WorkerProcess] = []
        for _ in range(processes):
            presence = Presence(holder, lambda: ABLE)
            opened.callback(presence.close)
            presence.worker_id_once_there()
            sessions = open_sessions(share.database_url)
            opened.callback(sessions.close)
            desk = Desk(clerk)
            opened.callback(desk.close)
            found.append(WorkerProcess(sessions, queue, presence, NO_SANDBOX, GAMES, desk, looked_at=looked_at))
        yield found


def hand_out(share: Share, inbox: Queue[int]) -> None:
    """Keep messages ready for the threads. Many are taken at once, as Redis is not what is measured."""
    with Redis.from_url(plain_address(share.broker_url)) as client:
        while not is_over():
            if inbox.qsize() > share.processes // 2:
                time.sleep(SHORT_S)
                continue
            for message in take(client, share.processes):
                inbox.put(match_of(message))


def take(client: Redis, most: int) -> list[bytes]:
    """Wait for a message, and take as many more as there are at once."""
    first = cast("Any", client.brpop(["first", "play"], timeout=1))
    if first is None:
        return []
    queue, message = first
    return [message, *(cast("Any", client.rpop(queue, most)) or [])]


def match_of(message: bytes) -> int:
    (ids, *_) = json.loads(base64.b64decode(json.loads(message)["body"]))
    return int(ids[0])


def work(share: Share, process: WorkerProcess, inbox: Queue[int], tally: Tally, chance: Random) -> None:
    while not is_over():
        try:
            match_id = inbox.get(timeout=LOOK_S)
        except Empty:
            continue
        try:
            play(share, process, MatchId(match_id), tally, chance)
        except Exception as fault:  # noqa: BLE001 - it is shown
            tally.faults.append(f"match {match_id}: {type(fault).__name__}: {fault}")


def play(share: Share, process: WorkerProcess, match_id: MatchId, tally: Tally, chance: Random) -> None:
    """Claim a match, let its time pass and record a result."""
    began = time.monotonic()
    claim = claim_or_refuse(process, match_id, process.presence.worker_id_once_there())
    if claim is None:
        return
    claimed = time.monotonic()
    time.sleep(share.length_s * chance.uniform(0.5, 1.5))
    over = time.monotonic()
    record_patiently(process, claim, result_of(claim, (1, 0) if chance.random() < 0.5 else (0, 1)))
    recorded = time.monotonic()
    tally.played.append(Played(began, recorded, claimed - began, recorded - over))
