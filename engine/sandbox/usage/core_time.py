"""Who had the core of a match: we, others, or no program? The evidence that the host kept a bot waiting, or did not.

How this works. A bot may itself have brought about the waits of its threads. So we also look from outside. The kernel
says in `/proc/stat` how long a core has been idle: in hundredths of a second, but not by sampling. Take that from a
stretch of time, and our own work, and the bot's; the rest others have had: other programs, or the host of a virtual
machine, whose stolen time is neither idle nor anybody's.

A core that waits for a disk is idle too, but says so apart (`iowait`): a program that waits for a disk does not wait
for a core, and does not sleep.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")
IDLE_COLUMN, IOWAIT_COLUMN = 4, 5
STAT = "/proc/stat"
OVERLOAD = 4
"""So many programs for each core, in the mean of a minute, are more than the bots of a match can bring about."""


class CoreTime:
    """What has become of the time of this thread's cores since this was made. For the thread that made it alone."""

    def __init__(self) -> None:
        """Take the time. A machine that does not say how long its cores were idle is taken to be busy."""
        self._cores = os.sched_getaffinity(0)
        self._began_ns = time.monotonic_ns()
        self._own_ns = time.thread_time_ns()
        self._idle_ns, self._disk_ns = idle_ns(self._cores)

    def idle_ns(self) -> int:
        """Return for how long the cores were idle, and waited for no disk: in whole ticks.

        Of several cores, as far as all were, since one program cannot use more than one of them at once.
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
    """Return how long these cores had nothing to do since the machine started, and how long they waited for a disk.

    Both together for all cores, in nanoseconds; 0 where the kernel does not say it.
    """
    names = {f"cpu{core}" for core in cores}
    with suppress(OSError, ValueError, IndexError):
        rows = [row for row in map(str.split, Path(stat).read_text().splitlines()) if row and row[0] in names]
        return tuple(TICK_NS * sum(int(row[column]) for row in rows) for column in (IDLE_COLUMN, IOWAIT_COLUMN))  # type: ignore[return-value]
    return 0, 0
