"""Seeing that a program that was told to stop has done so, before its opponent's turn begins.

How this works. One of a program's threads takes SIGSTOP, when it has a core and is not busy in the kernel. Until then
the others compute on; and after that each finishes what the kernel is doing for it. A program of one thread is stopped
before it computes again. Of one with several we look at each, and let them have our core, on which they all are.
"""

from __future__ import annotations

import os
import time

from engine.errors import GoesOn, HostBusy
from engine.sandbox.meter import ProcessMeter

MOST_NS = 100_000_000
"""Twice the time of a usual turn: a program that computes for longer after it was told to stop does so on purpose."""
PATIENCE_S = 5.0


def await_standstill(meter: ProcessMeter) -> None:
    """Return when all threads of a program that was sent SIGSTOP have stopped.

    Raises GoesOn for one that computes on for long, HostBusy where it gets no core to stop on.
    """
    if not meter.has_threads():
        return
    told_ns = meter.cpu_ns()
    deadline = time.monotonic() + PATIENCE_S
    os.sched_yield()
    for _ in meter.threads_on_their_way():
        require_end(meter.cpu_ns() - told_ns)
        if time.monotonic() > deadline:
            raise HostBusy(f"the host left a bot for {PATIENCE_S:.0f} s without a CPU to stop on")
        os.sched_yield()


def require_end(used_ns: int) -> None:
    """Raise GoesOn for a program that has computed for so long since it was told to stop."""
    if used_ns > MOST_NS:
        raise GoesOn(f"computed on for {used_ns // 1_000_000} ms after its answer")
