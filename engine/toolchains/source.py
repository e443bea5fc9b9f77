"""Reading a source file: a plain file, small enough, in UTF-8.

Imports inside functions: a file is read by commands that do not build it.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from engine.errors import Refused, UsageFault


def read_source(path: Path, limit_chars: int) -> str:
    """Read and check a source file. Raises UsageFault where there is none, Refused where it cannot be a bot."""
    from engine.toolchains.build import MOST_BYTES_OF_A_CHARACTER, check_source

    try:
        require_file(path)
        with path.open("rb") as file:
            content = file.read(MOST_BYTES_OF_A_CHARACTER * limit_chars + 1)
    except OSError as error:
        raise UsageFault(f"cannot read {path}: {error.strerror}") from error
    try:
        return check_source(content, limit_chars)
    except Refused as refused:
        raise Refused(f"{path}: {refused}") from refused


def require_file(path: Path) -> None:
    """Raise OSError unless there is a plain file: a pipe would be waited for, and a device may never end."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a pipe, a socket or a device; a source is a plain file")
