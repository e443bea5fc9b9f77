"""What one worker process holds while it lives: database, doorbell, sandbox, and its place among the workers.

How this works. Celery starts one process, which forks those that do the tasks. In the first, before anything else
exists, the sandbox is examined, and what languages there are: where it does not keep what is demanded, or the table of
languages is broken, the worker ends there, with one sentence. The others inherit what was found.

A worker serves a queue that anybody may have put bots into. So it starts only where the guarantees that
LADDER_GUARANTEES demands hold here, and never without a sandbox. The one exception runs nothing but the bots that ship
with Ladder (LADDER_HOUSE_BOTS_ONLY=1): it may use any sandbox, and none, as in `ladder demo` where a machine offers no
better. That opens nothing to anybody else's bots: `require_house_bot` compares each source's hash with those of the
shipped ones before it is built or run.

Where no box can be made that is no fault, after which a service manager should start the worker again, but a reason to
refuse. A machine that is too busy to try its sandbox ends a worker with a status of its own (`MachineBusy`): it is
started again.

What only others can do. A worker that lacks a language has taken the one message for that row, so it puts another one
at the end of the queue. While the able workers are busy the message goes around among the others, some milliseconds
each time. A worker that has put back as many messages as the queue holds pauses for a moment and checks again which
languages are installed. A message that is lost is sent again by the sweep; a match that no live worker can play is
enqueued when one can.

How leases end. How long a match can last depends on its league's limits, so no setting of the queue's can say it. The
kernel's alarm ends the process, also one that hangs in a referee that never comes back.
"""

import gc
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from ctypes import c_double, sizeof
from dataclasses import dataclass, field, replace
from functools import cache, partial
from mmap import mmap
from multiprocessing import Semaphore
from random import SystemRandom
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from celery import Celery
from celery.signals import celeryd_init, worker_before_create_process, worker_init
from celery.worker.state import active_requests

from engine.boxes import AUTO, CGROUP, NONE
from engine.errors import (
    ArenaError,
    BuildRefused,
    HostBusy,
    MissingTool,
    Refused,
    SandboxFault,
    Unavailable,
    UnknownName,
    plain_words,
)
from engine.game import Games
from engine.games.catalogue import all_games, shipped_games
from engine.referees.program import WHOLE_MATCHES
from engine.sandbox.box import Sandbox
from engine.sandbox.choice import CONTAINING, open_sandbox
from engine.sandbox.choice import VARIABLE as SANDBOX_VARIABLE
from engine.sandbox.guarantees import NOT_FAIR, demand_of, examine, require, share_a_core
from engine.toolchains.bot_folder import source_hash
from engine.toolchains.build import Installed, build, languages_here
from engine.toolchains.languages import find_language, languages
from engine.toolchains.program import Program, find_program, pack, program_key, unpack
from engine.workspace import cache_mb, open_workspace
from ladder.bots import builds, sources
from ladder.database import tallies
from ladder.database.connection import Connection, connect, transaction
from ladder.database.session import session_url
from ladder.database.worker_sessions import FREELY, Sessions
from ladder.errors import DatabaseDown, QueueDown
from ladder.event_log import Outage
from ladder.fleet import room
from ladder.games.catalogue import GamesOfLadder
from ladder.health import ProcessKind, SignOfLife
from ladder.matches import match_rows
from ladder.retention import retention_from
from ladder.settings import POOLED_URL
from workers.app import CeleryQueue, queue_for
from workers.clerk import TOGETHER, Clerk, Desk
from workers.commands import SEEDS_FROM
from workers.deliveries import HEARING
from workers.embedded.home import LadderHome
from workers.presence import LockHolder, Presence
from workers.wait_for_schema import wait_until_migrated

HOUSE_BOTS_VARIABLE = "LADDER_HOUSE_BOTS_ONLY"


def house_bots_only() -> bool:
    return os.environ.get(HOUSE_BOTS_VARIABLE, "") not in {"", "0"}


@cache
def serving_sandbox() -> Sandbox:
    """The sandbox in which this process and its forks run others' bots. Raises MachineBusy, UnknownName, MissingTool,
    Refused where none keeps what is demanded, UsageFault for a bad setting of workers.
    """
    languages()
    open_workspace()
    retention_from()
    cache_mb()
    room.bounds_from()
    if house_bots_only():
        return working_sandbox()
    if os.environ.get(SANDBOX_VARIABLE) == NONE:
        raise Refused(
            f"workers run the bots of others, and {SANDBOX_VARIABLE}={NONE} keeps them from nothing: "
            f"unset it, or set it to {AUTO}. `ladder doctor` says what this machine offers"
        )
    sandbox = working_sandbox()
    if os.environ.get(SANDBOX_VARIABLE, AUTO) not in {"", AUTO}:  # `auto` has been examined already
        with refusing_faults():
            findings = examine(sandbox)
        require(sandbox.name, findings, demand_of())
    return sandbox


def working_sandbox(tier: str | None = None) -> Sandbox:
    with refusing_faults():
        return open_sandbox(tier)


@contextmanager
def refusing_faults() -> Iterator[None]:
    try:
        yield
    except HostBusy:
        raise  # it may work when it is tried again
    except SandboxFault as fault:
        words = f"workers do not start without a sandbox: {fault}. `ladder doctor` says what would help"
        raise Refused(words) from fault


def sandbox_for_house_bots() -> Sandbox:
    """One that works, whatever it guarantees, else `none`; or the tier named. Raises MissingTool, Refused."""
    named = os.environ.get(SANDBOX_VARIABLE) or AUTO
    for tier in [*CONTAINING, NONE] if named == AUTO else [named]:
        try:
            return working_sandbox(tier)
        except ArenaError:
            if tier in {named, NONE}:
                raise
    raise AssertionError("the last tier was returned, or raised")


def house_bots_alone(sandbox: Sandbox) -> dict[str, str]:
    """Return the variables for workers that use this sandbox, and run nothing but the bots that ship with Ladder."""
    return {SANDBOX_VARIABLE: sandbox.name, HOUSE_BOTS_VARIABLE: "1"}


def require_house_bot(hash_of_source: str) -> None:
    """Raise BuildRefused where this process may run only the bots that ship with Ladder, and this is another."""
    if house_bots_only() and hash_of_source not in shipped_sources():
        raise BuildRefused(f"this worker runs only the bots that ship with Ladder ({HOUSE_BOTS_VARIABLE})")


@cache
def shipped_sources() -> frozenset[str]:
    files = (file for game in shipped_games().all for file in game.bots_folder.iterdir() if file.is_file())
    return frozenset(source_hash(file.read_text("utf-8")) for file in files)


P = ParamSpec("P")
T = TypeVar("T")

SCHEDULE_AT_MOST_EVERY_S = 0.25
"""The whole fleet asks for the scheduler at most so often, and looks at most so often whether to."""
FEW_WAITING = 16
"""With fewer matches than this in the queue, or fewer than are being played, the scheduler is asked for more."""
REQUEUE_PAUSE_S = 0.1
"""Short beside a build or most matches, long beside what putting back costs."""
FAULT_PAUSES_S = (0, 0.5, 1, 2, 4, 8, 16, 30)
LONGEST_BUSY_PAUSE_S = 1
"""After a turn that the host was too busy for: it took a second or more by itself, and one bot may bring about many."""
NO_ROOM_PAUSE_S = 5
"""Before a worker whose disk is full looks at the next message."""
IDLE_LIMIT_S = 30
"""A process that stands still in the middle of recording keeps others from recording for no longer than this."""

SharedMoment: TypeAlias = c_double
"""A moment of the monotonic clock in memory that the processes of a worker share: whoever writes it last is right."""


def shared_moment() -> SharedMoment:
    return c_double.from_buffer(mmap(-1, sizeof(c_double)))


@dataclass(slots=True)
class WorkerProcess:
    """Everything a task needs. One per process; tasks run in it one after another, in its main thread."""

    pool: Sessions
    queue: CeleryQueue
    presence: Presence
    sandbox: Sandbox
    games: Games
    desk: Desk | None = None
    chance: SystemRandom = field(default_factory=SystemRandom)
    seeds_from: str = field(default_factory=lambda: os.environ.get(SEEDS_FROM, ""))
    looked_at: SharedMoment = field(default_factory=shared_moment)
    """When one of this worker's processes last looked whether few matches wait."""
    room: Outage = field(default_factory=lambda: Outage("room"))
    database: Outage = field(default_factory=lambda: Outage("database"))
    faults_in_a_row: int = 0
    requeued_in_a_row: int = 0

    def in_transaction(self, work: Callable[Concatenate[Connection, P], T], *arguments: P.args, **named: P.kwargs) -> T:
        """By the worker's clerk, if it has one. `work`: a function of a module, which others can find."""
        if self.desk is not None:
            return self.desk.do(work, *arguments, **named)
        with transaction(self.pool) as connection:
            result = work(connection, *arguments, **named)
        self.pool.keep()
        return result

    def program(self, source_hash: str, language_name: str) -> Program:
        """From this machine's workspace or the database, or built. Raises BuildRefused, MissingTool, SandboxFault."""
        require_house_bot(source_hash)
        try:
            language = find_language(language_name)
            key = program_key(source_hash, language)
            if (program := find_program(key)) is not None:
                return program
            with transaction(self.pool) as connection:
                archive = builds.fetch_artefact(connection, key)
            if archive is not None:
                return unpack(archive, key)
            with transaction(self.pool) as connection:
                source = sources.fetch_source(connection, source_hash)
            program = build(source, language, self.sandbox)
            with transaction(self.pool) as connection:
                builds.store_artefact(connection, key, pack(program))
        except (MissingTool, UnknownName) as missing:
            self.presence.lacks(language_name)
            raise MissingTool(str(missing)) from missing
        return program

    def requeue(self, send: Callable[[], None]) -> None:
        """Send a message anew, and pause if there is nothing else to do. Without a broker the sweep does it later."""
        self.requeued_in_a_row += 1
        with suppress(QueueDown):
            send()
            waiting = self.queue.backlog()
            if self.requeued_in_a_row < waiting.builds + waiting.plays:
                return
        self.requeued_in_a_row = 0
        self.presence.register_again()
        time.sleep(REQUEUE_PAUSE_S)

    def lacks_room(self, send: Callable[[], None]) -> bool:
        """Say whether the disk of what is built here is full, and write down when that begins and ends.

        Then `send` gives back what was not begun, after a pause. Without a broker the sweep does it.
        """
        try:
            open_workspace().require_free()
        except SandboxFault as fault:
            self.room.begins(str(fault))
            time.sleep(NO_ROOM_PAUSE_S)
            with suppress(QueueDown):
                send()
            return True
        self.room.ends()
        return False

    def rest_if_sick(self, fault: Exception) -> None:
        """After a fault of the machine, longer each time: who fails at once always has time for more."""
        if not isinstance(fault, SandboxFault):
            return
        pause_s = FAULT_PAUSES_S[min(self.faults_in_a_row, len(FAULT_PAUSES_S) - 1)]
        time.sleep(min(pause_s, LONGEST_BUSY_PAUSE_S) if isinstance(fault, HostBusy) else pause_s)
        self.faults_in_a_row += 1

    def look_whether_few_wait(self) -> None:
        """Enqueue the scheduler if workers will soon have nothing to play. Not at every match: counting takes as long
        as recording one in a large fleet, and even asking the broker a tenth of that, so of a worker's processes only
        one asks.
        """
        if time.monotonic() - self.looked_at.value <= SCHEDULE_AT_MOST_EVERY_S:
            return
        self.looked_at.value = time.monotonic()
        with suppress(QueueDown, DatabaseDown):
            if self.queue.may_look(SCHEDULE_AT_MOST_EVERY_S) and self.in_transaction(match_rows.few_wait, FEW_WAITING):
                self.enqueue_schedule_soon()

    def enqueue_schedule_soon(self) -> None:
        with suppress(QueueDown):
            self.queue.enqueue_schedule_soon(SCHEDULE_AT_MOST_EVERY_S)


SPARE_S = 60
"""A lease is looked at by others first."""


def let_alarms_end_us() -> None:
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


@contextmanager
def ended_with(lease_s: int) -> Iterator[None]:
    """End this process if the block takes much longer than its lease."""
    signal.alarm(lease_s + SPARE_S)
    try:
        yield
    finally:
        signal.alarm(0)


_holders: list[LockHolder] = []
_clerks: list[Clerk] = []
_looked_at: list[SharedMoment] = []
_fair_clock: list[bool | None] = [None]
"""The worker's, made in its first process and known to those that it forks."""


def serve_others(sender: Any, **_: object) -> None:
    if database_url := os.environ.get(POOLED_URL):
        holder = LockHolder(
            session_url(database_url),
            fair_clock=_fair_clock[0],
            tier=serving_sandbox().name,
            sign=own_sign(),
            ask_for_sweep=lambda: queue_for(sender.app.conf.broker_url).enqueue_sweep(),
            is_deaf=partial(HEARING.is_deaf, lambda: not active_requests),
        )
        _holders[:] = [holder]
        _clerks[:] = [Clerk(partial(open_sessions, database_url), TOGETHER)]
        _looked_at[:] = [shared_moment()]


@cache
def own_sign() -> SignOfLife:
    return LadderHome.from_environment().sign(ProcessKind.WORKER)


def open_process(app: Celery) -> WorkerProcess:
    database_url = os.environ.get(POOLED_URL)
    if not database_url or not _holders:
        raise Unavailable("LADDER_DATABASE_URL is not set: start workers with `ladder up` or `ladder worker`")
    sandbox = serving_sandbox()
    games_here = all_games()
    pool = open_sessions(database_url)
    return WorkerProcess(
        pool=pool,
        queue=queue_for(app.conf.broker_url),  # one that never waits for a broker that is away
        presence=Presence(_holders[0], partial(able_here, sandbox), games_here.names),
        sandbox=sandbox,
        games=replace(games_here, further=GamesOfLadder(lambda: transaction(pool))),
        desk=Desk(_clerks[0]),
        looked_at=_looked_at[0],
    )


def able_here(sandbox: Sandbox) -> Installed:
    installed = languages_here(sandbox)
    return replace(installed, plays=(*installed.plays, WHOLE_MATCHES)) if sandbox.name == CGROUP else installed


def open_sessions(database_url: str, one_at_a_time: AbstractContextManager[Any] = FREELY) -> Sessions:
    return Sessions(database_url, IDLE_LIMIT_S, one_at_a_time)


def require_semaphores() -> None:
    """Raise Refused where Celery could not make the semaphores that a worker's processes share."""
    try:
        Semaphore()
    except OSError as error:
        raise Refused(
            f"no worker can start here, as no semaphore can be made in /dev/shm ({plain_words(error)}): mount it so "
            "that this account can write there"
        ) from error


def has_fair_clock(sandbox: Sandbox) -> bool | None:
    """Return None where this machine is too busy to show that."""
    try:
        shared = share_a_core(sandbox)
    except HostBusy as busy:
        sys.stderr.write(f"ladder: it is not known whether the clock is fair here: {busy}\n")
        return None
    if not shared.adds_up:
        sys.stderr.write(f"ladder: no fair clock here: {NOT_FAIR}; {shared.words}\n")
    return shared.adds_up


REFUSALS = {2: "settings", 3: "guarantees", 5: "missing_tool", 7: "machine_busy"}
"""By which reason a worker counts that ends with a status before it has begun."""


@contextmanager
def refusals_counted() -> Iterator[None]:
    """Count it where a worker does not start, if the database can be reached."""
    try:
        yield
    except ArenaError as error:
        if address := os.environ.get(POOLED_URL):
            with suppress(ArenaError), connect(session_url(address), autocommit=True) as connection:
                tallies.add(connection, tallies.Tallied.REFUSED, REFUSALS.get(error.exit_status, "other"))
        raise


def refuse_or_start(**_: object) -> None:
    """End a worker that may not serve; before, wait for a database that is to be migrated."""
    own_sign().renew("it is starting")
    try:
        with refusals_counted():
            require_semaphores()
            languages_here(serving_sandbox())
            _fair_clock[:] = [has_fair_clock(serving_sandbox())]
        for fault in all_games().faults.values():
            sys.stderr.write(f"ladder: {fault}\n")
        if os.environ.get(POOLED_URL):
            wait_until_migrated(os.environ[POOLED_URL], own_sign())
    except ArenaError as error:
        sys.stderr.write(f"ladder: {error}\n")
        sys.exit(error.exit_status)


def share_memory(**_: object) -> None:
    gc.collect()
    gc.freeze()


celeryd_init.connect(refuse_or_start)
worker_init.connect(serve_others)
worker_before_create_process.connect(share_memory)
