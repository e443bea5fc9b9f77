"""Battles that somebody has asked for: how many are made into matches, and how those ended.

A request is whole when all its battles are made or it has lapsed, and over when none of its matches waits any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from engine.errors import UnknownName
from ladder.database import Connection, one
from ladder.storage.matches import SELECT_MATCH, MatchRow

LARGEST_ID = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Request:
    """Battles of two matches each between two versions. `made`: how many are matches by now, on the board of `league`.

    `seed`: of the first battle, each next has the next one; None: by chance. `lapsed`: why the battles that are left
    will not be made, or None. `season_id`: of the season whose series it belongs to, or None. `waiting`, `finished`,
    `void`: its matches; `wins`, `draws`, `losses`: those of `first` in the finished ones.
    """

    id: int
    game: str
    league_id: int
    league: str
    first_id: int
    second_id: int
    first: str
    second: str
    battles: int
    made: int
    seed: int | None
    asked_by: str
    season_id: int | None
    lapsed: str | None
    created_at: datetime
    waiting: int
    finished: int
    void: int
    wins: int
    draws: int
    losses: int

    @property
    def left(self) -> int:
        """Return how many battles are still to be made into matches."""
        return 0 if self.lapsed else self.battles - self.made

    @property
    def is_over(self) -> bool:
        """Say whether nothing more is going to be played for it."""
        return self.left == 0 and self.waiting == 0


@dataclass(frozen=True, slots=True)
class Unmade:
    """A request with battles left. `season_is_closed`: whether it belongs to a series that was broken off."""

    id: int
    league_id: int
    first_id: int
    second_id: int
    left: int
    asked_by: str
    season_is_closed: bool


def insert(
    connection: Connection,
    league_id: int,
    version_ids: tuple[int, int],
    battles: int,
    *,
    asked_by: str,
    seed: int | None = None,
    season_id: int | None = None,
) -> int:
    """Write down that somebody wants battles and return the request's id. `asked_by`: '' for a season's series."""
    first, second = version_ids
    row = one(
        connection,
        """
        INSERT INTO requests (league_id, first, second, battles, seed, asked_by, season_id)
        VALUES (%(league_id)s, %(first)s, %(second)s, %(battles)s, %(seed)s, %(asked_by)s, %(season_id)s)
        RETURNING id
        """,
        {
            "league_id": league_id,
            "first": first,
            "second": second,
            "battles": battles,
            "seed": seed,
            "asked_by": asked_by,
            "season_id": season_id,
        },
    )
    return int(row[0])


def find(connection: Connection, request_id: int) -> Request:
    """Return a request by its number. Raises UnknownName."""
    with connection.cursor(row_factory=class_row(Request)) as cursor:
        found = cursor.execute(
            """
            SELECT requests.id, leagues.game, requests.league_id, leagues.title AS league,
                   requests.first AS first_id, requests.second AS second_id,
                   bot_one.name || '@v' || one.number AS first, bot_two.name || '@v' || two.number AS second,
                   requests.battles, made, requests.seed, asked_by, season_id, lapsed, requests.created_at,
                   played.waiting, played.finished, played.void, played.wins, played.draws, played.losses
            FROM requests
            JOIN leagues ON leagues.id = requests.league_id
            JOIN versions AS one ON one.id = requests.first JOIN bots AS bot_one ON bot_one.id = one.bot_id
            JOIN versions AS two ON two.id = requests.second JOIN bots AS bot_two ON bot_two.id = two.bot_id
            CROSS JOIN LATERAL (
                SELECT count(*) FILTER (WHERE matches.state IN ('queued', 'running')) AS waiting,
                       count(*) FILTER (WHERE matches.state = 'finished') AS finished,
                       count(*) FILTER (WHERE matches.state = 'void') AS void,
                       count(*) FILTER (WHERE matches.state = 'finished' AND seats.result = 'win') AS wins,
                       count(*) FILTER (WHERE matches.state = 'finished' AND seats.result = 'draw') AS draws,
                       count(*) FILTER (WHERE matches.state = 'finished' AND seats.result = 'loss') AS losses
                FROM matches JOIN seats ON seats.match_id = matches.id AND seats.version_id = requests.first
                WHERE matches.request_id = requests.id) AS played
            WHERE requests.id = %(id)s
            """,
            {"id": min(request_id, LARGEST_ID)},
        ).fetchone()
    if found is None:
        raise UnknownName(f"there is no request {request_id}; `ladder match request` tells its number")
    return found


def unmade(connection: Connection) -> list[Unmade]:
    """Return the requests that have battles left, the oldest first."""
    with connection.cursor(row_factory=class_row(Unmade)) as cursor:
        return cursor.execute(
            """
            SELECT requests.id, league_id, first AS first_id, second AS second_id, battles - made AS left, asked_by,
                   seasons.closed_at IS NOT NULL AS season_is_closed
            FROM requests LEFT JOIN seasons ON seasons.id = requests.season_id
            WHERE made < battles AND lapsed IS NULL
            ORDER BY requests.id
            """
        ).fetchall()


def count_unmade(connection: Connection) -> int:
    """Return how many battles that were asked for are still to be made into matches."""
    row = one(
        connection,
        "SELECT coalesce(sum(battles - made), 0) FROM requests WHERE made < battles AND lapsed IS NULL",
        {},
    )
    return int(row[0])


def waiting_battles(connection: Connection) -> dict[str, int]:
    """Return how many battles that each has asked for wait or are being played."""
    return dict(
        connection.execute(
            """
            SELECT asked_by, count(DISTINCT pair_id)::int
            FROM matches JOIN requests ON requests.id = matches.request_id
            WHERE matches.state IN ('queued', 'running')
            GROUP BY asked_by
            """
        ).fetchall()
    )


def take_next(connection: Connection, request_id: int) -> int | None:
    """Count one more battle as made and return its seed, None if it is by chance."""
    row = one(
        connection,
        "UPDATE requests SET made = made + 1 WHERE id = %(id)s RETURNING seed + made - 1",
        {"id": request_id},
    )
    return None if row[0] is None else int(row[0])


def add_matches(connection: Connection, request_id: int, match_ids: Sequence[int]) -> None:
    """Write down that matches, which were just made, belong to a request."""
    connection.execute("UPDATE matches SET request_id = %s WHERE id = ANY(%s)", [request_id, list(match_ids)])


def lapse(connection: Connection, request_id: int, why: str) -> None:
    """Make no more battles of a request."""
    connection.execute("UPDATE requests SET lapsed = %s WHERE id = %s", [why, request_id])


def finished_matches(connection: Connection, request_id: int, limit: int) -> list[MatchRow]:
    """Return the matches of a request that finished last."""
    with connection.cursor(row_factory=class_row(MatchRow)) as cursor:
        return cursor.execute(
            SELECT_MATCH
            + """
            WHERE matches.request_id = %(id)s AND matches.state = 'finished'
            ORDER BY matches.finished_at DESC, matches.id DESC
            LIMIT %(limit)s
            """,
            {"id": request_id, "limit": limit},
        ).fetchall()
