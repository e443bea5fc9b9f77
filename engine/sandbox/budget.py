"""What a program that may start others is charged, and when that is too much: for builds.

How this works. As in a turn of a match, computing and sleeping are charged, waiting for a busy host is not: the wall
time without the waits of all threads. Several that wait at once may have waited for longer than time has passed; so the
CPU time of all processes, and the time that their core was idle meanwhile, is charged at least. Memory is that of all
processes together, with what the kernel holds for them. A process about to become another program shows its parent's
memory for a moment, so only what several looks in a row find counts. A program that uses up all patience without having
been charged too much is the victim of a busy host, unless it started more processes than could be watched.

Programs of ours with little to do in their boxes (`await_soon`) are charged the smaller of two, as they cheat nobody:
computing and an idle core, or the time without their waits.

How all that a program starts is measured. It is the first process of its namespace, so what it starts is below it in
the kernel's tree, which we walk: a process whose parent ends becomes a child of the first one. A process that has ended
is in its parent's account, if that waited for it, else in ours, as we saw it last; neither sum is more than was used,
so the larger counts. A wait is in the kernel's account only when it has ended, so one that lasts from look to look is
added by us. What starts and ends unwaited for between two looks is in neither; but the numbers of processes in the
namespace show how many there were.

The kernel holds memory that no limit of a process counts: tables of pages, what waits in sockets and pipes, what epolls
keep for each file, notes on mappings. One process has little of it, sixty have gigabytes. So page tables and watched
files count as they are, the rest as if there was as much as there can be. Mappings are counted where a process is large
enough to have many, up to some ten thousand, more than compilers have: beyond, it is taken to have all that it can
have.

Each box has a network namespace, of which the kernel counts the sockets, those on their way between processes included,
but not how much waits in one. So each is taken to be full: it holds up to twice its buffer, as the last message may be
as large as that.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

from engine.boxes import MEGABYTE
from engine.errors import MachineBusy, SandboxFault
from engine.immutable import immutable
from engine.sandbox.box import readable
from engine.sandbox.meter import (
    PAGE_BYTES,
    WATCH_BYTES,
    close_file,
    open_to_read,
    read_one_thread,
    require_over,
    room_for_files,
    threads_of,
    watched_bytes,
)
from engine.sandbox.standstill import idle_ns

USUAL_BUFFER_BYTES = 212_992
BUFFER_SETTING = Path("/proc/sys/net/core/wmem_default")
COUNT = "net/sockstat"
COUNT_BYTES = 64
"""Enough of the file for its first line, which has the number."""


class Sockets:
    """The sockets of the box that a process is in; none where it has no network namespace of its own."""

    def __init__(self, pid: int) -> None:
        """Open the kernel's count, which stays readable whatever that process does. Raises SandboxFault."""
        self._file = open_to_read(f"/proc/{pid}/{COUNT}")
        if self._file >= 0 and os.path.samestat(os.fstat(self._file), Path(f"/proc/self/{COUNT}").stat()):
            self.close()  # it is ours, as each namespace has a file of its own

    def most_bytes(self) -> int:
        if self._file < 0:
            return 0
        try:
            return parse_sockets(os.pread(self._file, COUNT_BYTES, 0)) * most_in_one()
        except OSError as error:
            require_over(error)
            return 0

    def close(self) -> None:
        close_file(self._file)
        self._file = -1


def parse_sockets(sockstat: bytes) -> int:
    count = re.match(rb"sockets: used (\d+)", sockstat)
    return int(count[1]) if count else 0


@cache
def most_in_one() -> int:
    """In bytes."""
    buffer_bytes = USUAL_BUFFER_BYTES
    with suppress(OSError, ValueError):  # a container may not see the setting
        buffer_bytes = int(BUFFER_SETTING.read_text())
    return 2 * buffer_bytes


KILOBYTE = 1024
FILE_BYTES = 5 * KILOBYTE
"""Half of a pipe, as the kernel makes them for an account that has many: two pages, and its own notes."""
MAPPING_BYTES = 272
"""The kernel's notes on one mapping; 17 MB were measured for 65,530."""
FEW_MAPPINGS = 4096
"""Not worth counting: a megabyte."""
MAPS_BYTES = 1024 * KILOBYTE
"""Of a list of mappings no more is read: some ten thousand lines."""
MOST_MAPPINGS = Path("/proc/sys/vm/max_map_count")
TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@immutable
class ThreadTimes:
    """What one thread ran and waited for a core, in nanoseconds. `waiting_ns`: of a wait that has not ended yet."""

    ran_ns: int
    waited_ns: int
    waiting_ns: int = 0


class Family:
    """A program in a box and all that it started, as of the last `look`. `cpu_s`: the CPU time that they used.
    `memory_bytes`: what they have filled, and what the kernel may hold for them; what two processes share counts twice.
    `started`: how many there have been at least.
    """

    def __init__(self, pid: int) -> None:
        self._first, self._sockets = pid, Sockets(pid)
        self._cpu_ticks: dict[tuple[int, int], int] = {}
        self._threads: dict[Path, ThreadTimes] = {}
        self._looked_ns = time.monotonic_ns()
        self.cpu_s = 0.0
        self.memory_bytes = 0
        self.started = 1

    @property
    def waited_s(self) -> float:
        return sum(times.waited_ns + times.waiting_ns for times in self._threads.values()) / 1e9

    def look(self) -> None:
        living_ticks = 0
        self.memory_bytes = self._sockets.most_bytes()
        since_ns, self._looked_ns = self._looked_ns, time.monotonic_ns()
        for pid in self._pids(self._looked_ns - since_ns):
            self.memory_bytes += held_bytes(pid)
            with suppress(OSError, ValueError):
                began, own, of_children = cpu_ticks(Path(f"/proc/{pid}/stat").read_bytes())
                living_ticks += own + of_children
                self._cpu_ticks[pid, began] = own
                self.started = max(self.started, own_number(Path(f"/proc/{pid}/status").read_bytes()))
        self.cpu_s = max(self.cpu_s, living_ticks / TICKS_PER_S, sum(self._cpu_ticks.values()) / TICKS_PER_S)

    def close(self) -> None:
        self._sockets.close()

    def _pids(self, since_ns: int) -> Iterator[int]:
        """Give the first process and all below it, with their threads looked at. Raises SandboxFault."""
        waiting = [self._first]
        while waiting:
            pid = waiting.pop()
            yield pid
            for task in threads_of(tasks_of(pid)):
                with suppress(OSError, ValueError):
                    self._threads[task] = look_at(task, self._threads.get(task), since_ns)
                    waiting += map(int, (task / "children").read_bytes().split())


def look_at(task: Path, before: ThreadTimes | None, since_ns: int) -> ThreadTimes:
    """`since_ns` after `before`. Raises OSError, ValueError where it is over."""
    ran_ns, waited_ns, _ = map(int, (task / "schedstat").read_bytes().split())
    if before is None or (before.ran_ns, before.waited_ns) != (ran_ns, waited_ns):
        return ThreadTimes(ran_ns, waited_ns)
    is_ready = (task / "stat").read_bytes().rpartition(b") ")[2].startswith(b"R")
    return ThreadTimes(ran_ns, waited_ns, before.waiting_ns + since_ns if is_ready else 0)


def held_bytes(pid: int) -> int:
    """With what the kernel may hold for it without sockets; 0 once it is over. Raises SandboxFault."""
    return read_one_thread(tasks_of(pid), held_bytes_of_thread) or 0


def held_bytes_of_thread(thread: Path) -> int:
    status = (thread / "status").read_bytes()
    mappings = count_mappings(thread, most_mappings(status))
    return parse_held(status) + MAPPING_BYTES * mappings + watched_bytes(thread, status)


def most_mappings(status: bytes) -> int:
    """Return how many mappings a process can have at most that is as large as its `status` says; 0 without a size."""
    size = re.search(rb"^VmSize:\s+(\d+)", status, re.MULTILINE)
    return int(size[1]) * KILOBYTE // PAGE_BYTES if size else 0


def count_mappings(thread: Path, most: int) -> int:
    """Return how many mappings a process has, where it may have `most`; and all of these if it does not show them."""
    if most <= FEW_MAPPINGS:
        return most
    with suppress(OSError, ValueError):
        most = min(most, int(MOST_MAPPINGS.read_bytes()))
    with suppress(OSError), (thread / "maps").open("rb") as maps:
        listed = maps.read(MAPS_BYTES)
        return listed.count(b"\n") if 0 < len(listed) < MAPS_BYTES else most
    return most


def tasks_of(pid: int) -> Path:
    return Path(f"/proc/{pid}/task")


def parse_held(status: bytes) -> int:
    """Return the bytes of memory, page tables and files in a thread's `status`. Raises ValueError once it is over."""
    facts = dict(re.findall(rb"^(RssAnon|VmPTE):\s+(\d+)", status, re.MULTILINE))
    if b"RssAnon" not in facts:
        raise ValueError("a status without memory")
    return (int(facts[b"RssAnon"]) + int(facts[b"VmPTE"])) * KILOBYTE + most_in_files(room_for_files(status))


def most_in_files(room: int) -> int:
    """Return what the kernel holds at most, in bytes, for this many open files of one process, sockets left out. It is
    most where all of them are pipes, or where one half are epolls that watch the other half, each file once. What they
    watch beyond that is counted.
    """
    return room * FILE_BYTES + (room // 2) ** 2 * WATCH_BYTES


def cpu_ticks(stat: bytes) -> tuple[int, int, int]:
    """When a process began, its CPU time, and that of children it has waited for: see proc(5). Raises ValueError."""
    numbers = stat.rpartition(b") ")[2].split()  # its name may hold anything, also brackets
    user, system, children_user, children_system = map(int, numbers[11:15])
    return int(numbers[19]), user + system, children_user + children_system


def own_number(status: bytes) -> int:
    if (numbers := re.search(rb"^NSpid:.*\s(\d+)$", status, re.MULTILINE)) is None:
        raise ValueError("a status without NSpid")
    return int(numbers[1])


LOOKS_IN_A_ROW = 3
LOOK_EVERY_S = 0.05
PATIENCE_S = 10.0
"""What a program of ours that has little to do may be charged..."""
WIDE_PATIENCE_S = 60.0
"""... and how long it may take where it gets no core."""
TOO_BUSY = "this machine is too busy to try its sandbox"


@immutable
class Budget:
    """What a program and all that it starts may use together: seconds that they are charged, and memory."""

    seconds: float
    memory_mb: int


class BudgetUse:
    """What one program has used of its budget, from now on. It runs on the cores that the calling thread may use."""

    def __init__(self, budget: Budget, pid: int) -> None:
        self._budget, self._family = budget, Family(pid)
        self._cores = os.sched_getaffinity(0)
        self._idle_before_s, self._began_s = self._idle_s(), time.monotonic()
        self._looks_over_memory = 0

    def look(self) -> None:
        self._family.look()
        is_over = self._family.memory_bytes > self._budget.memory_mb * MEGABYTE
        self._looks_over_memory = self._looks_over_memory + 1 if is_over else 0

    def is_out_of_memory(self) -> bool:
        return self._looks_over_memory >= LOOKS_IN_A_ROW

    def is_out_of_time(self) -> bool:
        return self.charged_s() > self._budget.seconds

    def may_be_out_of_time(self) -> bool:
        return self.charged_s() + self._family.started * LOOK_EVERY_S > self._budget.seconds

    def close(self) -> None:
        self._family.close()

    def proven_s(self) -> float:
        """Return for how long it surely computed or slept, in seconds: no account of the kernel says that it waited."""
        wall_s, cpu_s = self.wall_s(), self._family.cpu_s
        idle = (self._idle_s() - self._idle_before_s) / len(self._cores)
        return min(cpu_s + idle, max(cpu_s, wall_s - self._family.waited_s))

    def wall_s(self) -> float:
        return time.monotonic() - self._began_s

    def share(self) -> float:
        return self._family.cpu_s / self.wall_s()

    def charged_s(self) -> float:
        wall_s = self.wall_s()
        least_s = self._family.cpu_s + self._idle_s() - self._idle_before_s
        return min(wall_s, max(least_s, wall_s - self._family.waited_s))

    def _idle_s(self) -> float:
        return idle_ns(self._cores)[0] / 1e9


def await_readable(pid: int, complaint: str, *descriptors: int) -> None:
    """Wait until one of these can be read. Raises as `await_soon`."""
    await_soon(lambda timeout_s: readable(timeout_s, *descriptors), pid, complaint)


def await_soon(is_there: Callable[[float], bool], pid: int, complaint: str) -> None:
    """`is_there`: says so, after this many seconds at the latest; `pid`: of the program that brings it about. Raises
    SandboxFault with the complaint where that has computed or slept for PATIENCE_S; MachineBusy after WIDE_PATIENCE_S.
    """
    if is_there(LOOK_EVERY_S):
        return
    with closing(BudgetUse(Budget(PATIENCE_S, 0), pid)) as account:
        while not is_there(LOOK_EVERY_S):
            account.look()
            if account.proven_s() > PATIENCE_S:
                raise SandboxFault(complaint)
            if account.wall_s() > WIDE_PATIENCE_S:
                raise MachineBusy(f"{TOO_BUSY} (it got {100 * account.share():.0f} % of a core)")
