"""One run of a simulated fleet: servers, shares of the fleet, a scheduler; and what is seen of them meanwhile."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from random import Random
from statistics import mean

from redis import Redis

from engine.errors import ArenaError
from ladder.database import connect, one
from ladder.fleet import fleet_of
from ladder.scheduling import schedule, sweep
from ladder.storage import leagues
from tests.bench.full_ladder import GAME, add_versions
from tests.fleet.servers import Servers, servers
from tests.fleet.share import Share, Tally, simulate
from workers.bell import bell_for, plain_address
from workers.process import open_sessions
from workers.scheduler import SCHEDULE_EVERY_S, SWEEP_EVERY_S

SHARE = 250
"""So many processes are simulated in one of ours."""
LEAST_VERSIONS = 100
PROCESSES_PER_VERSION = 2
"""Some battles of a version wait or are played at a time, so a large fleet needs many versions to be busy."""
LOOK_EVERY_S = 0.5
ENDLESS = 1_000_000
START_S_PER_PROCESS = 0.03


@dataclass(frozen=True, slots=True)
class Fleet:
    """What to simulate. `length_s`: of a match on average; `per_worker`: processes of one worker."""

    processes: int
    length_s: float
    per_worker: int = 8
    max_connections: int = 500
    warm_s: float = 10
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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run has shown. `lost`: finished matches that are not in the ledger twice, or the other way round."""

    fleet: Fleet
    seen: Seen
    tally: Tally
    finished: int
    begun_again: int
    lost: int

    @property
    def share_playing(self) -> float:
        """Return the share of all processes that play, on average."""
        return mean(self.seen.playing) / self.fleet.processes

    @property
    def pace(self) -> float:
        """Return the matches finished per second."""
        return self.finished / self.fleet.seconds


def run(fleet: Fleet) -> Outcome:
    """Simulate a fleet on servers of its own."""
    with servers(fleet.max_connections) as running:
        prepare(running, fleet)
        begin = time.monotonic() + fleet.warm_s + START_S_PER_PROCESS * fleet.processes
        return measured(running, fleet, begin, begin + fleet.seconds)


def prepare(running: Servers, fleet: Fleet) -> None:
    """Let enough versions onto one board, lacking battles for ever, and no boss."""
    add_versions(running.database_url, max(LEAST_VERSIONS, fleet.processes // PROCESSES_PER_VERSION))
    with connect(running.database_url) as connection:
        connection.execute("UPDATE versions SET state = 'rejected', message = 'not here' WHERE state = 'building'")
        leagues.set_battles(connection, GAME, ENDLESS)
    with connect(running.database_url, autocommit=True) as connection:
        connection.execute("ANALYZE")


def measured(running: Servers, fleet: Fleet, begin: float, end: float) -> Outcome:
    """Run the fleet's shares and its scheduler side by side until the end."""
    seen = Seen()
    whole = Share(
        running.database_url, running.broker_url, fleet.processes, fleet.per_worker, fleet.length_s, begin, end, 1
    )
    sizes = [min(SHARE, fleet.processes - first) for first in range(0, fleet.processes, SHARE)]
    threads = [
        threading.Thread(target=target, args=(running, begin, end, seen)) for target in (look_after, watch, weigh)
    ]
    with ProcessPoolExecutor(len(sizes), multiprocessing.get_context("spawn")) as others:
        shares = [
            others.submit(simulate, replace(whole, processes=size, seed=1000 * number))
            for number, size in enumerate(sizes)
        ]
        for thread in threads:
            thread.start()
        time.sleep(max(0.0, begin - time.monotonic()))
        before = counted(running)
        time.sleep(max(0.0, end - time.monotonic()))
        after = counted(running)
        tally = Tally()
        for share in shares:
            tally += share.result()
        for thread in threads:
            thread.join()
    finished, begun_again = (late - early for early, late in zip(before, after, strict=True))
    return Outcome(fleet, seen, tally, finished, begun_again, lost(running))


def counted(running: Servers) -> tuple[int, int]:
    """Count the matches that are finished, and those that were begun more than once."""
    with connect(running.database_url) as connection:
        row = one(
            connection,
            "SELECT count(*) FILTER (WHERE state = 'finished'), count(*) FILTER (WHERE attempt > 1) FROM matches",
            {},
        )
    return int(row[0]), int(row[1])


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
def timed(times_s: list[float], begin: float) -> Iterator[None]:
    """Note how long the block took, if it is measured by now."""
    began = time.monotonic()
    yield
    if began >= begin:
        times_s.append(time.monotonic() - began)


def look_after(running: Servers, begin: float, end: float, seen: Seen) -> None:
    """Schedule and sweep as the scheduler and workers do: when it is due, and when a worker asks for it."""
    pool, bell, chance = open_sessions(running.database_url), bell_for(running.broker_url), Random(1)
    with Redis.from_url(plain_address(running.broker_url)) as client:
        due, sweep_due = 0.0, time.monotonic() + SWEEP_EVERY_S
        while time.monotonic() < end:
            asked = client.brpop(["control"], timeout=max(0.01, due - time.monotonic()))
            if asked is not None or time.monotonic() >= due:
                with timed(seen.schedules_s, begin):
                    patiently(seen, lambda: schedule(pool, bell, chance))
                due = max(due, time.monotonic() + SCHEDULE_EVERY_S) if asked is None else due
            if time.monotonic() >= sweep_due:
                patiently(seen, lambda: sweep(pool, bell))
                sweep_due = time.monotonic() + SWEEP_EVERY_S
    pool.close()


def patiently(seen: Seen, task: Callable[[], object]) -> None:
    """Do it, and write down what keeps us from it."""
    try:
        task()
    except ArenaError as fault:
        seen.faults.append(f"{type(fault).__name__}: {fault}")


def watch(running: Servers, begin: float, end: float, seen: Seen) -> None:
    """Look again and again who plays and how many sessions there are."""
    with connect(running.database_url, autocommit=True) as connection:
        time.sleep(max(0.0, begin - time.monotonic()))
        while time.monotonic() < end:
            with timed(seen.looks_s, begin):
                fleet_of(connection)
            row = one(
                connection,
                """
                SELECT (SELECT count(*) FROM matches WHERE state = 'running'),
                       (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')
                """,
                {},
            )
            seen.playing.append(int(row[0]))
            seen.sessions.append(int(row[1]) - 1)
            time.sleep(LOOK_EVERY_S)


def weigh(running: Servers, begin: float, end: float, seen: Seen) -> None:
    """Look again and again how much memory the server takes; that is slow where it has many processes."""
    time.sleep(max(0.0, begin - time.monotonic()))
    while time.monotonic() < end:
        seen.memory_mb.append(running.memory_mb())
        time.sleep(4 * LOOK_EVERY_S)
