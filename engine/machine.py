"""The machine as this process finds it: how busy it is, and the account, which may have neither a name nor a home.

A container started with a number for its user (`--user 4242`) has an account without an entry in /etc/passwd.
"""

import os
from getpass import getuser
from pathlib import Path

from engine.errors import UsageFault

MOST_TIMES = 12
MOST_FILE_MB = 256


def patience_s(quiet_s: float) -> float:
    """Return how many seconds to wait now for what comes within `quiet_s` on a quiet machine; MOST_TIMES as many."""
    return quiet_s * min(MOST_TIMES, max(1.0, os.getloadavg()[0] / len(os.sched_getaffinity(0))))


def account_name() -> str:
    try:
        return getuser()
    except (KeyError, OSError):
        return f"uid{os.getuid()}"


def home_folder() -> Path | None:
    """Return None where neither HOME nor the list of accounts names one."""
    try:
        return Path.home()
    except RuntimeError:
        return None


def bytes_of(path: Path) -> bytes:
    """Read a file that somebody named. Raises OSError, and UsageFault where it is too large, as /dev/zero is."""
    with path.open("rb") as file:
        content = file.read(MOST_FILE_MB * 2**20 + 1)
    if len(content) > MOST_FILE_MB * 2**20:
        raise UsageFault(f"cannot read {path}: it has more than {MOST_FILE_MB} MB")
    return content
