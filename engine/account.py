"""The account that this process runs under, which may have neither a name nor a home folder.

A container started with a number for its user (`--user 4242`) has an account without an entry in /etc/passwd.
"""

from __future__ import annotations

import os
from getpass import getuser
from pathlib import Path


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
