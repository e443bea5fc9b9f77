"""An edition of a game: `game.toml`, the files of its referee, bosses and statement, and the hash of all of them.

How this works. A folder that somebody has written is read: `game.toml` says which files belong to the game. Those alone
make the edition, and each edition is laid out in the workspace under its hash, once on each machine, where boxes can
see it. So an edition is the same wherever it came from, a folder or the database, and it never changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.errors import GameFault, SandboxFault, UsageFault, plain_words
from engine.game import Game, Games
from engine.games.loading import TABLE, Table, load_game
from engine.referees.game_file import files_named, game_of
from engine.toolchains.source import Member, Tree, Unfit, checked_name, lay_out, tree_of
from engine.workspace import open_workspace

MOST_MB = 64
"""Of all files of an edition."""
MOST_FILES = 2000


def read_folder(folder: Path) -> Tree:
    """Return the files of the game in a folder. Raises GameFault, naming file and key; UsageFault for no folder."""
    if not folder.is_dir():
        raise UsageFault(f"{folder} is not a folder: a game's folder holds a {TABLE} and the referee's files")
    names = [TABLE, *files_named(folder)]
    try:
        return checked(tree_of(members(folder, dict.fromkeys(names))))
    except Unfit as why:
        raise GameFault(f"{folder}: {why}") from why


def members(folder: Path, names: Iterable[str]) -> Iterator[Member]:
    """Give files below a folder, and all files of folders there. Raises GameFault, Unfit."""
    total = 0
    for name in names:
        path = folder / checked_name(name)
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_dir():
                continue
            total += size_of(file)
            if total > MOST_MB * 2**20:
                raise Unfit(f"the files of the game have more than {MOST_MB} MB in all, which is the limit")
            yield member(file, str(file.relative_to(folder)))


def size_of(file: Path) -> int:
    """Return how many bytes a file has. Raises GameFault where it cannot be known."""
    try:
        return file.stat().st_size
    except OSError as error:
        raise GameFault(f"a file of the game cannot be read: {plain_words(error)}") from error


def member(file: Path, name: str) -> Member:
    """Read one file. Raises GameFault."""
    try:
        return Member(checked_name(name), file.read_bytes(), executable=bool(file.stat().st_mode & 0o100))
    except OSError as error:
        raise GameFault(f"a file of the game cannot be read: {plain_words(error)}") from error


def checked(tree: Tree) -> Tree:
    """Return an edition that is within the limits. Raises Unfit."""
    size = sum(len(content) for content in tree.contents.values())
    if size > MOST_MB * 2**20:
        raise Unfit(f"the files of the game have {size / 2**20:.1f} MB in all; the limit is {MOST_MB} MB")
    if len(tree.files) > MOST_FILES:
        raise Unfit(f"the game has {len(tree.files)} files; the limit is {MOST_FILES}")
    return tree


def edition_here(edition_hash: str) -> Path | None:
    """Return where an edition is laid out on this machine, None where it is not. Raises UsageFault."""
    place = open_workspace().entry(key_of(edition_hash))
    return place if place.is_dir() else None


def laid_out(tree: Tree) -> Path:
    """Lay an edition out on this machine, unless it is there, and return where. Several processes may do so at once.

    Raises SandboxFault where the disk is full, UsageFault where the workspace cannot be used.
    """
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
    """Return the name of an edition in the workspace. Programs there have keys without a word before them."""
    return f"game-{edition_hash}"


def load_edition(tree: Tree) -> Game:
    """Return the game of an edition, from its place in the workspace. Raises GameFault, SandboxFault, UsageFault."""
    return game_of(laid_out(tree), tree.hash)


def game_played(games: Games, name: str, edition: str | None) -> Game:
    """Return the game by which a match was played: by its edition, also where no ladder knows that, if it is here.

    Raises UnknownName, GameFault, and where a ladder's database is asked for it, Unavailable and SandboxFault.
    """
    folder = edition_here(edition) if edition else None
    return games.find(name, edition or None) if folder is None else game_of(folder, edition or "")


def load_any_folder(folder: Path) -> Game:
    """Return the game in a folder, whether its referee is a program or its rules are in Python. Raises as both do."""
    is_program = Table(folder / TABLE).is_table("referee")
    return load_folder(folder) if is_program else load_game(folder.absolute())


def load_folder(folder: Path) -> Game:
    """Return the game in a folder whose referee is a program. Raises GameFault, SandboxFault, UsageFault."""
    game_of(folder)  # so that sentences name this folder, not the one in the workspace
    return load_edition(read_folder(folder))
