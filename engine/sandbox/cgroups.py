"""Control groups: the kernel's own account of a box as a whole, however many processes it has.

A group limits memory and processes, freezes and measures all that is in a box together. Linux has two kinds: version 2,
one tree, which systemd hands to ordinary users (`Delegate=yes`); and version 1, one tree per kind of resource, for
root. See the kernel's admin-guide/cgroup-v2.rst and admin-guide/cgroup-v1/.

How this works. In version 2 we are somewhere in a tree that others rule, and part of it may have been handed to us:
systemd marks such a group, or names it when asked, and in a container it is where the tree begins. Boxes get their
groups right below it. The kernel limits groups below one only where that one holds no process itself, so whatever is in
it, all of it ours, moves aside into one more group. A group that was not handed over is used only where we are alone in
it.
"""

from __future__ import annotations

import errno
import itertools
import os
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import ClassVar

from engine.boxes import MEGABYTE, Limits
from engine.errors import SandboxFault, plain_words
from engine.machine import patience_s
from engine.sandbox.meter import ThreadWaits, require_over
from engine.sandbox.standstill import Standstill
from engine.sandbox.watchdog import our_watch


class CgroupMeter:
    """Of everything in a group, also of processes that were in it."""

    def __init__(self, members: Path, memory: Path, cpu: Path, cpu_unit_ns: int, cpu_word: str) -> None:
        """`members`, `memory`, `cpu`: files. `cpu_word`: with which the line of `cpu` begins that says the time."""
        self._members, self._memory, self._cpu = members, memory, cpu
        self._cpu_unit_ns, self._cpu_word = cpu_unit_ns, cpu_word
        self._cpu_ns = 0
        self._waits: dict[str, ThreadWaits] = {}
        self._past_ns = 0

    def cpu_ns(self) -> int:
        if text := read_unless_over(self._cpu):
            self._cpu_ns = number_after(self._cpu_word, text) * self._cpu_unit_ns
        return self._cpu_ns

    def waited_ns(self) -> int:
        members = self._find_members()
        now_ns = self._past_ns + sum(waits.waited_ns() for waits in self._waits.values())
        for pid in self._waits.keys() - set(members):
            self._let_go_of(pid)
        return now_ns

    def waits_ns(self) -> Mapping[str, int]:
        every = ((pid, *wait) for pid, waits in self._waits.items() for wait in waits.waits_ns().items())
        return {f"{pid}/{thread}": wait_ns for pid, thread, wait_ns in every}

    def is_ready(self) -> bool:
        self._find_members()
        return any(waits.is_ready() for waits in self._waits.values())

    def memory_bytes(self) -> int:
        return int(read_unless_over(self._memory) or 0)

    def close(self) -> None:
        for pid in tuple(self._waits):
            self._let_go_of(pid)

    def _find_members(self) -> list[str]:
        members = read_unless_over(self._members).split()
        for pid in members:
            if pid not in self._waits:
                self._waits[pid] = ThreadWaits(f"/proc/{pid}/task")
        return members

    def _let_go_of(self, pid: str) -> None:
        waits = self._waits.pop(pid)
        self._past_ns += waits.waited_ns()
        waits.close()


PAUSE_S = 0.001

PATIENCE_S = 5.0


def number_after(word: str, text: str) -> int:
    """Return the number in the line that begins with `word`; without a word the first number."""
    for line in text.splitlines():
        name, _, value = line.rpartition(" ")
        if name == word:
            return int(value)
    return 0


def read_unless_over(file: Path) -> str:
    try:
        return file.read_text()
    except OSError as error:
        require_over(error)
        return ""


@contextmanager
def our_fault() -> Iterator[None]:
    """Turn trouble with the groups' files into a SandboxFault: it is not a bot's fault."""
    try:
        yield
    except OSError as error:
        raise SandboxFault(f"a cgroup cannot be used: {plain_words(error)}") from error


def mounts(kind: str) -> list[tuple[Path, set[str]]]:
    rows = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    return [(Path(row[1]), set(row[3].split(","))) for row in rows if row[2] == kind]


def own_group(kind: str, mounted: list[tuple[Path, set[str]]]) -> Path:
    """Of the tree of that kind, "" for version 2; in a container the mount may begin at it. Raises SandboxFault."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, kinds, path = line.split(":", 2)
        if kind in kinds.split(","):
            for mount, options in mounted:
                if not kind or kind in options:
                    group = mount / path.lstrip("/")
                    return group if group.is_dir() else mount
    raise SandboxFault(f"there is no cgroup tree for {kind or 'version 2'}")


def remove_group(folder: Path) -> None:
    """Wait until what was killed in it has gone. Raises SandboxFault where it stays."""
    began_s = time.monotonic()
    while folder.exists():
        with suppress(OSError):
            folder.rmdir()
            return
        limit_s = patience_s(PATIENCE_S)  # what was killed needs a core to end
        if time.monotonic() > began_s + limit_s:
            raise SandboxFault(f"the cgroup {folder} cannot be removed within {limit_s:.0f} s")
        time.sleep(PAUSE_S)


FIRST_TASK = 1
"""Room for the process that becomes the program, besides the threads that it may have."""
MONITOR_TASK = 1
"""In groups of version 1 also for the box's monitor, which is started in them and stays."""
KINDS = ("memory", "pids", "freezer", "cpuacct")
KINDS_FOR_ONE = ("memory", "pids")
"""What a box needs in which no process can be started: freezing and measuring one process alone takes no group."""


class Cgroup:
    """The group of one box. What differs from version to version: names of files, and what stands in them. `STATE` of a
    frozen group has the line `FROZEN`. `SWAP_HAS_MEMORY`: its limit is on both together. `TASKS`: how many there may be
    besides the program's threads.
    """

    MOST_MEMORY: ClassVar[str]
    MOST_SWAP: ClassVar[str]
    SWAP_HAS_MEMORY: ClassVar[bool]
    MEMORY: ClassVar[str]
    OUT_OF_MEMORY: ClassVar[str]
    CPU: ClassVar[str]
    CPU_UNIT_NS: ClassVar[int]
    CPU_WORD: ClassVar[str]
    FREEZER: ClassVar[str]
    FREEZE: ClassVar[str]
    THAW: ClassVar[str]
    STATE: ClassVar[str]
    FROZEN: ClassVar[str]
    TASKS: ClassVar[int]

    def __init__(self, name: str, roots: Mapping[str, Path], limits: Limits) -> None:
        """`roots`: where it is made, by the kinds of resources; in version 2 all are one. Raises SandboxFault."""
        self._roots = roots
        self._folders = {kind: root / name for kind, root in roots.items()}
        memory = self._folders["memory"]
        memory_bytes = limits.memory_mb * MEGABYTE
        with our_fault():
            try:
                for folder in dict.fromkeys(self._folders.values()):
                    folder.mkdir()
                (memory / self.MOST_MEMORY).write_text(str(memory_bytes))
                with suppress(OSError):  # where the kernel does not count swap
                    (memory / self.MOST_SWAP).write_text(str(memory_bytes if self.SWAP_HAS_MEMORY else 0))
                (self._folders["pids"] / "pids.max").write_text(str(limits.threads + self.TASKS))
            except BaseException:  # leave nothing of it behind
                self.remove()
                raise

    def entering(self) -> AbstractContextManager[None]:
        """Have what this thread starts meanwhile be in the group, where the kernel can do that. Raises SandboxFault."""
        return nullcontext()

    def add(self, pid: int) -> None: ...

    def freeze(self) -> None:
        """Stop everything in the group; return when it stands still. Raises StillRunning, HostBusy, SandboxFault."""
        folder = self._folders["freezer"]
        (folder / self.FREEZER).write_text(self.FREEZE)
        with closing(self.meter()) as meter:
            standstill = Standstill(meter)
            while self.FROZEN not in (folder / self.STATE).read_text().splitlines():
                standstill.require_soon()
                time.sleep(PAUSE_S)

    def thaw(self) -> None:
        if "freezer" in self._folders:
            with suppress(FileNotFoundError):
                (self._folders["freezer"] / self.FREEZER).write_text(self.THAW)

    def meter(self) -> CgroupMeter:
        computing, memory = self._folders["cpuacct"], self._folders["memory"]
        members, cpu = computing / "cgroup.procs", computing / self.CPU
        return CgroupMeter(members, memory / self.MEMORY, cpu, self.CPU_UNIT_NS, self.CPU_WORD)

    def ran_out_of_memory(self) -> bool:
        try:
            return number_after("oom_kill", (self._folders["memory"] / self.OUT_OF_MEMORY).read_text()) > 0
        except OSError:
            return False

    def remove(self) -> None:
        for folder in dict.fromkeys(self._folders.values()):
            remove_group(folder)


class V2Group(Cgroup):
    """A group of version 2. That moves whole processes only, so `add` does it."""

    MOST_MEMORY = "memory.max"
    MOST_SWAP = "memory.swap.max"
    SWAP_HAS_MEMORY = False
    MEMORY = "memory.current"
    OUT_OF_MEMORY = "memory.events"
    CPU = "cpu.stat"
    CPU_UNIT_NS = 1000
    CPU_WORD = "usage_usec"
    FREEZER = "cgroup.freeze"
    FREEZE, THAW = "1", "0"
    STATE = "cgroup.events"
    FROZEN = "frozen 1"
    TASKS = FIRST_TASK

    def add(self, pid: int) -> None:
        with our_fault(), suppress(ProcessLookupError):
            (self._folders["pids"] / "cgroup.procs").write_text(str(pid))

    def remove(self) -> None:
        with suppress(OSError):
            (self._folders["pids"] / "cgroup.kill").write_text("1")
        super().remove()


class V1Group(Cgroup):
    """A group of version 1. What was started while we were `entering` is in it."""

    MOST_MEMORY = "memory.limit_in_bytes"
    MOST_SWAP = "memory.memsw.limit_in_bytes"
    SWAP_HAS_MEMORY = True
    MEMORY = "memory.usage_in_bytes"
    OUT_OF_MEMORY = "memory.oom_control"
    CPU = "cpuacct.usage"
    CPU_UNIT_NS = 1
    CPU_WORD = ""
    FREEZER = STATE = "freezer.state"
    FREEZE = FROZEN = "FROZEN"
    THAW = "THAWED"
    TASKS = FIRST_TASK + MONITOR_TASK

    @contextmanager
    def entering(self) -> Iterator[None]:
        try:
            move_this_thread(self._folders.values())
            yield
        finally:
            move_this_thread(self._roots.values())

    def remove(self) -> None:
        """What is frozen in version 1 cannot be killed."""
        self.thaw()
        super().remove()


class CgroupMaker:
    """Makes groups of one version. `roots`: our own, by the kinds of resources."""

    def __init__(self, version: type[Cgroup], roots: Mapping[str, Path]) -> None:
        self._version, self._roots = version, roots
        self._numbers = itertools.count(1)

    def make(self, limits: Limits, *, forks: bool) -> Cgroup:
        """Without `forks` the group lacks what only several processes need. Raises SandboxFault."""
        watch = our_watch()
        watch.also_empty(self._roots.values())
        roots = {kind: self._roots[kind] for kind in (KINDS if forks else KINDS_FOR_ONE)}
        return self._version(f"{watch.mark}-{next(self._numbers)}", roots, limits)


V2_CONTROLLERS = ("memory", "pids")
WORKERS_GROUP = "ladder-worker"
HANDED_OVER = ("user.delegate", "trusted.delegate")
"""How the systemd of the machine marks a group that it handed over, while a user's own systemd does not mark it. Only
root can see the second one; the first has come later."""
SYSTEMD_PATIENCE_S = 5
TRIES = 10
"""Of moving aside: processes that start meanwhile come to be where those are that started them."""


def v2_root() -> Path:
    """The controllers we need are handed on to the groups below. Raises SandboxFault or OSError where there is none."""
    root = group_for_us(own_group("", mounts("cgroup2")))
    missing = set(V2_CONTROLLERS) - set((root / "cgroup.controllers").read_text().split())
    if missing:
        raise SandboxFault(f"version 2 at {root} lacks {' and '.join(sorted(missing))}")
    if not os.access(root, os.W_OK):
        raise SandboxFault(f"version 2 may not be written to at {root}")
    for _ in range(TRIES):
        try:
            (root / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in V2_CONTROLLERS))
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            move_aside(root)
        else:
            return root
    raise SandboxFault(f"there are processes in {root} that cannot be moved")


def group_for_us(group: Path) -> Path:
    """Ours, or the one above where we have been moved aside, by whomever."""
    for candidate in (group, group.parent):
        if is_handed_over(candidate):
            return candidate
    return group.parent if group.name == WORKERS_GROUP else group


def is_handed_over(group: Path) -> bool:
    """Say whether all that is in a group is ours: systemd says so, or the tree begins with it, as in a container."""
    for mark in HANDED_OVER:
        with suppress(OSError):
            if os.getxattr(group, mark) == b"1":
                return True
    return group.is_mount()


def is_handed_over_by_users_systemd(group: Path) -> bool:
    command = ["systemctl", "--user", "show", "--property=Delegate", "--value", "--", group.name]
    with suppress(OSError, subprocess.TimeoutExpired):
        systemctl = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SYSTEMD_PATIENCE_S)
        return systemctl.stdout.strip() == "yes"
    return False


def move_aside(root: Path) -> None:
    pids = (root / "cgroup.procs").read_text().split()
    if set(pids) - {str(os.getpid())} and not (is_handed_over(root) or is_handed_over_by_users_systemd(root)):
        raise SandboxFault(f"version 2 at {root} was not handed to us, and other processes are in it")
    aside = root / WORKERS_GROUP
    aside.mkdir(exist_ok=True)
    for pid in pids:
        with suppress(ProcessLookupError):  # it has ended
            (aside / "cgroup.procs").write_text(pid)


def v1_roots() -> dict[str, Path]:
    """Return our own group in each tree of version 1. Raises SandboxFault where one is missing or not ours to use."""
    roots = {kind: own_group(kind, mounts("cgroup")) for kind in KINDS}
    closed = [str(root) for root in roots.values() if not os.access(root, os.W_OK)]
    if closed:
        raise SandboxFault(f"version 1 may not be written to at {closed[0]}")
    return roots


def move_this_thread(folders: Iterable[Path]) -> None:
    """Without the rest of our process."""
    with our_fault():
        for folder in folders:
            (folder / "tasks").write_text("0")


def find_cgroups() -> CgroupMaker:
    """Return what makes groups here: version 2 where it is handed to us, else version 1. Raises SandboxFault."""
    try:
        return CgroupMaker(V2Group, dict.fromkeys(KINDS, v2_root()))
    except (OSError, SandboxFault) as no_v2:
        try:
            return CgroupMaker(V1Group, v1_roots())
        except (OSError, SandboxFault) as no_v1:
            raise SandboxFault(f"no cgroup can be used here: {plain_words(no_v2)}; {plain_words(no_v1)}") from no_v1
