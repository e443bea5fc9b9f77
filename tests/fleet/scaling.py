"""Whether `ladder_workers_wanted` is fit to scale by: a fleet follows it through burst, tournament and silence.

How this works. The processes are simulated as in `tests.fleet.share`, and of all that there are so many play as the
metric says at that second. What is wanted are battles that somebody asks for, so what is left to be played is known
without it, and with that what the number should be. One that comes late does not fit that for long; one that swings
turns round again and again.
"""

import multiprocessing
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import takewhile
from math import inf
from multiprocessing.synchronize import Event as EventType
from queue import Empty, Queue
from random import Random

from ladder.database.connection import Connection, connect, one
from ladder.ids import MatchId
from ladder.matchmaking import requests
from ladder.views import metrics
from tests.bench.full_ladder import add_versions
from tests.fleet.run import Seen, Times, look_after
from tests.fleet.servers import Servers, servers
from tests.fleet.share import LOOK_S, Share, Tally, a_worker, end_with, hand_out, play
from workers.app import queue_for
from workers.worker_process import WorkerProcess

WORKERS = (8,) * 6
VERSIONS = 20
LENGTH_S = 0.5
WAIT_S = 10.0
"""That is accepted: a queue is worked off by a third of a minute, as the number falls with it."""
MATCHES_A_BATTLE = 2
LOOK_EVERY_S = 1.0
SETTLED_WITHIN_S = 60.0
TOLERANCE, LEAST_OFF = 0.3, 2
"""Of what the number should be it may be off by this share, or so many: it goes by the latest thirty matches."""
MOST_SWINGS = 1


@dataclass(frozen=True, slots=True)
class Sample:
    """`wanted`: the metric; `due`: what it should be. `at_s`: since the phase began."""

    at_s: float
    wanted: int
    due: float

    @property
    def fits(self) -> bool:
        return (
            self.wanted == 0 if self.due == 0 else abs(self.wanted - self.due) <= max(LEAST_OFF, TOLERANCE * self.due)
        )


@dataclass(frozen=True, slots=True)
class Phase:
    """How many battles are asked for at its beginning, and each second."""

    name: str
    seconds: float
    at_once: int = 0
    each_s: int = 0


PHASES = (Phase("burst", 100, at_once=300), Phase("tournament", 120, each_s=10), Phase("silence", 90))


@dataclass(frozen=True, slots=True)
class Course:
    """How a phase went."""

    phase: Phase
    samples: Sequence[Sample] = field(repr=False)

    @property
    def settled_s(self) -> float:
        """Return after how many seconds the number was what it should be, and stayed that."""
        left = takewhile(lambda sample: sample.fits, reversed(self.samples))
        return min((sample.at_s for sample in left), default=inf)

    @property
    def swings(self) -> int:
        """Return how often the number turned round since then, by more than it may be off."""
        turns, direction, extreme = 0, 0, None
        for sample in self.samples:
            if sample.at_s < self.settled_s:
                continue
            step = sample.wanted - (sample.wanted if extreme is None else extreme)
            if extreme is None or step * direction > 0:
                extreme = sample.wanted
            elif abs(step) > max(LEAST_OFF, TOLERANCE * max(sample.wanted, extreme)):
                turns += direction != 0
                direction, extreme = (1 if step > 0 else -1), sample.wanted
        return turns

    @property
    def is_good(self) -> bool:
        return self.settled_s <= SETTLED_WITHIN_S and self.swings <= MOST_SWINGS

    def words(self) -> str:
        """Return the row of a table."""
        settled = [sample.wanted for sample in self.samples if sample.at_s >= self.settled_s] or [0]
        words = (
            f"{self.phase.name:>12}  what it should be after {self.settled_s:3.0f} s of {self.phase.seconds:.0f}; then "
            f"{settled[0]} to {settled[-1]}, {min(settled)} at least, {max(settled)} at most, swings: {self.swings}"
        )
        return words if self.is_good else f"{words}; it is to settle within {SETTLED_WITHIN_S:.0f} s and not to swing"


def courses() -> Iterator[Course]:
    with servers(max_connections=200) as running, a_fleet_that_follows(running) as follow:
        for phase in PHASES:
            yield Course(phase, list(samples_of(running, phase, follow)))


def samples_of(running: Servers, phase: Phase, follow: Callable[[int], None]) -> Iterator[Sample]:
    began, asked = time.monotonic(), 0
    while (at_s := time.monotonic() - began) < phase.seconds:
        battles = phase.at_once + round(phase.each_s * at_s) - asked
        asked += battles
        with connect(running.database_url) as connection:
            if battles:
                ask_for(connection, battles)
        with connect(running.database_url, snapshot=True) as connection:
            found = metrics.samples(connection, WAIT_S)
            left, length_s = one(connection, LEFT, {"a_battle": MATCHES_A_BATTLE, "usual_s": LENGTH_S})
        wanted = round(found.values["ladder_workers_wanted"][()])
        follow(wanted)
        yield Sample(at_s, wanted, float(length_s * left / WAIT_S))
        time.sleep(LOOK_EVERY_S)


def ask_for(connection: Connection, battles: int) -> None:
    rows = connection.execute("SELECT league_id, version_id FROM standings WHERE on_board LIMIT 2").fetchall()
    requests.insert(connection, rows[0][0], [version_id for _, version_id in rows], battles, asked_by="olga")


LEFT = """
    SELECT ((SELECT coalesce(sum(battles), 0) * %(a_battle)s FROM requests)
            - (SELECT count(*) FROM matches WHERE state = 'finished' AND request_id IS NOT NULL))::float,
           (SELECT coalesce(avg(seconds_between(started_at, finished_at)), %(usual_s)s) FROM matches
            WHERE state = 'finished' AND recently(finished_at, 20))::float
"""
"""How many matches are left, and how long they take here: longer on a busy machine."""


@contextmanager
def a_fleet_that_follows(running: Servers) -> Iterator[Callable[[int], None]]:
    """Run a board without demand and a fleet, and give what sets how many of its processes play."""
    prepare(running)
    over = multiprocessing.get_context("spawn").Event()
    end_with(over)
    share = Share(running.database_url, running.broker_url, WORKERS, LENGTH_S, seed=1)
    inbox, tally, playing = Queue[int](), Tally(), [0]
    with ExitStack() as opened:
        queue = queue_for(running.broker_url)
        processes = [one for count in WORKERS for one in opened.enter_context(a_worker(share, queue, count))]
        threads = [
            threading.Thread(target=look_after, args=(running, Times(), Seen(), over)),
            threading.Thread(target=hand_out, args=(share, inbox)),
            *(
                threading.Thread(target=work, args=(number, process, share, inbox, tally, playing, over))
                for number, process in enumerate(processes)
            ),
        ]
        for thread in threads:
            thread.start()
        try:
            yield lambda wanted: playing.__setitem__(0, wanted)
        finally:
            over.set()
            for thread in threads:
                thread.join()
    assert tally.faults == []


def prepare(running: Servers) -> None:
    add_versions(running.database_url, VERSIONS)
    with connect(running.database_url) as connection:
        connection.execute("UPDATE versions SET state = 'rejected', message = 'not here' WHERE state = 'building'")
        # They have had all battles that the board has for them, and more.
        connection.execute("UPDATE leagues SET battles = 1")
        connection.execute("UPDATE standings SET matches = 1000, wins = 500, losses = 500")


def work(
    number: int,
    process: WorkerProcess,
    share: Share,
    inbox: Queue[int],
    tally: Tally,
    playing: Sequence[int],
    over: EventType,
) -> None:
    chance = Random(share.seed + number)
    while not over.is_set():
        if number >= playing[0]:
            time.sleep(LOOK_S)
            continue
        try:
            match_id = MatchId(inbox.get(timeout=LOOK_S))
        except Empty:
            continue
        play(share, process, match_id, tally, chance)
