"""Seeing that a stopped program has really stopped, before its opponent's turn begins.

How this works. One of a program's threads takes SIGSTOP, when it has a core and is not busy in the kernel. Until then
the others compute on; and after that each finishes what the kernel is doing for it. A program of one thread is stopped
before it computes again. Of one with several we look at each, and let them have our core, on which they all are.

A thread that does not stop for long is the host's fault only where two things come together: it is ready to run, and
others have had its core for much of the time. One that waits for a disk, or for anything else that no signal ends, has
chosen to.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

from engine.errors import HostBusy, StillRunning
from engine.sandbox.usage.core_time import CoreTime
from engine.sandbox.usage.meter import ProcessMeter

MOST_NS = 100_000_000
"""Twice the time of a usual turn: a program that computes for longer after the signal to stop does so on purpose."""
PATIENCE_S = 5.0
SOON_S = 0.1
"""Nearly all have stopped by then; only then is it worth a look who has the core."""
STARVED_SHARE = 4
"""The host is to blame where others had the core for at least this part of the time, a quarter."""
YIELDS = 8
"""So often a program that stops is let have our core at once; one with many threads is then left alone for a moment."""
MOMENT_S = 20e-6


class Standstill:
    """The wait for a program to stand still. `cpu_ns`: reads its CPU time."""

    def __init__(self, cpu_ns: Callable[[], int]) -> None:
        self._cpu_ns = cpu_ns
        self._told_ns = self._seen_ns = cpu_ns()
        self._told_s = time.monotonic()
        self._core: CoreTime | None = None

    def require_soon(self, is_ready: Callable[[], bool]) -> None:
        """Raise StillRunning if the program has computed on, or not stopped, for too long; HostBusy if others kept it
        from its core. `is_ready`: says whether a thread that has not stopped is ready to run.
        """
        cpu_ns, waited_s = self._cpu_ns(), time.monotonic() - self._told_s
        if cpu_ns - self._told_ns > MOST_NS:
            raise StillRunning(f"computed on for {(cpu_ns - self._told_ns) // 1_000_000} ms after its answer")
        if waited_s > SOON_S and self._core is None:
            self._core, self._seen_ns = CoreTime(), cpu_ns
        if self._core and waited_s > PATIENCE_S:
            others_s = self._core.others_ns(cpu_ns - self._seen_ns) / 1e9
            if is_ready() and others_s * STARVED_SHARE > waited_s:
                raise HostBusy(f"the host left a bot for {waited_s:.0f} s without a CPU to stop on")
            raise StillRunning(
                f"cheated the clock: did not stop within {waited_s:.0f} s after its answer, though others used its "
                f"core for at most {others_s:.1f} s"
            )


def await_standstill(meter: ProcessMeter) -> None:
    """Return when all threads of a program that was sent SIGSTOP have stopped.

    Raises StillRunning for one that goes on for long, HostBusy where it gets no core to stop on.
    """
    if not meter.has_threads():
        return
    standstill = Standstill(meter.cpu_ns)
    os.sched_yield()
    for look, _ in enumerate(meter.threads_on_their_way()):
        standstill.require_soon(meter.is_ready)
        os.sched_yield() if look < YIELDS else time.sleep(MOMENT_S)
