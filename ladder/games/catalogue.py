"""How processes that hold a catalogue of games learn of those in the database.

How this works. A game's files are fetched once on each machine and laid out in its workspace under their hash; from
then on only the hash is asked for. Which games there are is read again after a second, so that a process that runs for
weeks knows of a new game soon. A game that cannot be loaded here is no game here, and all others are not affected.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress

from engine.errors import ArenaError, UnknownName
from engine.game import FurtherGames, Game
from engine.referees.edition import edition_here, laid_out
from engine.referees.game_file import game_of
from engine.referees.program import RefereeProgram
from engine.toolchains.source import Member, Tree, hash_of, tree_of
from ladder.database.connection import Connection, connect
from ladder.games import games


def store(connection: Connection, tree: Tree, game: str, program: RefereeProgram, by: str) -> str:
    """Keep an edition of a game, once, and return its hash."""
    made = connection.execute(
        """
        INSERT INTO game_editions (hash, game, needs, made_by, seed_bits, repeatable) VALUES (%s, %s, %s, %s, %s, %s)
        ON CONFLICT DO NOTHING
        """,
        [tree.hash, game, list(program.needed_of_workers), by, program.seed_bits, program.is_repeatable],
    )
    if made.rowcount:
        for file in tree.files:
            store_file(connection, tree.hash, file)
    return tree.hash


def store_file(connection: Connection, edition: str, file: Member) -> None:
    """Keep a file of an edition. A content that is there is not sent again."""
    content = file.content or b""
    content_hash = hash_of(content)
    if connection.execute("SELECT FROM game_files WHERE hash = %s", [content_hash]).fetchone() is None:
        connection.execute(
            "INSERT INTO game_files (hash, content) VALUES (%s, %s) ON CONFLICT DO NOTHING", [content_hash, content]
        )
    connection.execute(
        "INSERT INTO game_edition_files (edition, name, executable, file) VALUES (%s, %s, %s, %s)",
        [edition, file.name, file.executable, content_hash],
    )


def fetch(connection: Connection, edition: str) -> Tree:
    """Return the files of an edition. Raises UnknownName where the database does not have it."""
    rows = connection.execute(
        """
        SELECT name, content, executable
        FROM game_edition_files JOIN game_files ON game_files.hash = file WHERE edition = %s
        """,
        [edition],
    ).fetchall()
    if not rows:
        raise UnknownName(f"this ladder has no edition {edition[:12]} of any game")
    return tree_of(Member(name, content, executable) for name, content, executable in rows)


def delete_unused(connection: Connection, game: str) -> None:
    """Delete the editions of a game by which no match was played, and the files that no edition has any more."""
    connection.execute(
        """
        DELETE FROM game_editions
        WHERE game = %s AND NOT EXISTS (SELECT FROM games WHERE edition = game_editions.hash)
          AND NOT EXISTS (SELECT FROM matches WHERE edition = game_editions.hash)
          AND NOT EXISTS (SELECT FROM gauntlets WHERE edition = game_editions.hash)
        """,
        [game],
    )
    connection.execute(
        """
        DELETE FROM game_files
        WHERE NOT EXISTS (SELECT FROM game_edition_files WHERE game_edition_files.file = game_files.hash)
        """
    )


READ_AGAIN_AFTER_S = 1.0
"""By a clock that no one sets."""


def games_of(address: str) -> GamesOfLadder:
    return GamesOfLadder(lambda: connect(address))


def leagues_of_games_at(address: str) -> dict[str, list[str]]:
    with connect(address) as connection:
        return games.leagues_of_played(connection)


class GamesOfLadder(FurtherGames):
    """The games of one ladder, for `engine.game.Games`."""

    def __init__(self, connect: Callable[[], AbstractContextManager[Connection]]) -> None:
        self._connect = connect
        self._loaded: dict[str, Game] = {}
        self._present: tuple[Game, ...] = ()
        self._read_at: float | None = None

    def present(self) -> tuple[Game, ...]:
        """Return the games that are played, by their present editions; none while the database is away."""
        if self._read_at is None or time.monotonic() - self._read_at > READ_AGAIN_AFTER_S:
            with suppress(ArenaError):
                with self._connect() as connection:
                    listed = [game.edition for game in games.played(connection)]
                self._present = tuple(game for edition in listed if (game := self._loaded_or_none(edition)))
            self._read_at = time.monotonic()
        return self._present

    def edition(self, edition: str) -> Game:
        """Return a game by an edition. Raises UnknownName, GameFault, SandboxFault, Unavailable."""
        if edition not in self._loaded:
            folder = edition_here(edition)
            if folder is None:
                with self._connect() as connection:
                    tree = fetch(connection, edition)
                folder = laid_out(tree)
            self._loaded[edition] = game_of(folder, edition)
        return self._loaded[edition]

    def _loaded_or_none(self, edition: str) -> Game | None:
        try:
            return self.edition(edition)
        except ArenaError:
            return None
