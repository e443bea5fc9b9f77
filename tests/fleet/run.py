"""One run of a simulated fleet: servers, shares of the fleet, a scheduler; and what is seen of them meanwhile."""

import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import ceil, inf
from multiprocessing.synchronize import Event as EventType
from random import Random
from statistics import mean

import psutil
from redis import Redis

from engine.errors import ArenaError
from ladder.database.connection import connect, one
from ladder.fleet.workers import fleet_of
from ladder.flows.scheduling import schedule, sweep
from ladder.leagues import leagues
from ladder.matches import match_rows
from tests.bench.full_ladder import GAME, add_versions
from tests.catalogue import GAMES
from tests.fleet.servers import Servers, cpu_s, servers
from tests.fleet.share import Played, Share, Tally, end_with, simulate
from workers.app import queue_for
from workers.broker import plain_address
from workers.commands import cores
from workers.scheduler import SCHEDULE_EVERY_S, SWEEP_EVERY_S
from workers.worker_process import open_sessions

SHARE = 250
"""About this many processes at most are simulated in one of ours ..."""
SHARES_PER_CORE = 2
"""... and there are at least this many of ours: the threads of one compute one at a time, as a fleet's do not."""
LEAST_VERSIONS = 100
PROCESSES_PER_VERSION = 2
"""Some battles of a version wait or are played at a time, so a large fleet needs many versions to be busy."""
LOOK_EVERY_S = 0.5
ENDLESS = 1_000_000
WARM = 0.9
"""It is measured once this share of the processes play, or of matches of no length some are finished."""
WARM_LIMIT_S = 240


@dataclass(frozen=True, slots=True)
class Fleet:
    """What to simulate. `length_s`: of a match on average; `per_worker`: processes of one worker."""

    processes: int
    length_s: float
    per_worker: int = 8
    max_connections: int = 500
    seconds: float = 30


@dataclass(slots=True)
class Seen:
    """What was seen while it ran. `playing`: matches at the same time; `sessions`: of PostgreSQL, ours left out."""

    playing: list[int] = field(default_factory=list[int])
    sessions: list[int] = field(default_factory=list[int])
    memory_mb: list[float] = field(default_factory=list[float])
    schedules_s: list[float] = field(default_factory=list[float])
    looks_s: list[float] = field(default_factory=list[float])
    faults: list[str] = field(default_factory=list[str])
    cores: dict[str, float] = field(default_factory=dict[str, float])
    """How many cores each part kept busy: the simulated fleet, its scheduler (which also looks on), the servers."""


@dataclass(slots=True)
class Times:
    """When it is measured, by the clock that all processes share; not yet, or not over yet: never."""

    begin: float = inf
    end: float = inf

    def hold(self, moment: float) -> bool:
        return self.begin <= moment <= self.end


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run has shown. `lost`: finished matches that are not in the ledger twice, or the other way round."""

    fleet: Fleet
    seen: Seen
    played: Sequence[Played]
    faults: Sequence[str]
    begun_again: int
    lost: int

    @property
    def share_playing(self) -> float:
        return mean(self.seen.playing) / self.fleet.processes

    @property
    def pace(self) -> float:
        """Return the matches finished per second."""
        return len(self.played) / self.fleet.seconds


def run(fleet: Fleet) -> Outcome:
    with servers(fleet.max_connections) as running:
        prepare(running, fleet)
        return measured(running, fleet)


def prepare(running: Servers, fleet: Fleet) -> None:
    """Let enough versions onto one board, lacking battles for ever, and no boss."""
    add_versions(running.database_url, max(LEAST_VERSIONS, fleet.processes // PROCESSES_PER_VERSION))
    with connect(running.database_url) as connection:
        connection.execute("UPDATE versions SET state = 'rejected', message = 'not here' WHERE state = 'building'")
        leagues.set_battles(connection, GAME, ENDLESS)
    with connect(running.database_url, autocommit=True) as connection:
        # Not what is empty yet: as PostgreSQL itself never looks at such, plans would be made for empty tables.
        connection.execute("ANALYZE players, bots, sources, versions, standings")


def measured(running: Servers, fleet: Fleet) -> Outcome:
    """Run the fleet's shares and its scheduler side by side, and look at them once all is under way."""
    seen, times, context = Seen(), Times(), multiprocessing.get_context("spawn")
    dealt = shares_of(fleet)
    over = context.Event()
    threads = [threading.Thread(target=act, args=(running, times, seen, over)) for act in (look_after, watch, weigh)]
    with ProcessPoolExecutor(len(dealt), context, end_with, (over,)) as others:
        shares = [
            others.submit(
                simulate, Share(running.database_url, running.broker_url, workers, fleet.length_s, seed=1000 * number)
            )
            for number, workers in enumerate(dealt)
        ]
        for thread in threads:
            thread.start()
        try:
            wait_until_warm(running, fleet)
            times.begin, before = time.monotonic(), cpu_of_parts(running)
            time.sleep(fleet.seconds)
            times.end, after = time.monotonic(), cpu_of_parts(running)
            seen.cores = {part: (after[part] - before[part]) / (times.end - times.begin) for part in after}
        finally:
            over.set()
            for thread in threads:
                thread.join()
        tally = Tally()
        for share in shares:
            tally += share.result()
    played = [one for one in tally.played if times.hold(one.ended)]
    return Outcome(fleet, seen, played, [*seen.faults, *tally.faults], begun_again(running), lost(running))


def shares_of(fleet: Fleet) -> list[tuple[int, ...]]:
    workers = [min(fleet.per_worker, fleet.processes - at) for at in range(0, fleet.processes, fleet.per_worker)]
    shares = min(len(workers), max(SHARES_PER_CORE * cores(), ceil(fleet.processes / SHARE)))
    return [tuple(workers[number::shares]) for number in range(shares)]


def cpu_of_parts(running: Servers) -> dict[str, float]:
    """Return the CPU time that each part has taken, in seconds."""
    ours = psutil.Process()
    found = {"PostgreSQL": cpu_s(psutil.Process(running.postmaster)), "Redis": cpu_s(psutil.Process(running.redis))}
    others = [child for child in ours.children() if child.pid not in (running.postmaster, running.redis)]
    return {"fleet": sum(map(cpu_s, others)), "scheduler": sum(ours.cpu_times()[:2]), **found}


def wait_until_warm(running: Servers, fleet: Fleet) -> None:
    """Wait until nearly all processes play."""
    deadline = time.monotonic() + WARM_LIMIT_S
    while True:
        with connect(running.database_url) as connection:
            counts = match_rows.count_matches(connection)
        if counts.finished > fleet.processes if not fleet.length_s else counts.running >= WARM * fleet.processes:
            return
        assert time.monotonic() < deadline, f"of {fleet.processes} processes {counts.running} play"
        time.sleep(LOOK_EVERY_S)


def begun_again(running: Servers) -> int:
    with connect(running.database_url) as connection:
        return int(one(connection, "SELECT count(*) FROM matches WHERE attempt > 1", {})[0])


def lost(running: Servers) -> int:
    """Count the matches whose state and ledger do not agree: two lines for one that is finished, else none."""
    with connect(running.database_url) as connection:
        row = one(
            connection,
            """
            SELECT count(*) FROM matches
            WHERE (SELECT count(*) FROM ledger WHERE match_id = matches.id)
                  <> CASE state WHEN 'finished' THEN 2 ELSE 0 END
            """,
            {},
        )
    return int(row[0])


@contextmanager
def timed(times_s: list[float], times: Times) -> Iterator[None]:
    """Note how long the block took, if it is measured by now."""
    began = time.monotonic()
    yield
    if times.hold(began):
        times_s.append(time.monotonic() - began)


def look_after(running: Servers, times: Times, seen: Seen, over: EventType) -> None:
    """Schedule and sweep as the scheduler and workers do: when it is due, and when a worker asks for it."""
    pool, queue, chance = open_sessions(running.database_url), queue_for(running.broker_url), Random(1)
    with Redis.from_url(plain_address(running.broker_url)) as client:
        due, sweep_due = 0.0, time.monotonic() + SWEEP_EVERY_S
        while not over.is_set():
            asked = client.brpop(["control"], timeout=max(0.01, due - time.monotonic()))
            if time.monotonic() >= due:
                due = time.monotonic() + SCHEDULE_EVERY_S
                asked = True
            if asked is not None:
                with timed(seen.schedules_s, times):
                    patiently(seen, lambda: schedule(pool, queue, chance, GAMES))
            if time.monotonic() >= sweep_due:
                patiently(seen, lambda: sweep(pool, queue))
                sweep_due = time.monotonic() + SWEEP_EVERY_S
    pool.close()


def patiently(seen: Seen, task: Callable[[], object]) -> None:
    """Do it, and write down what keeps us from it."""
    try:
        task()
    except ArenaError as fault:
        seen.faults.append(f"{type(fault).__name__}: {fault}")


def watch(running: Servers, times: Times, seen: Seen, over: EventType) -> None:
    """Look again and again who plays and how many sessions there are."""
    with connect(running.database_url, autocommit=True) as connection:
        while not over.wait(LOOK_EVERY_S):
            with timed(seen.looks_s, times):
                fleet_of(connection)
            row = one(
                connection,
                """
                SELECT (SELECT count(*) FROM matches WHERE state = 'running'),
                       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')
                """,
                {},
            )
            if times.hold(time.monotonic()):
                seen.playing.append(int(row[0]))
                seen.sessions.append(int(row[1]) - 1)


def weigh(running: Servers, times: Times, seen: Seen, over: EventType) -> None:
    """Look again and again how much memory the server takes; that is slow where it has many processes."""
    while not over.wait(4 * LOOK_EVERY_S):
        if times.hold(time.monotonic()):
            seen.memory_mb.append(running.memory_mb())
