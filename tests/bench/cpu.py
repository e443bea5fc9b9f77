"""CPU time, which a busy machine changes little."""

from __future__ import annotations

import resource


def cpu_s_of_children() -> float:
    """Return the CPU time of all programs that this one has run to their ends."""
    return used_s(resource.RUSAGE_CHILDREN)


def cpu_s() -> float:
    """Return the same with that of this program itself, all its threads included."""
    return used_s(resource.RUSAGE_SELF) + cpu_s_of_children()


def used_s(whose: int) -> float:
    """Return what the kernel has counted."""
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime
