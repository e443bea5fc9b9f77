"""The folder or tar file that an export is written to or read from.

How this works. What is written stands beside its place under another name until it is whole; then it gets its own name
in one step. An export that is interrupted before that leaves nothing. Only its owner can read it, as it holds all
sources.
"""

from __future__ import annotations

import io
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import IO, TypeAlias

from engine.errors import Refused, UsageFault
from engine.immutable import immutable
from engine.toolchains.source import goes_by_link

TAR = ".tar"


Target: TypeAlias = Callable[[str], AbstractContextManager[IO[bytes]]]
"""Opens a new file of that name in what is being written."""


@contextmanager
def new_in_folder(folder: Path, name: str) -> Iterator[IO[bytes]]:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    with path.open("xb") as file:
        yield file


@contextmanager
def new_in_tar(tar: tarfile.TarFile, beside: Path, name: str) -> Iterator[IO[bytes]]:
    """A member bears no time and no owner, so equal ladders give equal files."""
    with tempfile.TemporaryFile(dir=beside) as file:
        yield file
        member = tarfile.TarInfo(name)
        member.size = file.tell()
        file.seek(0)
        tar.addfile(member, file)


@contextmanager
def new_place(place: Path) -> Iterator[Target]:
    """A tar file where its name ends like one, else a folder; nothing is left if that fails. Raises Refused."""
    if place.exists() or place.is_symlink():
        raise Refused(f"{place} exists already: name a new folder, or a new file that ends in {TAR}")
    try:
        unfinished = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.absolute().parent))
    except OSError as error:
        raise UsageFault(f"cannot write {place}: {error.strerror}") from error
    try:
        if place.suffix == TAR:
            whole = unfinished / "whole"
            whole.touch(0o600)
            with tarfile.open(whole, "w") as tar:
                yield partial(new_in_tar, tar, unfinished)
        else:
            whole = unfinished
            yield partial(new_in_folder, unfinished)
        whole.rename(place)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


@immutable
class FolderOrigin:
    """A folder that is read."""

    folder: Path

    def open(self, name: str) -> IO[bytes] | None:
        path = self._inside(name)
        return path.open("rb") if path.is_file() else None

    def names(self, folder: str) -> list[str]:
        inside = self._inside(folder)
        return sorted(path.name for path in inside.iterdir()) if inside.is_dir() else []

    def _inside(self, name: str) -> Path:
        if goes_by_link(self.folder, name):
            raise ValueError(f"{name} is a link or is behind one, and an export has none")
        return self.folder / name


class TarOrigin:
    """A tar file that is read where it is: nothing of it is laid out on the disk."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self._members = {member.name.removeprefix("./"): member for member in tar if member.isfile()}

    def open(self, name: str) -> IO[bytes] | None:
        member = self._members.get(name)
        return None if member is None else self._tar.extractfile(member)

    def names(self, folder: str) -> list[str]:
        begin = f"{folder}/"
        return sorted(name.removeprefix(begin) for name in self._members if name.startswith(begin))


Origin: TypeAlias = FolderOrigin | TarOrigin


@contextmanager
def old_place(place: Path) -> Iterator[Origin]:
    """Open a place for reading. Raises UsageFault where nothing is there, or nothing that can be read."""
    try:
        if place.is_dir():
            yield FolderOrigin(place)
        else:
            with tarfile.open(place, "r:") as tar:
                yield TarOrigin(tar)
    except (tarfile.TarError, EOFError) as error:
        raise UsageFault(f"{place} is neither a folder nor a whole tar file, so no export of a ladder") from error
    except OSError as error:
        raise UsageFault(f"cannot read {place}: {error.strerror or error}") from error


def whole_content(origin: Origin, name: str, most_bytes: int) -> bytes | None:
    """Return all of a file, None where there is none. Raises ValueError where it is larger than that."""
    with origin.open(name) or io.BytesIO() as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise ValueError(f"{name} has more than {most_bytes:,} bytes")
    return content
