"""Putting a small folder into a box as a copy: the list of mounts would show where a mounted one is on the host.

How this works. bwrap fills files of the box's own root, which is in memory, from descriptors. That takes no longer than
to mount the folder, as long as it holds little; what it takes is memory, and a descriptor for each file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MOST_FILES = 64
MOST_BYTES = 256 * 1024
"""A megabyte would take half a millisecond."""


@dataclass(frozen=True, slots=True)
class Copy:
    """What makes bwrap copy a folder: its arguments, and the open files that they name, which are the caller's."""

    arguments: list[str]
    files: list[int]

    def close(self) -> None:
        """Close the files."""
        for file in self.files:
            os.close(file)


def copy_of(folder: Path, place: str) -> Copy | None:
    """Return how to copy a folder to `place`; None where it holds much, or other things than files and folders.

    Raises OSError where a file cannot be opened for want of descriptors.
    """
    found: list[os.DirEntry[str]] = []
    with suppress(PermissionError):  # then it is mounted, and shows what it shows
        for entry in _below(str(folder)):
            found.append(entry)
            is_plain = entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False)
            if not is_plain or len(found) > MOST_FILES:
                return None
        if sum(entry.stat(follow_symlinks=False).st_size for entry in found) <= MOST_BYTES:
            return _opened(found, str(folder), place)
    return None


def _below(folder: str) -> Iterator[os.DirEntry[str]]:
    """Give all that is in a folder, each folder before what is in it."""
    with os.scandir(folder) as entries:
        for entry in entries:
            yield entry
            if entry.is_dir(follow_symlinks=False):
                yield from _below(entry.path)


def _opened(found: list[os.DirEntry[str]], folder: str, place: str) -> Copy:
    copy = Copy(["--dir", place], [])
    try:
        for entry in found:
            target = place + entry.path.removeprefix(folder)
            if entry.is_dir(follow_symlinks=False):
                copy.arguments.extend(["--dir", target])
                continue
            copy.files.append(os.open(entry.path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW))
            permissions = "0555" if entry.stat(follow_symlinks=False).st_mode & 0o111 else "0444"
            copy.arguments.extend(["--perms", permissions, "--file", str(copy.files[-1]), target])
    except BaseException:
        copy.close()
        raise
    return copy
