"""Files on their way: into gzipped tars that are the same for the same content, and into folders.

A tar has neither owners nor times, and of each file only whether it may be run.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path


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


def lay_out(folder: Path, files: Iterable[Member]) -> Path:
    """Make a folder with these files, whose names have been checked, and return it. All may read it. Raises OSError."""
    folder.mkdir()
    for file in files:
        path = folder / file.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content or b"")
        path.chmod(0o755 if file.executable else 0o644)
    for made in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        made.chmod(0o755)
    return folder
