"""How long to wait for what takes its time on a busy machine: as much longer as more programs want to run than can."""

from __future__ import annotations

import os

MOST_TIMES = 12


def patience_s(quiet_s: float) -> float:
    """Return how many seconds to wait now for what comes within `quiet_s` on a quiet machine; MOST_TIMES as many."""
    return quiet_s * min(MOST_TIMES, max(1.0, os.getloadavg()[0] / len(os.sched_getaffinity(0))))
