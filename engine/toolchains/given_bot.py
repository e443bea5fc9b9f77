"""What people name as a bot: a source file, a folder or an archive with a `ladder.toml`, or a program.

A program can be given with its arguments, as one word: `"./wahoo --depth 8"`. An ending that sources have always means
a source, also of a file that can be run.

How this works. The box of a program shows its folder, read-only and as `/bot`, as it does for every bot; nothing is
copied. Where that folder would show more than belongs to a bot (`/`, a home folder, `/usr/bin`), only the file is
shown: it becomes a tree of one file, which is also how a program is submitted.

An archive says of itself what its author chose, so nothing of that is believed: files are counted, and
their bytes too, as they come out, and reading ends with the first that is too many. Only plain files come in; links and
devices are refused, also those that lead nowhere bad. Folder and archive go through the same checks.
"""

from __future__ import annotations

import json
import os
import shlex
import stat
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO

from engine.account import home_folder
from engine.boxes import BOT_FOLDER, bot_uid, obstacle
from engine.errors import NoSuchFile, UsageFault, plain_words
from engine.text import one_line, shortened
from engine.toolchains.bot_folder import FILE, PROGRAM, BotFolder, language_of_tree, own_recipe, settings_of
from engine.toolchains.languages import Language, find_language, language_of, languages
from engine.toolchains.program import Program, is_usable, search_path
from engine.toolchains.source import DAMAGED as DAMAGED_TAR
from engine.toolchains.source import (
    ELF,
    MOST_FILES,
    MOST_MB,
    MOST_PACKED_MB,
    Member,
    Source,
    Tree,
    Unfit,
    checked_name,
    entries_of,
    is_left_out,
    opened_tar,
    possible_name,
    read_source,
    require_file,
    too_large_packed,
    tree_of,
    unzipped,
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


SHEBANG = b"#!"
BEGINNING_BYTES = 256
SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/boot", "/proc", "/sys", "/run")
"""Folders of which everything below belongs to the system."""
COMMON_FOLDERS = ("/var/tmp", "/dev/shm")  # noqa: S108 - not to be used
"""Folders, besides those directly below `/`, that hold what belongs to many."""


@dataclass(frozen=True, slots=True)
class OwnProgram:
    """A program on this machine and its arguments. `path`: without links."""

    path: Path
    arguments: tuple[str, ...] = ()


def begins_as_program(path: Path) -> bool:
    """Say whether a plain file begins as a program does. Raises OSError."""
    if not stat.S_ISREG(path.stat().st_mode):
        return False
    return beginning(path).startswith((ELF, SHEBANG))


def own_program(path: Path, arguments: tuple[str, ...]) -> OwnProgram:
    """Return the program in that file. Raises UsageFault where it cannot be run as it is, OSError."""
    if not begins_as_program(path):
        raise UsageFault(f"{path} is not a program: it is neither machine code for Linux nor begins with #!")
    if not os.access(path, os.X_OK):
        raise UsageFault(f"{path} is a program that may not be run: type chmod +x {shlex.quote(str(path))}")
    found = beginning(path)
    if found.startswith(SHEBANG):
        words = found.split(b"\n", 1)[0].removeprefix(SHEBANG).split()
        interpreter = os.fsdecode(words[0]) if words else ""
        if not interpreter.startswith("/") or not is_usable(Path(interpreter)):
            raise UsageFault(f"{path} is run by {one_line(interpreter)!r}, which bots cannot use: it is not below /usr")
    return OwnProgram(path.resolve(strict=True), arguments)


def beginning(path: Path) -> bytes:
    """Return the first bytes of a file. Raises OSError."""
    with path.open("rb") as file:
        return file.read(BEGINNING_BYTES)


def mounted(own: OwnProgram) -> Program:
    """Return the program as a bot whose box shows its folder. Raises UsageFault where that cannot be shown."""
    folder = own.path.parent
    require_plain(folder)
    blocked = obstacle(folder) or obstacle(own.path)
    if blocked is not None:
        account = "you" if bot_uid() is None else f"uid {bot_uid()}, under which bots run,"
        raise UsageFault(f"{account} may not enter {blocked}: put {own.path.name} into a folder that others may enter")
    return Program(
        key="",
        language=PROGRAM,
        folder=folder,
        command=(f"{BOT_FOLDER}/{own.path.name}", *own.arguments),
        environment={"PATH": search_path(())},
    )


def shows_too_much(folder: Path) -> bool:
    """Say whether a folder, given without links, holds what is no bot's business."""
    home = home_folder()
    homes = [] if home is None else [home.resolve(), *home.resolve().parents]
    return (
        len(folder.parts) <= 2
        or folder in [*homes, *map(Path, COMMON_FOLDERS)]
        or any(folder.is_relative_to(place) for place in SYSTEM_FOLDERS)
        or any(part.startswith(".") for part in folder.parts)
    )


def require_plain(folder: Path) -> None:
    """Raise UsageFault unless all below a folder are files, links and folders: a pipe would lead out of the box."""
    waiting, seen = [folder], 0
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(here) as entries:
                found = list(entries)
        except PermissionError:  # nor may the bot
            continue
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
            elif not entry.is_file(follow_symlinks=False) and not entry.is_symlink():
                raise UsageFault(f"{entry.path} is a pipe, a socket or a device: give the program a folder of its own")
        seen += len(found)
        if seen > MOST_ENTRIES:
            raise UsageFault(f"{folder} has more than {MOST_ENTRIES:,} files: give the program a folder of its own")


def alone(own: OwnProgram) -> Tree:
    """Return the program as a tree of its one file. Raises UsageFault where it is too large, or cannot be read."""
    with in_one_sentence(own.path):
        name = checked_name(own.path.name.lstrip(".") or PROGRAM)
        with own.path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise Unfit(TOO_LARGE)
        run = ", ".join(as_toml(word) for word in ("{source}", *own.arguments))
        settings = f"language = {as_toml(PROGRAM)}\nsource = {as_toml(name)}\nrun = [{run}]\n"
        return within_limit(tree_of([Member(name, content, executable=True), Member(FILE, settings.encode())]))


def as_toml(word: str) -> str:
    """Write a word as TOML has it: as JSON does, but for one character."""
    return json.dumps(word, ensure_ascii=False).replace("\x7f", "\\u007f")


@dataclass(frozen=True, slots=True)
class GivenBot:
    """A bot as somebody named it. `path`, `arguments`: of what; `settings`: what its `ladder.toml` says, if it has one.

    `content`: a program stays where it is, and is played from there; all else has been read.
    """

    path: Path
    language: Language
    content: Source | OwnProgram
    arguments: tuple[str, ...] = ()
    settings: BotFolder | None = None

    @property
    def name(self) -> str:
        """What it is called in a table: the name of its file or folder, and a program's arguments."""
        return name_of(self.path, self.arguments)

    @property
    def stem(self) -> str:
        """What a bot of this name would be called: the name of its file or folder without the ending."""
        name = own_name(self.path)
        if self.settings is None:
            return Path(name).stem
        ending = next((ending for ending in ENDINGS if name.lower().endswith(ending)), "")
        return name[: len(name) - len(ending)]

    @property
    def bot(self) -> str:
        """The bot that it is a version of, by its `ladder.toml` or else by its own name."""
        return (self.settings.bot if self.settings else None) or self.stem

    @property
    def identity(self) -> tuple[Path, tuple[str, ...]]:
        """The same for a bot that is named in two ways."""
        return self.path.resolve(), self.arguments

    @property
    def source(self) -> Source:
        """What can be submitted; of a program its file alone. Raises UsageFault where that is too large."""
        return alone(self.content) if isinstance(self.content, OwnProgram) else self.content


def name_of(path: Path, arguments: tuple[str, ...]) -> str:
    """Return what a bot is called that is named so: by its file or folder, and a program's arguments."""
    return one_line(" ".join([own_name(path), *map(shlex.quote, arguments)]))


def own_name(path: Path) -> str:
    """Return the name of a file or folder, also where it is given as `.` or `..`."""
    return path.resolve().name if path.name in {"", ".."} else path.name


def read_bot(word: str | Path, source_chars: int, language: str | None = None) -> GivenBot:
    """Read what `word` names; `source_chars`: the longest source of one file; `language`: if its name does not say it.

    Raises UsageFault, and UnknownName, where it is nothing that can be a bot, Refused for a source that cannot.
    """
    path, arguments = Path(word), tuple[str, ...]()
    try:
        path, arguments = path_and_arguments(word)
        if path.is_dir() or is_archive(path):
            require_no_arguments(path, arguments)
            return read_many(path, language)
        if is_program(path, language):
            own = own_program(path, arguments)
            content = alone(own) if shows_too_much(own.path.parent) else own
            return GivenBot(path, find_language(PROGRAM), content, arguments)
    except FileNotFoundError as error:
        raise NoSuchFile(f"cannot read {path}: {error.strerror}", str(path)) from error
    except OSError as error:
        raise UsageFault(f"cannot read {path}: {error.strerror}") from error
    require_no_arguments(path, arguments)
    text = read_source(path, source_chars)  # first: what cannot be read is said to be that
    return GivenBot(path, language_of(path) if language is None else find_language(language), text)


def is_program(path: Path, language: str | None) -> bool:
    """Say whether a file is meant as a program. Raises OSError."""
    if language is not None:
        return language.strip().lower() == PROGRAM
    return not has_ending_of_a_source(path) and begins_as_program(path)


def read_many(path: Path, language: str | None) -> GivenBot:
    """Read a folder or an archive. Raises UsageFault."""
    tree = read_folder(path) if path.is_dir() else read_archive(path)
    settings = settings_of(tree, path)
    recipe = language_of_tree(tree, settings) if language is None else find_language(language)
    own_recipe(tree, recipe, path)
    return GivenBot(path, recipe, tree, settings=settings)


def path_and_arguments(word: str | Path) -> tuple[Path, tuple[str, ...]]:
    """Split what names a program and its arguments; what is there by its whole name is that, and has none."""
    path = Path(word)
    if " " not in str(word) or path.exists():
        return path, ()
    try:
        first, *rest = shlex.split(str(word))
    except ValueError:
        return path, ()
    return (Path(first), tuple(rest)) if rest and Path(first).exists() else (path, ())


def folder_around(word: str | Path) -> Path | None:
    """Return the folder in which a single file or a program is; None for what brings its own `ladder.toml`."""
    path, _ = path_and_arguments(word)
    return None if path.is_dir() or is_archive(path) else path.parent


def has_ending_of_a_source(path: Path) -> bool:
    return any(path.suffix.lower() in language.extensions for language in languages().values())


def means_file(word: str) -> bool:
    """Say whether a word that may be a name means a file: it has a folder, or an ending that bots have."""
    return "/" in word or word in {".", ".."} or has_ending_of_a_source(Path(word)) or is_archive(Path(word))


def require_no_arguments(path: Path, arguments: tuple[str, ...]) -> None:
    """Raise UsageFault where something else than a program was given arguments."""
    if arguments:
        raise UsageFault(f"{path} is not a program, and only programs can be given arguments ({shlex.join(arguments)})")
