"""What a contest leaves: the final boards of its season, and each player with all versions and results.

It is for everybody, so it holds what everybody may read; of frozen boards it holds what operators see.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import Refused
from ladder.bots import bots
from ladder.bots.players import HOUSE
from ladder.database.connection import Connection
from ladder.leagues import leagues
from ladder.seasons import seasons as stored
from ladder.sight import PUBLIC, look
from ladder.views.pages.final_boards import FinalSeason, final_season
from ladder.views.pages.one_player import OnePlayer, one_player
from ladder.views.seasons import FinalRow, final_boards

MOST_MATCHES = 1000
"""Of a bot, on the page of its player."""


@dataclass(frozen=True, slots=True)
class ContestResults:
    """A closed season: its boards as a table and as pages show them, and its players, by name."""

    rows: list[FinalRow]
    season: FinalSeason
    players: list[OnePlayer]


def contest_results(connection: Connection, game: str, number: int | None = None) -> ContestResults:
    """Read what a contest leaves. `number`: of its season, None: the one that was closed last.

    Raises Refused for a season that is not closed or where none is, UnknownName.
    """
    look(connection, PUBLIC, thawed=True)
    leagues.check_game(connection, game)
    wanted = last_closed(connection, game) if number is None else number
    final = final_boards(connection, game, wanted)
    lines = {row.row.version_id: row.row for row in final.rows}
    names = {bot.player for bot in bots.bots(connection, game)}
    return ContestResults(
        final.rows,
        final_season(connection, game, wanted),
        [
            one_player(connection, name, game, MOST_MATCHES, lines)
            for name in sorted(names, key=str.lower)
            if name.lower() != HOUSE
        ],
    )


def last_closed(connection: Connection, game: str) -> int:
    """Return the number of the season of a game that was closed last. Raises Refused where none is."""
    closed = [season.number for season in stored.begun(connection, game) if season.closed_at is not None]
    if not closed:
        raise Refused(f"no season of {game} is closed yet; `ladder season close {game}` closes the one that is on")
    return closed[-1]
