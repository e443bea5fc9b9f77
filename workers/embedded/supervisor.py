"""The process behind `ladder up`: it starts PostgreSQL, Redis and the workers, keeps them running, and ends with them.

How this works. One process, one loop in its main thread. The signals it cares about are blocked and waited for
(`sigtimedwait`), so nothing ever interrupts it. It holds the home's lock for as long as it lives, by which others know
that it runs; more is in the state file. A child that ends is started again after a pause that grows while it keeps
ending. At the end the workers are stopped first, then Redis, then PostgreSQL, then whatever they left.

`python -m workers.embedded.supervisor` reads its orders from standard input (see `orders`) and is started by
`control.up`; `run` is the same in the foreground.
"""

import importlib
import logging
import os
import pickle
import pkgutil
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from engine.errors import ArenaError, MachineBusy, SandboxFault, Unavailable, UsageFault, plain_words
from engine.interrupts import held_back
from engine.sandbox.box import readable
from engine.sandbox.budget import Budget, BudgetUse
from engine.sandbox.watchdog import WATCHDOG
from ladder.errors import NotStarted
from ladder.event_log import JSON, Lines, log_settings
from ladder.settings import POOLED_URL, SESSION_URL
from workers.embedded import postgres, processes, redis, state_file
from workers.embedded.folders import DataPlace, postgres_programs, private_folder, redis_server, settle
from workers.embedded.home import FIRST_START_BYTES, START_BYTES, LadderHome, full_disk_error, locked, require_room
from workers.embedded.processes import Child

STOP_SIGNALS = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
WAKING_SIGNALS = STOP_SIGNALS | {signal.SIGCHLD}


def ended_children() -> Iterator[tuple[int, int]]:
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            yield pid, os.waitstatus_to_exitcode(status)


def next_signal(wait_s: float) -> int | None:
    info = signal.sigtimedwait(WAKING_SIGNALS, wait_s)
    return info.si_signo if info is not None else None


@contextmanager
def signals_waiting() -> Iterator[None]:
    """Keep the signals that wake us back for `next_signal`."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # else the system would not tell how children ended
    with held_back(WAKING_SIGNALS):
        try:
            yield
        finally:
            while next_signal(0.0) is not None:
                pass


LOG = logging.getLogger(__name__)

WIDER = 3
"""So many times its grace a child may take at most, however busy this machine is."""
READY_LIMIT_S = 300.0
"""PostgreSQL may have much to recover after a crash."""
LOOK_AROUND_S = 1.0
FIRST_PAUSE_S = 0.2
LONGEST_PAUSE_S = 5.0
LONGEST_BUSY_PAUSE_S = 60.0
"""After a child that found this machine too busy: each start makes it busier."""
STEADY_S = 10.0
"""A child that ran for this long has started well: the next pause is the first one again."""
WATCHMEN_LIMIT_S = 5.0
"""At the end watchdogs may take so long; what they have not cleaned up by then stays."""

ENDS_WITH = "LADDER_ENDS_WITH"
"""The variable that names, by its number, a process with which a supervisor ends."""

MIGRATE = "ladder.database.migrate:migrate"

Prepare = Callable[[str], object]
OnStep = Callable[[str], object]


class StopRequested(Exception):
    """A stop signal came while something was being started."""


@dataclass(slots=True)
class Service:
    child: Child
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    pause_s: float = FIRST_PAUSE_S
    due: float | None = None
    log_from: int = 0
    """Where in its log begins what this process of it has written."""

    @property
    def pid(self) -> int | None:
        return self.process.pid if self.process is not None else None


class Grace:
    """How long a child may take to end in good order: `grace_s` of computing and sleeping, with waits WIDER as much."""

    def __init__(self, child: Child, pid: int) -> None:
        self._limit_s = child.grace_s
        self._use = BudgetUse(Budget(child.grace_s, 0), pid)

    def lasts(self) -> bool:
        with suppress(SandboxFault):  # it has just ended
            self._use.look()
        return self._use.proven_s() < self._limit_s and self._use.wall_s() < WIDER * self._limit_s

    def close(self) -> None:
        self._use.close()


def run(home: LadderHome, children: Sequence[Child], prepare: Prepare, on_step: OnStep = bool) -> None:
    """Keep it all running until a stop signal comes. `prepare` gets the database's URL before the children start. Only
    for the main thread. Raises Unavailable where a supervisor runs already, and what keeps it from starting.
    """
    home.create()
    require_room(home.folder)
    why_not = f"the ladder in {home.folder} runs already"
    with locked(home.lock, why_not) as lock, signals_waiting(), logging_to(home):
        processes.adopt_orphans()
        Supervisor(home, lock, on_step, its_companion()).run(children, prepare)


def its_companion() -> int | None:
    """Return the pidfd of the process with which a supervisor is to end. Raises UsageFault, Unavailable."""
    word = os.environ.get(ENDS_WITH)
    if not word:
        return None
    try:
        return os.pidfd_open(int(word))
    except (ValueError, OverflowError) as error:
        raise UsageFault(f"{ENDS_WITH} is {word!r}; it must be the number of a process") from error
    except OSError as error:
        raise Unavailable(f"the ladder is to end with process {word}, and that has ended; unset {ENDS_WITH}") from error


class Supervisor:
    def __init__(self, home: LadderHome, lock: int, on_step: OnStep, companion: int | None) -> None:
        self.home = home
        self.companion = companion
        self.lock = lock
        self.on_step = on_step
        self.servers: list[Service] = []
        self.workers: list[Service] = []
        self.is_stopping = False
        self.shared = {"LADDER_HOME": str(home.folder)}
        self.running = state_file.Running(os.getpid(), datetime.now(UTC).isoformat(timespec="seconds"))

    def run(self, children: Sequence[Child], prepare: Prepare) -> None:
        self.publish()
        folders = [self.home.folder]
        try:
            place = settle(self.home)
            folders.insert(0, place.folder)
            require_room(place.folder, START_BYTES if place.postgres.exists() else FIRST_START_BYTES)
            with locked(place.folder, f"the data in {place.folder} are in use by another ladder"):
                self.serve(place, children, prepare)
        except (ArenaError, OSError) as error:
            fault = full_disk_error(error, *folders) or error
            if isinstance(fault, OSError):
                fault = Unavailable(f"the ladder in {self.home.folder} cannot run: {plain_words(error)}")
            self.fail(fault)
            if fault is error:
                raise
            raise fault from error
        if self.home_is_there():
            self.home.state.unlink(missing_ok=True)

    def serve(self, place: DataPlace, children: Sequence[Child], prepare: Prepare) -> None:
        if sweep(self.home, place):
            LOG.warning("ended what an earlier supervisor had left")
        private_folder(place.sockets, place.account())
        try:
            self.start_servers(place, prepare)
            self.start_workers(children)
            self.watch()
        except StopRequested:
            LOG.info("asked to stop while starting")
        finally:
            self.stop()
            shutil.rmtree(place.sockets, ignore_errors=True)

    def start_servers(self, place: DataPlace, prepare: Prepare) -> None:
        account = place.account()
        binaries, redis_program = postgres_programs(account), redis_server(account)
        if not place.postgres.exists():
            self.step("making the database (first start)")
        postgres.prepare(place, binaries, account)
        self.step("starting PostgreSQL and Redis")
        database = self.keep(postgres.child(place, binaries, account), self.servers)
        broker = self.keep(redis.child(place, redis_program, account), self.servers)
        importlib.import_module("ladder.database.connection")  # takes as long as the servers do, so beside them
        self.wait_for_redis(broker, place)
        self.wait_until(database, partial(postgres.is_ready, place))
        url = postgres.ensure_database(place)
        self.step("bringing the schema up to date")
        prepare(url)
        self.shared |= {POOLED_URL: url, SESSION_URL: "", "LADDER_BROKER_URL": redis.broker_url(place)}
        self.publish(database_url=url, broker_url=redis.broker_url(place))

    def wait_for_redis(self, broker: Service, place: DataPlace) -> None:
        """Where it cannot read what it wrote, let it start empty."""
        try:
            self.wait_until(broker, partial(redis.is_ready, place))
        except Unavailable as error:
            if not redis.put_log_aside(place, str(error)):
                raise
            LOG.warning("Redis cannot read its log of writes: put aside, the queue starts empty")
            self.launch(broker)
            self.wait_until(broker, partial(redis.is_ready, place))

    def start_workers(self, children: Iterable[Child]) -> None:
        for child in children:
            self.step(f"starting {child.name}")
            self.keep(child, self.workers)
        self.publish(ready=True)
        LOG.info("ready")
        self.on_step("ready")

    def keep(self, child: Child, group: list[Service]) -> Service:
        service = Service(child)
        group.append(service)
        self.launch(service)
        return service

    def launch(self, service: Service) -> None:
        service.due = None
        service.log_from = processes.size_of(self.home.log(service.child.name))
        service.process = processes.start(service.child, self.home, self.shared)
        service.started = time.monotonic()
        LOG.info("%s started, pid %d", service.child.name, service.process.pid)
        self.publish()

    def wait_until(self, service: Service, is_ready: Callable[[int], bool]) -> None:
        deadline = time.monotonic() + READY_LIMIT_S
        while service.pid is None or not is_ready(service.pid):
            if service.pid is None or time.monotonic() > deadline:
                log = self.home.log(service.child.name)
                raise NotStarted(f"{service.child.name} does not start; the end of {log}:\n{processes.last_lines(log)}")
            if next_signal(0.01) in STOP_SIGNALS:
                raise StopRequested
            self.reap()

    def watch(self) -> None:
        while self.home_is_there() and (self.companion is None or not readable(0, self.companion)):
            dues = [service.due - time.monotonic() for service in self.services() if service.due is not None]
            number = next_signal(max(0.0, min([LOOK_AROUND_S, *dues])))
            if number in STOP_SIGNALS:
                LOG.info("asked to stop by %s", signal.Signals(number).name)
                return
            self.reap()
            self.restart_due()
            processes.put_aside(self.home.log("supervisor"))
            for service in self.services():
                if processes.put_aside(self.home.log(service.child.name)):
                    service.log_from = 0
        LOG.warning("%s was deleted, or the process of %s has ended: stopping", self.home.folder, ENDS_WITH)

    def home_is_there(self) -> bool:
        """Who deletes the home wants us gone."""
        try:
            return os.path.samestat(self.home.lock.stat(), os.fstat(self.lock))
        except OSError:
            return False

    def services(self) -> list[Service]:
        return [*self.servers, *self.workers]

    def reap(self) -> None:
        for pid, exit_code in ended_children():
            for service in self.services():
                if service.process is not None and service.pid == pid:
                    service.process.returncode = exit_code
                    self.lost(service, exit_code)

    def lost(self, service: Service, exit_code: int) -> None:
        service.process = None
        processes.end(self.orphans, ())
        lived_s = time.monotonic() - service.started
        ending = processes.ending_of(exit_code, self.home.log(service.child.name), service.log_from)
        LOG.info("%s ended with %d after %.1f s: %s", service.child.name, exit_code, lived_s, ending.words)
        if not self.is_stopping:
            self.on_step(f"{service.child.name} has ended: {ending.words}")
        if service.child.restart:
            pause_s, service.pause_s = pauses_after(exit_code, lived_s, service.pause_s)
            service.due = time.monotonic() + pause_s
        self.publish(endings={**self.running.endings, service.child.name: ending})

    def adopted(self) -> list[int]:
        """Our children that we did not start: their parents ended."""
        ours = {service.pid for service in self.services()}
        return [pid for pid in processes.children_of(os.getpid()) if pid not in ours]

    def orphans(self) -> list[int]:
        """Not watchdogs: they clean up after their masters, then end."""
        watchdog = str(WATCHDOG).encode()
        return [pid for pid in self.adopted() if watchdog not in processes.read(pid, "cmdline").split(b"\0")]

    def restart_due(self) -> None:
        for service in self.services():
            if service.due is None or time.monotonic() < service.due:
                continue
            try:
                self.launch(service)
            except Unavailable as error:
                LOG.warning("%s", error)
                service.due = time.monotonic() + LONGEST_PAUSE_S

    def stop(self) -> None:
        self.is_stopping = True
        self.stop_together(self.workers)
        for server in reversed(self.servers):
            self.stop_together([server])
        processes.end(self.orphans, ())
        processes.wait_until_gone(self.adopted, WATCHMEN_LIMIT_S)
        processes.end(self.adopted, ())
        LOG.info("stopped")

    def stop_together(self, group: Sequence[Service]) -> None:
        """Let each end in good order. What it waits for a core does not count. A second Ctrl-C shortens the wait."""
        with ExitStack() as stack:
            limits = [
                (service, stack.enter_context(closing(Grace(service.child, service.pid))))
                for service in group
                if service.pid
            ]
            for service, _ in limits:
                processes.send(pids_of([service]), service.child.stop_signal)
            while any(service.pid and grace.lasts() for service, grace in limits):
                if next_signal(0.05) == signal.SIGINT:
                    break
                self.reap()
        processes.end(partial(pids_of, group), ())
        self.reap()

    def step(self, words: str) -> None:
        LOG.info("%s", words)
        self.on_step(words)
        self.publish(steps=(*self.running.steps, words))

    def fail(self, error: ArenaError) -> None:
        LOG.error("%s", error)
        self.publish(failure=str(error), failure_status=error.exit_status, ready=False)

    def publish(self, **changes: Any) -> None:
        """If that fails (a full disk) the services go on, and the log says so."""
        pids = {service.child.name: service.pid for service in self.services() if service.pid is not None}
        self.running = replace(self.running, children=pids, **changes)
        if self.home_is_there():
            try:
                state_file.write(self.home, self.running)
            except OSError as error:
                LOG.warning("cannot write %s: %s", self.home.state, error)


def pauses_after(exit_code: int, lived_s: float, pause_s: float) -> tuple[float, float]:
    """Return the pause before a child is started again, and the one after the next end. `pause_s`: as was planned."""
    is_busy = exit_code == MachineBusy.exit_status
    now_s = FIRST_PAUSE_S if lived_s > STEADY_S and not is_busy else pause_s
    return now_s, min(2 * now_s, LONGEST_BUSY_PAUSE_S if is_busy else LONGEST_PAUSE_S)


def sweep(home: LadderHome, place: DataPlace) -> bool:
    return any(
        [
            postgres.recover(place),
            redis.recover(place),
            processes.end(partial(processes.pids_with_mark, home.folder), ()),
        ]
    )


def pids_of(group: Iterable[Service]) -> list[int]:
    """One that ended and was not reaped yet counts as ended."""
    return [service.pid for service in group if service.pid is not None and processes.is_alive(service.pid)]


@contextmanager
def logging_to(home: LadderHome) -> Iterator[None]:
    handler = logging.FileHandler(home.log("supervisor"))
    handler.setFormatter(Lines(is_json=log_settings(os.environ)[0] == JSON))
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    logging.raiseExceptions = False  # a log that cannot be written does not concern the reader of this terminal
    try:
        yield
    finally:
        LOG.removeHandler(handler)
        handler.close()


def orders(home: LadderHome, children: Sequence[Child], prepare: str) -> bytes:
    return pickle.dumps((home, tuple(children), prepare))


def main() -> int:
    """Read the orders, print our pid, leave the process that waits for us, and be the supervisor. Return the status."""
    home, children, prepare = pickle.loads(sys.stdin.buffer.read())  # noqa: S301 - our own
    pid = os.fork()
    if pid:
        os.write(sys.stdout.fileno(), b"%d" % pid)
        os._exit(0)

    def prepare_database(database_url: str) -> None:
        pkgutil.resolve_name(prepare)(database_url)  # imported only now: that takes long

    try:
        run(home, children, prepare_database)
    except ArenaError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_status
    return 0


if __name__ == "__main__":
    sys.exit(main())
