"""The games of a ladder for commands: most need none of them, so no library of the database is imported before.

Imports inside functions: commands that play or show a game with rules in Python start without the database.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from engine.errors import UnknownName
from engine.game import FurtherGames, Game, Games
from engine.games.catalogue import all_games
from ladder.database.connection import Connection

if TYPE_CHECKING:
    from ladder.games.catalogue import GamesOfLadder


def leagues_by_game(connection: Connection, games: Games) -> dict[str, list[str]]:
    del connection  # which all views are asked with
    return {game.name: [league.name for league in game.leagues] for game in games.all}


def games_with_those_of(address: Callable[[], str | None]) -> Games:
    return replace(all_games(), further=GamesAskedFor(address))


class GamesAskedFor(FurtherGames):
    """The games of the ladder at an address that is found out when one of them is asked for."""

    def __init__(self, address: Callable[[], str | None]) -> None:
        self._address = address

    def present(self) -> tuple[Game, ...]:
        """Return the games that are played; none where there is no database."""
        return self._games.present() if self._games else ()

    def edition(self, edition: str) -> Game:
        """Return a game by an edition. Raises UnknownName where there is no database; see `GamesOfLadder`."""
        if self._games is None:
            raise UnknownName(f"edition {edition[:12]} of a game is in no database that can be reached from here")
        return self._games.edition(edition)

    @cached_property
    def _games(self) -> GamesOfLadder | None:
        from ladder.games.catalogue import games_of

        address = self._address()
        return None if address is None else games_of(address)
