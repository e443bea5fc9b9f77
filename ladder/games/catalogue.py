"""How processes that hold a catalogue of games learn of those in the database.

How this works. A game's files are fetched once on each machine and laid out in its workspace under their hash; from
then on only the hash is asked for. Which games there are is read again after a second, so that a process that runs for
weeks knows of a new game soon. A game that cannot be loaded here is not a game here, and all others are not affected.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.errors import ArenaError, UnknownName
from engine.game import FurtherGames, Game, Games
from engine.games.catalogue import all_games
from engine.referees.edition import edition_here, game_of, lay_out_edition
from ladder import database, games

if TYPE_CHECKING:
    from ladder.database.connection import Connection

READ_AGAIN_AFTER_S = 1.0
"""By a clock that no one sets."""


def games_with_those_of(address: Callable[[], str | None]) -> Games:
    """Return the games that can be played here, and a ladder's own. `address`: gives its database's, or None."""

    def connect_there() -> AbstractContextManager[Connection]:
        database_url = address()
        if database_url is None:
            raise UnknownName("the game is in no database that can be reached from here")
        return database.connection.connect(database_url)

    return replace(all_games(), further=GamesOfLadder(connect_there))


def leagues_of_games_at(address: str) -> dict[str, list[str]]:
    with database.connection.connect(address) as connection:
        return games.games.leagues_of_played(connection)


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
                    listed = [game.edition for game in games.games.played(connection)]
                present: list[Game] = []
                for edition in listed:
                    with suppress(ArenaError):
                        present.append(self.edition(edition))
                self._present = tuple(present)
            self._read_at = time.monotonic()
        return self._present

    def edition(self, edition: str) -> Game:
        if edition not in self._loaded:
            folder = edition_here(edition)
            if folder is None:
                with self._connect() as connection:
                    tree = games.games.fetch(connection, edition)
                folder = lay_out_edition(tree)
            self._loaded[edition] = game_of(folder, edition)
        return self._loaded[edition]
