"""A class or a contest: who has submitted what, who stands where, what is left to play.

It is for everybody, so it holds what everybody may read; of frozen boards it holds what operators see.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from psycopg.rows import class_row

from engine.errors import Refused
from ladder.bots import bots
from ladder.bots.players import HOUSE
from ladder.database.connection import Connection
from ladder.leagues import leagues
from ladder.ratings import frozen
from ladder.ratings.frozen import BoardFreeze
from ladder.seasons import seasons
from ladder.seasons import seasons as stored
from ladder.views.players import OnePlayer, one_player
from ladder.views.seasons import FinalRow, FinalSeason, PlannedSeason, final_boards, final_season, planned
from ladder.visibility import PUBLIC, look, sees_everything

MOST_MATCHES = 1000
"""Of a bot, on the page of its player."""


@dataclass(frozen=True, slots=True)
class ContestResults:
    """A closed season: its boards as a table and as pages show them, and its players, by name."""

    rows: list[FinalRow]
    season: FinalSeason
    players: list[OnePlayer]


def contest_results(connection: Connection, game: str, number: int | None = None) -> ContestResults:
    """Read what a contest leaves, by default the season closed last. Raises Refused for one not closed, UnknownName."""
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
    closed = [season.number for season in stored.begun(connection, game) if season.closed_at is not None]
    if not closed:
        raise Refused(f"no season of {game} is closed yet; `ladder season close {game}` closes the one that is on")
    return closed[-1]


@dataclass(frozen=True, slots=True)
class Contestant:
    """A player in a game, with a line for each bot. `version`: that plays, of `versions`; `rank`: on its board.

    `logs_in`: None where somebody asks who does not operate.
    """

    PRIVATE: ClassVar = ("logs_in",)

    player: str
    logs_in: bool | None
    bot: str | None
    versions: int
    rejected: int
    submitted_at: datetime | None
    version: str | None
    league: str | None
    rank: int | None
    score: float | None


@dataclass(frozen=True, slots=True)
class Contest:
    """How a contest goes, with the players listed for it, or else all. `contest`: see `number_of_contest`."""

    MERGED: ClassVar = ("plan",)

    plan: PlannedSeason
    contest: int
    players: list[Contestant]
    freeze: BoardFreeze | None = None


CONTESTANTS = """
    WITH listed AS (SELECT player_id FROM contest_players WHERE game = %(game)s AND season = %(season)s),
    ranked AS (
        SELECT version_id, standings.league_id, score, bots.id AS bot_id, versions.number,
               rank() OVER (PARTITION BY standings.league_id ORDER BY board_order(strength, score)) AS rank
        FROM standings JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id
        WHERE on_board AND bots.game = %(game)s),
    present AS (SELECT DISTINCT ON (bot_id) * FROM ranked ORDER BY bot_id, number DESC)
    SELECT players.name AS player, CASE WHEN %(whole)s THEN password_hash IS NOT NULL END AS logs_in, bots.name AS bot,
           coalesce(own.versions, 0)::int AS versions, coalesce(own.rejected, 0)::int AS rejected, own.submitted_at,
           version_name(present.version_id) AS version, leagues.title AS league, present.rank::int, present.score
    FROM players
    LEFT JOIN bots ON bots.player_id = players.id AND bots.game = %(game)s
    LEFT JOIN LATERAL (
        SELECT count(*) AS versions, count(*) FILTER (WHERE state = 'rejected') AS rejected,
               max(submitted_at) AS submitted_at
        FROM versions WHERE bot_id = bots.id) AS own ON true
    LEFT JOIN present ON present.bot_id = bots.id
    LEFT JOIN leagues ON leagues.id = present.league_id
    WHERE lower(players.name) <> %(house)s AND disabled_at IS NULL
      AND (players.id IN (SELECT player_id FROM listed) OR NOT EXISTS (SELECT FROM listed))
    ORDER BY leagues.position DESC NULLS LAST, present.rank, lower(players.name), bots.name
"""


def contest(connection: Connection, game: str) -> Contest:
    leagues.check_game(connection, game)
    plan = planned(connection, game)
    number = number_of_contest(connection, plan)
    asked = {"game": game, "season": number, "house": HOUSE, "whole": sees_everything(connection)}
    with connection.cursor(row_factory=class_row(Contestant)) as cursor:
        players = cursor.execute(CONTESTANTS, asked).fetchall()
    return Contest(plan, number, players, frozen.find(connection, game))


def number_of_contest(connection: Connection, found: PlannedSeason) -> int:
    """Return the season of the contest: the one that is on, or the one before until another is opened as a contest."""
    game, number = found.season.game, found.season.number
    is_opened = found.plan is not None or seasons.are_listed(connection, game, number)
    return number - 1 if not is_opened and seasons.are_listed(connection, game, number - 1) else number
