"""Where tests keep what they throw away."""

from __future__ import annotations

import os
from contextlib import suppress

MEMORY = "/dev/shm"  # noqa: S108
ROOM_BYTES = 4 * 1024**3


def in_memory_or_tmp() -> str:
    """Return where to keep what is thrown away: in memory if that has room and runs programs, as some disks take long.

    Each database is three hundred files, which an ext4 without a journal, as virtual machines have it, makes in 300 ms
    if as many have been removed in the minute before; in memory it takes 15.
    """
    with suppress(OSError):
        memory = os.statvfs(MEMORY)
        if memory.f_bavail * memory.f_frsize >= ROOM_BYTES and not memory.f_flag & os.ST_NOEXEC:
            return MEMORY
    return "/tmp"  # noqa: S108 - a folder of our own is made in it
