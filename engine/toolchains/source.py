"""A source is what a bot is made of: the text of one file, or a tree of files; its limits, its hash, its packed form.

How this works. A tree says of each file its name, its content and whether it may be run, and nothing else. So the same
content is the same tree, and has the same hash, whether it came as a folder, a zip or a tar. What comes in is checked
before any of it is written anywhere, folder and archive alike. Nothing that an archive says of itself is believed:
files and their bytes are counted as they come out, and reading ends with the first that is too many. Links and devices
are refused, also those that lead nowhere bad. What reading a stranger's tar raises is in DAMAGED, and none of that is
trouble with a disk.
"""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import os
import re
import stat
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, Self, TypeAlias

from engine.boxes import BOT_FOLDER
from engine.errors import NoSuchFile, SourceTooLarge, UnusableSource, UsageFault, plain_words
from engine.text import shortened

MOST_HEADER_BYTES = 16 * 1024
"""Of a header of a tar that only holds a long name and the like."""
NONSENSE = "one of its headers makes no sense"
LONG_NAMES = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
EXTRA_HEADERS = {tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE, *LONG_NAMES}
WRONG_DATA = (tarfile.TarError, zlib.error, struct.error, EOFError, ValueError, OverflowError)
DAMAGED = (*WRONG_DATA, IndexError, RuntimeError, OSError)  # a RecursionError is a RuntimeError
"""What Python's own reader raises for a tar in memory that is damaged, or made to look so."""


@dataclass(frozen=True, slots=True, order=True)
class Member:
    """A file of an archive, or a folder where `content` is None. `executable`: its owner may run it."""

    name: str
    content: bytes | None = field(repr=False)
    executable: bool = False


def gzipped_tar(members: Iterable[Member]) -> bytes:
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=buffer, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for member in members:
            header = tarfile.TarInfo(member.name)
            is_folder = member.content is None
            header.type = tarfile.DIRTYPE if is_folder else tarfile.REGTYPE
            header.mode = 0o755 if is_folder or member.executable else 0o644
            header.size = len(member.content or b"")
            archive.addfile(header, io.BytesIO(member.content or b""))
    return buffer.getvalue()


def unzip(data: bytes, most_bytes: int, complaint: str) -> io.BytesIO:
    """To the very end, where the checksum is. Raises Unfit where there is more; OSError, EOFError or zlib.error."""
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as zipped:
        content = zipped.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise Unfit(complaint)
    return io.BytesIO(content)


def open_tar(tar: BinaryIO) -> tarfile.TarFile:
    """Raises tarfile.ReadError where a stranger's tar has no header."""
    return tarfile.open(fileobj=tar, mode="r:", tarinfo=_Header)


def entries_of(archive: tarfile.TarFile) -> Iterator[tuple[tarfile.TarInfo, IO[bytes] | None]]:
    """The plain files have their content; one with holes is none: it may be of any size. Raises one of DAMAGED."""
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
    """Make a folder that all may read. Names have been checked, none is in another's way: an OSError is the disk's."""
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


MOST_PACKED_MB = 10
MOST_MB = 50
MOST_FILES = 2000
MOST_NAME_BYTES = 255
"""Of a file or folder, as file systems have it..."""
MOST_PATH_BYTES = 1024
"""... and of all of a name."""
MOST_DEEP = 64
"""Of folders in folders. What copies and removes a folder has one open for each."""
ELF = b"\x7fELF"
UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Kinds of characters that are not seen, or change how others are: two names with them may look the same."""
CASES = "ladder-cases"
"""The folder of a bot's cases, see `engine.records.case_file`."""
LEFT_OUT = {"__pycache__", "__macosx", "thumbs.db", "ehthumbs.db", "desktop.ini", CASES}
"""What is not a part of a bot, in small letters: caches, what systems put beside files, and what begins with a dot."""


class Unfit(ValueError):
    """Why something cannot be a bot's tree, in words that follow the name of the folder or archive and a colon."""


@dataclass(frozen=True)
class Tree:
    """Files by their names in the tree, sorted. Make it with `tree_of`."""

    files: tuple[Member, ...] = field(repr=False)

    @cached_property
    def hash(self) -> str:
        lines = (
            f"{hash_of(file.content or b'')} {'x' if file.executable else '-'} {file.name}\n" for file in self.files
        )
        return hash_of("".join(lines).encode())

    @cached_property
    def packed(self) -> bytes:
        return gzipped_tar(self.files)

    @cached_property
    def contents(self) -> dict[str, bytes]:
        return {file.name: file.content or b"" for file in self.files}


Source: TypeAlias = str | Tree


def hash_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def tree_of(files: Iterable[Member]) -> Tree:
    """Names, number and sizes have been checked. Raises Unfit where there are none, or one is in another's way."""
    tree = Tree(tuple(sorted(files)))
    if not tree.files:
        raise Unfit("there are no files in it")
    require_apart(tree.files)
    return tree


def with_unlike_names(tree: Tree) -> Tree:
    """Raise Unfit where names differ by case or composition alone: many a computer takes them for one."""
    names: dict[str, str] = {}
    for path in map(PurePosixPath, tree.contents):
        for name in map(str, (path, *path.parents)):
            alike = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
            if (other := names.setdefault(alike, name)) != name:
                raise Unfit(f"{shortened(min(name, other))} and {shortened(max(name, other))} are too alike as names")
    return tree


def require_apart(members: Iterable[Member]) -> None:
    files: set[str] = set()
    folders: set[str] = set()
    for member in members:
        if member.content is None:
            folders.add(member.name)
        elif member.name in files:
            raise Unfit(f"it has two files called {shortened(member.name)}")
        else:
            files.add(member.name)
        folders.update(map(str, PurePosixPath(member.name).parents))
    if both := files & folders:
        raise Unfit(f"{shortened(min(both))} is a file and a folder")


def within_limit(tree: Tree) -> Tree:
    if len(tree.packed) > MOST_PACKED_MB * 2**20:
        raise Unfit(too_large_packed(len(tree.packed)))
    return tree


def too_large_packed(size: int) -> str:
    return f"it has {size / 2**20:.1f} MB packed; the limit is {MOST_PACKED_MB} MB"


def checked_name(name: str) -> str:
    """Return a name within a tree in its one form, without `./`; "" is the tree's own folder. Raises Unfit."""
    if "\\" in name or any(unicodedata.category(character) in UNSEEN for character in name):
        raise Unfit(f"the name {shortened(name)} has a character that names here cannot have")
    return possible_name(name)


def possible_name(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name:
        raise Unfit(f"the name {shortened(name)} leads out of it")
    plain = "/".join(path.parts)
    longest = max((len(os.fsencode(part)) for part in path.parts), default=0)
    if len(os.fsencode(plain)) > MOST_PATH_BYTES or longest > MOST_NAME_BYTES:
        raise Unfit(f"the name {shortened(name)} is too long")
    if len(path.parts) > MOST_DEEP:
        raise Unfit(f"{shortened(name)} is too deep: {MOST_DEEP} folders in each other are the limit")
    return plain


def is_left_out(name: str) -> bool:
    return any(part.startswith(".") or part.lower() in LEFT_OUT for part in name.split("/"))


LIMIT_CHARS = 100_000
MOST_BYTES_OF_A_CHARACTER = 4


def check_source(source: bytes, limit_chars: int = LIMIT_CHARS) -> str:
    """Raises UnusableSource. The first `MOST_BYTES_OF_A_CHARACTER * limit_chars + 1` bytes are enough."""
    if len(source) > MOST_BYTES_OF_A_CHARACTER * limit_chars:  # perhaps cut, so how many there are is not known
        raise SourceTooLarge(f"the source has more than {limit_chars:,} characters; that is the limit")
    try:
        text = source.decode("utf-8")
    except UnicodeDecodeError as error:
        at = error.start
        raise UnusableSource(f"the source is not UTF-8: byte {at + 1} is 0x{source[at]:02x}") from error
    if not text.removeprefix("\ufeff").strip():
        raise UnusableSource("the source is empty")
    if len(text) > limit_chars:
        raise SourceTooLarge(f"the source has {len(text):,} characters, the limit is {limit_chars:,}")
    if "\0" in text:
        raise UnusableSource(f"the source has a NUL character, at character {text.index(chr(0)) + 1}")
    return text


def read_source(path: Path, limit_chars: int) -> str:
    """Raises UsageFault where there is none, UnusableSource where it cannot be a bot."""
    with in_one_sentence(path):
        require_file(path)
        with path.open("rb") as file:
            content = file.read(MOST_BYTES_OF_A_CHARACTER * limit_chars + 1)
    try:
        return check_source(content, limit_chars)
    except UnusableSource as unusable:
        raise type(unusable)(f"{path}: {unusable}") from unusable


def require_file(path: Path) -> None:
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a pipe, a socket or a device; a source is a plain file")


def goes_by_link(folder: Path, name: str) -> bool:
    """What a stranger handed in is read only where no name goes through a link."""
    parts = () if Path(name).is_absolute() else Path(name).parts
    return any(folder.joinpath(*parts[:length]).is_symlink() for length in range(1, len(parts) + 1))


def called_by_its_author(words: str, name_in_box: str, file: str) -> str:
    """Return a compiler's words with the file's own name; stored warnings of older builds have it with its folder."""
    place = rf"(?<![\w./-])(?:{BOT_FOLDER}/)?{re.escape(name_in_box)}(?!\w|\.\w|/)"
    return re.sub(place, lambda _: file, words) if file else words


ENDINGS = (".zip", ".tar", ".tar.gz", ".tgz")
MOST_BYTES = MOST_MB * 2**20
MOST_ENTRIES = 10 * MOST_FILES
"""Files, folders and what is left out."""
MOST_TAR_BYTES = MOST_BYTES + 2048 * MOST_ENTRIES
"""With the archive's own headers."""
TOO_LARGE = f"it has more than {MOST_MB} MB unpacked; that is the limit"
ADVICE = "pack the bot's folder again, or name the folder itself"
GZIP = b"\x1f\x8b"
DAMAGED_ARCHIVE = (*DAMAGED, zipfile.BadZipFile)
"""What Python's own readers raise for an archive that is damaged, or made to look so."""


def is_archive(path: Path) -> bool:
    return path.name.lower().endswith(ENDINGS)


def read_folder(folder: Path) -> Tree:
    """Raises UsageFault for what cannot be a bot's tree, or cannot be read."""
    with in_one_sentence(folder):
        intake = _Intake()
        names = [name for path in _paths_below(folder, intake) if (name := intake.announce(str(path)))]
        for name in names:
            descriptor = os.open(folder / name, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
            with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor
                mode = os.fstat(descriptor).st_mode
                _require_plain_file(name, mode)
                intake.take(name, file, executable=bool(mode & 0o100))
        return within_limit(with_unlike_names(tree_of(intake.files)))


def read_archive(path: Path) -> Tree:
    with in_one_sentence(path):
        require_file(path)
        if path.stat().st_size > MOST_PACKED_MB * 2**20:
            raise Unfit(too_large_packed(path.stat().st_size))
        return archive_of(path, path.read_bytes())


def archive_of(path: Path, data: bytes) -> Tree:
    """Raises UsageFault for what cannot be a bot's tree."""
    with in_one_sentence(path):
        return within_limit(unpacked(data))


def unpacked(data: bytes) -> Tree:
    """One folder that holds all the rest is not part of the tree. Raises Unfit."""
    files = _files_in(data, _Intake())
    if len({file.name.split("/", 1)[0] for file in files}) == 1 and all("/" in file.name for file in files):
        files = [Member(file.name.split("/", 1)[1], file.content, file.executable) for file in files]
    return with_unlike_names(tree_of(files))


def unpacked_as_stored(data: bytes) -> Tree:
    """What was packed for us may be from a time when names could be others. Raises Unfit."""
    return tree_of(_files_in(data, _Intake(possible_name)))


def _files_in(data: bytes, intake: _Intake) -> list[Member]:
    try:
        if zipfile.is_zipfile(io.BytesIO(data)) and not data.startswith(GZIP):
            _take_zip(data, intake)
        else:
            _take_tar(data, intake)
    except Unfit:
        raise
    except DAMAGED_ARCHIVE as error:
        raise Unfit(f"it cannot be unpacked: {shortened(plain_words(error))}; {ADVICE}") from error
    return intake.files


class _Intake:
    """`name_of`: checks names."""

    def __init__(self, name_of: Callable[[str], str] = checked_name) -> None:
        self.name_of = name_of
        self.files: list[Member] = []
        self._names: set[str] = set()
        self._entries = 0
        self._left_bytes = MOST_BYTES

    def count(self) -> None:
        self._entries += 1
        if self._entries > MOST_ENTRIES:
            raise Unfit(f"it has more than {MOST_ENTRIES:,} files and folders; the limit is {MOST_FILES:,} files")

    def announce(self, name: str) -> str | None:
        """Take note of a file. Return its name in its one form; None where it is left out."""
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
        content = file.read(self._left_bytes + 1)
        if len(content) > self._left_bytes:
            raise Unfit(TOO_LARGE)
        self._left_bytes -= len(content)
        self.files.append(Member(name, content, executable))


def _paths_below(folder: Path, intake: _Intake) -> Iterator[Path]:
    """Give paths relative to it; what is left out is not looked into. Raises Unfit for links, devices and such."""
    waiting = [Path()]
    while waiting:
        below = waiting.pop()
        with os.scandir(folder / below) as entries:
            for entry in entries:
                intake.count()
                name = below / entry.name
                if is_left_out(entry.name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(name)
                    continue
                _require_plain_file(str(name), entry.stat(follow_symlinks=False).st_mode)
                yield name


def _require_plain_file(name: str, mode: int) -> None:
    if stat.S_ISLNK(mode):
        raise Unfit(f"{shortened(name)} is a link; a bot is made of plain files")
    if not stat.S_ISREG(mode):
        raise Unfit(f"{shortened(name)} is neither a file nor a folder")


def _take_zip(data: bytes, intake: _Intake) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = [(entry, name) for entry in archive.infolist() if (name := _announce(entry, intake))]
        for entry, name in entries:
            with archive.open(entry) as file:
                intake.take(name, file, executable=bool(entry.external_attr >> 16 & 0o100))


def _announce(entry: zipfile.ZipInfo, intake: _Intake) -> str | None:
    intake.count()
    written = entry.orig_filename.replace("\\", "/")  # as some programs for Windows write it
    if written.endswith("/"):
        intake.name_of(written)
        return None
    name = intake.announce(written)
    mode = entry.external_attr >> 16
    if name is not None:
        _require_plain_file(name, mode if stat.S_IFMT(mode) else stat.S_IFREG)
        if entry.flag_bits & 1 or entry.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise Unfit(f"{shortened(name)} is encrypted, or packed in an unusual way")
    return name


def _take_tar(data: bytes, intake: _Intake) -> None:
    tar = unzip(data, MOST_TAR_BYTES, TOO_LARGE) if data.startswith(GZIP) else io.BytesIO(data)
    try:
        archive = open_tar(tar)
    except tarfile.ReadError as error:
        raise Unfit(f"it cannot be unpacked: it is neither a whole zip nor a tar; {ADVICE}") from error
    with archive:
        for entry, content in entries_of(archive):
            intake.count()
            name = intake.name_of(entry.name) if entry.isdir() else intake.announce(entry.name)
            if entry.isdir() or name is None:
                continue
            mode = stat.S_IFREG if content else stat.S_IFCHR
            _require_plain_file(name, stat.S_IFLNK if entry.issym() or entry.islnk() else mode)
            if content is not None:  # which it is for every plain file
                intake.take(name, content, executable=bool(entry.mode & 0o100))


@contextmanager
def in_one_sentence(path: Path) -> Iterator[None]:
    try:
        yield
    except Unfit as unfit:
        raise UsageFault(f"{path}: {unfit}") from unfit
    except FileNotFoundError as error:
        raise NoSuchFile(f"cannot read {error.filename or path}: {error.strerror}", str(path)) from error
    except OSError as error:
        raise UsageFault(f"cannot read {error.filename or path}: {error.strerror}") from error
