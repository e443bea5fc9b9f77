"""Reading a source file: a plain file, small enough, in UTF-8; and its name in what a compiler says of it."""

from __future__ import annotations

import errno
import os
import re
import stat
from pathlib import Path

from engine.boxes import BOT_FOLDER
from engine.errors import NoSuchFile, SourceTooLarge, UnusableSource, UsageFault

LIMIT_CHARS = 100_000
MOST_BYTES_OF_A_CHARACTER = 4
"""In UTF-8."""


def check_source(source: bytes, limit_chars: int = LIMIT_CHARS) -> str:
    """Return a submitted source as text.

    Raises SourceTooLarge, and UnusableSource where it is empty, not UTF-8 or not text.

    Of a large source the first `MOST_BYTES_OF_A_CHARACTER * limit_chars + 1` bytes are enough.
    """
    if len(source) > MOST_BYTES_OF_A_CHARACTER * limit_chars:  # perhaps cut, so how many there are is not known
        raise SourceTooLarge(f"the source has more than {limit_chars:,} characters; that is the limit")
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnusableSource(
            f"the source is not UTF-8: byte {error.start + 1} is 0x{source[error.start]:02x}"
        ) from error
    if not text.removeprefix("\ufeff").strip():
        raise UnusableSource("the source is empty")
    if len(text) > limit_chars:
        raise SourceTooLarge(f"the source has {len(text):,} characters, the limit is {limit_chars:,}")
    if "\0" in text:
        raise UnusableSource(f"the source has a NUL character, at character {text.index(chr(0)) + 1}")
    return text


def read_source(path: Path, limit_chars: int) -> str:
    """Read and check a source file. Raises UsageFault where there is none, UnusableSource where it cannot be a bot."""
    try:
        require_file(path)
        with path.open("rb") as file:
            content = file.read(MOST_BYTES_OF_A_CHARACTER * limit_chars + 1)
    except FileNotFoundError as error:
        raise NoSuchFile(f"cannot read {path}: {error.strerror}", str(path)) from error
    except OSError as error:
        raise UsageFault(f"cannot read {path}: {error.strerror}") from error
    try:
        return check_source(content, limit_chars)
    except UnusableSource as unusable:
        raise type(unusable)(f"{path}: {unusable}") from unusable


def require_file(path: Path) -> None:
    """Raise OSError unless there is a plain file: a pipe would be waited for, and a device may never end."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a pipe, a socket or a device; a source is a plain file")


def goes_by_link(folder: Path, name: str) -> bool:
    """Say whether a relative name goes through a link in a folder: what a stranger handed in is read only there."""
    parts = () if Path(name).is_absolute() else Path(name).parts
    return any(folder.joinpath(*parts[:length]).is_symlink() for length in range(1, len(parts) + 1))


def called_by_its_author(words: str, name_in_box: str, file: str) -> str:
    """Return what a compiler said of a single source with the file called `file`, as its author calls it.

    Warnings that are stored with older builds have it with its folder.
    """
    return (
        words
        if not file
        else re.sub(rf"(?<![\w./-])(?:{BOT_FOLDER}/)?{re.escape(name_in_box)}(?!\w|\.\w|/)", lambda _: file, words)
    )
