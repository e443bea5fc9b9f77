"""The names of the games that are played, with those of their leagues: for machines that have none of their files."""

from __future__ import annotations

from engine.game import Games
from ladder.database.connection import Connection


def leagues_by_game(connection: Connection, games: Games) -> dict[str, list[str]]:
    """Return the names of all games that are played, each with those of its leagues, the lowest first."""
    del connection  # which all views are asked with
    return {game.name: [league.name for league in game.leagues] for game in games.all}
