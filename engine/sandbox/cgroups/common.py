"""What both versions of control groups share: what a group does for a box, and reading its files."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Protocol

from engine.boxes.limits import Limits
from engine.sandbox.cgroups.files import PAUSE_S, wait_until
from engine.sandbox.cgroups.meter import CgroupMeter
from engine.sandbox.usage.standstill import Standstill
from engine.sandbox.watchdog import our_watch

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
