"""From what somebody says of a referee program to an edition: the files that its command names, and a `game.toml`.

How this works. Words of the command that name files belong to the game, and stand in it by their names; further files
are named besides. Everything is written into a folder of its own, and read from there as any folder is.
"""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from engine.errors import GameFault, MissingTool, UsageFault, plain_words
from engine.games.loading import NAME, TABLE
from engine.referees.edition import MOST_MB, read_folder
from engine.referees.game_file import NewGame, game_of, game_text
from engine.referees.java import jar_of
from engine.referees.program import command_words
from engine.referees.toml_text import Value, with_values
from engine.toolchains.languages import languages
from engine.toolchains.source import Tree

JAVA = "java"


@dataclass(frozen=True, slots=True)
class Gathered:
    """A command as it is in the game's folder, and the files that belong to it: where each is, by its name there."""

    command: str
    files: Mapping[str, Path]
    needs: tuple[str, ...]


def gather(command: str, further: Iterable[Path], base: Path) -> Gathered:
    """Find what a referee's command needs. `base`: the folder from which it is called; `further`: other files.

    Raises UsageFault for a command, a jar and files that are not there; MissingTool without Java.
    """
    words = list(command_words(command))
    files: dict[str, Path] = {}
    for number, word in enumerate(words):
        path = base / word
        if path.is_file() and not (number == 0 and "/" not in word and shutil.which(word)):
            name = name_below(path, base)
            files[name] = path
            words[number] = f"./{name}" if number == 0 else name
    for path in further:
        if not (base / path).exists():
            raise UsageFault(f"--file {path}: no such file is there")
        files[name_below(base / path, base)] = base / path
    require_program(words[0], files)
    require_jar(words, files)
    return Gathered(shlex.join(words), files, needs_of(words[0]))


def name_below(path: Path, base: Path) -> str:
    """Return the name of a file in the game's folder: its path from `base` where it is below, else its own name."""
    whole, folder = path.resolve(), base.resolve()
    return str(whole.relative_to(folder)) if whole.is_relative_to(folder) and whole != folder else whole.name


def require_program(word: str, files: Mapping[str, Path]) -> None:
    """Raise UsageFault unless the first word of a command can be run; MissingTool for Java that is not here."""
    own = files.get(word.removeprefix("./"))
    if own is not None:
        if not own.stat().st_mode & 0o111:
            raise UsageFault(f"the referee {own} may not be run: `chmod +x {own}` allows it")
        return
    if shutil.which(word) is None:
        if word == JAVA:
            raise MissingTool("this referee needs Java, which is not installed here")
        raise UsageFault(f"the referee's command begins with {word}, which is neither a file here nor a program")


def require_jar(words: list[str], files: Mapping[str, Path]) -> None:
    """Raise UsageFault where a command names a jar that is not there."""
    jar = jar_of(words)
    if jar is not None and jar not in files:
        raise UsageFault(f"the referee's command names the jar {jar}, and no such file is there")


def needs_of(word: str) -> tuple[str, ...]:
    """Return the language that runs a command, by its name in the table of languages; () for a program of its own."""
    found = (one.name for one in languages().values() if any(way.run[0] == word for way in one.toolchains if way.run))
    name = next(found, None)
    return () if name is None else (name,)


def new_edition(new: NewGame, gathered: Gathered) -> Tree:
    """Return the edition of a new game. Raises GameFault, UsageFault."""
    if not NAME.fullmatch(new.name):
        raise UsageFault(f"{new.name!r} cannot name a game: small letters, digits and hyphens, at most 39")
    whole = replace(new, command=gathered.command, files=tuple(gathered.files), needs=gathered.needs)
    with written(gathered.files) as folder:
        (folder / TABLE).write_text(game_text(whole), "utf-8")
        return checked(folder)


def changed_edition(present: Path, values: Mapping[str, Mapping[str, Value]], files: Mapping[str, Path]) -> Tree:
    """Return an edition with some keys changed, by their tables, and some files in the place of others or besides.

    `present`: the folder of the edition before. Raises GameFault, UsageFault.
    """
    kept = {str(path.relative_to(present)): path for path in sorted(present.rglob("*")) if path.is_file()}
    with written({**kept, **files}) as folder:
        text = (folder / TABLE).read_text("utf-8")
        for table, own in values.items():
            text = with_values(text, table, own)
        (folder / TABLE).write_text(text, "utf-8")
        return checked(folder)


def checked(folder: Path) -> Tree:
    """Return the edition in a folder of ours. Raises GameFault, whose sentence does not name that folder."""
    try:
        game_of(folder)
        return read_folder(folder)
    except GameFault as fault:
        raise GameFault(str(fault).replace(f"{folder}/", "").replace(f"{folder}: ", "")) from fault


@contextmanager
def written(files: Mapping[str, Path]) -> Iterator[Path]:
    """Copy files into a new folder, by their names there, for the block. Raises UsageFault."""
    require_size(files.values())
    with tempfile.TemporaryDirectory(prefix="ladder-game-") as name:
        folder = Path(name).resolve()
        try:
            for own, path in files.items():
                target = folder / own
                target.parent.mkdir(parents=True, exist_ok=True)
                if path.is_dir():
                    shutil.copytree(path, target, dirs_exist_ok=True)
                else:
                    shutil.copy(path, target)
        except (OSError, shutil.Error) as error:
            raise UsageFault(f"a file of the game cannot be copied: {plain_words(error)}") from error
        yield folder


def require_size(paths: Iterable[Path]) -> None:
    """Raise UsageFault where files and folders have too many bytes in all."""
    every = (file for path in paths for file in (path.rglob("*") if path.is_dir() else [path]))
    size = sum(file.stat().st_size for file in every if file.is_file())
    if size > MOST_MB * 2**20:
        raise UsageFault(f"the files of the game have {size / 2**20:.1f} MB in all; the limit is {MOST_MB} MB")


def write_folder(tree: Tree, folder: Path) -> None:
    """Write an edition into a folder that is empty, or is not there yet. Raises UsageFault."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageFault(f"{folder} is there already, and is not an empty folder")
    try:
        for file in tree.files:
            path = folder / file.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content or b"")
            path.chmod(0o755 if file.executable else 0o644)
    except OSError as error:
        raise UsageFault(f"cannot write {folder}: {plain_words(error)}") from error
