"""The games of a ladder behind a server: some may be there alone, and many commands need no more than their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.errors import Refused, UnknownName
from engine.game import FurtherGames, Game, Games
from engine.games.catalogue import all_games
from engine.immutable import immutable
from ladder import games

if TYPE_CHECKING:
    from cli.context import Context


@immutable
class GamesOfServer(FurtherGames):
    """The games that a server has and this machine has not, for `engine.game.Games`: none of them is played here."""

    url: str

    def edition(self, edition: str) -> Game:
        raise Refused(
            f"only {self.url} has the files of this game (edition {edition[:12]}), so this machine cannot play it"
        )


def games_beside(url: str) -> Games:
    return replace(all_games(), further=GamesOfServer(url))


def leagues_of(context: Context) -> Mapping[str, list[str]]:
    return context.read(games.games.leagues_by_game, context.games)


def game_name(context: Context, name: str) -> str:
    """Return the name of a game that this machine or the server has. Raises UnknownName, Refused, Unavailable."""
    if any(game.name == name for game in context.games.here):
        return name
    names = leagues_of(context)
    if name not in names:
        raise UnknownName.of("game", name, names)
    return name
