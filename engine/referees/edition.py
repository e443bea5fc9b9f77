"""An edition of a game: `game.toml`, the files of its referee, bosses and statement, and the hash of all of them.

How this works. The files that `game.toml` names make the edition, which is laid out in the workspace under its hash,
once on each machine, where boxes can see it. So it is the same wherever it came from, and never changes.

How a new game is gathered. Words of the command that name files belong to the game, and stand in it by their names;
further files are named besides. Everything is written into a folder of its own, and read from there as any folder is.
"""

from __future__ import annotations

import shlex
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from engine.errors import GameFault, MissingTool, SandboxFault, UsageFault, plain_words
from engine.game import Game, Games
from engine.games.game_folder import NAME, TABLE, GameTable, load_game
from engine.immutable import immutable
from engine.referees.game_file import NewGame, Value, files_named, game_of, game_text, with_values
from engine.referees.notes import JAVA
from engine.referees.program import command_words, jar_of
from engine.toolchains.languages import languages
from engine.toolchains.source import Member, Tree, Unfit, checked_name, lay_out, tree_of
from engine.workspace import open_workspace

MOST_MB = 64
MOST_FILES = 2000


def read_folder(folder: Path) -> Tree:
    """Raises GameFault, naming file and key; UsageFault for no folder."""
    if not folder.is_dir():
        raise UsageFault(f"{folder} is not a folder: a game's folder holds a {TABLE} and the referee's files")
    names = [TABLE, *files_named(folder)]
    try:
        tree = tree_of(members(folder, dict.fromkeys(names)))
    except Unfit as why:
        raise GameFault(f"{folder}: {why}") from why
    if len(tree.files) > MOST_FILES:
        raise GameFault(f"{folder}: the game has {len(tree.files)} files; the limit is {MOST_FILES}")
    return tree


def members(folder: Path, names: Iterable[str]) -> Iterator[Member]:
    total = 0
    for name in names:
        path = folder / checked_name(name)
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_dir():
                continue
            try:
                status = file.stat()
                total += status.st_size
                if total > MOST_MB * 2**20:
                    raise Unfit(f"the files of the game have more than {MOST_MB} MB in all, which is the limit")
                content = file.read_bytes()
            except OSError as error:
                raise GameFault(f"a file of the game cannot be read: {plain_words(error)}") from error
            own_name = checked_name(str(file.relative_to(folder)))
            yield Member(own_name, content, executable=bool(status.st_mode & 0o100))


def edition_here(edition_hash: str) -> Path | None:
    """Return None where it is not laid out on this machine. Raises UsageFault."""
    place = open_workspace().entry(key_of(edition_hash))
    return place if place.is_dir() else None


def lay_out_edition(tree: Tree) -> Path:
    """Several processes may do so at once. Raises SandboxFault where the disk is full, UsageFault."""
    workspace, key = open_workspace(), key_of(tree.hash)
    if workspace.entry(key).is_dir():
        return workspace.entry(key)
    with workspace.scratch() as scratch:
        try:
            folder = lay_out(scratch / "edition", tree.files)
        except OSError as error:
            raise SandboxFault(f"a game's files cannot be laid out: {plain_words(error)}") from error
        return workspace.publish(folder, key)


def key_of(edition_hash: str) -> str:
    """Programs in the workspace have keys without such a word before them."""
    return f"game-{edition_hash}"


def load_edition(tree: Tree) -> Game:
    return game_of(lay_out_edition(tree), tree.hash)


def game_played(games: Games, name: str, edition: str | None) -> Game:
    """An edition that is laid out here is found also where no ladder knows it. Raises as `Games.find`."""
    folder = edition_here(edition) if edition else None
    return games.find(name, edition or None) if folder is None else game_of(folder, edition or "")


def load_any_folder(folder: Path) -> Game:
    """Whether its referee is a program or its rules are in Python. Raises as both do."""
    is_program = GameTable(folder / TABLE).is_table("referee")
    return load_folder(folder) if is_program else load_game(folder.absolute())


def load_folder(folder: Path) -> Game:
    game_of(folder)  # so that sentences name this folder, not the one in the workspace
    return load_edition(read_folder(folder))


@immutable
class Gathered:
    """A command as it is in the game's folder, and the files that belong to it: where each is, by its name there."""

    command: str
    files: Mapping[str, Path]
    needs: tuple[str, ...]


def gather(command: str, further: Iterable[Path], base: Path) -> Gathered:
    """`base`: the folder from which the command is called; `further`: other files. Raises UsageFault, MissingTool."""
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
    jar = jar_of(words)
    if jar is not None and jar not in files:
        raise UsageFault(f"the referee's command names the jar {jar}, and no such file is there")
    runtimes = [
        language.name for language in languages().values() if any(way.run[0] == words[0] for way in language.toolchains)
    ]
    return Gathered(shlex.join(words), files, tuple(runtimes[:1]))


def name_below(path: Path, base: Path) -> str:
    whole, folder = path.resolve(), base.resolve()
    return str(whole.relative_to(folder)) if whole.is_relative_to(folder) and whole != folder else whole.name


def require_program(word: str, files: Mapping[str, Path]) -> None:
    """Raise UsageFault unless it can be run; MissingTool for Java that is not here."""
    file = files.get(word.removeprefix("./"))
    if file is not None:
        if not file.stat().st_mode & 0o111:
            raise UsageFault(f"the referee {file} may not be run: `chmod +x {file}` allows it")
        return
    if shutil.which(word) is None:
        if word == JAVA:
            raise MissingTool("this referee needs Java, which is not installed here")
        raise UsageFault(f"the referee's command begins with {word}, which is neither a file here nor a program")


def new_edition(new: NewGame, gathered: Gathered) -> Tree:
    if not NAME.fullmatch(new.name):
        raise UsageFault(f"{new.name!r} cannot name a game: small letters, digits and hyphens, at most 39")
    whole = replace(new, command=gathered.command, files=tuple(gathered.files), needs=gathered.needs)
    with files_in_a_folder(gathered.files) as folder:
        (folder / TABLE).write_text(game_text(whole), "utf-8")
        return tree_of_folder(folder)


def changed_edition(present: Path, values: Mapping[str, Mapping[str, Value]], files: Mapping[str, Path]) -> Tree:
    """`present`: the folder of the edition before; `values`: by their tables. Raises GameFault, UsageFault."""
    present_files = {str(path.relative_to(present)): path for path in sorted(present.rglob("*")) if path.is_file()}
    with files_in_a_folder({**present_files, **files}) as folder:
        text = (folder / TABLE).read_text("utf-8")
        for table, changes in values.items():
            text = with_values(text, table, changes)
        (folder / TABLE).write_text(text, "utf-8")
        return tree_of_folder(folder)


def tree_of_folder(folder: Path) -> Tree:
    """The sentence of a GameFault does not name that folder."""
    try:
        game_of(folder)
        return read_folder(folder)
    except GameFault as fault:
        raise GameFault(str(fault).replace(f"{folder}/", "").replace(f"{folder}: ", "")) from fault


@contextmanager
def files_in_a_folder(files: Mapping[str, Path]) -> Iterator[Path]:
    """Copy files into a folder of the block, by their names there. Raises UsageFault."""
    every = (file for path in files.values() for file in (path.rglob("*") if path.is_dir() else [path]))
    size_mb = sum(file.stat().st_size for file in every if file.is_file()) / 2**20
    if size_mb > MOST_MB:
        raise UsageFault(f"the files of the game have {size_mb:.1f} MB in all; the limit is {MOST_MB} MB")
    with tempfile.TemporaryDirectory(prefix="ladder-game-") as name:
        folder = Path(name).resolve()
        try:
            for name_there, path in files.items():
                target = folder / name_there
                target.parent.mkdir(parents=True, exist_ok=True)
                if path.is_dir():
                    shutil.copytree(path, target, dirs_exist_ok=True)
                else:
                    shutil.copy(path, target)
        except (OSError, shutil.Error) as error:
            raise UsageFault(f"a file of the game cannot be copied: {plain_words(error)}") from error
        yield folder


def write_folder(tree: Tree, folder: Path) -> None:
    """`folder`: empty, or not there yet. Raises UsageFault."""
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
