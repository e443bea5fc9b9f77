"""How much a running program has used: CPU time, waits for a CPU, memory. Read from outside, while it runs.

How this works. The CPU time of a whole process, all threads together, is one call: Linux gives every process a clock,
and the clock's number follows from its pid. It is exact to the microsecond and readable across namespaces. How long a
thread was ready to run but did not get a CPU (its *run-queue wait*) is the second number in its `schedstat`; the wait
of a process is the sum over its threads. Those files are kept open and read again: half a microsecond each.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Protocol

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
SCHEDSTAT_BYTES = 128


class Meter(Protocol):
    """What a program has used so far. Each number stays as it was last read once the program is over."""

    def cpu_ns(self) -> int:
        """Return the CPU time used, by all threads, in nanoseconds."""
        ...

    def waited_ns(self) -> int:
        """Return how long its threads were ready to run but did not run, together, in nanoseconds."""
        ...

    def memory_bytes(self) -> int:
        """Return the memory in use that counts against the limit."""
        ...

    def close(self) -> None:
        """Let go of what the meter holds. Safe to call again."""
        ...


class ProcessMeter:
    """The meter of one process and its threads."""

    def __init__(self, pid: int) -> None:
        self._clock = process_clock(pid)
        self._folder = f"/proc/{pid}"
        self._threads = ThreadWaits(f"{self._folder}/task")
        self._memory = _open(f"{self._folder}/statm")
        self._cpu_ns = 0
        self._memory_bytes = 0

    def cpu_ns(self) -> int:
        """Return the CPU time used, by all threads, in nanoseconds."""
        with suppress(OSError):
            self._cpu_ns = time.clock_gettime_ns(self._clock)
        return self._cpu_ns

    def waited_ns(self) -> int:
        """Return how long its threads were ready to run but did not run, together, in nanoseconds."""
        return self._threads.waited_ns()

    def memory_bytes(self) -> int:
        """Return the resident memory that is not a file's: what the program itself has filled."""
        with suppress(OSError, ValueError):
            _, resident, shared = os.pread(self._memory, SCHEDSTAT_BYTES, 0).split()[:3]
            self._memory_bytes = (int(resident) - int(shared)) * PAGE_BYTES
        return self._memory_bytes

    def close(self) -> None:
        """Close the files. Safe to call again."""
        self._threads.close()
        _close(self._memory)
        self._memory = -1


class ThreadWaits:
    """The run-queue waits of all threads of one process, summed; those of threads that ended stay in the sum."""

    def __init__(self, tasks: str) -> None:
        self._tasks = tasks
        self._files: dict[str, int] = {}
        self._waited_ns: dict[str, int] = {}
        self._folder = _open(tasks)
        self._one_ended = False

    def waited_ns(self) -> int:
        """Read again and return the sum."""
        if self._one_ended or self._count_changed():
            self._find_threads()
        for thread, file in self._files.items():
            wait_ns = read_wait_ns(file)
            if wait_ns is None:
                self._one_ended = True
            else:
                self._waited_ns[thread] = wait_ns
        return sum(self._waited_ns.values())

    def close(self) -> None:
        """Close the files."""
        for file in (*self._files.values(), self._folder):
            _close(file)
        self._files.clear()
        self._folder = -1

    def _count_changed(self) -> bool:
        """Say whether the number of threads is another one: it is the folder's number of links, less two."""
        with suppress(OSError):
            return os.fstat(self._folder).st_nlink - 2 != len(self._files)
        return False

    def _find_threads(self) -> None:
        """Open the files of new threads and close those of threads that ended."""
        self._one_ended = False
        try:
            threads = {path.name for path in Path(self._tasks).iterdir()}
        except OSError:
            return
        for ended in self._files.keys() - threads:
            _close(self._files.pop(ended))
        for thread in threads:
            if thread not in self._files:
                file = _open(f"{self._tasks}/{thread}/schedstat")
                if file >= 0:
                    self._files[thread] = file


class OwnWaits:
    """The run-queue wait of the calling thread. To be read by the thread that made it."""

    def __init__(self) -> None:
        self._file = _open("/proc/thread-self/schedstat")

    def waited_ns(self) -> int:
        """Return how long this thread was ready to run but did not run, in nanoseconds."""
        return read_wait_ns(self._file) or 0

    def close(self) -> None:
        """Close the file. Safe to call again."""
        _close(self._file)
        self._file = -1


def process_clock(pid: int) -> int:
    """Return the number of a process' CPU clock, for `time.clock_gettime_ns`; see clock_getcpuclockid(3)."""
    return (~pid << 3) | 2


def read_wait_ns(file: int) -> int | None:
    """Return the run-queue wait that an open `schedstat` tells, or None where its thread has ended."""
    with suppress(OSError, ValueError):
        return int(os.pread(file, SCHEDSTAT_BYTES, 0).split()[1])
    return None


def _open(path: str) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def _close(file: int) -> None:
    if file >= 0:
        os.close(file)
