"""One run: a seeded plan of faults, done one after the other while bots come in and play, each written to the log."""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random

import psycopg

from ladder.database.connection import connect
from ladder.errors import DatabaseDown
from ladder.views.progress import Progress, progress
from tests.chaos import faults
from tests.chaos.faults import Fault, Scene
from tests.chaos.load import Load
from tests.chaos.readers import Readers
from tests.chaos.victim import Stuck, Victim

KILLS: dict[Fault, int] = {
    faults.kill_in_mid_match: 45,
    faults.kill_referee: 10,
    faults.kill_in_mid_record: 20,
    faults.kill_worker: 8,
    faults.lose_messages: 8,
    faults.kill_scheduler: 4,
    faults.kill_web: 4,
    faults.kill_web_of_players: 2,
    faults.kill_all: 1,
}
"""What kills a process by SIGKILL, and how often among a hundred."""
OTHERS: dict[Fault, int] = {
    faults.restart_database_fast: 4,
    faults.restart_database_immediately: 4,
    faults.deliver_twice: 8,
    faults.result_after_the_end: 3,
    faults.result_before_the_other: 3,
    faults.result_before_anybody_saw: 2,
    faults.recording_stands_still: 3,
    faults.recording_is_given_up: 1,
    faults.fill_disk: 2,
    faults.set_clock_back: 4,
}
"""What else is done meanwhile, for a hundred kills."""
REST = faults.kill_in_mid_match
"""The commonest: it makes up the number of kills."""
SHORT: tuple[Fault, ...] = (
    faults.kill_in_mid_match,
    faults.result_after_the_end,
    faults.kill_in_mid_record,
    faults.kill_referee,
    faults.lose_messages,
    faults.kill_worker,
    faults.restart_database_immediately,
    faults.deliver_twice,
    faults.kill_web,
)
"""A plan for tests."""
TRIES = 4
PAUSE_S = 0.5
QUIET_LIMIT_S = 300.0
LOOK_EVERY_S = 0.5

Say = Callable[[str], None]
Look = Callable[[], None]


def planned(kills: int, chance: Random) -> list[Fault]:
    """Return the faults of a run with this many kills, in a random order; of each kind at least one."""
    plan = [fault for fault, share in OTHERS.items() for _ in range(max(1, round(share * kills / 100)))]
    rare = [one for one, share in KILLS.items() if one is not REST for _ in range(max(1, round(share * kills / 100)))]
    plan += rare + [REST] * max(1, kills - len(rare))
    chance.shuffle(plan)
    return plan


@dataclass
class Run:
    """What has been done to the ladder. `made`: how often each fault was; `missed`: those that could not be made."""

    scene: Scene
    say: Say
    began: float = field(default_factory=time.monotonic)
    made: Counter[Fault] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)

    @property
    def kills(self) -> int:
        return sum(count for fault, count in self.made.items() if fault in KILLS)

    def log(self, sentence: str) -> None:
        self.say(f"{time.monotonic() - self.began:7.2f} s  {sentence}")

    def do(self, plan: Iterable[Fault], minutes: float, look: Look = lambda: None) -> None:
        """Do what is planned, spread evenly over that time; what takes longer delays the rest."""
        plan = list(plan)
        for number, fault in enumerate(plan):
            due = self.began + number * 60 * minutes / len(plan)
            while time.monotonic() < due:
                look()
                time.sleep(min(0.1, max(0.0, due - time.monotonic())))
            look()
            self.make(fault)

    def make(self, fault: Fault) -> None:
        """Make one fault happen, if need be in several tries."""
        name = title(fault)
        for _ in range(TRIES):
            try:
                sentence = fault(self.scene)
            except (Stuck, psycopg.Error) as error:
                self.log(f"{name}: not now ({error})")
                time.sleep(PAUSE_S)
            else:
                self.made[fault] += 1
                self.log(sentence)
                return
        self.missed.append(name)

    def wait_until_quiet(self, look: Look = lambda: None, limit_s: float = QUIET_LIMIT_S) -> None:
        """Wait until nothing is left to do. Raises Stuck with an account of what does not end."""
        deadline = time.monotonic() + limit_s
        while True:
            now = self.progress()
            if now is not None and now.is_quiet:
                return
            if time.monotonic() > deadline:
                raise Stuck(f"after {limit_s:.0f} s without a fault there is still work: {now}\n{account(self.scene)}")
            look()
            time.sleep(LOOK_EVERY_S)

    def progress(self) -> Progress | None:
        """Look how far the ladder is, if its database answers."""
        try:
            with connect(self.scene.victim.database_url, snapshot=True) as connection:
                return progress(connection)
        except DatabaseDown:
            return None


def begin(victim: Victim, seed: int, say: Say, *, enough: int, most: int) -> Run:
    """Let people submit and read pages, and return a run to do something to them. `enough`, `most`: see `Load`."""
    load, readers = Load(victim, Random(seed), enough, most), Readers(victim)
    load.begin()
    readers.begin()
    return Run(Scene(victim, load, readers, Random(seed + 1)), say)


def title(fault: Fault) -> str:
    return fault.__name__.replace("_", " ")


def account(scene: Scene) -> str:
    """Tell of everything that is not done, row by row."""
    matches = scene.victim.ask(
        """
        SELECT format('match %s: %s, attempt %s, worker %s (alive: %s), lease until %s, enqueued at %s; %s', matches.id,
                      state, attempt, worker_id, worker_id IN (SELECT id FROM live_workers), lease_until, enqueued_at,
                      reason)
        FROM matches WHERE state IN ('queued', 'running') ORDER BY id LIMIT 20
        """
    )
    versions = scene.victim.ask(
        """
        SELECT format('version %s: %s, attempt %s, worker %s (alive: %s), lease until %s, enqueued at %s', id, state,
                      attempt, worker_id, worker_id IN (SELECT id FROM live_workers), lease_until, enqueued_at)
        FROM versions WHERE state = 'building' ORDER BY id LIMIT 20
        """
    )
    return "\n".join(row[0] for row in [*matches, *versions])
