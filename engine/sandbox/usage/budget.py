"""What a program that may start others is charged, and when that is too much: for builds.

How this works. As in a turn of a match, computing and sleeping are charged and waiting for a busy host is not: the
charge is the wall time without the waits of all threads. Several that wait at once may have waited for longer than time
has passed; but no program waits for a core that is idle. So the CPU time of all processes, and the time that their core
was idle meanwhile, is what they are charged at least.

The memory of all processes together is looked at as well, with what the kernel holds for them. A process that is about
to become another program shows its parent's memory as its own for a moment, so only what several looks in a row find
counts.

Programs of ours that have little to do in their boxes are waited for in a similar way (`await_soon`). They cheat
nobody, so they are charged the smaller of two: computing and an idle core, or the time without their waits.

A program that uses up all patience without having been charged too much is the victim of a busy host, unless it started
more processes than could be watched: what they computed between our looks may have been too much.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass

from engine.errors import MachineBusy, SandboxFault
from engine.sandbox.usage.core_time import idle_ns
from engine.sandbox.usage.family import Family

MEGABYTE = 1024 * 1024
LOOKS_IN_A_ROW = 3
LOOK_EVERY_S = 0.05
PATIENCE_S = 10.0
"""What a program of ours that has little to do may be charged..."""
WIDE_PATIENCE_S = 60.0
"""... and how long it may take where it gets no core."""
TOO_BUSY = "this machine is too busy to try its sandbox"


@dataclass(frozen=True, slots=True)
class Budget:
    """What a program and all that it starts may use together: seconds that they are charged, and memory."""

    seconds: float
    memory_mb: int


class Account:
    """What one program has used of its budget, from now on. It runs on the cores that the calling thread may use."""

    def __init__(self, budget: Budget, pid: int) -> None:
        self._budget = budget
        self._family = Family(pid)
        self._cores = os.sched_getaffinity(0)
        self._idle_before_s = self._idle_s()
        self._began_s = time.monotonic()
        self._looks_over_memory = 0

    def look(self) -> None:
        """Read what is used now. Raises SandboxFault."""
        self._family.look()
        is_over = self._family.memory_bytes > self._budget.memory_mb * MEGABYTE
        self._looks_over_memory = self._looks_over_memory + 1 if is_over else 0

    def is_out_of_memory(self) -> bool:
        """Say whether it had filled more memory than it may, at the last look and those before."""
        return self._looks_over_memory >= LOOKS_IN_A_ROW

    def is_out_of_time(self) -> bool:
        return self.charged_s() > self._budget.seconds

    def may_be_out_of_time(self) -> bool:
        return self.charged_s() + self._family.started * LOOK_EVERY_S > self._budget.seconds

    def close(self) -> None:
        """Let go of what it holds. Safe to call again."""
        self._family.close()

    def proven_s(self) -> float:
        """Return for how long it surely computed or slept, in seconds: no account of the kernel says that it waited."""
        wall_s, cpu_s = self.wall_s(), self._family.cpu_s
        idle = (self._idle_s() - self._idle_before_s) / len(self._cores)
        return min(cpu_s + idle, max(cpu_s, wall_s - self._family.waited_s))

    def wall_s(self) -> float:
        """Return how long it has had so far."""
        return time.monotonic() - self._began_s

    def share(self) -> float:
        """Return how much of a core it has got, as of the last look."""
        return self._family.cpu_s / self.wall_s()

    def charged_s(self) -> float:
        """Return what it is charged so far, in seconds, going by the last look."""
        wall_s = self.wall_s()
        least_s = self._family.cpu_s + self._idle_s() - self._idle_before_s
        return min(wall_s, max(least_s, wall_s - self._family.waited_s))

    def _idle_s(self) -> float:
        return idle_ns(self._cores)[0] / 1e9


def await_soon(is_there: Callable[[float], bool], pid: int, complaint: str) -> None:
    """Wait until it is there. `is_there`: says so, after this many seconds at the latest; `pid`: of the program that is
    to bring it about, which is in a box or builds one.

    Raises SandboxFault with the complaint where that has computed or slept for PATIENCE_S; MachineBusy where it got too
    little of a core for that, and WIDE_PATIENCE_S are over.
    """
    if is_there(LOOK_EVERY_S):
        return
    with closing(Account(Budget(PATIENCE_S, 0), pid)) as account:
        while not is_there(LOOK_EVERY_S):
            account.look()
            if account.proven_s() > PATIENCE_S:
                raise SandboxFault(complaint)
            if account.wall_s() > WIDE_PATIENCE_S:
                got = f"it got {100 * account.share():.0f} % of a core"
                raise MachineBusy(f"{TOO_BUSY} ({got})")
