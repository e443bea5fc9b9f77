"""What epolls hold in the kernel: its notes on each file that they watch, which no limit of a process counts.

How this works. The kernel tells files apart by their numbers too. So one file that is moved from number to number is
watched once for each of them, and 256 open files are enough for millions of watches. What an epoll watches is listed in
its `fdinfo`. We read no more of that than programs need; one that has more is taken to have all that it can have.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

WATCH_BYTES = 208
"""Of one file by one epoll: 203 were measured."""
LISTED_BYTES = 256 * 1024
"""Of all lists: some three thousand files. Node.js has ten."""
EPOLL = "anon_inode:[eventpoll]"
FEW_FILES = 64
"""With room for no more a process can have 12 MB of it, and needs no look."""
MOST_OF_AN_ACCOUNT = Path("/proc/sys/fs/epoll/max_user_watches")


def watched_bytes(process: Path, status: bytes, few: int = 0) -> int:
    """Return what the kernel holds for the epolls of a process; 0 where it has room for a `few` files at most.

    `process`: its folder in /proc, or that of a thread; `status`: what is in its file of that name. Raises OSError once
    it is over. One that hides its files, which a program may, is taken to have all that there is room for.
    """
    room = room_for_files(status)
    if room <= few:
        return 0
    watches, left_bytes = 0, LISTED_BYTES
    try:
        for file in (process / "fd").iterdir():
            listed = _list_of(process, file.name, left_bytes)
            watches += listed.count(b"tfd:")
            left_bytes -= len(listed)
            if left_bytes <= 0:
                return most_watched_bytes(room)
    except PermissionError:
        return most_watched_bytes(room)
    return watches * WATCH_BYTES


def room_for_files(status: bytes) -> int:
    """Return for how many open files there is room, from the `status` of a process or a thread; 0 once it is over."""
    found = re.search(rb"^FDSize:\s+(\d+)", status, re.MULTILINE)
    return int(found[1]) if found else 0


def most_watched_bytes(room: int) -> int:
    """Return the same of a process with this much room, if half of its files are epolls that watch the other half."""
    watches = (room // 2) ** 2 * room
    with suppress(OSError, ValueError):
        watches = min(watches, int(MOST_OF_AN_ACCOUNT.read_bytes()))
    return watches * WATCH_BYTES


def _list_of(process: Path, number: str, most_bytes: int) -> bytes:
    """Return the beginning of what an epoll watches; nothing for other files, and those that are closed meanwhile."""
    with suppress(FileNotFoundError, ProcessLookupError):
        if os.readlink(process / "fd" / number) == EPOLL:  # noqa: PTH115 - no path: it begins with its kind
            with (process / "fdinfo" / number).open("rb", buffering=0) as file:
                return file.read(most_bytes)
    return b""
