"""Versions of the ladder as players: their sources, read from its database whether the services run or not."""

from collections.abc import Sequence

from cli.context import Context
from cli.entrant import Entrant, of_version
from cli.ladders.direct import can_be_read, database_to_read
from cli.run import folder_advice, is_folder
from engine.errors import Refused, Unavailable, UsageFault
from engine.game import Game
from engine.text import one_line
from ladder.bots.bots import bot_of_version
from ladder.bots.sources import sources_of
from ladder.gauntlets.order import version_named
from ladder.leagues.leagues import leagues


def stored_entrants(context: Context, game: Game, words: Sequence[str]) -> dict[str, Entrant]:
    if not can_be_read(context):
        folder = next(filter(is_folder, words), None)
        if folder is not None:
            raise UsageFault(f"{one_line(folder)} is not a boss of {game.name}; {folder_advice(folder)}")
        raise Unavailable(
            f"{one_line(words[0])} is not a file, nor one of the bosses of {game.name} ({', '.join(game.bosses)}), and "
            f"there is no ladder in {context.home.folder} to look it up in"
        )
    entrants = {}
    with database_to_read(context) as connection:
        for word in words:
            version = version_named(connection, word, game.name)
            if version.game != game.name:
                raise Refused(f"{version.name} plays {version.game}, not {game.name}")
            home_id = bot_of_version(connection, version.id).league_id
            (home,) = (league for league in leagues(connection, game.name) if league.id == home_id)
            entrants[word] = of_version(sources_of(connection, [version.id])[version.id], home)
    return entrants
