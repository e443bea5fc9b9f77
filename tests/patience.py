"""Patience: how long tests wait for what has to come before they say that it does not.

How this works. Limits are meant for a quiet machine. Where more programs want to run than there are cores, everything
takes longer, so only a part of each second counts. The variable `PATIENCE` multiplies all limits: 3 for a slow machine,
0.1 for somebody who does not want to wait for a test that hangs.
"""

import os
import time
from collections.abc import Callable
from typing import TypeVar

QUIET_S = 120.0
LONGEST_PAUSE_S = 0.5
Found = TypeVar("Found")


def patience_s(quiet_s: float = QUIET_S) -> float:
    """Return how many seconds to wait now for what comes within `quiet_s` on a quiet machine, as a `timeout=`."""
    return quiet_s * slowness()


def slowness() -> float:
    load = os.getloadavg()[0] / len(os.sched_getaffinity(0))
    return max(1.0, load) * float(os.environ.get("PATIENCE", "1"))


def wait_until(
    look: Callable[[], Found],
    what: str | Callable[[], str] = "what was waited for",
    every_s: float = 0.02,
    *,
    quiet_s: float = QUIET_S,
    fits: Callable[[Found], object] = bool,
) -> Found:
    """Look until what is found fits, and return it.

    `what`: how an error calls it. `every_s`: the pause between two looks, but a look that takes long takes a tenth of
    the time at most, as it keeps from its core what it waits for; 0: none, as the look itself waits. `quiet_s`: the
    limit on a quiet machine. Raises AssertionError when patience ends.
    """
    counted_s, before_s = 0.0, time.monotonic()
    while not fits(found := look()):
        if counted_s > quiet_s:
            raise AssertionError(f"it did not come: {what if isinstance(what, str) else what()}; last seen: {found!r}")
        looked_s = time.monotonic() - before_s
        time.sleep(max(every_s, min(9 * looked_s, LONGEST_PAUSE_S)) if every_s else 0)
        now_s = time.monotonic()
        counted_s += (now_s - before_s) / slowness()
        before_s = now_s
    return found
