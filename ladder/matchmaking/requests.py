"""Battles that somebody has asked for: how many are made into matches, and how those ended.

A request is whole when all its battles are made or it has lapsed, and over when none of its matches waits any more.
Requested battles are unrated; those of a season's series, which is requests too, are rated.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar

from engine.conversation import seat_orders
from engine.errors import UnknownName
from engine.immutable import immutable
from ladder.database.connection import Connection, Rows, first_value, one
from ladder.ids import LARGEST_ID, LeagueId, MatchId, RequestId, SeasonId, VersionId
from ladder.matches.match_rows import SELECT_MATCH, MatchRow

SEASON_CLOSED = "the season was closed before its series was played"
"""Why no more battles are made of a series that was broken off."""


@immutable
class RequestSide:
    """How a version did in the finished matches of a request.

    `points`: its share of those in its matches, from 0 to 1, None before the first one; `places`: how often it was
    first, second and so on.
    """

    version_id: VersionId
    version: str
    points: float | None
    places: Sequence[int]


@immutable
class BattleRequest:
    """Battles between two versions or more. `made`: how many have become matches, on the board of `league`.

    `sides`: all that play, `first` and `second` first; `seat_orders`: in which orders of the seats they play each seed.
    `seed`: of the first battle, each next has the next one; None: by chance. `lapsed`: why the battles that are left
    will not be made, or None. `season_id`, `season`: id and number of the season whose series it belongs to, or None.
    `waiting`, `finished`, `void`: its matches; `wins`, `draws`, `losses`: those of `first` in the finished ones.
    """

    SHOWN: ClassVar = ("battle_matches", "left", "is_over", "rates")

    id: RequestId
    game: str
    league_id: LeagueId
    league: str
    first_id: VersionId
    second_id: VersionId
    first: str
    second: str
    battles: int
    made: int
    seed: int | None
    asked_by: str
    season_id: SeasonId | None
    season: int | None
    lapsed: str | None
    created_at: datetime
    waiting: int
    finished: int
    void: int
    wins: int
    draws: int
    losses: int
    sides: Sequence[RequestSide]
    seat_orders: str

    @property
    def battle_matches(self) -> int:
        return len(seat_orders(len(self.sides), self.seat_orders))

    @property
    def is_of_two(self) -> bool:
        return len(self.sides) == 2

    @property
    def versions(self) -> list[str]:
        return [side.version for side in self.sides]

    @property
    def left(self) -> int:
        return 0 if self.lapsed else self.battles - self.made

    @property
    def rates(self) -> bool:
        """Say whether its battles rate the two: those of a season's series do."""
        return self.season_id is not None

    @property
    def is_over(self) -> bool:
        return self.left == 0 and self.waiting == 0


@immutable
class Unmade:
    """A request with battles left. `is_series`: a season's; `season_is_closed`: broken off."""

    id: RequestId
    league_id: LeagueId
    version_ids: Sequence[VersionId]
    made: int
    left: int
    asked_by: str
    is_series: bool
    season_is_closed: bool


def insert(
    connection: Connection,
    league_id: LeagueId,
    version_ids: Sequence[VersionId],
    battles: int,
    *,
    asked_by: str,
    seed: int | None = None,
    season_id: SeasonId | None = None,
) -> RequestId:
    """Write down that somebody wants battles and return the request's id. `asked_by`: '' for a season's series."""
    first, second, *others = version_ids
    query = """
        INSERT INTO requests (league_id, first, second, others, battles, seed, asked_by, season_id)
        VALUES (%(league_id)s, %(first)s, %(second)s, %(others)s, %(battles)s, %(seed)s, %(asked_by)s, %(season_id)s)
        RETURNING id"""
    values = {"league_id": league_id, "first": first, "second": second, "others": others, "battles": battles}
    row = one(connection, query, {**values, "seed": seed, "asked_by": asked_by, "season_id": season_id})
    return RequestId(row[0])


SELECT_REQUEST = """
    SELECT requests.id, leagues.game, requests.league_id, leagues.title AS league,
           requests.first AS first_id, requests.second AS second_id,
           version_name(requests.first) AS first, version_name(requests.second) AS second,
           requests.battles, made, requests.seed, asked_by, season_id, seasons.number AS season, lapsed,
           requests.created_at, played.waiting, played.finished, played.void, played.wins, played.draws, played.losses,
           all_of_them.sides, leagues.seat_orders
    FROM requests JOIN leagues ON leagues.id = requests.league_id
    LEFT JOIN seasons ON seasons.id = requests.season_id
    CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE is_waiting(matches.state)) AS waiting,
               count(*) FILTER (WHERE matches.state = 'finished') AS finished,
               count(*) FILTER (WHERE matches.state = 'void') AS void,
               count(*) FILTER (WHERE matches.state = 'finished' AND seats.result = 'win') AS wins,
               count(*) FILTER (WHERE matches.state = 'finished' AND seats.result = 'draw') AS draws,
               count(*) FILTER (WHERE matches.state = 'finished' AND seats.result = 'loss') AS losses
        FROM matches JOIN seats ON seats.match_id = matches.id AND seats.version_id = requests.first
        WHERE matches.request_id = requests.id) AS played
    CROSS JOIN LATERAL (
        SELECT jsonb_agg(jsonb_build_object('version_id', who.id, 'version', version_name(who.id), 'points', own.points,
                         'places', own.places) ORDER BY who.number) AS sides
        FROM unnest(ARRAY[requests.first, requests.second] || requests.others) WITH ORDINALITY AS who (id, number)
        CROSS JOIN LATERAL (
            WITH seated AS (
                SELECT coalesce(own.place, CASE own.result WHEN 'loss' THEN 2 ELSE 1 END) AS place,
                       CASE WHEN matches.players > 2 THEN (
                           SELECT sum(1 + sign(other.place - own.place)) / 2 / (matches.players - 1)
                           FROM seats AS other WHERE other.match_id = own.match_id AND other.seat <> own.seat)
                       ELSE CASE own.result WHEN 'win' THEN 1 WHEN 'draw' THEN 0.5 ELSE 0 END END AS points
                FROM matches JOIN seats AS own ON own.match_id = matches.id AND own.version_id = who.id
                WHERE matches.request_id = requests.id AND matches.state = 'finished')
            SELECT avg(points)::float8 AS points, ARRAY(
                       SELECT count(place) FROM generate_series(1, 2 + cardinality(requests.others)) AS possible (at)
                       LEFT JOIN seated ON place = at GROUP BY at ORDER BY at) AS places
            FROM seated) AS own) AS all_of_them
"""


def read(sides: Sequence[dict[str, Any]], **columns: Any) -> BattleRequest:
    return BattleRequest(**columns, sides=[RequestSide(**side) for side in sides])


def find(connection: Connection, request_id: RequestId) -> BattleRequest:
    query = SELECT_REQUEST + "WHERE requests.id = %(id)s"
    request = Rows(connection, read).first(query, {"id": min(request_id, LARGEST_ID)})
    if request is None:
        raise UnknownName(f"there is no request {request_id}; `ladder match requests --all` lists them")
    return request


OPEN = """
    SELECT id FROM requests WHERE made < battles AND lapsed IS NULL
    UNION
    SELECT request_id FROM matches WHERE is_waiting(state) AND request_id IS NOT NULL
"""


def latest(connection: Connection, limit: int | None, *, ended: bool = False) -> list[BattleRequest]:
    ids = "SELECT id FROM requests" if ended else OPEN
    latest_of = f"""
        JOIN ({ids} ORDER BY id DESC LIMIT %(limit)s) AS latest ON latest.id = requests.id
        ORDER BY requests.id DESC
    """
    return Rows(connection, read).all(SELECT_REQUEST + latest_of, {"limit": limit})


def lock(connection: Connection, request_id: RequestId) -> None:
    """Keep others from making battles of a request, or ending it, until this transaction ends."""
    connection.execute("SELECT FROM requests WHERE id = %s FOR UPDATE", [min(request_id, LARGEST_ID)])


def unmade_requests(connection: Connection) -> list[Unmade]:
    return Rows(connection, Unmade).all("""
        SELECT requests.id, league_id, ARRAY[first, second] || others AS version_ids, made, battles - made AS left,
               asked_by, season_id IS NOT NULL AS is_series, seasons.closed_at IS NOT NULL AS season_is_closed
        FROM requests LEFT JOIN seasons ON seasons.id = requests.season_id
        WHERE made < battles AND lapsed IS NULL ORDER BY requests.id""")


def count_unmade(connection: Connection) -> int:
    query = "SELECT coalesce(sum(battles - made), 0) FROM requests WHERE made < battles AND lapsed IS NULL"
    return int(one(connection, query, {})[0])


def count_unmade_matches(connection: Connection) -> int:
    rows = connection.execute("""
        SELECT 2 + cardinality(others), seat_orders, sum(requests.battles - made)::int
        FROM requests JOIN leagues ON leagues.id = league_id
        WHERE made < requests.battles AND lapsed IS NULL GROUP BY 1, 2""")
    return sum(battles * len(seat_orders(players, orders)) for players, orders, battles in rows)


def count_open(connection: Connection) -> int:
    return int(one(connection, f"SELECT count(*) FROM ({OPEN}) AS open", {})[0])  # noqa: S608 - ours


def waiting_battles(connection: Connection) -> dict[str, int]:
    query = """
        SELECT asked_by, count(DISTINCT pair_id)::int
        FROM matches JOIN requests ON requests.id = matches.request_id
        WHERE is_waiting(matches.state) GROUP BY asked_by"""
    return dict(connection.execute(query).fetchall())


def queued_battles(connection: Connection) -> int:
    query = "SELECT count(DISTINCT pair_id) FROM matches WHERE state = 'queued' AND request_id IS NOT NULL"
    return int(one(connection, query, {})[0])


def take_next(connection: Connection, request_id: RequestId) -> tuple[int | None, bool] | None:
    """Count one more battle as made; return its seed, None: by chance, and whether it rates. None if none is left."""
    query = """
        UPDATE requests SET made = made + 1 WHERE id = %s AND made < battles AND lapsed IS NULL
        RETURNING seed + made - 1, season_id IS NOT NULL"""
    row = connection.execute(query, [request_id]).fetchone()
    return None if row is None else (row[0], row[1])


def lapse(connection: Connection, request_id: RequestId, why: str) -> None:
    connection.execute("UPDATE requests SET lapsed = %s WHERE id = %s AND lapsed IS NULL", [why, request_id])


def first_match(connection: Connection, request_id: RequestId) -> MatchId | None:
    return first_value(connection, "SELECT min(id) FROM matches WHERE request_id = %s", [request_id])


def matches_over(connection: Connection, request_id: RequestId, limit: int) -> list[MatchRow]:
    """Return the matches of a request that are over, finished or void, the latest first; at most `limit`."""
    which = """
        WHERE matches.request_id = %(id)s AND NOT is_waiting(matches.state)
        ORDER BY coalesce(matches.finished_at, matches.started_at) DESC NULLS LAST, matches.id DESC
        LIMIT %(limit)s"""
    return Rows(connection, MatchRow).all(SELECT_MATCH + which, {"id": request_id, "limit": limit})
