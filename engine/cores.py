"""One core per match: who plays holds a core, and the match stays on it.

How this works. Each core has a lock file in the workspace that all workers of an account share. To play is to hold the
lock of a core; the kernel takes it atomically, and lets go when its holder dies. So no more matches run at once than
there are cores, and no two share one. Referee and bots are kept on the core: only one of the three works at a time,
handing over on one core takes a tenth of the time that it takes between two, and a bot with many threads gains nothing
by them. A build holds a core in the same way.

Who finds no free core draws a ticket, a file whose name says since when, and holds its lock while it waits. A core is
taken only where nobody waits who asked earlier and could have it. Who holds a core writes into its file what it is.
"""

import errno
import fcntl
import os
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeAlias

from engine.errors import SandboxFault
from engine.text import duration, one_line
from engine.workspace import open_workspace

OnWaiting: TypeAlias = Callable[[], None] | None
"""What is called once where it takes long until a core is free."""
FOLDER = "cores"
LINE = "line"
STOPPED_S = 3.0
"""Who waits and has not looked for so long does not look at all, and keeps nobody."""
MOST_NAMED = 4
"""Of those who hold cores; of more it is said how many they are."""
PAUSE_S = 0.005
WORTH_TELLING_S = 2.0
"""After this long a person who waits may want to know why nothing happens."""


@contextmanager
def core_for_a_match(on_waiting: OnWaiting = None) -> Iterator[int]:
    """Hold a free core and stay on it, with what is started meanwhile; give its number. `on_waiting` is called once if
    that takes long. Raises SandboxFault.
    """
    allowed = os.sched_getaffinity(0)
    core, lock = take_core(allowed, on_waiting)
    try:
        os.sched_setaffinity(0, {core})
        yield core
    finally:
        os.sched_setaffinity(0, allowed)
        os.close(lock)


def take_core(allowed: set[int], on_waiting: OnWaiting = None) -> tuple[int, int]:
    tell_at = time.monotonic() + WORTH_TELLING_S
    folder = open_workspace().root / FOLDER
    (folder / LINE).mkdir(mode=0o700, parents=True, exist_ok=True)
    if (core_and_lock := take_free_core(folder, allowed)) is not None:
        return core_and_lock
    with ticket(folder / LINE, allowed) as own_ticket:
        while (core_and_lock := take_free_core(folder, allowed, own_ticket)) is None:
            if on_waiting and time.monotonic() > tell_at:
                on_waiting()
                on_waiting = None
            time.sleep(PAUSE_S)
            mark(own_ticket)
        return core_and_lock


def take_free_core(folder: Path, allowed: set[int], own_ticket: Path | None = None) -> tuple[int, int] | None:
    """Take a core that nobody else has asked for earlier. `own_ticket`: None as long as we have none."""
    if is_asked_for_earlier(folder / LINE, allowed, own_ticket):
        return None
    for core in random.sample(sorted(allowed), len(allowed)):
        if (lock := try_lock(folder / str(core))) is not None:
            os.ftruncate(lock, 0)
            os.write(lock, our_name().encode(errors="replace"))
            mark(lock)
            return core, lock
    return None


@contextmanager
def ticket(line: Path, allowed: set[int]) -> Iterator[Path]:
    """Stand in the line while the block lasts; give the ticket. It is locked before others can see it."""
    name = f"{time.monotonic_ns():020d}-{os.getpid()}-{threading.get_ident()}"
    hidden, place = line / f".{name}", line / name
    lock = try_lock(hidden)
    try:
        if lock is not None:
            os.write(lock, ",".join(map(str, sorted(allowed))).encode())
            mark(lock)
        hidden.rename(place)
        yield place
    finally:
        place.unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)


def is_asked_for_earlier(line: Path, allowed: set[int], own_ticket: Path | None) -> bool:
    """Who was stopped in the line does not count; the tickets of those who died are removed."""
    for other in sorted(other for other in line.iterdir() if not other.name.startswith(".")):
        if own_ticket is not None and other >= own_ticket:
            return False
        with suppress(OSError, ValueError):  # it has just left the line
            file = os.open(other, os.O_RDWR | os.O_CLOEXEC)
            try:
                cores = {int(core) for core in os.pread(file, 10_000, 0).decode().split(",")}
                if not cores & allowed or age_s(os.fstat(file)) > STOPPED_S:
                    continue
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                other.unlink()
            except BlockingIOError:
                return True
            finally:
                os.close(file)
    return False


def mark(file: Path | int) -> None:
    """Write down that we look just now, by the clock that nobody sets and that all who look share."""
    now = time.monotonic()
    os.utime(file, (now, now))


def age_s(file: os.stat_result) -> float:
    return max(time.monotonic() - file.st_mtime, 0.0)


def our_name() -> str:
    words = " ".join([Path(sys.argv[0]).name, *sys.argv[1:3]])[:60]
    home = os.environ.get("LADDER_HOME", "")
    return f"process {os.getpid()} (`{one_line(words)}`{f', of the ladder in {one_line(home)}' if home else ''})"


def holders() -> list[str]:
    names: list[str] = []
    folder = open_workspace().root / FOLDER
    for core in sorted(os.sched_getaffinity(0)):
        file = folder / str(core)
        if (lock := try_lock(file)) is not None:
            os.close(lock)
            continue
        words = one_line(file.read_text("utf-8", "replace")) or "a process that does not say what it is"
        names.append(f"{words} for {duration(age_s(file.stat()))}")
    more = len(names) - MOST_NAMED
    return names[:MOST_NAMED] + ([f"{more} more"] if more > 0 else [])


def try_lock(file: Path) -> int | None:
    """Return None where another process holds it. Raises SandboxFault."""
    lock = -1
    try:
        lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if lock >= 0:
            os.close(lock)
        if error.errno == errno.EWOULDBLOCK:
            return None
        raise SandboxFault(f"cannot hold a core by {file}: {error.strerror}") from error
    return lock
