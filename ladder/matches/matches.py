"""Matches: made in battles, on one seed with the seats in several orders, and taken back."""

from collections.abc import Sequence
from typing import Any, LiteralString

from psycopg.types.json import Jsonb

from engine.conversation import SeatOrders, seat_orders
from engine.immutable import immutable
from engine.toolchains.params import NO_PARAMS, Params
from ladder.database.connection import Connection, first_column, without_nul
from ladder.ids import BotId, GauntletId, LeagueId, MatchId, RequestId, VersionId

# All battles are one object: as arrays PostgreSQL would make a plan for each time, by the numbers of their elements,
# which takes longer than what it does for a battle.
INSERT_BATTLES = """
    WITH battle AS MATERIALIZED (
        SELECT nextval('pairs') AS pair_id, new.*,
               CASE WHEN new.gauntlet_id IS NULL THEN present_edition(new.league_id)
                    ELSE (SELECT edition FROM gauntlets WHERE gauntlets.id = new.gauntlet_id) END AS edition
        FROM jsonb_to_recordset(%(battles)s)
            AS new (number int, league_id int, seed bigint, players int, made_for bigint, gauntlet_id bigint, slot int,
                    request_id bigint, rates boolean, matches int, seats jsonb)),
    made AS (
        INSERT INTO matches (league_id, pair_id, seed, players, made_for, gauntlet_id, slot, request_id, rates,
            enqueued_at, edition)
        SELECT league_id, pair_id, seed, players, made_for, gauntlet_id, slot, request_id, rates, now(), edition
        FROM battle CROSS JOIN LATERAL generate_series(1, battle.matches) ORDER BY battle.number
        RETURNING id, pair_id),
    numbered AS (SELECT id, pair_id, row_number() OVER (PARTITION BY pair_id ORDER BY id) AS number FROM made),
    seated AS (
        INSERT INTO seats (match_id, seat, version_id, params, copy)
        SELECT numbered.id, player.seat, player.version_id, player.params, player.copy
        FROM numbered JOIN battle USING (pair_id)
        CROSS JOIN LATERAL jsonb_to_recordset(battle.seats)
            AS player (number int, seat smallint, version_id bigint, params jsonb, copy smallint)
        WHERE player.number = numbered.number ORDER BY numbered.id, player.seat)
    SELECT id FROM made ORDER BY id
"""


@immutable
class NewBattle:
    """Versions on one seed in several seat orders. `part_of`: gauntlet and slot; `params`: besides their own."""

    league_id: LeagueId
    version_ids: Sequence[VersionId]
    seed: int
    made_for: VersionId | None = None
    part_of: tuple[GauntletId, int] | None = None
    request_id: RequestId | None = None
    rates: bool = True
    params: Sequence[Params] = ()
    orders: str = SeatOrders.ROTATIONS

    @property
    def columns(self) -> dict[str, Any]:
        gauntlet_id, slot = self.part_of or (None, None)
        orders = seat_orders(len(self.version_ids), self.orders)
        return {
            "league_id": self.league_id,
            "seed": self.seed,
            "players": len(self.version_ids),
            "matches": len(orders),
            "made_for": self.made_for,
            "gauntlet_id": gauntlet_id,
            "slot": slot,
            "request_id": self.request_id,
            "rates": self.rates and gauntlet_id is None,
            "seats": [
                {
                    "number": number,
                    "seat": seat,
                    "version_id": self.version_ids[who],
                    "params": dict(self.params[who]) if self.params else NO_PARAMS,
                    "copy": 0 if self.part_of is None else [*self.version_ids[:who]].count(self.version_ids[who]),
                }
                for number, order in enumerate(orders, 1)
                for seat, who in enumerate(order)
            ],
        }


def insert_battles(connection: Connection, battles: Sequence[NewBattle]) -> list[MatchId]:
    if not battles:
        return []
    numbered = [{"number": number, **battle.columns} for number, battle in enumerate(battles)]
    return first_column(connection, INSERT_BATTLES, {"battles": Jsonb(numbered)})


MAKE_VOID: LiteralString = """
    UPDATE matches
    SET state = 'void', lease_until = NULL, reason = %(why)s, void_by = %(by)s, void_at = now() WHERE """


def make_void(
    connection: Connection, which: LiteralString, by: str, why: str, **parameters: object
) -> list[tuple[LeagueId, int]]:
    """Make matches void, their records kept as evidence. Returns the league and the battle of each."""
    values = {**parameters, "by": without_nul(by), "why": without_nul(why)}
    return connection.execute(MAKE_VOID + which + " RETURNING league_id, pair_id", values).fetchall()


def take_back(connection: Connection, match_id: MatchId, by: str, why: str) -> LeagueId | None:
    """Make a finished match void. Returns its league's id, None if it is not finished."""
    voided = make_void(connection, "id = %(id)s AND state = 'finished'", by, why, id=match_id)
    return voided[0][0] if voided else None


def change_edition(connection: Connection, game: str, edition: str) -> None:
    """Let the matches of a game that are not begun be played by another edition of it, but not those of gauntlets."""
    query = """
        UPDATE matches SET edition = %(edition)s WHERE state = 'queued' AND gauntlet_id IS NULL
          AND league_id IN (SELECT id FROM leagues WHERE game = %(game)s)"""
    connection.execute(query, {"edition": edition, "game": game})


def void_queued(connection: Connection, game: str, by: str, why: str) -> None:
    which = "state = 'queued' AND league_id IN (SELECT id FROM leagues WHERE game = %(game)s)"
    make_void(connection, which, by, why, game=game)


def void_unplayed(connection: Connection, bot_id: BotId, by: str, why: str, *, also_running: bool) -> int:
    """Return how many. Those of gauntlets are left alone; one that is being recorded is waited for, and stays."""
    query = """
        SELECT id FROM matches
        WHERE is_waiting(state) AND (%(also_running)s OR state <> 'running') AND gauntlet_id IS NULL
          AND EXISTS (
              SELECT FROM seats JOIN versions ON versions.id = seats.version_id
              WHERE seats.match_id = matches.id AND versions.bot_id = %(bot)s)
        ORDER BY id
        FOR UPDATE"""
    unplayed = first_column(connection, query, {"bot": bot_id, "also_running": also_running})
    return len(make_void(connection, "id = ANY(%(ids)s)", by, why, ids=unplayed))
