"""The matches that a version lost by a fault of its own, with the words that were recorded."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from ladder.database.connection import Connection
from ladder.ids import MatchId, VersionId

MOST_LOOKED_AT = 5_000
"""The latest matches of a version: which of them were lost so is only known by looking."""
MOST_FAULTS = 200


@dataclass(frozen=True, slots=True)
class Fault:
    """A match that a version lost by a fault: `verdict`, as in timeout or crashed; `message`: the words on it."""

    match_id: MatchId
    seat: int
    verdict: str
    message: str
    opponent: str
    at: datetime | None


@dataclass(frozen=True, slots=True)
class LatestFaults:
    """The latest faults of a version, the latest first; at most MOST_FAULTS of its last MOST_LOOKED_AT matches.

    `is_cut`: whether there may be older ones.
    """

    faults: list[Fault]
    is_cut: bool


def latest_faults(connection: Connection, version_id: VersionId) -> LatestFaults:
    """Return a version's latest faults, also those in gauntlets."""
    with connection.cursor(row_factory=class_row(Fault)) as cursor:
        found = cursor.execute(
            """
            SELECT own.match_id, own.seat, own.verdict, own.message, coalesce(other.name, '') AS opponent,
                   matches.finished_at AS at
            FROM (
                SELECT match_id, seat, verdict, message FROM (
                    SELECT match_id, seat, verdict, message FROM seats WHERE version_id = %(version)s
                    ORDER BY match_id DESC
                    LIMIT %(looked_at)s) AS latest
                WHERE verdict <> 'ok'
                ORDER BY match_id DESC
                LIMIT %(most)s) AS own
            JOIN matches ON matches.id = own.match_id AND matches.state = 'finished'
            LEFT JOIN LATERAL (
                SELECT string_agg(name, ', ' ORDER BY first) AS name FROM (
                    SELECT version_name(version_id) AS name, min(seat) AS first FROM seats
                    WHERE seats.match_id = own.match_id AND seats.seat <> own.seat
                      AND (seats.version_id <> %(version)s OR matches.players = 2)
                    GROUP BY version_id) AS others) AS other ON true
            ORDER BY own.match_id DESC
            """,
            {"version": version_id, "looked_at": MOST_LOOKED_AT, "most": MOST_FAULTS},
        ).fetchall()
    older = connection.execute(
        "SELECT FROM seats WHERE version_id = %s ORDER BY match_id DESC OFFSET %s LIMIT 1", [version_id, MOST_LOOKED_AT]
    ).fetchone()
    return LatestFaults(found, len(found) == MOST_FAULTS or older is not None)
