"""The meter of everything in a control group."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engine.sandbox.cgroups.files import CpuTime, read_unless_over
from engine.sandbox.usage.meter import ThreadWaits


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
