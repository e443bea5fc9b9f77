"""Control groups of version 1: a folder in each tree of a kind of resource."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from engine.boxes import Limits
from engine.errors import SandboxFault
from engine.sandbox.cgroups.common import (
    FIRST_TASK,
    MEGABYTE,
    CgroupMeter,
    CpuTime,
    await_frozen,
    mounts,
    names_of_groups,
    number_after,
    our_fault,
    own_group,
    remove_group,
    removed_if_unfinished,
)
from engine.sandbox.watchdog import our_watch

MONITOR_TASK = 1
"""In groups of version 1 also for the box's monitor, which is started in them and stays."""
V1_KINDS = ("memory", "pids", "freezer", "cpuacct")
V1_KINDS_FOR_ONE = ("memory", "pids")
"""What a box needs in which no process can be started: freezing and measuring one process alone takes no group."""


class V1Group:
    """A group of version 1: a folder in each tree of a kind of resource."""

    def __init__(self, name: str, roots: Mapping[str, Path], limits: Limits) -> None:
        self._roots = roots
        self._folders = folders = {kind: root / name for kind, root in roots.items()}
        with our_fault(), removed_if_unfinished(self):
            for folder in folders.values():
                folder.mkdir()
            memory = folders["memory"]
            (memory / "memory.limit_in_bytes").write_text(str(limits.memory_mb * MEGABYTE))
            with suppress(OSError):  # where the kernel does not count swap
                (memory / "memory.memsw.limit_in_bytes").write_text(str(limits.memory_mb * MEGABYTE))
            (folders["pids"] / "pids.max").write_text(str(limits.threads + FIRST_TASK + MONITOR_TASK))

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Have what this thread starts meanwhile be in the group. Raises SandboxFault."""
        try:
            move_this_thread(self._folders.values())
            yield
        finally:
            move_this_thread(self._roots.values())

    def add(self, pid: int) -> None:
        """Nothing is left to do: what was started while we had `entered` is in the group."""

    def freeze(self) -> None:
        """Stop everything in the group; return when it stands still. Raises StillRunning, HostBusy, SandboxFault."""
        state = self._folders["freezer"] / "freezer.state"
        state.write_text("FROZEN")
        await_frozen(lambda: state.read_text().strip() == "FROZEN", self.meter())

    def thaw(self) -> None:
        """Let everything go on."""
        if "freezer" in self._folders:
            with suppress(FileNotFoundError):
                (self._folders["freezer"] / "freezer.state").write_text("THAWED")

    def meter(self) -> CgroupMeter:
        """Return what measures the group."""
        members, memory = self._folders["cpuacct"] / "cgroup.procs", self._folders["memory"] / "memory.usage_in_bytes"
        return CgroupMeter(self._cpu(), members, memory)

    def ran_out_of_memory(self) -> bool:
        """Say whether the kernel ended something in the group for its memory limit."""
        try:
            return number_after("oom_kill", (self._folders["memory"] / "memory.oom_control").read_text()) > 0
        except OSError:
            return False

    def remove(self) -> None:
        """Take the group away; what is still in it is killed. Safe to call again."""
        self.thaw()
        for folder in self._folders.values():
            remove_group(folder)

    def _cpu(self) -> CpuTime:
        return CpuTime(self._folders["cpuacct"] / "cpuacct.usage", unit_ns=1)


class V1Maker:
    """Makes groups of version 1."""

    title = "cgroup version 1"

    def __init__(self, roots: Mapping[str, Path]) -> None:
        self._roots = roots
        self._names = names_of_groups()

    def make(self, limits: Limits, *, forks: bool) -> V1Group:
        """Make a group with these limits. Raises SandboxFault."""
        our_watch().also_empty(self._roots.values())
        kinds = V1_KINDS if forks else V1_KINDS_FOR_ONE
        return V1Group(next(self._names), {kind: self._roots[kind] for kind in kinds}, limits)


def v1_roots() -> dict[str, Path]:
    """Return our own group in each tree of version 1. Raises SandboxFault where one is missing or not ours to use."""
    roots = {kind: own_group(None, kind, mounts("cgroup")) for kind in V1_KINDS}
    closed = [str(root) for root in roots.values() if not os.access(root, os.W_OK)]
    if closed:
        raise SandboxFault(f"version 1 may not be written to at {closed[0]}")
    return roots


def move_this_thread(folders: Iterable[Path]) -> None:
    """Move this thread, without the rest of our process, to groups of version 1. Raises SandboxFault."""
    with our_fault():
        for folder in folders:
            (folder / "tasks").write_text("0")
