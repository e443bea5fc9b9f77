"""What people name as a bot: a source file, a folder or an archive with a `ladder.toml`, or a program.

A program can be given with its arguments, as one word: `"./wahoo --depth 8"`. An ending that sources have always means
a source, also of a file that can be run.

How this works. The box of a program shows its folder, read-only and as `/bot`, as it does for every bot; nothing is
copied. Where that folder would show more than belongs to a bot (`/`, a home folder, `/usr/bin`), only the file is
shown: it becomes a tree of one file, which is also how a program is submitted.
"""

import os
import shlex
import stat
from pathlib import Path, PureWindowsPath

from engine.boxes import BOT_FOLDER, bot_uid, obstacle
from engine.errors import UsageFault
from engine.immutable import immutable
from engine.machine import home_folder
from engine.text import one_line, toml_text
from engine.toolchains.bot_folder import FILE, PROGRAM, BotFolder, language_of_tree, own_recipe, settings_of
from engine.toolchains.languages import Language, find_language, language_of, languages
from engine.toolchains.program import Program, is_usable, search_path
from engine.toolchains.source import (
    ELF,
    ENDINGS,
    MOST_BYTES,
    MOST_ENTRIES,
    TOO_LARGE,
    Member,
    Source,
    Tree,
    Unfit,
    archive_of,
    check_source,
    checked_name,
    in_one_sentence,
    is_archive,
    read_archive,
    read_folder,
    read_source,
    tree_of,
    within_limit,
)

SHEBANG = b"#!"
BEGINNING_BYTES = 256
SYSTEM_FOLDERS = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/boot", "/proc", "/sys", "/run")
"""Folders of which everything below belongs to the system."""
COMMON_FOLDERS = ("/var/tmp", "/dev/shm")  # noqa: S108 - not to be used
"""Folders, besides those directly below `/`, that hold what belongs to many."""


@immutable
class OwnProgram:
    """A program on this machine and its arguments. `path`: without links."""

    path: Path
    arguments: tuple[str, ...] = ()


def require_program(path: Path, content: bytes) -> None:
    """Raise UsageFault where what begins like this cannot be run as it is."""
    if not content.startswith((ELF, SHEBANG)):
        raise UsageFault(f"{path} is not a program: it is neither machine code for Linux nor begins with #!")
    if content.startswith(SHEBANG):
        words = content[:BEGINNING_BYTES].split(b"\n", 1)[0].removeprefix(SHEBANG).split()
        interpreter = os.fsdecode(words[0]) if words else ""
        if not interpreter.startswith("/") or not is_usable(Path(interpreter)):
            raise UsageFault(f"{path} is run by {one_line(interpreter)!r}, which bots cannot use: it is not below /usr")


def first_bytes(path: Path) -> bytes:
    if not stat.S_ISREG(path.stat().st_mode):
        return b""
    with path.open("rb") as file:
        return file.read(BEGINNING_BYTES)


def mount_program(program: OwnProgram) -> Program:
    folder = program.path.parent
    require_plain(folder)
    blocked = obstacle(folder) or obstacle(program.path)
    if blocked is not None:
        account = "you" if bot_uid() is None else f"uid {bot_uid()}, under which bots run,"
        raise UsageFault(
            f"{account} may not enter {blocked}: put {program.path.name} into a folder that others may enter"
        )
    command = (f"{BOT_FOLDER}/{program.path.name}", *program.arguments)
    return Program("", PROGRAM, folder, command, environment={"PATH": search_path(())})


def shows_too_much(folder: Path) -> bool:
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
    count = 0
    for place, folders, files in os.walk(folder):  # without what we may not enter: nor may the bot
        for path in (Path(place, name) for name in files):
            mode = path.lstat().st_mode
            if not stat.S_ISREG(mode) and not stat.S_ISLNK(mode):
                raise UsageFault(f"{path} is a pipe, a socket or a device: give the program a folder of its own")
        count += len(folders) + len(files)
        if count > MOST_ENTRIES:
            raise UsageFault(f"{folder} has more than {MOST_ENTRIES:,} files: give the program a folder of its own")


def tree_of_own_program(program: OwnProgram) -> Tree:
    with in_one_sentence(program.path), program.path.open("rb") as file:
        return tree_of_program(program.path, file.read(MOST_BYTES + 1), program.arguments)


def tree_of_program(path: Path, content: bytes, arguments: tuple[str, ...] = ()) -> Tree:
    with in_one_sentence(path):
        name = checked_name(path.name.lstrip(".") or PROGRAM)
        if len(content) > MOST_BYTES:
            raise Unfit(TOO_LARGE)
        run = ", ".join(toml_text(word) for word in ("{source}", *arguments))
        settings = f"language = {toml_text(PROGRAM)}\nsource = {toml_text(name)}\nrun = [{run}]\n"
        return within_limit(tree_of([Member(name, content, executable=True), Member(FILE, settings.encode())]))


@immutable
class GivenBot:
    """`settings`: of its `ladder.toml`. `content`: as it was read, but a program is played from its place."""

    path: Path
    language: Language
    content: Source | OwnProgram
    arguments: tuple[str, ...] = ()
    settings: BotFolder | None = None

    @property
    def name(self) -> str:
        return one_line(" ".join([own_name(self.path), *map(shlex.quote, self.arguments)]))

    @property
    def stem(self) -> str:
        name = own_name(self.path)
        if self.settings is None:
            return Path(name).stem
        ending = next((ending for ending in ENDINGS if name.lower().endswith(ending)), "")
        return name[: len(name) - len(ending)]

    @property
    def bot(self) -> str:
        return (self.settings.bot if self.settings else None) or self.stem

    @property
    def identity(self) -> tuple[Path, tuple[str, ...]]:
        """What is the same for a bot that is named in two ways."""
        return self.path.resolve(), self.arguments

    @property
    def source(self) -> Source:
        """What can be submitted: of a program its file alone. Raises UsageFault where that is too large."""
        return tree_of_own_program(self.content) if isinstance(self.content, OwnProgram) else self.content


def own_name(path: Path) -> str:
    return path.resolve().name if path.name in {"", ".."} else path.name


def read_bot(word: str | Path, source_chars: int, language: str | None = None) -> GivenBot:
    """`source_chars`: the longest source; `language`: if no name says it. Raises UsageFault, UnknownName, Refused."""
    with in_one_sentence(Path(word)):
        path, arguments = path_and_arguments(word)
    with in_one_sentence(path):
        if path.is_dir() or is_archive(path):
            require_no_arguments(path, arguments)
            return bot_of_tree(path, read_folder(path) if path.is_dir() else read_archive(path), language)
        beginning = first_bytes(path)
        if is_program(path, language, beginning):
            require_program(path, beginning)
            if not os.access(path, os.X_OK):
                raise UsageFault(f"{path} is a program that may not be run: type chmod +x {shlex.quote(str(path))}")
            program = OwnProgram(path.resolve(strict=True), arguments)
            content = tree_of_own_program(program) if shows_too_much(program.path.parent) else program
            return GivenBot(path, find_language(PROGRAM), content, arguments)
    require_no_arguments(path, arguments)
    text = read_source(path, source_chars)  # first: what cannot be read is said to be that
    return GivenBot(path, language_of(path) if language is None else find_language(language), text)


def sent_bot(file_name: str, content: bytes, source_chars: int, language: str | None = None) -> GivenBot:
    """Read a file that somebody sent. `file_name`: its author's, "" where `language` says all. Raises as `read_bot`."""
    path = Path(PureWindowsPath(file_name).name)  # which also cuts off folders of other systems
    if is_archive(path):
        return bot_of_tree(path, archive_of(path, content), language)
    if is_program(path, language, content):
        require_program(path, content)
        return GivenBot(path, find_language(PROGRAM), tree_of_program(path, content))
    text = check_source(content, source_chars)
    return GivenBot(path, language_of(path) if language is None else find_language(language), text)


def is_program(path: Path, language: str | None, content: bytes) -> bool:
    if language is not None:
        return language.strip().lower() == PROGRAM
    return not has_ending_of_a_source(path) and content.startswith((ELF, SHEBANG))


def bot_of_tree(path: Path, tree: Tree, language: str | None) -> GivenBot:
    settings = settings_of(tree, path)
    recipe = language_of_tree(tree, settings) if language is None else find_language(language)
    own_recipe(tree, recipe, path)
    return GivenBot(path, recipe, tree, settings=settings)


def path_and_arguments(word: str | Path) -> tuple[Path, tuple[str, ...]]:
    """What is there by its whole name is that, and has no arguments."""
    path = Path(word)
    if " " not in str(word) or path.exists():
        return path, ()
    try:
        first, *rest = shlex.split(str(word))
    except ValueError:
        return path, ()
    return (Path(first), tuple(rest)) if rest and Path(first).exists() else (path, ())


def folder_around(word: str | Path) -> Path | None:
    path, _ = path_and_arguments(word)
    return None if path.is_dir() or is_archive(path) else path.parent


def has_ending_of_a_source(path: Path) -> bool:
    return any(path.suffix.lower() in language.extensions for language in languages().values())


def means_file(word: str) -> bool:
    """Say whether a word that may be a name means a file: it has a folder, or an ending that bots have."""
    return "/" in word or word in {".", ".."} or has_ending_of_a_source(Path(word)) or is_archive(Path(word))


def require_no_arguments(path: Path, arguments: tuple[str, ...]) -> None:
    if arguments:
        raise UsageFault(f"{path} is not a program, and only programs can be given arguments ({shlex.join(arguments)})")
