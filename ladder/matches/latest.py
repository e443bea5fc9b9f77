"""Lists of matches that are over, the latest first: of all, of a game, of a bot, and those that a filter picks.

How this works. Which matches there are is found by an index, from the latest on, until there are enough; the rest of
them is read after that. So it does not matter how many there are, and a filter reads no more than it has to pass over.
A gauntlet can add thousands of matches within minutes. So those of gauntlets are left out, unless a filter asks for
them by `rated` or `gauntlet`.
"""

from __future__ import annotations

from psycopg.sql import SQL, Composable

from ladder.database.connection import Connection, Rows
from ladder.ids import BotId, VersionId
from ladder.matches.filters import OWN, Filter, as_sql, comparisons
from ladder.matches.match_rows import SELECT_MATCH, MatchRow

OF_GAUNTLETS = {"rated", "gauntlet"}
"""A filter that asks for one of these says itself whether matches of gauntlets are meant."""
IS_VOID = SQL("matches.state = 'void' AND (matches.finished_at IS NOT NULL OR matches.void_at IS NULL)")
"""Void ones that have ended."""

LATEST_OF_ALL = SQL(
    """
    WITH latest AS (
        (SELECT matches.id FROM matches {seats} WHERE matches.state = 'finished' AND {where}
         ORDER BY matches.finished_at DESC, matches.id DESC LIMIT %(limit)s)
        UNION ALL
        (SELECT matches.id FROM matches {seats}
         WHERE {is_void} AND {where}
         ORDER BY coalesce(matches.finished_at, matches.started_at) DESC NULLS LAST, matches.id DESC LIMIT %(limit)s))
    """
)
LATEST_OF_BOT = SQL(
    """
    WITH latest AS (
        SELECT DISTINCT found.id
        FROM versions CROSS JOIN LATERAL (
            SELECT DISTINCT own.match_id AS id  -- a variant of a version may meet another: both seats are its own
            FROM seats AS own JOIN matches ON matches.id = own.match_id {seats}
            WHERE own.version_id = versions.id AND (matches.state = 'finished' OR {is_void}) AND {where}
            ORDER BY own.match_id DESC
            LIMIT %(limit)s) AS found
        WHERE versions.bot_id = %(bot_id)s AND (%(version_id)s::bigint IS NULL OR versions.id = %(version_id)s)
        ORDER BY found.id DESC
        LIMIT %(limit)s)
    """
)
LATEST_OF_GAME = SQL(
    """
    WITH void AS MATERIALIZED (
        SELECT matches.id FROM matches {seats}
        WHERE matches.league_id IN (SELECT id FROM leagues WHERE leagues.game = %(game)s) AND {is_void} AND {where}),
    latest AS (
        (SELECT own.id
         FROM leagues AS of_game CROSS JOIN LATERAL (
             SELECT matches.id FROM matches {seats}
             WHERE matches.league_id = of_game.id AND matches.state = 'finished' AND {where}
             ORDER BY matches.id DESC
             LIMIT %(limit)s) AS own
         WHERE of_game.game = %(game)s)
        UNION ALL
        (SELECT id FROM void)
        ORDER BY id DESC
        LIMIT %(limit)s)
    """
)
"""Of finished matches it reads `limit` in each of the game's leagues, by the index of a league's finished ones; of all
others only those that are void, which are few, by theirs. The first index holds `gauntlet_id` too: otherwise PostgreSQL
might take the index of all matches for as good, and read through other leagues' matches.
"""
ORDER_OF_LATEST = SQL(
    """
    JOIN latest ON latest.id = matches.id
    ORDER BY coalesce(matches.finished_at, matches.started_at) DESC NULLS LAST, matches.id DESC
    LIMIT %(limit)s
    """
)
BOTH_SEATS = SQL(
    """
    JOIN leagues ON leagues.id = matches.league_id
    LEFT JOIN seats AS first ON first.match_id = matches.id AND first.seat = 0
    LEFT JOIN seats AS second ON second.match_id = matches.id AND second.seat = 1
    """
)
OTHER_SEAT = SQL(
    """
    JOIN leagues ON leagues.id = matches.league_id
    LEFT JOIN seats AS other ON other.match_id = matches.id AND other.seat = 1 - own.seat
    """
)
"""What a filter's condition is about, where a match is looked at from the side of `own`."""
NOT_OF_GAUNTLETS = SQL("matches.gauntlet_id IS NULL")


def latest_matches(
    connection: Connection,
    limit: int,
    bot_id: BotId | None = None,
    game: str | None = None,
    version_id: VersionId | None = None,
    wanted: Filter | None = None,
) -> list[MatchRow]:
    """Return the matches that were over last; of gauntlets only where `wanted` asks for them."""
    of_many = LATEST_OF_ALL if game is None else LATEST_OF_GAME
    latest = of_many if bot_id is None else LATEST_OF_BOT
    seats, where, values = picked(wanted, OTHER_SEAT if bot_id is not None else BOTH_SEATS)
    query = latest.format(seats=seats, where=where, is_void=IS_VOID) + SQL(SELECT_MATCH) + ORDER_OF_LATEST
    named = {"limit": limit, "bot_id": bot_id, "version_id": version_id, "game": game}
    return Rows(connection, MatchRow).all(query, {**values, **named})


def picked(wanted: Filter | None, seats: SQL) -> tuple[Composable, Composable, dict[str, object]]:
    if wanted is None:
        return SQL(""), NOT_OF_GAUNTLETS, {}
    condition, values = as_sql(wanted, OWN if seats is OTHER_SEAT else None)
    if not any(comparison.field in OF_GAUNTLETS for comparison in comparisons(wanted)):
        condition = SQL("{} AND ({})").format(NOT_OF_GAUNTLETS, condition)
    return seats, condition, values
