"""Room on the disk: what a start takes, and what is said where there is not enough.

How this works. On a full disk PostgreSQL, Redis and our own logs each fail in words of their own, and often without
any, since their messages go to the same disk. So we check ourselves: before a start, and after one that failed.
"""

from __future__ import annotations

import os
from pathlib import Path

from engine.errors import ArenaError, Unavailable
from ladder.errors import NotStarted

MEGABYTE = 1024 * 1024
START_BYTES = 2 * MEGABYTE
"""With less no start succeeds: state, logs, and PostgreSQL's shared memory, which is a file."""
SURE_START_BYTES = 20 * MEGABYTE
"""PostgreSQL writes its log of changes in files of 16 MB, and at times needs a new one to start."""
FIRST_START_BYTES = 50 * MEGABYTE + SURE_START_BYTES
"""An empty ladder takes 48 MB, and has to be able to start again."""
NO_SPACE = "No space left on device"
"""The C library's words, which every program passes on."""
WHAT_TO_DO = "Free some space there and try again; nothing that was recorded is lost"


def require_room(folder: Path, least_bytes: int = START_BYTES) -> None:
    free_bytes = room(folder)
    if free_bytes is not None and free_bytes < least_bytes:
        raise Unavailable(
            f"the disk of {folder} is full: {megabytes(free_bytes)} are free and a start takes at least "
            f"{megabytes(least_bytes)}. {WHAT_TO_DO}"
        )


def told_plainly(error: ArenaError | OSError, *folders: Path) -> Unavailable | None:
    """Return the sentence about the disk that is full, where that is behind an error; else None."""
    narrow = next(filter(is_narrow, folders), None) if isinstance(error, NotStarted) else None
    if narrow is None and NO_SPACE not in str(error):
        return None
    where = narrow or folders[0]
    return Unavailable(f"the services cannot start, as the disk of {where} is full{amount(where)}. {WHAT_TO_DO}")


def is_narrow(folder: Path) -> bool:
    free_bytes = room(folder)
    return free_bytes is not None and free_bytes < SURE_START_BYTES


def amount(folder: Path) -> str:
    free_bytes = room(folder)
    return "" if free_bytes is None else f" ({megabytes(free_bytes)} are free)"


def room(folder: Path) -> int | None:
    there = next(path for path in (folder, *folder.parents) if path.exists())
    status = os.statvfs(there)
    return status.f_bavail * status.f_frsize if status.f_blocks else None


def megabytes(count: int) -> str:
    """Rounded down, as what is free should be."""
    return f"{count // MEGABYTE} MB"
