"""Matches: made in pairs, on one seed with the seats swapped, and taken back."""

from __future__ import annotations

from psycopg.types.json import Jsonb

from engine.toolchains.params import NO_PARAMS, Params
from ladder.database.connection import Connection
from ladder.database.text import without_nul
from ladder.ids import BotId, GauntletId, LeagueId, MatchId, RequestId, VersionId

INSERT_PAIR = """
    WITH battle AS (SELECT nextval('pairs') AS pair_id),
    made AS (
        INSERT INTO matches (league_id, pair_id, seed, made_for, gauntlet_id, slot, request_id, rates, enqueued_at)
        SELECT %(league_id)s, pair_id, %(seed)s, %(made_for)s, %(gauntlet_id)s, %(slot)s, %(request_id)s,
               %(rates)s, now()
        FROM battle CROSS JOIN generate_series(1, 2)
        RETURNING id),
    swapped AS (SELECT id, row_number() OVER (ORDER BY id) = 2 AS is_swapped FROM made),
    seated AS (
        INSERT INTO seats (match_id, seat, version_id, params)
        SELECT id, (is_second <> is_swapped)::int, version_id, params
        FROM swapped CROSS JOIN (VALUES
            (false, %(first)s::bigint, %(first_params)s), (true, %(second)s::bigint, %(second_params)s))
            AS player (is_second, version_id, params)
        ORDER BY id, is_second <> is_swapped)
    SELECT id FROM made ORDER BY id
"""


def insert_pair(
    connection: Connection,
    league_id: LeagueId,
    version_ids: tuple[VersionId, VersionId],
    seed: int,
    made_for: VersionId | None = None,
    *,
    part_of: tuple[GauntletId, int] | None = None,
    request_id: RequestId | None = None,
    rates: bool = True,
    params: tuple[Params, Params] = (NO_PARAMS, NO_PARAMS),
) -> list[MatchId]:
    """Add a battle: two matches on one seed, seats swapped. Returns their ids.

    `made_for`: the version lacking it; `part_of`: the gauntlet it is part of, and its slot there; `request_id`: of the
    request by which it was asked for. `rates`: whether it rates the two; a gauntlet's never does.
    `params`: parameters of the two besides those of their versions.
    """
    gauntlet_id, slot = part_of or (None, None)
    rows = connection.execute(
        INSERT_PAIR,
        {
            "league_id": league_id,
            "seed": seed,
            "made_for": made_for,
            "gauntlet_id": gauntlet_id,
            "slot": slot,
            "request_id": request_id,
            "rates": rates and gauntlet_id is None,
            "first": version_ids[0],
            "second": version_ids[1],
            "first_params": Jsonb(dict(params[0])),
            "second_params": Jsonb(dict(params[1])),
        },
    )
    return [row[0] for row in rows]


def take_back(connection: Connection, match_id: MatchId, by: str, why: str) -> LeagueId | None:
    """Make a finished match void, its record kept as evidence. Returns its league's id, None if it is not finished."""
    row = connection.execute(
        """
        UPDATE matches SET state = 'void', reason = %(why)s, void_by = %(by)s, void_at = now()
        WHERE id = %(id)s AND state = 'finished'
        RETURNING league_id
        """,
        {"id": match_id, "by": without_nul(by), "why": without_nul(why)},
    ).fetchone()
    return None if row is None else LeagueId(row[0])


def void_unplayed(connection: Connection, bot_id: BotId, by: str, why: str, *, also_running: bool) -> int:
    """Void the matches of a bot that are not begun, or also those that are being played; return how many.

    Those of gauntlets are left alone. A match that is being recorded at this moment is waited for, and stays.
    """
    done = connection.execute(
        """
        WITH unplayed AS MATERIALIZED (
            SELECT id FROM matches
            WHERE is_waiting(state) AND (%(also_running)s OR state <> 'running') AND gauntlet_id IS NULL
              AND EXISTS (
                  SELECT FROM seats JOIN versions ON versions.id = seats.version_id
                  WHERE seats.match_id = matches.id AND versions.bot_id = %(bot)s)
            ORDER BY id
            FOR UPDATE)
        UPDATE matches SET state = 'void', lease_until = NULL, reason = %(why)s, void_by = %(by)s, void_at = now()
        FROM unplayed WHERE matches.id = unplayed.id
        """,
        {"bot": bot_id, "also_running": also_running, "by": without_nul(by), "why": without_nul(why)},
    )
    return done.rowcount
