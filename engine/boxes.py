"""The terms of boxes: the limits of a program, the names of tiers, paths inside, and the user that bots run as."""

import os
import stat
from pathlib import Path

from engine.errors import UsageFault
from engine.immutable import immutable

BOT_UIDS = range(65432, 65532)
"""One for each box that lives, as far as they go. Debian gives them to nobody, and containers have them too."""
MOST_UID = 2**31 - 1  # bubblewrap's; the kernel would cut numbers above twice that off, to root's in the worst case
UID_VARIABLE = "LADDER_BOT_UID"


def bot_uids() -> range:
    """Return the uids that bots are dropped to; none for an ordinary user. Root never runs a bot as root: to the kernel
    even a "contained" root may write `/proc/sys`. One that LADDER_BOT_UID names is the only one. Raises UsageFault for
    one that is not a number or range, or begins with 0.
    """
    if 0 not in os.getresuid():
        return range(0)
    text = os.environ.get(UID_VARIABLE)
    return BOT_UIDS if text is None else _uids_in(text)


def bot_uid() -> int | None:
    return next(iter(bot_uids()), None)


def _uids_in(text: str) -> range:
    numbers = text.split("-")
    are_uids = all(word.isascii() and word.isdigit() and int(word) <= MOST_UID for word in numbers)
    if len(numbers) > 2 or not are_uids or int(numbers[0]) > int(numbers[-1]):
        raise UsageFault(
            f"{UID_VARIABLE} is {text!r}; it must be the number of an ordinary user, such as {BOT_UIDS[0]}, "
            f"or several, such as {BOT_UIDS[0]}-{BOT_UIDS[-1]}"
        )
    if int(numbers[0]) == 0:
        raise UsageFault(
            f"{UID_VARIABLE} begins with 0, and bots are never run as root; choose ordinary users' numbers"
        )
    return range(int(numbers[0]), int(numbers[-1]) + 1)


def obstacle(path: Path) -> Path | None:
    """`path` must exist and be readable; folders on the way need only be passable. Access lists are not looked at."""
    if not (uids := bot_uids()):
        return None if os.access(path, os.R_OK) else path
    resolved = path.resolve()
    for folder in reversed(resolved.parents):
        if not _allows(folder.stat(), uids, stat.S_IXOTH):
            return folder
    rights = stat.S_IROTH | (stat.S_IXOTH if resolved.is_dir() else 0)
    return None if _allows(resolved.stat(), uids, rights) else resolved


def _allows(status: os.stat_result, uids: range, others_bits: int) -> bool:
    if uids == range(status.st_uid, status.st_uid + 1):
        others_bits <<= 6
    elif status.st_gid == uids[0]:
        others_bits <<= 3
    return status.st_mode & others_bits == others_bits


CGROUP = "bubblewrap+cgroup"
BUBBLEWRAP = "bubblewrap"
NESTED = "nested"
NONE = "none"
ALL_TIERS = (CGROUP, BUBBLEWRAP, NESTED, NONE)
AUTO = "auto"


BOT_FOLDER = "/bot"
OUT_FOLDER = "/out"
PATH_INSIDE = "/usr/local/bin:/usr/bin:/bin"
MEGABYTE = 2**20


@immutable
class Limits:
    memory_mb: int = 768
    threads: int = 64
    open_files: int = 256
    file_size_mb: int = 16
