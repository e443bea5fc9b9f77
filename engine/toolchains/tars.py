"""Files on their way: into gzipped tars that are the same for the same content, out of tars, and into folders.

A tar of ours has neither owners nor times, and of each file only whether it may be run. One that a stranger's program
has made may be anything; what reading it raises is in DAMAGED, and none of that is trouble with a disk.
"""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, BinaryIO, Self

MOST_HEADER_BYTES = 16 * 1024
"""Of a header of a tar that only holds a long name and the like."""
NONSENSE = "one of its headers makes no sense"
EXTRA_HEADERS = {
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
}
DAMAGED = (
    tarfile.TarError,
    zlib.error,
    struct.error,
    EOFError,
    ValueError,
    OverflowError,
    IndexError,
    RuntimeError,  # a RecursionError is one
    OSError,
)
"""What Python's own reader raises for a tar in memory that is damaged, or made to look so."""


@dataclass(frozen=True, slots=True, order=True)
class Member:
    """A file of an archive, or a folder where `content` is None. `executable`: its owner may run it."""

    name: str
    content: bytes | None = field(repr=False)
    executable: bool = False


def gzipped_tar(members: Iterable[Member]) -> bytes:
    """Return an archive of these files and folders, in the order in which they come."""
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=buffer, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for member in members:
            _add(archive, member)
    return buffer.getvalue()


def _add(archive: tarfile.TarFile, member: Member) -> None:
    header = tarfile.TarInfo(member.name)
    if member.content is None:
        header.type, header.mode = tarfile.DIRTYPE, 0o755
        archive.addfile(header)
        return
    header.mode = 0o755 if member.executable else 0o644
    header.size = len(member.content)
    archive.addfile(header, io.BytesIO(member.content))


def unzipped(data: bytes, most_bytes: int) -> io.BytesIO | None:
    """Unzip to the very end, where the checksum is; None where that is more than `most_bytes`.

    Raises OSError, EOFError or zlib.error for damage.
    """
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as zipped:
        content = zipped.read(most_bytes + 1)
    return None if len(content) > most_bytes else io.BytesIO(content)


def opened_tar(tar: BinaryIO) -> tarfile.TarFile:
    """Read the first header of a stranger's tar. Raises tarfile.ReadError where there is none."""
    return tarfile.open(fileobj=tar, mode="r:", tarinfo=_Header)


def entries_of(archive: tarfile.TarFile) -> Iterator[tuple[tarfile.TarInfo, IO[bytes] | None]]:
    """Give the entries of an opened tar, the plain files among them with their content. Raises one of DAMAGED.

    One with holes is no plain file: it may be of any size.
    """
    for entry in archive:
        if entry.size < 0:
            raise ValueError(NONSENSE)
        yield entry, archive.extractfile(entry) if entry.isreg() and not entry.issparse() else None


class _Header(tarfile.TarInfo):
    """A header of a tar, but none that `tarfile` would work on for very long, or for ever."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Read a block. Raises ValueError for sizes below 0, and for long headers that only say more of the next."""
        header = super().frombuf(buf, encoding, errors)
        if header.size < 0 or (header.type in EXTRA_HEADERS and header.size > MOST_HEADER_BYTES):
            raise ValueError(NONSENSE)
        return header


def lay_out(folder: Path, files: Iterable[Member]) -> Path:
    """Make a folder with these files and folders, and return it. All may read it. Raises OSError.

    Their names have been checked, and that none is in another's way; so an error is the disk's.
    """
    folder.mkdir()
    for file in files:
        path = folder / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        if file.content is None:
            path.mkdir(exist_ok=True)
            continue
        path.write_bytes(file.content)
        path.chmod(0o755 if file.executable else 0o644)
    for made in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        made.chmod(0o755)
    return folder
