"""Built bots as bytes, to be kept in a database and fetched by any worker: a gzipped tar, the same for the same bot.

How this works. What a build has left comes as an archive too, which its author may have written byte by byte. So
nothing is written before all of it was looked at as data: only plain files and folders come out, none in another's way,
by names that a folder can have. What is wrong with it is known without a disk, and is not taken for trouble with ours.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from engine.errors import SandboxFault, plain_words
from engine.text import shortened
from engine.toolchains.program import Program, checked_key, find_program
from engine.toolchains.tars import DAMAGED, Member, entries_of, gzipped_tar, lay_out, opened_tar, unzipped
from engine.toolchains.tree import Unfit, possible_name, require_apart
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
        except (zlib.error, EOFError, ValueError, OSError) as error:
            raise SandboxFault(f"the stored build {key[:12]} cannot be unpacked: {plain_words(error)}") from error
        workspace.publish(entry, key)


def take_out(tar: BinaryIO, folder: Path) -> None:
    """Make `folder` and write an archive's files and folders into it, when all of them have been looked at.

    Raises Unfit where the archive is not fit to be kept, whatever the disk is like, and OSError where the disk fails.
    """
    try:
        members = list(_members(tar))
    except Unfit:
        raise
    except DAMAGED as error:
        raise Unfit(shortened(plain_words(error))) from error
    require_apart(members)
    lay_out(folder, members)


def _unzipped(data: bytes) -> BinaryIO:
    """Unzip to the very end. Raises ValueError for what is too large."""
    tar = unzipped(data, MOST_BYTES)
    if tar is None:
        raise ValueError(f"it is larger than {MOST_MB} MB")
    return tar


def _members(tar: BinaryIO) -> Iterator[Member]:
    """Give an archive's files and folders, but for the one that holds it all. Raises Unfit, and what is in DAMAGED."""
    with opened_tar(tar) as archive:
        for number, (entry, content) in enumerate(entries_of(archive)):
            if number > MOST_FILES:
                raise Unfit(f"it has more than {MOST_FILES:,} files and folders")
            name = possible_name(entry.name)
            if not name and entry.isdir():
                continue
            if not name or (content is None and not entry.isdir()):
                raise Unfit(f"{shortened(name)!r} is neither a file nor a folder")
            yield Member(name, content.read() if content else None, executable=bool(entry.mode & 0o100))
