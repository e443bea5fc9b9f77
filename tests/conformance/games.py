"""The games that the kit is run over, and recorded matches of each: its golden sample, or where it has none fresh ones.

Besides the shipped games that is the template of `ladder game new`, which lacks golden records and secrets.
"""

from functools import cache

from engine.conformance.kit import try_bosses
from engine.game import Game
from engine.games.game_folder import load_game
from engine.games.golden import MatchRecord
from engine.new_game import TEMPLATE
from engine.sandbox.choice import open_sandbox
from tests.catalogue import GAMES
from tests.watching import records_of

GAMES_TO_CHECK = (*GAMES.all, load_game(TEMPLATE))


def having(capability: str) -> list[Game]:
    return [game for game in GAMES_TO_CHECK if capability not in game.lacks]


@cache
def sample(game: Game) -> tuple[MatchRecord, ...]:
    if "golden" in game.lacks:
        return try_bosses(game, open_sandbox())[1]
    return tuple(records_of(game.name))
