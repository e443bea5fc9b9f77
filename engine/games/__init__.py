"""The games that can be played. A new game is a folder here and one line in `GAMES`."""

from __future__ import annotations

from engine.errors import UnknownName
from engine.game import Game
from engine.games.ice_and_fire import ICE_AND_FIRE
from engine.games.ocean_of_code import OCEAN_OF_CODE

GAMES: dict[str, Game] = {game.name: game for game in (OCEAN_OF_CODE, ICE_AND_FIRE)}


def find_game(name: str) -> Game:
    """Return the game called `name`. Raises UnknownName, listing the known ones."""
    try:
        return GAMES[name]
    except KeyError:
        raise UnknownName.of("game", name, GAMES) from None
