"""Seeing that a stopped program has really stopped, before its opponent's turn begins.

How this works. One of a program's threads takes SIGSTOP, when it has a core and is not busy in the kernel. Until then
the others compute on; after that each finishes what the kernel is doing for it. A program of one thread is stopped
before it computes again. Of one with several we look at each, and let them have our core, on which they all are. A
thread that does not stop for long is the host's fault only where it is ready to run, and others have had its core for
much of the time. One that waits for a disk, or for anything else that no signal ends, has chosen to.

Who had the core meanwhile. A bot may itself have brought about the waits of its threads, so we also look from outside.
`/proc/stat` says how long a core has been idle: in hundredths of a second, but not by sampling. Take that from a
stretch of time, and our own work, and the bot's; the rest others have had: other programs, or the host of a virtual
machine. A core that waits for a disk is idle too, but says so apart (`iowait`): who waits for a disk neither waits for
a core nor sleeps.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from engine.errors import HostBusy, StillRunning
from engine.sandbox.meter import Meter, ProcessMeter

TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")
IDLE_COLUMN, IOWAIT_COLUMN = 4, 5
STAT = "/proc/stat"
OVERLOAD = 4
"""So many programs for each core, in the mean of a minute, are more than the bots of a match can bring about."""


class CoreTime:
    """What has become of the time of this thread's cores since this was made. For the thread that made it alone."""

    def __init__(self) -> None:
        self._cores = os.sched_getaffinity(0)
        self._began_ns = time.monotonic_ns()
        self._own_ns = time.thread_time_ns()
        self._idle_ns, self._disk_ns = idle_ns(self._cores)

    def idle_ns(self) -> int:
        """Return for how long the cores were idle, and waited for no disk: in whole ticks. Of several cores, as far as
        all were, since one program cannot use more than one of them at once.
        """
        idle_now_ns, _ = idle_ns(self._cores)
        return max(0, idle_now_ns - self._idle_ns - (len(self._cores) - 1) * self._passed_ns())

    def others_ns(self, program_ns: int) -> int:
        """Return for how long at most others have had the cores, if a program has computed for `program_ns` meanwhile.
        Each reading leaves out what is less than a tick, so a core may have been idle for a tick less than they say.
        """
        idle_now_ns = sum(idle_ns(self._cores)) - self._idle_ns - self._disk_ns
        surely_idle_ns = max(0, idle_now_ns - len(self._cores) * TICK_NS)
        own_ns = time.thread_time_ns() - self._own_ns
        return max(0, len(self._cores) * self._passed_ns() - surely_idle_ns - own_ns - program_ns)

    def _passed_ns(self) -> int:
        return time.monotonic_ns() - self._began_ns


def is_overloaded() -> bool:
    return os.getloadavg()[0] >= OVERLOAD * (os.cpu_count() or 1)


def idle_ns(cores: Collection[int], stat: str = STAT) -> tuple[int, int]:
    """Of all these cores since the machine started, and of waits for a disk; 0 where the kernel does not say it."""
    names = {f"cpu{core}" for core in cores}
    with suppress(OSError, ValueError, IndexError):
        rows = [row for row in map(str.split, Path(stat).read_text().splitlines()) if row and row[0] in names]
        return tuple(TICK_NS * sum(int(row[column]) for row in rows) for column in (IDLE_COLUMN, IOWAIT_COLUMN))  # type: ignore[return-value]
    return 0, 0


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
    """The wait for a program to stand still."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._first_cpu_ns = self._cpu_at_look_ns = meter.cpu_ns()
        self._began_s = time.monotonic()
        self._core: CoreTime | None = None

    def require_soon(self) -> None:
        """Raise StillRunning if the program has computed on, or not stopped, for too long; HostBusy if others kept it
        from its core.
        """
        cpu_ns = self._meter.cpu_ns()
        waited_s = time.monotonic() - self._began_s
        if cpu_ns - self._first_cpu_ns > MOST_NS:
            raise StillRunning(f"computed on for {(cpu_ns - self._first_cpu_ns) // 1_000_000} ms after its answer")
        if waited_s > SOON_S and self._core is None:
            self._core, self._cpu_at_look_ns = CoreTime(), cpu_ns
        if self._core and waited_s > PATIENCE_S:
            others_s = self._core.others_ns(cpu_ns - self._cpu_at_look_ns) / 1e9
            if self._meter.is_ready() and others_s * STARVED_SHARE > waited_s:
                raise HostBusy(f"the host left a bot for {waited_s:.0f} s without a CPU to stop on")
            raise StillRunning(
                f"cheated the clock: did not stop within {waited_s:.0f} s after its answer, though others used its "
                f"core for at most {others_s:.1f} s"
            )


def await_standstill(meter: ProcessMeter) -> None:
    """Wait until all threads that were sent SIGSTOP have stopped. Raises StillRunning, HostBusy without a core."""
    if meter.count() < 2:
        return
    standstill = Standstill(meter)
    os.sched_yield()
    for look, _ in enumerate(meter.on_their_way()):
        standstill.require_soon()
        os.sched_yield() if look < YIELDS else time.sleep(MOMENT_S)
