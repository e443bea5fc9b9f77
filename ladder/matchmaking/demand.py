"""What the matchmaker has to know, read from the database; and what boards demand: what could be played now.

How this works. What boards lack takes long to find out on large ones, and the scheduler does so each time that it makes
matches; so it writes that down. Where no worker lives nobody makes matches, and nothing changes what boards lack but a
version that is submitted, which has to be built first. From that follows how many worker processes are wanted.
"""

import logging
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from math import ceil
from typing import Any

from psycopg.types.json import Jsonb

from engine.immutable import immutable
from ladder.choices import Promotion
from ladder.database.connection import Connection, Rows
from ladder.ids import LeagueId, VersionId
from ladder.matchmaking.matchmaker import Scheme

LOG = logging.getLogger(__name__)
USUAL_MATCH_S, USUAL_BUILD_S = 10.0, 10.0
"""Where nothing was played, or built, by which one could tell."""
LATEST = 30
"""The usual length is that of so many of the latest ones."""


def schemes(connection: Connection, games: Collection[str], only: str | None = None) -> dict[LeagueId, Scheme]:
    """Return how leagues of `games`, those playable here, pair, by id; not those that nobody may play.

    `only`: of this game alone.
    """
    query = """
        SELECT game, id, matchmaking, battles, placement_battles, near_ranks, beta,
               coalesce(draw_probability, game_draw_probability) AS draw_probability,
               CASE promotion WHEN %(boss_wins)s THEN boss_wins ELSE 0 END AS boss_wins,
               players, player_weights, seat_orders AS orders, battle_matches,
               coalesce(own_bots_meet, NOT has_accounts()) AS own_bots_meet
        FROM leagues
        WHERE NOT lacks_trust(trusted, present_edition(id)) AND (%(only)s::text IS NULL OR game = %(only)s)"""
    schemes: dict[LeagueId, Scheme] = {}
    for row in Rows(connection, dict[str, Any]).all(query, {"boss_wins": Promotion.BOSS_WINS, "only": only}):
        game, league_id = row.pop("game"), row.pop("id")
        if game in games:
            schemes[league_id] = Scheme(**row)
        else:
            warn_of_unknown(game)
    return schemes


@cache
def warn_of_unknown(game: str) -> None:
    LOG.warning("%s is a game that is not known here, so no matches are made in its leagues", game)


def waiting_shares(connection: Connection) -> dict[str, int]:
    query = """
        SELECT players.name, count(DISTINCT pair_id)::int
        FROM matches JOIN versions ON versions.id = matches.made_for JOIN bots ON bots.id = versions.bot_id
        JOIN players ON players.id = bots.player_id WHERE is_waiting(matches.state) GROUP BY players.name"""
    return dict(connection.execute(query).fetchall())


def met(connection: Connection, version_id: VersionId) -> dict[VersionId, int]:
    """Return in how many rated matches a version meets each other. Seats differ, so indexes are enough."""
    query = """
        SELECT other.version_id, count(*)::int
        FROM seats AS own
        JOIN seats AS other ON other.match_id = own.match_id AND other.version_id <> own.version_id
            AND other.params = '{}'
        JOIN matches ON matches.id = own.match_id
        WHERE own.version_id = %s AND matches.state <> 'void' AND matches.rates GROUP BY other.version_id"""
    return dict(connection.execute(query, [version_id]).fetchall())


def write_down(connection: Connection, demands: Mapping[LeagueId, int]) -> None:
    query = """
        INSERT INTO board_demands SELECT league_id, matches
        FROM jsonb_to_recordset(%s) AS found (league_id bigint, matches int)
        ON CONFLICT (league_id) DO UPDATE SET matches = excluded.matches
        WHERE board_demands.matches <> excluded.matches"""
    rows = [{"league_id": league_id, "matches": matches} for league_id, matches in demands.items()]
    connection.execute(query, [Jsonb(rows)])


@immutable
class Workload:
    """Pieces of work of so many seconds. `made`: wait or run; `unmade`: to come, `in_a_battle` of them at once."""

    league_id: LeagueId | None
    made: int
    unmade: int
    each_s: float
    in_a_battle: int = 1


def of_leagues(connection: Connection) -> list[Workload]:
    """Return what boards and requests want. Matches that idle workers play, which nobody needs, are left out."""
    query = """
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
            WHERE made < battles AND lapsed IS NULL GROUP BY league_id) AS unmade ON unmade.league_id = leagues.id"""
    return Rows(connection, Workload).all(query, {"latest": LATEST, "usual_s": USUAL_MATCH_S})


def workers_wanted(demands: Iterable[Workload], wait_s: float) -> int:
    """Return how many processes do that in the accepted wait: at most one a piece, at least one for any."""
    lots = [(load.made + load.unmade, load.each_s) for load in demands]
    most = sum(number for number, _ in lots)
    work_s = sum(number * each_s for number, each_s in lots)
    return min(max(ceil(work_s / wait_s), 1), most)


def battles_wanted(demands: Iterable[Workload]) -> int:
    return sum(ceil(load.unmade / load.in_a_battle) for load in demands if load.league_id is not None)
