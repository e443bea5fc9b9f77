"""Control groups of version 2: one folder for each box, below one that was handed over to us.

How this works. We are somewhere in a tree that others rule, and part of it may have been handed to us:
systemd marks such a group, or names it when asked, and in a container it is where the tree begins. Boxes get their
groups right below it. The kernel limits groups below one only where that one holds no process itself, so whatever is in
it, all of it ours, moves aside into one more group. A group that was not handed over is used only where we are alone in
it: it is not for us to move what is somebody else's.
"""

from __future__ import annotations

import errno
import os
import subprocess
from contextlib import AbstractContextManager, nullcontext, suppress
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

V2_CONTROLLERS = ("memory", "pids")
WORKERS_GROUP = "ladder-worker"
"""Where we move to ourselves, beside the groups of the boxes."""
HANDED_OVER = ("user.delegate", "trusted.delegate")
"""How the systemd of the machine marks a group that it handed over, while a user's own systemd does not mark it. Only
root can see the second one; the first has come later."""
SYSTEMD_PATIENCE_S = 5
TRIES = 10
"""Of moving aside: processes that start meanwhile come to be where those are that started them."""


class V2Group:
    """A group of version 2: one folder."""

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder = folder
        with our_fault(), removed_if_unfinished(self):
            folder.mkdir()
            (folder / "memory.max").write_text(str(limits.memory_mb * MEGABYTE))
            with suppress(OSError):  # where the kernel has no swap
                (folder / "memory.swap.max").write_text("0")
            (folder / "pids.max").write_text(str(limits.threads + FIRST_TASK))

    def entered(self) -> AbstractContextManager[None]:
        """Do nothing: version 2 moves whole processes only, so `add` does it."""
        return nullcontext()

    def add(self, pid: int) -> None:
        """Put a process, and all that it will start, into the group; none if it is over. Raises SandboxFault."""
        with our_fault(), suppress(ProcessLookupError):
            (self._folder / "cgroup.procs").write_text(str(pid))

    def freeze(self) -> None:
        """Stop everything in the group; return when it stands still. Raises StillRunning, HostBusy, SandboxFault."""
        (self._folder / "cgroup.freeze").write_text("1")
        events = self._folder / "cgroup.events"
        await_frozen(lambda: number_after("frozen", events.read_text()) == 1, self.meter())

    def thaw(self) -> None:
        """Let everything go on."""
        with suppress(FileNotFoundError):
            (self._folder / "cgroup.freeze").write_text("0")

    def meter(self) -> CgroupMeter:
        """Return what measures the group."""
        return CgroupMeter(self._cpu(), self._folder / "cgroup.procs", self._folder / "memory.current")

    def ran_out_of_memory(self) -> bool:
        """Say whether the kernel ended something in the group for its memory limit."""
        try:
            return number_after("oom_kill", (self._folder / "memory.events").read_text()) > 0
        except OSError:
            return False

    def remove(self) -> None:
        """Take the group away; what is still in it is killed. Safe to call again."""
        with suppress(OSError):
            (self._folder / "cgroup.kill").write_text("1")
        remove_group(self._folder)

    def _cpu(self) -> CpuTime:
        return CpuTime(self._folder / "cpu.stat", unit_ns=1000, word="usage_usec")


class V2Maker:
    """Makes groups of version 2."""

    title = "cgroup version 2"

    def __init__(self, root: Path) -> None:
        self._root = root
        self._names = names_of_groups()

    def make(self, limits: Limits, *, forks: bool) -> V2Group:  # noqa: ARG002 - one folder has it all
        """Make a group with these limits. Raises SandboxFault."""
        our_watch().also_empty([self._root])
        return V2Group(self._root / next(self._names), limits)


def v2_root() -> Path:
    """Return a group that we may use, with the controllers we need handed on to the groups below.

    Raises SandboxFault or OSError where there is none.
    """
    root = group_for_us(own_group("0", "", mounts("cgroup2")))
    missing = set(V2_CONTROLLERS) - set((root / "cgroup.controllers").read_text().split())
    if missing:
        raise SandboxFault(f"version 2 at {root} lacks {' and '.join(sorted(missing))}")
    if not os.access(root, os.W_OK):
        raise SandboxFault(f"version 2 may not be written to at {root}")
    for _ in range(TRIES):
        if hand_on_controllers(root):
            return root
        move_aside(root)
    raise SandboxFault(f"there are processes in {root} that cannot be moved")


def group_for_us(own: Path) -> Path:
    """Return the group for boxes to be in: ours, or the one above where we have been moved aside, by whomever."""
    for group in (own, own.parent):
        if is_handed_over(group):
            return group
    return own.parent if own.name == WORKERS_GROUP else own


def is_handed_over(group: Path) -> bool:
    """Say whether all that is in a group is ours: systemd says so, or the tree begins with it, as in a container."""
    for mark in HANDED_OVER:
        with suppress(OSError):
            if os.getxattr(group, mark) == b"1":
                return True
    return group.is_mount()


def is_handed_over_by_users_systemd(group: Path) -> bool:
    """Ask the systemd of this user, if there is one, whether a group is that of a unit which it handed over."""
    command = ["systemctl", "--user", "show", "--property=Delegate", "--value", "--", group.name]
    with suppress(OSError, subprocess.TimeoutExpired):
        asked = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SYSTEMD_PATIENCE_S)
        return asked.stdout.strip() == "yes"
    return False


def hand_on_controllers(root: Path) -> bool:
    """Let the groups below have the controllers we need. False where the processes in the group itself forbid it."""
    try:
        (root / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in V2_CONTROLLERS))
    except OSError as error:
        if error.errno == errno.EBUSY:
            return False
        raise
    return True


def move_aside(root: Path) -> None:
    """Move what is in the group into one below. Raises SandboxFault where there are others that are not ours."""
    pids = (root / "cgroup.procs").read_text().split()
    if set(pids) - {str(os.getpid())} and not (is_handed_over(root) or is_handed_over_by_users_systemd(root)):
        raise SandboxFault(f"version 2 at {root} was not handed to us, and other processes are in it")
    aside = root / WORKERS_GROUP
    aside.mkdir(exist_ok=True)
    for pid in pids:
        with suppress(ProcessLookupError):  # it has ended
            (aside / "cgroup.procs").write_text(pid)
