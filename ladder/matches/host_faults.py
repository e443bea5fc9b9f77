"""In whose turns the host was too busy: which versions it befalls far more often than those they play against.

How this works. An attempt at a match that the host was too busy for is no loss, and names the seat whose turn it
was. A busy host hits the bot that happens to think. So if it hits one version again and again, against different
opponents, the version has an unknown way to bring that about, and the third time is its loss. Unless several
other bots were hit on the same machine within the hour, or the machine is overloaded: then it is the machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from psycopg.sql import SQL, Literal

from ladder.database.connection import Connection, Rows
from ladder.ids import BotId, MatchId, VersionId

OPPONENTS = 3
"""The host is blamed in a version's turns against fewer different opponents than this."""
LATELY_H = 24
AROUND_H = 1
MANY_BOTS = 3
"""Where this many other bots were hit too, the machine is to blame."""
FAR_MORE = 3

HITS = SQL("""
    SELECT hit.version_id, other.version_id AS opponent_id, failed.match_id
    FROM failed_attempts AS failed
    JOIN seats AS hit ON hit.match_id = failed.match_id AND hit.seat = failed.seat
    JOIN seats AS other ON other.match_id = failed.match_id AND other.seat <> failed.seat
    JOIN versions AS own ON own.id = hit.version_id
    WHERE failed.seat IS NOT NULL
      AND recently(failed.failed_at, 3600 * %(lately_h)s)
      AND %(many_bots)s > (
          SELECT count(DISTINCT their.bot_id)
          FROM failed_attempts AS around
          JOIN seats AS theirs ON theirs.match_id = around.match_id AND theirs.seat = around.seat
          JOIN versions AS their ON their.id = theirs.version_id
          WHERE around.seat IS NOT NULL AND around.host = failed.host AND their.bot_id <> own.bot_id
            AND around.failed_at BETWEEN failed.failed_at - make_interval(hours => %(around_h)s)
                                     AND failed.failed_at + make_interval(hours => %(around_h)s))""")
"""The turns of late in which the host was blamed and nothing speaks for it; OF_HITS are the parameters."""
OF_HITS: dict[str, Any] = {"lately_h": LATELY_H, "around_h": AROUND_H, "many_bots": MANY_BOTS}

ANY_LATELY = SQL("""EXISTS (
    SELECT FROM failed_attempts
    WHERE seat IS NOT NULL AND recently(failed_at, 3600 * {lately_h}))""").format(lately_h=Literal(LATELY_H))


@dataclass(frozen=True, slots=True)
class HostFaults:
    """How often the host was too busy, in a version's own turns and its opponents'. `void`: matches that stayed so."""

    version_id: VersionId
    version: str
    own: int
    opponents: int
    void: int


@dataclass(frozen=True, slots=True)
class Suspect:
    """A version whose matches are void far more often than its opponents'. `against`: how many different opponents."""

    version: str
    own: int
    opponents: int
    against: int


def suspicions(connection: Connection, match_id: MatchId, players: int) -> tuple[str, ...]:
    """Return of each seat why its host is blamed no more, "" where it is. Slow; all "" without ANY_LATELY."""
    query = SQL("""
        WITH hits AS ({hits})
        SELECT own.seat, array_agg(DISTINCT hits.match_id ORDER BY hits.match_id)
        FROM seats AS own
        JOIN seats AS opponent ON opponent.match_id = own.match_id AND opponent.seat <> own.seat
        JOIN hits ON hits.version_id = own.version_id AND hits.opponent_id <> opponent.version_id
        WHERE own.match_id = %(id)s
        GROUP BY own.seat HAVING count(DISTINCT hits.opponent_id) >= %(earlier)s
    """).format(hits=HITS)
    found = connection.execute(query, {"id": match_id, "earlier": OPPONENTS - 1, **OF_HITS}).fetchall()
    words = {seat: f"so it was in matches {', '.join(map(str, ids))}, against other opponents" for seat, ids in found}
    return tuple(words.get(seat, "") for seat in range(players))


def of_bot(connection: Connection, bot_id: BotId) -> list[HostFaults]:
    return Rows(connection, HostFaults).all(
        """
        SELECT versions.id AS version_id, version_name(versions.id) AS version,
               count(failed.seat) FILTER (WHERE failed.seat = seats.seat)::int AS own,
               count(failed.seat) FILTER (WHERE failed.seat <> seats.seat)::int AS opponents,
               count(DISTINCT matches.id) FILTER (WHERE matches.state = 'void')::int AS void
        FROM versions LEFT JOIN (seats
            JOIN failed_attempts AS failed ON failed.match_id = seats.match_id AND failed.seat IS NOT NULL
            JOIN matches ON matches.id = seats.match_id) ON seats.version_id = versions.id
        WHERE versions.bot_id = %s
        GROUP BY versions.id, versions.number ORDER BY versions.number
        """,
        [bot_id],
    )


def suspects(connection: Connection) -> list[Suspect]:
    """Return the versions whose matches were lately void far more often than their opponents', the worst first."""
    query = SQL("""
        WITH hits AS ({hits}),
        own AS (
            SELECT version_id, count(*)::int AS own, count(DISTINCT opponent_id)::int AS against
            FROM hits GROUP BY version_id)
        SELECT version_name(version_id) AS version, own, against, opponents
        FROM own CROSS JOIN LATERAL (
            SELECT count(*)::int AS opponents FROM hits WHERE hits.opponent_id = own.version_id) AS theirs
        WHERE against >= %(least)s AND own >= %(far_more)s * opponents
        ORDER BY own DESC, version
    """).format(hits=HITS)
    return Rows(connection, Suspect).all(query, {"least": OPPONENTS, "far_more": FAR_MORE, **OF_HITS})
