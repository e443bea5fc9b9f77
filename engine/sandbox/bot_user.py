"""Which account of this machine bots run under, and what that account can reach."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from engine.errors import UsageFault

BOT_UID = 65432
MOST_UID = 2**31 - 1  # bubblewrap's; the kernel would cut numbers above twice that off, to root's in the worst case
UID_VARIABLE = "LADDER_BOT_UID"


def bot_uid() -> int | None:
    """Return the uid (and gid) that bots are dropped to, or None where they run as we do, an ordinary user.

    Root never runs a bot as root: the kernel goes by the uid it knows, and to it a "contained" root may write
    `/proc/sys`. Raises UsageFault for a LADDER_BOT_UID that is no number, or the number 0.
    """
    if 0 not in os.getresuid():
        return None
    text = os.environ.get(UID_VARIABLE, str(BOT_UID))
    if not (text.isascii() and text.isdigit() and int(text) <= MOST_UID):
        raise UsageFault(f"{UID_VARIABLE} is {text!r}; it must be the number of an ordinary user, such as {BOT_UID}")
    if int(text) == 0:
        raise UsageFault(f"{UID_VARIABLE} is 0, and bots are never run as root; choose an ordinary user's number")
    return int(text)


def obstacle(path: Path) -> Path | None:
    """Return the outermost folder or file on the way to `path` that bots may not read, or None where they reach it.

    `path` must exist. Folders on the way need only be passable; `path` itself must be readable too. Access lists beyond
    the permission bits are not looked at.
    """
    uid = bot_uid()
    if uid is None:
        return None if os.access(path, os.R_OK) else path
    resolved = path.resolve()
    for folder in reversed(resolved.parents):
        if not _allows(folder.stat(), uid, stat.S_IXOTH):
            return folder
    wanted = stat.S_IROTH | (stat.S_IXOTH if resolved.is_dir() else 0)
    return None if _allows(resolved.stat(), uid, wanted) else resolved


def _allows(status: os.stat_result, uid: int, others_bits: int) -> bool:
    """Say whether the account `uid` (and gid) holds the permissions that `others_bits` name for everybody else."""
    if status.st_uid == uid:
        others_bits <<= 6
    elif status.st_gid == uid:
        others_bits <<= 3
    return status.st_mode & others_bits == others_bits
