"""Built bots as bytes, to be kept in a database and fetched by any worker: a gzipped tar, the same for the same bot.

Archives are opened with our own few lines instead of `extractall`: only plain files and folders with plain names and a
sane total size come out, on every Python 3.11 (the safe filters of `tarfile` are not in all of them).
"""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from engine.errors import SandboxFault, plain_words
from engine.toolchains.program import Program, checked_key, find_program
from engine.toolchains.tars import Member, gzipped_tar, unzipped
from engine.workspace import Workspace, open_workspace

MOST_MB = 64
MOST_FILES = 5000
MOST_BYTES = MOST_MB * 2**20 + MOST_FILES * 2048
"""With the archive's own headers."""


def pack(program: Program) -> bytes:
    """Return the program as an archive. Raises SandboxFault where it cannot be read any more."""
    entry = program.folder.parent
    try:
        return gzipped_tar(_below(entry))
    except OSError as error:
        raise SandboxFault(f"cannot read the build {entry}: {error.strerror or error}") from error


def unpack(data: bytes, key: str) -> Program:
    """Return the program `key`, from the workspace if it is there, else from its archive, which is then kept there.

    Raises SandboxFault for a damaged archive or a full disk, MissingTool where what runs the bot is not installed.
    """
    workspace = open_workspace()
    program = find_program(workspace, key)
    if program is None:
        _extract(workspace, data, checked_key(key))
        program = find_program(workspace, key)
    if program is None:
        raise SandboxFault(f"the stored build {key[:12]} is damaged: it does not say how it was built")
    return program


def _below(entry: Path) -> Iterator[Member]:
    """Give the files and folders below `entry`, in the order of their paths."""
    for path in sorted(entry.rglob("*")):
        name = str(path.relative_to(entry))
        if path.is_dir():
            yield Member(name, None)
        else:
            yield Member(name, path.read_bytes(), executable=bool(path.stat().st_mode & 0o100))


def _extract(workspace: Workspace, data: bytes, key: str) -> None:
    """Unpack an archive into the workspace."""
    with workspace.scratch() as scratch:
        entry = scratch / "entry"
        try:
            take_out(_unzipped(data), entry)
        except (tarfile.TarError, zlib.error, EOFError, ValueError, OSError) as error:
            raise SandboxFault(f"the stored build {key[:12]} cannot be unpacked: {plain_words(error)}") from error
        workspace.publish(entry, key)


def take_out(tar: BinaryIO, folder: Path) -> None:
    """Make `folder` and write an archive's files and folders into it.

    Raises ValueError for too many and for what is no plain file or folder below it, tarfile.TarError for damage.
    """
    folder.mkdir()
    with tarfile.open(fileobj=tar, mode="r:") as archive:
        for member in _members(archive):
            _take_out(archive, member, folder)
    folder.chmod(0o755)


def _unzipped(data: bytes) -> BinaryIO:
    """Unzip to the very end. Raises ValueError for what is too large."""
    tar = unzipped(data, MOST_BYTES)
    if tar is None:
        raise ValueError(f"it is larger than {MOST_MB} MB")
    return tar


def _members(archive: tarfile.TarFile) -> list[tarfile.TarInfo]:
    """Return what an archive holds. Raises ValueError for too many files."""
    members = archive.getmembers()
    if len(members) > MOST_FILES:
        raise ValueError(f"it has {len(members)} files, the limit is {MOST_FILES}")
    return members


def _take_out(archive: tarfile.TarFile, member: tarfile.TarInfo, entry: Path) -> None:
    """Write one member below `entry`. Raises ValueError for anything but a plain file or folder below it."""
    name = PurePosixPath(member.name)
    if name.is_absolute() or ".." in name.parts or not (name.parts or member.isdir()):
        raise ValueError(f"the name {member.name!r} leads out of the archive")
    target = entry / name
    if member.isdir():
        target.mkdir(exist_ok=True)
        target.chmod(0o755)
        return
    content = archive.extractfile(member) if member.isreg() else None
    if content is None:
        raise ValueError(f"{str(name)!r} is neither a file nor a folder")
    target.write_bytes(content.read())
    target.chmod(0o755 if member.mode & 0o100 else 0o644)
