"""What a command calls: start the services in the background, stop them, look whether they run."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM

import workers
from engine.errors import ArenaError, Unavailable
from engine.immutable import immutable
from engine.interrupts import held_back, interrupts_ignored
from engine.machine import patience_s
from engine.sandbox.box import readable
from engine.workspace import is_locked
from ladder.errors import NotStarted
from workers.embedded import folders, state_file, supervisor
from workers.embedded.home import LadderHome, full_disk_error, locked, require_room
from workers.embedded.processes import MARK, Child, is_alive, last_lines, send, wait_until_gone
from workers.embedded.state_file import Running, running

STOP_LIMIT_S = 150.0
"""Longer than the graces of the workers, Redis and PostgreSQL together."""
KILL_LIMIT_S = 5.0
POLL_S = 0.02


def up(
    home: LadderHome,
    children: Sequence[Child] = (),
    on_step: supervisor.OnStep = bool,
    *,
    prepare: str = supervisor.MIGRATE,
) -> Running:
    """Start the services in the background, and return when they are ready. `children` start after the servers and find
    their addresses in their environment; `prepare` (`module:function`) gets the database's URL before. `on_step` hears
    each step. Raises Unavailable with the log's end, or the ArenaError that kept them from it.
    """
    with home.plain_errors():
        home.create()
        now = running(home)
        if now is not None and now.ready:
            return now
        theirs = wait_ready(home, None, on_step)
        if theirs is not None:
            return theirs
        require_room(home.folder)  # else the supervisor could not report how the start goes
        return start(home, supervisor.orders(home, children, prepare), on_step)


def down(home: LadderHome) -> bool:
    with home.plain_errors():
        if not home.lock.exists():
            return False
        stopped = stop_supervisor(home)
        with locked(home.lock, f"the ladder in {home.folder} was started again meanwhile"):
            home.state.unlink(missing_ok=True)
            place = folders.find(home)
            swept = place is not None and supervisor.sweep(home, place)
            if place is not None:
                shutil.rmtree(place.sockets, ignore_errors=True)
        return stopped or swept


def destroy(home: LadderHome) -> None:
    down(home)
    with home.plain_errors():
        place = folders.find(home) if home.folder.exists() else None
        for folder in (place.folder if place else home.folder, home.folder):
            if folder.exists():
                shutil.rmtree(folder)


@immutable
class Launched:
    """A supervisor that we started: its pid (0 where it did not get that far), and a pipe that ends when it does."""

    pid: int
    lifeline: int

    def has_ended(self) -> bool:
        return readable(POLL_S, self.lifeline)


def start(home: LadderHome, orders: bytes, on_step: supervisor.OnStep) -> Running:
    earlier = state_file.read(home)
    with held_back({SIGINT}):
        ours = launch(home, orders)
    try:
        # Where another `up` was faster, ours ends at once and theirs is waited for.
        state = wait_ready(home, ours, on_step) or wait_ready(home, None, on_step)
    except KeyboardInterrupt:
        with interrupts_ignored():
            if not ours.has_ended():
                os.kill(ours.pid, SIGTERM)
            while not ours.has_ended():
                pass
        raise
    finally:
        os.close(ours.lifeline)
    if state is None:
        raise why_not(home, earlier)
    return state


def launch(home: LadderHome, orders: bytes) -> Launched:
    root = str(Path(workers.__file__).parents[1])
    environment = {name: value for name, value in os.environ.items() if name != MARK}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
    lifeline, its_end = os.pipe()
    try:
        with home.log("supervisor").open("ab") as log:
            subprocess.run(
                [sys.executable, "-m", supervisor.__name__],
                input=orders,
                stdout=its_end,
                stderr=log,
                cwd=home.folder,
                env=environment,
                start_new_session=True,
                check=False,
            )
    finally:
        os.close(its_end)
    return Launched(int(os.read(lifeline, 32) or 0), lifeline)


def wait_ready(home: LadderHome, ours: Launched | None, on_step: supervisor.OnStep) -> Running | None:
    """Wait until the services are ready: by our supervisor, or anyone's. None when that has ended."""
    told_steps = 0
    while True:
        now = running(home)
        if now is not None and (ours is None or now.pid == ours.pid):
            for words in now.steps[told_steps:]:
                on_step(words)
            told_steps = len(now.steps)
            if now.ready:
                return now
        if ours is None:
            if not is_locked(home.lock):
                return None
            time.sleep(POLL_S)
        elif ours.has_ended():
            return None


def why_not(home: LadderHome, earlier: Running | None) -> ArenaError:
    state = state_file.read(home)
    if state is not None and state != earlier and state.failure:
        return state.error()
    log = home.log("supervisor")
    error = NotStarted(f"the ladder did not start; the end of {log}:\n{last_lines(log)}")
    return full_disk_error(error, home.folder) or error


def stop_supervisor(home: LadderHome) -> bool:
    """Ask the supervisor to stop, kill it where it takes too long, and wait until it is gone. False where none runs."""
    state = None
    for number, limit_s in ((SIGTERM, STOP_LIMIT_S), (SIGKILL, KILL_LIMIT_S)):
        deadline = time.monotonic() + patience_s(limit_s)
        signalled = None
        while is_locked(home.lock) and time.monotonic() < deadline:
            state = running(home) or state
            if state is not None and state.pid != signalled:
                send([state.pid], number)
                signalled = state.pid
            time.sleep(POLL_S)
    if is_locked(home.lock):
        raise Unavailable(f"the ladder in {home.folder} does not stop; who holds {home.lock} is not known")
    if state is None:
        return False
    wait_until_gone(lambda: [pid for pid in (state.pid,) if is_alive(pid)], patience_s(KILL_LIMIT_S))
    return True
