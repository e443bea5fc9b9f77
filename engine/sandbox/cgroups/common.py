"""What both versions of control groups share: what a group does for a box, and reading its files."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Protocol

from engine.boxes import Limits
from engine.errors import SandboxFault, plain_words
from engine.sandbox.usage.meter import ThreadWaits, require_over
from engine.sandbox.usage.standstill import Standstill
from engine.sandbox.watchdog import our_watch


class CgroupMeter:
    """The meter of everything in a group. See `meter.Meter`."""

    def __init__(self, cpu: CpuTime, members: Path, memory: Path) -> None:
        self._cpu = cpu
        self._members = members
        self._memory = memory
        self._waits: dict[str, ThreadWaits] = {}
        self._past_ns = 0

    def cpu_ns(self) -> int:
        """Return the CPU time used by all processes that are or were in the group, in nanoseconds."""
        return self._cpu.read_ns()

    def waited_ns(self) -> int:
        """Return how long all of their threads were ready to run but did not run, together, in nanoseconds."""
        members = self._find_members()
        now_ns = self._past_ns + sum(waits.waited_ns() for waits in self._waits.values())
        for pid in self._waits.keys() - set(members):
            self._let_go_of(pid)
        return now_ns

    def waits_ns(self) -> Mapping[str, int]:
        """Return what each thread had waited when it was last read."""
        return {
            f"{pid}/{thread}": wait_ns
            for pid, waits in self._waits.items()
            for thread, wait_ns in waits.waits_ns().items()
        }

    def is_ready(self) -> bool:
        """Say whether a thread of a process in the group is ready to run, or runs."""
        self._find_members()
        return any(waits.one_is_ready() for waits in self._waits.values())

    def memory_bytes(self) -> int:
        """Return the memory that is charged to the group."""
        return int(read_unless_over(self._memory) or 0)

    def close(self) -> None:
        """Let go of what the meter holds. Safe to call again."""
        for pid in tuple(self._waits):
            self._let_go_of(pid)

    def _find_members(self) -> list[str]:
        """Open what there is to read of new processes, and return all that there are."""
        members = read_unless_over(self._members).split()
        for pid in members:
            if pid not in self._waits:
                self._waits[pid] = ThreadWaits(f"/proc/{pid}/task")
        return members

    def _let_go_of(self, pid: str) -> None:
        """Close what is open of a process, whose waits stay in the sum."""
        waits = self._waits.pop(pid)
        self._past_ns += waits.waited_ns()
        waits.close()


MEGABYTE = 1024 * 1024
PAUSE_S = 0.001

PATIENCE_S = 5.0


class CpuTime:
    """The CPU time of a group, from a file that holds one number, or one number after a word."""

    def __init__(self, file: Path, unit_ns: int, word: str = "") -> None:
        self._file = file
        self._unit_ns = unit_ns
        self._word = word
        self.last_ns = 0

    def read_ns(self) -> int:
        """Return it in nanoseconds; the last one once the group is gone."""
        text = read_unless_over(self._file)
        if text:
            self.last_ns = number_after(self._word, text) * self._unit_ns
        return self.last_ns


def number_after(word: str, text: str) -> int:
    """Return the number in the line that begins with `word`; without a word the first number."""
    for line in text.splitlines():
        name, _, value = line.rpartition(" ")
        if name == word:
            return int(value)
    return 0


def read_unless_over(file: Path) -> str:
    """Return what a group's file says; nothing once the group is gone. Raises SandboxFault."""
    try:
        return file.read_text()
    except OSError as error:
        require_over(error)
        return ""


def wait_until(condition: Callable[[], bool], failure: str) -> None:
    """Look again and again until it holds. Raises SandboxFault with `failure` where it does not for long."""
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            raise SandboxFault(f"{failure} within {PATIENCE_S:.0f} s")
        time.sleep(PAUSE_S)


@contextmanager
def our_fault() -> Iterator[None]:
    """Turn trouble with the groups' files into a SandboxFault: it is no bot's fault."""
    try:
        yield
    except OSError as error:
        raise SandboxFault(f"a cgroup cannot be used: {plain_words(error)}") from error


def mounts(kind: str) -> list[tuple[Path, set[str]]]:
    """Return where file systems of that kind are mounted, each with its options."""
    rows = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    return [(Path(row[1]), set(row[3].split(","))) for row in rows if row[2] == kind]


def own_group(hierarchy: str | None, kind: str, mounted: list[tuple[Path, set[str]]]) -> Path:
    """Return the folder of the group that we are in, in the tree with that number or of that kind of resource.

    In a container the mount may begin at our own group; then that is where it is. Raises SandboxFault.
    """
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        number, kinds, path = line.split(":", 2)
        if number == hierarchy or (hierarchy is None and kind in kinds.split(",")):
            for mount, options in mounted:
                if not kind or kind in options:
                    own = mount / path.lstrip("/")
                    return own if own.is_dir() else mount
    raise SandboxFault(f"there is no cgroup tree for {kind or 'version 2'}")


FIRST_TASK = 1
"""Room for the process that becomes the program, besides the threads that it may have."""


class Cgroup(Protocol):
    """One group, made for one box."""

    def entered(self) -> AbstractContextManager[None]:
        """Have what this thread starts meanwhile be in the group, where the kernel can do that. Raises SandboxFault."""
        ...

    def add(self, pid: int) -> None:
        """See to it that a process is in the group, with all that it will start. Raises SandboxFault."""
        ...

    def freeze(self) -> None:
        """Stop everything in the group; returns when all of it stands still."""
        ...

    def thaw(self) -> None:
        """Let everything go on."""
        ...

    def meter(self) -> CgroupMeter:
        """Return what measures the group."""
        ...

    def ran_out_of_memory(self) -> bool:
        """Say whether the kernel ended something in the group for its memory limit."""
        ...

    def remove(self) -> None:
        """Take the group away; what is still in it is killed. Safe to call again."""
        ...


class CgroupMaker(Protocol):
    """Makes groups of one kind."""

    title: str

    def make(self, limits: Limits, *, forks: bool) -> Cgroup:
        """Make a group with these limits; without `forks` it may lack what only several processes need.

        Raises SandboxFault.
        """
        ...


def names_of_groups() -> Iterator[str]:
    """Yield names for this process's groups; they bear the mark by which the watchdog knows them."""
    return (f"{our_watch().mark}-{number}" for number in itertools.count(1))


def remove_group(folder: Path) -> None:
    """Remove a group's folder, waiting until what was killed in it has gone. Raises SandboxFault where it stays."""

    def removed() -> bool:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return True
        except OSError:
            return False
        return True

    wait_until(removed, f"the cgroup {folder} cannot be removed")


def await_frozen(is_frozen: Callable[[], bool], meter: CgroupMeter) -> None:
    """Wait until a group stands still. Raises StillRunning if it goes on for long, HostBusy if it gets no core."""
    standstill = Standstill(meter.cpu_ns)
    with closing(meter):
        while not is_frozen():
            standstill.require_soon(meter.is_ready)
            time.sleep(PAUSE_S)


@contextmanager
def removed_if_unfinished(group: Cgroup) -> Iterator[None]:
    """Leave nothing of a group behind that cannot be made whole."""
    try:
        yield
    except BaseException:
        group.remove()
        raise
