"""From a folder, a zip or a tar to a tree: each file is checked before more is read, and nothing is written.

How this works. An archive says of itself what its author chose, so nothing of that is believed: files are counted,
and their bytes too, as they come out, and reading ends with the first that is too many. Only plain files come in; links
and devices are refused, also those that lead nowhere bad. Folder and archive go through the same checks.
"""

from __future__ import annotations

import os
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO

from engine.errors import UsageFault, plain_words
from engine.text import shortened
from engine.toolchains.source import require_file
from engine.toolchains.tars import DAMAGED as DAMAGED_TAR
from engine.toolchains.tars import Member, entries_of, opened_tar, unzipped
from engine.toolchains.tree import (
    MOST_FILES,
    MOST_MB,
    MOST_PACKED_MB,
    Tree,
    Unfit,
    checked_name,
    is_left_out,
    possible_name,
    too_large_packed,
    tree_of,
    with_unlike_names,
    within_limit,
)

ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz")
MOST_BYTES = MOST_MB * 2**20
MOST_ENTRIES = 10 * MOST_FILES
"""Files, folders and what is left out."""
MOST_TAR_BYTES = MOST_BYTES + 2048 * MOST_ENTRIES
"""With the archive's own headers."""
TOO_LARGE = f"it has more than {MOST_MB} MB unpacked; that is the limit"
ADVICE = "pack the bot's folder again, or name the folder itself"
GZIP = b"\x1f\x8b"
DAMAGED = (*DAMAGED_TAR, zipfile.BadZipFile)
"""What Python's own readers raise for an archive that is damaged, or made to look so."""


def is_archive(path: Path) -> bool:
    return path.name.lower().endswith(ENDINGS)


def read_folder(folder: Path) -> Tree:
    """Return what is in a folder. Raises UsageFault for what cannot be a bot's tree, or cannot be read."""
    with in_one_sentence(folder):
        taken = _Taken()
        names = [name for path in _paths_below(folder, taken) if (name := taken.announce(str(path)))]
        for name in names:
            with _opened(folder, name) as file:
                taken.take(name, file, executable=bool(os.fstat(file.fileno()).st_mode & 0o100))
        return within_limit(with_unlike_names(tree_of(taken.files)))


def read_archive(path: Path) -> Tree:
    """Return what is in a zip or a tar. Raises UsageFault for what cannot be a bot's tree, or cannot be read."""
    with in_one_sentence(path):
        require_file(path)
        with path.open("rb") as file:
            data = file.read(MOST_PACKED_MB * 2**20 + 1)
        if len(data) > MOST_PACKED_MB * 2**20:
            raise Unfit(too_large_packed(path.stat().st_size))
        return within_limit(unpacked(data))


def unpacked(data: bytes) -> Tree:
    """Return the tree of an archive's bytes. One folder that holds all the rest is not part of it. Raises Unfit."""
    return with_unlike_names(tree_of(_without_top_folder(_files_in(data, _Taken()))))


def unpacked_as_stored(data: bytes) -> Tree:
    """Return the tree that was packed for us; it may be from a time when names could be others. Raises Unfit."""
    return tree_of(_files_in(data, _Taken(possible_name)))


def _files_in(data: bytes, taken: _Taken) -> list[Member]:
    """Return the files of an archive's bytes. Raises Unfit."""
    try:
        if zipfile.is_zipfile(BytesIO(data)) and not data.startswith(GZIP):
            _take_zip(data, taken)
        else:
            _take_tar(data, taken)
    except Unfit:
        raise
    except DAMAGED as error:
        raise Unfit(f"it cannot be unpacked: {shortened(plain_words(error))}; {ADVICE}") from error
    return taken.files


class _Taken:
    """The files that have come in, and how much more may. `name_of`: checks names."""

    def __init__(self, name_of: Callable[[str], str] = checked_name) -> None:
        self.name_of = name_of
        self.files: list[Member] = []
        self._names: set[str] = set()
        self._entries = 0
        self._left_bytes = MOST_BYTES

    def count(self) -> None:
        """Count a file or a folder, whether it is part of the bot or not. Raises Unfit for too many."""
        self._entries += 1
        if self._entries > MOST_ENTRIES:
            raise Unfit(f"it has more than {MOST_ENTRIES:,} files and folders; the limit is {MOST_FILES:,} files")

    def announce(self, name: str) -> str | None:
        """Check the name of a file that is to come, and return it in its one form; None where it is left out."""
        plain = self.name_of(name)
        if is_left_out(plain):
            return None
        if plain in self._names:
            raise Unfit(f"it has two files called {shortened(plain)}")
        if len(self._names) == MOST_FILES:
            raise Unfit(f"it has more than {MOST_FILES:,} files; that is the limit")
        self._names.add(plain)
        return plain

    def take(self, name: str, file: IO[bytes], *, executable: bool) -> None:
        """Read a file's content. Raises Unfit where there is too much of all."""
        content = file.read(self._left_bytes + 1)
        if len(content) > self._left_bytes:
            raise Unfit(TOO_LARGE)
        self._left_bytes -= len(content)
        self.files.append(Member(name, content, executable))


def _paths_below(folder: Path, taken: _Taken) -> Iterator[Path]:
    """Give the plain files below a folder, relative to it. Raises Unfit for links, devices and such.

    What is left out is not looked into.
    """
    waiting = [Path()]
    while waiting:
        below = waiting.pop()
        with os.scandir(folder / below) as entries:
            for entry in entries:
                taken.count()
                name = below / entry.name
                if is_left_out(entry.name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(name)
                    continue
                _require_plain_file(str(name), entry.stat(follow_symlinks=False).st_mode)
                yield name


@contextmanager
def _opened(folder: Path, name: str) -> Iterator[IO[bytes]]:
    """Open a plain file, and nothing that has taken its place since it was found."""
    descriptor = os.open(folder / name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
        _require_plain_file(name, os.fstat(descriptor).st_mode)
        yield file


def _require_plain_file(name: str, mode: int) -> None:
    """Raise Unfit for a link, a device, a pipe or a socket."""
    if stat.S_ISLNK(mode):
        raise Unfit(f"{shortened(name)} is a link; a bot is made of plain files")
    if not stat.S_ISREG(mode):
        raise Unfit(f"{shortened(name)} is neither a file nor a folder")


def _take_zip(data: bytes, taken: _Taken) -> None:
    """Take the files of a zip, when all that it lists has been looked at."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        found = [(entry, name) for entry in archive.infolist() if (name := _announced(entry, taken))]
        for entry, name in found:
            with archive.open(entry) as file:
                taken.take(name, file, executable=bool(entry.external_attr >> 16 & 0o100))


def _announced(entry: zipfile.ZipInfo, taken: _Taken) -> str | None:
    """Return the name of a file in a zip; None for a folder, and what is left out. Raises Unfit."""
    taken.count()
    written = entry.orig_filename.replace("\\", "/")  # as some programs for Windows write it
    if written.endswith("/"):
        taken.name_of(written)
        return None
    name = taken.announce(written)
    mode = entry.external_attr >> 16
    if name is not None:
        _require_plain_file(name, mode if stat.S_IFMT(mode) else stat.S_IFREG)
        if entry.flag_bits & 1 or entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise Unfit(f"{shortened(name)} is encrypted, or packed in an unusual way")
    return name


def _take_tar(data: bytes, taken: _Taken) -> None:
    """Take the files of a tar, gzipped or not."""
    tar = unzipped(data, MOST_TAR_BYTES) if data.startswith(GZIP) else BytesIO(data)
    if tar is None:
        raise Unfit(TOO_LARGE)
    with _opened_tar(tar) as archive:
        for entry, content in entries_of(archive):
            taken.count()
            name = taken.name_of(entry.name) if entry.isdir() else taken.announce(entry.name)
            if entry.isdir() or name is None:
                continue
            _require_plain_file(name, _mode_of(entry, content))
            if content is not None:  # which it is for every plain file
                taken.take(name, content, executable=bool(entry.mode & 0o100))


def _opened_tar(tar: BytesIO) -> tarfile.TarFile:
    """Read a tar's first header. Raises Unfit where there is none."""
    try:
        return opened_tar(tar)
    except tarfile.ReadError as error:
        raise Unfit(f"it cannot be unpacked: it is neither a whole zip nor a tar; {ADVICE}") from error


def _mode_of(entry: tarfile.TarInfo, content: IO[bytes] | None) -> int:
    """Return what a tar's entry is, as a file's mode."""
    if entry.issym() or entry.islnk():
        return stat.S_IFLNK
    return stat.S_IFCHR if content is None else stat.S_IFREG


def _without_top_folder(files: list[Member]) -> list[Member]:
    """Return the files as they are in the one folder that holds them all, if there is one."""
    top = {one.name.split("/", 1)[0] for one in files}
    if len(top) != 1 or not all("/" in one.name for one in files):
        return files
    return [Member(one.name.split("/", 1)[1], one.content, one.executable) for one in files]


@contextmanager
def in_one_sentence(path: Path) -> Iterator[None]:
    """Turn what is wrong with a folder or an archive into UsageFault, with its name."""
    try:
        yield
    except Unfit as unfit:
        raise UsageFault(f"{path}: {unfit}") from unfit
    except OSError as error:
        raise UsageFault(f"cannot read {error.filename or path}: {error.strerror}") from error
