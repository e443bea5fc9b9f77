"""Where the ladder begins: games, leaders, what runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from fastapi import APIRouter
from psycopg.rows import class_row
from starlette.responses import Response

from ladder.choices import MoveKind
from ladder.database.connection import Connection
from ladder.gauntlets import gauntlets
from ladder.ids import LeagueId
from ladder.leagues import leagues
from ladder.leagues.leagues import League
from ladder.matches import match_rows
from ladder.views.matches import with_seats
from ladder.web.shown import page
from ladder.web.site import SiteHere

LEADERS = 3
MOST_LISTED = 10
A_MINUTE_S = 60


@dataclass(frozen=True, slots=True)
class Leader:
    """One of the first on a board."""

    league_id: LeagueId
    version: str
    player: str
    is_boss: bool
    score: float


@dataclass(frozen=True, slots=True)
class LeagueAtAGlance:
    """A league, how many versions are on its board, and the first LEADERS of them."""

    league: League
    versions: int
    leaders: list[Leader]


@dataclass(frozen=True, slots=True)
class Promotion:
    """A version that went up. Leagues by name and by title."""

    game: str
    version: str
    player: str
    from_title: str
    to_league: str
    to_title: str
    at: datetime


def at_a_glance(connection: Connection, shown: Iterable[League]) -> list[LeagueAtAGlance]:
    sizes, first = board_sizes(connection), leaders(connection)
    return [
        LeagueAtAGlance(league, sizes.get(league.id, 0), [one for one in first if one.league_id == league.id])
        for league in shown
    ]


def board_sizes(connection: Connection) -> dict[LeagueId, int]:
    query = "SELECT league_id, count(*) FROM standings WHERE on_board GROUP BY league_id"
    return dict(connection.execute(query).fetchall())


def leaders(connection: Connection) -> list[Leader]:
    """Return the first LEADERS of every board, each board's best first."""
    with connection.cursor(row_factory=class_row(Leader)) as cursor:
        return cursor.execute(
            """
            SELECT leagues.id AS league_id, bots.name || '@v' || versions.number AS version, players.name AS player,
                   bots.boss_of IS NOT NULL AND NOT is_rival AS is_boss, score
            FROM leagues
            CROSS JOIN LATERAL (
                SELECT version_id, strength, score, is_rival FROM standings
                WHERE league_id = leagues.id AND on_board
                ORDER BY board_order(strength, score), version_id LIMIT %s) AS first
            JOIN versions ON versions.id = first.version_id
            JOIN bots ON bots.id = versions.bot_id
            JOIN players ON players.id = bots.player_id
            ORDER BY leagues.id, board_order(strength, score), version_id
            """,
            [LEADERS],
        ).fetchall()


def latest_promotions(connection: Connection, limit: int) -> list[Promotion]:
    """Return the versions that went up last, the latest first."""
    with connection.cursor(row_factory=class_row(Promotion)) as cursor:
        return cursor.execute(
            """
            SELECT upper_league.game, bots.name || '@v' || versions.number AS version, players.name AS player,
                   lower_league.title AS from_title, upper_league.name AS to_league, upper_league.title AS to_title, at
            FROM (SELECT * FROM moves WHERE kind = %s ORDER BY id DESC LIMIT %s) AS latest
            JOIN leagues AS lower_league ON lower_league.id = from_league
            JOIN leagues AS upper_league ON upper_league.id = to_league
            JOIN versions ON versions.id = version_id
            JOIN bots ON bots.id = versions.bot_id
            JOIN players ON players.id = bots.player_id
            ORDER BY latest.id DESC
            """,
            [MoveKind.PROMOTION, limit],
        ).fetchall()


router = APIRouter()


def front(connection: Connection) -> dict[str, Any]:
    """Return what the page shows of the whole ladder: a few rows of each board, and those that wait."""
    queued, playing = match_rows.count_waiting(connection)
    found = at_a_glance(connection, leagues.leagues(connection)[::-1])
    by_game = {game: list(own) for game, own in groupby(found, key=lambda one: one.league.game)}
    return {
        "games": dict(sorted(by_game.items())),
        "per_minute": match_rows.count_finished(connection, A_MINUTE_S),
        "queued": queued,
        "playing": playing,
        "running": with_seats(connection, match_rows.running(connection, MOST_LISTED)),
        "promotions": latest_promotions(connection, MOST_LISTED),
        "gauntlets": gauntlets.running(connection, MOST_LISTED),
        "gauntlets_running": gauntlets.count_running(connection),
        "topics": ["home", "gauntlets"],
    }


@router.get("/")
def home(site: SiteHere) -> Response:
    with site.reading() as connection:
        found = front(connection)
    return page("home.html", title_of=site.title_of, **found)
