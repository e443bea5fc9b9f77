"""What could be played now, and how many worker processes that is worth.

How this works. What boards lack takes long to find out on large ones, and the scheduler does so each time that it makes
matches; so it writes that down. Where no worker lives nobody makes matches, and nothing changes what boards lack but a
version that is submitted, which has to be built first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil

from psycopg.types.json import Jsonb

from ladder.database.connection import Connection, Rows
from ladder.ids import LeagueId

USUAL_MATCH_S, USUAL_BUILD_S = 10.0, 10.0
"""Where nothing was played, or built, by which one could tell."""
LATEST = 30
"""The usual length is that of so many of the latest ones."""


def write_down(connection: Connection, demands: Mapping[LeagueId, int]) -> None:
    connection.execute(
        """
        INSERT INTO board_demands SELECT league_id, matches
        FROM jsonb_to_recordset(%s) AS found (league_id bigint, matches int)
        ON CONFLICT (league_id) DO UPDATE SET matches = excluded.matches WHERE board_demands.matches <> excluded.matches
        """,
        [Jsonb([{"league_id": league_id, "matches": matches} for league_id, matches in demands.items()])],
    )


@dataclass(frozen=True, slots=True)
class Demand:
    """Pieces of work of so many seconds. `made`: wait or run; `unmade`: to come, `in_a_battle` of them at once."""

    league_id: LeagueId | None
    made: int
    unmade: int
    each_s: float
    in_a_battle: int = 1


def of_leagues(connection: Connection) -> list[Demand]:
    """Return what boards and requests want. Matches that idle workers play, which nobody needs, are left out."""
    return Rows(connection, Demand).all(
        """
        SELECT leagues.id AS league_id, coalesce(waiting.matches, 0) AS made,
               (coalesce(board_demands.matches, 0) + coalesce(unmade.battles * battle_matches, 0))::int AS unmade,
               coalesce((
                   SELECT avg(seconds_between(started_at, finished_at)) FILTER (WHERE started_at IS NOT NULL)
                   FROM (SELECT started_at, finished_at FROM matches
                         WHERE league_id = leagues.id AND state = 'finished'
                         ORDER BY id DESC LIMIT %(latest)s) AS latest), %(usual_s)s) AS each_s,
               battle_matches AS in_a_battle
        FROM leagues
        LEFT JOIN board_demands ON board_demands.league_id = leagues.id
        LEFT JOIN (
            SELECT league_id, count(*) AS matches FROM matches
            WHERE is_waiting(state) AND num_nonnulls(made_for, request_id, gauntlet_id) > 0
            GROUP BY league_id) AS waiting ON waiting.league_id = leagues.id
        LEFT JOIN (
            SELECT league_id, sum(battles - made) AS battles FROM requests
            WHERE made < battles AND lapsed IS NULL GROUP BY league_id) AS unmade ON unmade.league_id = leagues.id
        """,
        {"latest": LATEST, "usual_s": USUAL_MATCH_S},
    )


def workers_wanted(demands: Iterable[Demand], wait_s: float) -> int:
    """Return how many processes do that in the accepted wait: at most one a piece, at least one for any."""
    lots = [(one.made + one.unmade, one.each_s) for one in demands]
    most = sum(number for number, _ in lots)
    work_s = sum(number * each_s for number, each_s in lots)
    return min(max(ceil(work_s / wait_s), 1), most)


def battles_wanted(demands: Iterable[Demand]) -> int:
    return sum(ceil(one.unmade / one.in_a_battle) for one in demands if one.league_id is not None)
