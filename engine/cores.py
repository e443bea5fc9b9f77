"""One core per match: who plays holds a core, and the match stays on it.

How this works. Each core of the machine has a lock file in the workspace that all workers of an account share. To play
is to hold the lock of a core; the kernel takes it atomically, and lets go when its holder dies. So however many workers
somebody starts, no more matches run at once than there are cores, and no two share one. Referee and bots are kept on
the core: only one of the three works at a time, handing over on one core takes a tenth of the time that it takes
between two, and a bot with many threads gains nothing by them. A build holds a core in the same way.
"""

from __future__ import annotations

import errno
import fcntl
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import SandboxFault
from engine.workspace import open_workspace

FOLDER = "cores"
PAUSE_S = 0.005
WORTH_TELLING_S = 2.0
"""After this long a person who waits may want to know why nothing happens."""


@contextmanager
def core_for_a_match(on_waiting: Callable[[], None] | None = None) -> Iterator[int]:
    """Wait for a free core, hold it and stay on it; give the number of the core.

    `on_waiting` is called once if that takes long. What is started meanwhile stays on the core too. Raises
    SandboxFault where the locks cannot be used.
    """
    allowed = os.sched_getaffinity(0)
    core, lock = take_core(allowed, on_waiting)
    try:
        os.sched_setaffinity(0, {core})
        yield core
    finally:
        os.sched_setaffinity(0, allowed)
        os.close(lock)


def take_core(allowed: set[int], on_waiting: Callable[[], None] | None = None) -> tuple[int, int]:
    """Wait until one of these cores is free; return its number and the open lock, which closing sets free."""
    tell_at = time.monotonic() + WORTH_TELLING_S
    folder = open_workspace().root / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    while True:
        for core in random.sample(sorted(allowed), len(allowed)):
            lock = try_lock(folder / str(core))
            if lock is not None:
                return core, lock
        if on_waiting and time.monotonic() > tell_at:
            on_waiting()
            on_waiting = None
        time.sleep(PAUSE_S)


def try_lock(file: Path) -> int | None:
    """Return an open and locked file, or None where another process holds it. Raises SandboxFault."""
    try:
        lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise SandboxFault(f"cannot hold a core by {file}: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        if error.errno == errno.EWOULDBLOCK:
            return None
        raise SandboxFault(f"cannot hold a core by {file}: {error.strerror}") from error
    return lock
