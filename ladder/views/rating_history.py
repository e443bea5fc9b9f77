"""How a bot's rating has moved: points of the ledger, and the moves between leagues on the way.

How this works. A bot may have a hundred thousand lines in the ledger, and a plot needs some hundred. Of a bot with few
lines all are read. Of others each version gets points in proportion to its matches, at even distances between its first
line and its last; each of them is one look into the index `ledger_of_version`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from psycopg.sql import SQL

from ladder.bots import versions
from ladder.database.connection import Connection, Rows, one
from ladder.ids import MatchId
from ladder.names import NamedVersion

MOST_POINTS = 500
LEAST_POINTS = 4
MOST_VERSIONS = 100


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """A version's rating after a match, in a league of that title. `sequence`: the line's place in the ledger."""

    sequence: int
    version: str
    league: str
    match_id: MatchId
    at: datetime
    mu: float
    sigma: float


@dataclass(frozen=True, slots=True)
class LeagueMove:
    """A version went to another league. `kind`: promotion, demotion, or rewind (an operator took a promotion back)."""

    version: str
    kind: str
    from_league: str
    to_league: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RatingHistory:
    """How the rating of a bot or version has moved, in the ledger's order; of more than MOST_POINTS only some."""

    name: str
    matches: int
    points: list[RatingPoint]
    moves: list[LeagueMove]

    @property
    def is_thinned(self) -> bool:
        return len(self.points) < self.matches


def rating_history(connection: Connection, named: NamedVersion, game: str | None = None) -> RatingHistory:
    """Return how a bot's rating has moved, or that of one version. Raises UnknownName, UsageFault."""
    bot, version = versions.find_named(connection, named, game)
    own = {"bot": bot.id, "version": None if version is None else version.id}
    matches = int(one(connection, MATCHES, own)[0])
    some = {"versions": MOST_VERSIONS, "most": MOST_POINTS, "least": LEAST_POINTS}
    points = Rows(connection, RatingPoint).all(ALL_POINTS if matches <= MOST_POINTS else SOME_POINTS, own | some)
    latest_moves = Rows(connection, LeagueMove).all(LATEST_MOVES, own | some)
    return RatingHistory(str(NamedVersion(bot.name, named.number)), matches, points, latest_moves[::-1])


MATCHES = """
    SELECT coalesce(sum(matches), 0)::int
    FROM versions JOIN standings ON standings.version_id = versions.id
    WHERE versions.bot_id = %(bot)s AND (%(version)s::bigint IS NULL OR versions.id = %(version)s)
"""
PLAYED = SQL("""
    played AS (
        SELECT versions.id AS version_id, sum(standings.matches) AS matches
        FROM versions JOIN standings ON standings.version_id = versions.id AND standings.matches > 0
        WHERE versions.bot_id = %(bot)s AND (%(version)s::bigint IS NULL OR versions.id = %(version)s)
        GROUP BY versions.id, versions.number
        ORDER BY versions.number DESC
        LIMIT %(versions)s)
    """)
SELECT_POINTS = SQL("""
    SELECT ledger.sequence, bots.name || '@v' || versions.number AS version, leagues.title AS league, ledger.match_id,
           coalesce(matches.finished_at, matches.created_at) AS at, ledger.mu_after AS mu, ledger.sigma_after AS sigma
    FROM picked
    JOIN ledger ON ledger.sequence = picked.sequence
    JOIN leagues ON leagues.id = ledger.league_id
    JOIN versions ON versions.id = ledger.version_id
    JOIN bots ON bots.id = versions.bot_id
    JOIN matches ON matches.id = ledger.match_id
    ORDER BY ledger.sequence
    """)
ALL_POINTS = SQL("""
    WITH {played},
    picked AS (
        SELECT line.sequence
        FROM played CROSS JOIN LATERAL (
            SELECT sequence FROM ledger WHERE version_id = played.version_id
            ORDER BY sequence DESC
            LIMIT %(most)s) AS line
        ORDER BY line.sequence DESC
        LIMIT %(most)s)
    {points}
    """).format(played=PLAYED, points=SELECT_POINTS)
SOME_POINTS = SQL("""
    WITH {played},
    spans AS (
        SELECT version_id, first.sequence AS first, last.sequence AS last,
               least(matches, greatest(%(least)s, %(most)s * matches / sum(matches) OVER ()))::int AS points
        FROM played
        CROSS JOIN LATERAL (
            SELECT sequence FROM ledger WHERE version_id = played.version_id ORDER BY sequence LIMIT 1) AS first
        CROSS JOIN LATERAL (
            SELECT sequence FROM ledger WHERE version_id = played.version_id ORDER BY sequence DESC LIMIT 1) AS last),
    picked AS (
        SELECT DISTINCT line.sequence
        FROM spans
        CROSS JOIN generate_series(0, points - 1) AS number
        CROSS JOIN LATERAL (
            SELECT sequence FROM ledger
            WHERE version_id = spans.version_id
              AND sequence >= first + (last - first) * number / greatest(points - 1, 1)
            ORDER BY sequence
            LIMIT 1) AS line)
    {points}
    """).format(played=PLAYED, points=SELECT_POINTS)
LATEST_MOVES = """
    SELECT version_name(moves.version_id) AS version, kind, left_league.title AS from_league,
           new_league.title AS to_league, moves.at
    FROM versions
    JOIN moves ON moves.version_id = versions.id
    JOIN leagues AS left_league ON left_league.id = moves.from_league
    JOIN leagues AS new_league ON new_league.id = moves.to_league
    WHERE versions.bot_id = %(bot)s AND (%(version)s::bigint IS NULL OR versions.id = %(version)s)
    ORDER BY moves.id DESC
    LIMIT %(most)s
"""
