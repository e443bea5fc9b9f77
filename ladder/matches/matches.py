"""Matches: made in battles, on one seed with the seats in several orders, and taken back."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg.types.json import Jsonb

from engine.game import SeatOrders, seat_orders
from engine.toolchains.params import NO_PARAMS, Params
from ladder.database.connection import Connection
from ladder.database.text import without_nul
from ladder.ids import BotId, GauntletId, LeagueId, MatchId, RequestId, VersionId

# The seats are one object: as arrays PostgreSQL would make a plan for each battle, by the numbers of their elements,
# which takes longer than what it does.
INSERT_BATTLE = """
    WITH battle AS (SELECT nextval('pairs') AS pair_id),
    made AS (
        INSERT INTO matches (league_id, pair_id, seed, players, made_for, gauntlet_id, slot, request_id, rates,
            enqueued_at, edition)
        SELECT %(league_id)s, pair_id, %(seed)s, %(players)s, %(made_for)s, %(gauntlet_id)s, %(slot)s, %(request_id)s,
               %(rates)s, now(),
               CASE WHEN %(gauntlet_id)s::bigint IS NULL THEN present_edition(%(league_id)s)
                    ELSE (SELECT edition FROM gauntlets WHERE id = %(gauntlet_id)s) END
        FROM battle CROSS JOIN generate_series(1, %(matches)s)
        RETURNING id),
    numbered AS (SELECT id, row_number() OVER (ORDER BY id) AS number FROM made),
    seated AS (
        INSERT INTO seats (match_id, seat, version_id, params, copy)
        SELECT id, seat, version_id, params, copy
        FROM numbered
        JOIN jsonb_to_recordset(%(seated)s)
            AS player (number int, seat smallint, version_id bigint, params jsonb, copy smallint) USING (number)
        ORDER BY id, seat)
    SELECT id FROM made ORDER BY id
"""


def insert_battle(
    connection: Connection,
    league_id: LeagueId,
    version_ids: Sequence[VersionId],
    seed: int,
    made_for: VersionId | None = None,
    *,
    part_of: tuple[GauntletId, int] | None = None,
    request_id: RequestId | None = None,
    rates: bool = True,
    params: Sequence[Params] = (),
    orders: str = SeatOrders.ROTATIONS,
) -> list[MatchId]:
    """Add a battle: the matches of these versions on one seed, in several orders of the seats. Returns their ids.

    `made_for`: the version lacking it; `part_of`: the gauntlet it is part of, and its slot there; `request_id`: of the
    request by which it was asked for. `rates`: whether it rates them; a gauntlet's never does.
    `params`: parameters that they have besides those of their versions, where any has. `orders`: see SeatOrders. Only
    in a gauntlet's match a version can have several seats.
    """
    gauntlet_id, slot = part_of or (None, None)
    own_params = [dict(own) for own in params or [NO_PARAMS] * len(version_ids)]
    matches = seat_orders(len(version_ids), orders)
    copies = [0 if part_of is None else version_ids[:who].count(one) for who, one in enumerate(version_ids)]
    seated = [
        {
            "number": number,
            "seat": seat,
            "version_id": version_ids[who],
            "params": own_params[who],
            "copy": copies[who],
        }
        for number, order in enumerate(matches, 1)
        for seat, who in enumerate(order)
    ]
    rows = connection.execute(
        INSERT_BATTLE,
        {
            "league_id": league_id,
            "seed": seed,
            "players": len(version_ids),
            "matches": len(matches),
            "made_for": made_for,
            "gauntlet_id": gauntlet_id,
            "slot": slot,
            "request_id": request_id,
            "rates": rates and gauntlet_id is None,
            "seated": Jsonb(seated),
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


def change_edition(connection: Connection, game: str, edition: str) -> None:
    """Let the matches of a game that are not begun be played by another edition of it, but not those of gauntlets."""
    connection.execute(
        """
        UPDATE matches SET edition = %(edition)s
        WHERE state = 'queued' AND gauntlet_id IS NULL AND league_id IN (SELECT id FROM leagues WHERE game = %(game)s)
        """,
        {"edition": edition, "game": game},
    )


def void_queued(connection: Connection, game: str, by: str, why: str) -> None:
    """Void the matches of a game that are not begun."""
    connection.execute(
        """
        UPDATE matches SET state = 'void', lease_until = NULL, reason = %(why)s, void_by = %(by)s, void_at = now()
        WHERE state = 'queued' AND league_id IN (SELECT id FROM leagues WHERE game = %(game)s)
        """,
        {"game": game, "by": by, "why": why},
    )


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
