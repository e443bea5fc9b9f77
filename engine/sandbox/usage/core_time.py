"""Who had the core of a match: we, others, or no program? The evidence that the host kept a bot waiting, or did not.


How this works. A bot may itself have brought about the waits of its threads. So we also look from outside. The kernel
says in `/proc/stat` how long a core has been idle: in hundredths of a second, but not by sampling. Take that from a
stretch of time, and our own work, and the bot's; the rest others have had: other programs, or the host of a virtual
machine, whose stolen time is neither idle nor anybody's.

A core that waits for a disk (`iowait`) is idle too: a program that waits for a disk does not wait for a core.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from pathlib import Path

TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")
IDLE_COLUMN, IOWAIT_COLUMN = 4, 5
STAT = "/proc/stat"


class CoreTime:
    """What has become of the time of this thread's cores since this was made. For the thread that made it alone."""

    def __init__(self) -> None:
        """Take the time. A machine that does not say how long its cores were idle is taken to be busy."""
        self._cores = os.sched_getaffinity(0)
        self._began_ns = time.monotonic_ns()
        self._own_ns = time.thread_time_ns()
        self._idle_ns = idle_ns(self._cores)

    def own_ns(self) -> int:
        """Return how long this thread has computed."""
        return time.thread_time_ns() - self._own_ns

    def passed_ns(self) -> int:
        """Return how long it is since this was made."""
        return time.monotonic_ns() - self._began_ns

    def others_ns(self, program_ns: int) -> int:
        """Return for how long at most others have had the cores, if a program has computed for `program_ns` meanwhile.

        Each reading leaves out what is less than a tick, so a core may have been idle for a tick less than they say.
        """
        surely_idle_ns = max(0, idle_ns(self._cores) - self._idle_ns - len(self._cores) * TICK_NS)
        return max(0, len(self._cores) * self.passed_ns() - surely_idle_ns - self.own_ns() - program_ns)


def idle_ns(cores: Collection[int], stat: str = STAT) -> int:
    """Return how long these cores have been idle, together, in nanoseconds; 0 if the kernel does not say."""
    names = {f"cpu{core}" for core in cores}
    try:
        lines = [line for line in Path(stat).read_text().splitlines() if line.startswith("cpu")]
    except OSError:
        return 0
    rows = [row for row in map(str.split, lines) if row[0] in names]
    return TICK_NS * sum(int(row[IDLE_COLUMN]) + int(row[IOWAIT_COLUMN]) for row in rows)
