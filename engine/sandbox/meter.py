"""How much a running program has used: CPU time, waits for a CPU, memory. Read from outside, while it runs.

How this works. The CPU time of a whole process is one call: Linux gives every process a clock, whose number follows
from its pid, exact to the microsecond and readable across namespaces. How long a thread ran, and how long it was ready
to run but did not get a CPU (its *run-queue wait*), are the first two numbers in its `schedstat`; the wait of a process
is the sum over its threads. Those files are kept open and read again: a microsecond each. They do not show the wait
that a thread is in the middle of, those of threads that ended between two readings, and the time that a hypervisor
took, which looks like sleep. So a meter can also say whether a program is ready to run just now, or stands still: by
the states of its threads, whose files are kept open likewise, as to open one takes longer than to read it.

How watched files are counted. The kernel tells files apart by their numbers too, so 256 open files are enough for
millions of watches. What an epoll watches is listed in its `fdinfo`. We read no more of that than programs need; one
that has more is taken to have all that it can have.
"""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from engine.errors import SandboxFault, plain_words

WATCH_BYTES = 208
"""Of one file by one epoll: 203 were measured."""
LISTED_BYTES = 256 * 1024
"""Of all lists: some three thousand files. Node.js has ten."""
EPOLL = "anon_inode:[eventpoll]"
FEW_FILES = 64
"""With room for no more a process can have 12 MB of it, and needs no look."""
MOST_OF_AN_ACCOUNT = Path("/proc/sys/fs/epoll/max_user_watches")


def watched_bytes(process: Path, status: bytes, few: int = 0) -> int:
    """Return what the kernel holds for the epolls of a process; 0 where it has room for a `few` files at most.
    `process`: its folder in /proc, or that of a thread; `status`: what is in its file of that name. Raises OSError once
    it is over. One that hides its files, which a program may, is taken to have all that there is room for.
    """
    if (room := room_for_files(status)) <= few:
        return 0
    watches, left_bytes = 0, LISTED_BYTES
    try:
        for file in (process / "fd").iterdir():
            listed = _list_of(process, file.name, left_bytes)
            watches += listed.count(b"tfd:")
            left_bytes -= len(listed)
            if left_bytes <= 0:
                return most_watched_bytes(room)
    except PermissionError:
        return most_watched_bytes(room)
    return watches * WATCH_BYTES


def room_for_files(status: bytes) -> int:
    """From the `status` of a process or a thread; 0 once it is over."""
    size = re.search(rb"^FDSize:\s+(\d+)", status, re.MULTILINE)
    return int(size[1]) if size else 0


def most_watched_bytes(room: int) -> int:
    watches = (room // 2) ** 2 * room
    with suppress(OSError, ValueError):
        watches = min(watches, int(MOST_OF_AN_ACCOUNT.read_bytes()))
    return watches * WATCH_BYTES


def _list_of(process: Path, number: str, most_bytes: int) -> bytes:
    with suppress(FileNotFoundError, ProcessLookupError):
        if os.readlink(process / "fd" / number) == EPOLL:  # noqa: PTH115 - no path: it begins with its kind
            with (process / "fdinfo" / number).open("rb", buffering=0) as file:
                return file.read(most_bytes)
    return b""


PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
SCHEDSTAT_BYTES = 128
STATUS_BYTES = 4096
MOST_KEPT = 32
"""Of so many threads of a program each file stays open; those of more are opened at each look."""
LOOKS = 2000
"""At a process whose threads had all ended when we came to read them. Mostly one is enough; some hundred were seen."""
STOPPED = b"TtZX"
"""The states of threads that run no more: stopped, traced, or over."""
GONE = (errno.ENOENT, errno.ESRCH, errno.ENODEV)
"""What opening or reading a file says whose process, thread or cgroup is over."""


class Meter(Protocol):
    """What a program has used so far. Each number stays as it was last read once the program is over."""

    def cpu_ns(self) -> int: ...

    def waited_ns(self) -> int:
        """How long its threads were ready to run but did not run, together."""
        ...

    def waits_ns(self) -> Mapping[str, int]:
        """Of each thread, when `waited_ns` was last read."""
        ...

    def is_ready(self) -> bool:
        """Say whether a thread is ready to run: the wait it is in, if it does not run, is not in `waited_ns` yet."""
        ...

    def memory_bytes(self) -> int: ...

    def close(self) -> None: ...


class ThreadFiles:
    """The file of that name of each thread of a process. It stays open, but where there are very many threads."""

    def __init__(self, tasks: str, name: str) -> None:
        self._tasks, self._name = tasks, name
        self._files: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._files)

    def threads(self) -> list[str]:
        return [*self._files]

    def find(self) -> list[str]:
        try:
            with os.scandir(self._tasks) as tasks:
                threads = [task.name for task in tasks if task.name not in self._files]
        except OSError as error:
            require_over(error)
            return []
        for thread in threads:
            self._files[thread] = open_to_read(self._path(thread)) if len(self._files) < MOST_KEPT else -1
        return threads

    def read(self, thread: str) -> bytes:
        """Return b"" for one that is over, and forget it."""
        file, content = self._files[thread], b""
        try:
            content = read_small(self._path(thread), STATUS_BYTES) if file < 0 else os.pread(file, STATUS_BYTES, 0)
        except OSError as error:
            require_over(error)
        if not content:
            close_file(self._files.pop(thread))
        return content

    def close(self) -> None:
        for file in self._files.values():
            close_file(file)
        self._files.clear()

    def _path(self, thread: str) -> str:
        return f"{self._tasks}/{thread}/{self._name}"


class ThreadWaits:
    """The run-queue waits of all threads of one process, summed; those of threads that ended stay in the sum."""

    def __init__(self, tasks: str) -> None:
        self._schedstats = ThreadFiles(tasks, "schedstat")
        self._stats = ThreadFiles(tasks, "stat")
        self._waited_ns: dict[str, int] = {}
        self._past_ns = 0
        self._folder = open_to_read(tasks)

    def waited_ns(self) -> int:
        self._read(self._schedstats.threads())
        if self.count() not in {0, len(self._schedstats)}:
            self._read(self._schedstats.find())
        return self._past_ns + sum(self._waited_ns.values())

    def waits_ns(self) -> Mapping[str, int]:
        return dict(self._waited_ns)

    def is_ready(self) -> bool:
        return self._has_a_ready_one() or (self._may_have_changed() and self._has_a_ready_one())

    def on_their_way(self) -> Iterator[None]:
        """Yield until all threads have stopped, also those that others start meanwhile: each that stops stays so."""
        while True:
            for thread in self._stats.threads():
                while parse_state(self._stats.read(thread)) not in STOPPED:
                    yield
            if not self._may_have_changed():
                return

    def close(self) -> None:
        self._schedstats.close()
        self._stats.close()
        close_file(self._folder)
        self._folder = -1

    def count(self) -> int:
        return count_threads(self._folder)

    def _has_a_ready_one(self) -> bool:
        return any(parse_state(self._stats.read(thread)) == b"R" for thread in self._stats.threads())

    def _may_have_changed(self) -> bool:
        """Say whether there may be threads that were not known, which then are, or known ones that are over."""
        if len(self._stats) == self.count():
            return False
        self._stats.find()
        return True

    def _read(self, threads: Iterable[str]) -> None:
        for thread in threads:
            if numbers := self._schedstats.read(thread).split():
                self._waited_ns[thread] = int(numbers[1])
            else:
                self._past_ns += self._waited_ns.pop(thread, 0)


class ProcessMeter(ThreadWaits):
    def __init__(self, pid: int) -> None:
        """Raises SandboxFault, as all readings do, where it cannot be read."""
        self._clock, self._process = process_clock(pid), Path(f"/proc/{pid}")
        super().__init__(f"{self._process}/task")
        self._memory = self._status = -1
        self._cpu_ns = self._memory_bytes = 0
        try:
            self._memory = open_to_read(f"{self._process}/statm")
            self._status = open_to_read(f"{self._process}/status")
        except SandboxFault:
            self.close()
            raise

    def cpu_ns(self) -> int:
        with suppress(OSError):
            self._cpu_ns = time.clock_gettime_ns(self._clock)
        return self._cpu_ns

    def memory_bytes(self) -> int:
        with suppress(OSError, ValueError):
            if (filled := parse_statm(os.pread(self._memory, SCHEDSTAT_BYTES, 0))) is None:
                self._memory_bytes = filled_bytes(self._process / "task")
            else:
                status = os.pread(self._status, STATUS_BYTES, 0)
                self._memory_bytes = filled + watched_bytes(self._process, status, FEW_FILES)
        return self._memory_bytes

    def close(self) -> None:
        super().close()
        close_file(self._memory)
        close_file(self._status)
        self._memory = self._status = -1


class OwnWaits:
    """The run-queue wait of the calling thread. To be read by the thread that made it."""

    def __init__(self) -> None:
        self._file = open_to_read("/proc/thread-self/schedstat")

    def waited_ns(self) -> int:
        numbers = read_schedstat(self._file)
        return numbers[1] if numbers else 0

    def close(self) -> None:
        close_file(self._file)
        self._file = -1


def process_clock(pid: int) -> int:
    """Return the number of a process' CPU clock, for `time.clock_gettime_ns`; see clock_getcpuclockid(3)."""
    return (~pid << 3) | 2


def read_schedstat(file: int) -> tuple[int, int] | None:
    """How long a thread ran and waited; None where it has ended."""
    try:
        ran, waited, _ = os.pread(file, SCHEDSTAT_BYTES, 0).split()
    except (OSError, ValueError):
        return None
    return int(ran), int(waited)


def filled_bytes(tasks: Path) -> int:
    """Return 0 once it is over. Of a process /proc says what it knows of the first thread. Raises SandboxFault."""
    return read_one_thread(tasks, _filled_bytes_of_thread) or 0


def _filled_bytes_of_thread(thread: Path) -> int | None:
    filled = parse_statm((thread / "statm").read_bytes())
    return None if filled is None else filled + watched_bytes(thread, (thread / "status").read_bytes(), FEW_FILES)


def read_one_thread(tasks: Path, read: Callable[[Path], int | None]) -> int | None:
    """Return what `read` finds in the folder of a live thread; None where none is left. Each may begin the next one and
    end, faster than we look; so the youngest is read first. Raises SandboxFault.
    """
    for _ in range(LOOKS):
        for thread in reversed(threads_of(tasks)):
            with suppress(OSError, ValueError):
                if (value := read(thread)) is not None:
                    return value
        if count_threads(tasks) < 2:
            break
    return None


def count_threads(tasks: Path | int) -> int:
    """With the first one if that is over; 0 once all is. `tasks`: the folder, with two links more, or a descriptor."""
    with suppress(OSError):
        return os.stat(tasks).st_nlink - 2  # noqa: PTH116 - a path knows no descriptors
    return 0


def threads_of(tasks: Path) -> list[Path]:
    try:
        return list(tasks.iterdir())
    except OSError as error:
        require_over(error)
        return []


def parse_statm(statm: bytes) -> int | None:
    """Return the resident bytes that are not a file's, or None for a thread that has ended. Raises ValueError."""
    size, resident, shared = map(int, statm.split()[:3])
    return (resident - shared) * PAGE_BYTES if size else None


def require_over(error: OSError) -> None:
    """Else, with too many open files say, a bot would be charged for what we cannot see."""
    if error.errno not in GONE:
        raise SandboxFault(f"what a bot uses cannot be read: {plain_words(error)}") from error


def state(stat: str) -> bytes:
    return parse_state(read_small(stat, STATUS_BYTES))


def parse_state(stat: bytes) -> bytes:
    return stat.rpartition(b") ")[2][:1]  # its name may hold anything, also brackets


def read_small(path: str, most_bytes: int) -> bytes:
    file = open_to_read(path)
    try:
        return os.read(file, most_bytes) if file >= 0 else b""
    except OSError as error:
        require_over(error)
        return b""
    finally:
        close_file(file)


def open_to_read(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        require_over(error)
        return -1


def close_file(file: int) -> None:
    if file >= 0:
        os.close(file)
