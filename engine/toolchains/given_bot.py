"""What people name as a bot: a source file, a folder or an archive with a `ladder.toml`, or a program.

A program can be given with its arguments, as one word: `"./wahoo --depth 8"`. An ending that sources have always means
a source, also of a file that can be run.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from engine.errors import NoSuchFile, UsageFault
from engine.text import one_line
from engine.toolchains.bot_folder import BotFolder
from engine.toolchains.bot_source import PROGRAM, language_of_tree, own_recipe, settings_of
from engine.toolchains.languages import Language, find_language, language_of, languages
from engine.toolchains.own_program import OwnProgram, alone, begins_as_program, own_program, shows_too_much
from engine.toolchains.read_tree import ENDINGS, is_archive, read_archive, read_folder
from engine.toolchains.source import read_source
from engine.toolchains.tree import Source


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
