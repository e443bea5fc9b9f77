"""Attempts at matches that failed: the evidence of each, and whether it speaks against the match.

How this works. A match may fail for its own sake: a referee that stumbles, a bot that breaks its sandbox or ends its
worker, a row that cannot be read. It may also fail because something else goes on: somebody kills workers, a disk is
full, a host is busy. Then matches of others fail as well, and its own bots finish other matches. So a failure counts
against its match unless one of these two is so. A bug that stumbles over the match always counts, and never that the
database or the broker was away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from psycopg.rows import class_row

from ladder.database import Connection, one

AROUND_S = 60
"""Failures of others within this time speak for a match that failed."""
LATELY_S = 600
"""So do other matches that its bots have finished within this time, ..."""
LATEST = 50
"""... of so many that each has played last."""


class Blame(Enum):
    """Whether a failure is the match's own, as far as one can tell from the failure alone."""

    NONE = "none"
    LIKELY = "likely"
    CERTAIN = "certain"


@dataclass(frozen=True, slots=True)
class FailedAttempt:
    """One attempt that failed: who made it, from when to when, why it failed, whether that counts against the match."""

    match_id: int
    attempt: int
    host: str
    pid: int | None
    began_at: datetime | None
    failed_at: datetime
    why: str
    counts: bool


def write_down(connection: Connection, match_id: int, why: str) -> None:
    """Write down that the present attempt at a match has failed. The caller has locked the match."""
    connection.execute(
        """
        INSERT INTO failed_attempts (match_id, attempt, host, pid, began_at, why)
        SELECT matches.id, matches.attempt, coalesce(workers.host, ''), workers.pid, matches.started_at, %(why)s
        FROM matches LEFT JOIN workers ON workers.id = matches.worker_id
        WHERE matches.id = %(id)s
        """,
        {"id": match_id, "why": why},
    )


def something_else_goes_on(connection: Connection, match_id: int) -> bool:
    """Say whether a match between other versions has just failed too, or both versions finish their other matches."""
    row = one(
        connection,
        """
        SELECT EXISTS (
            SELECT FROM failed_attempts AS other
            WHERE other.failed_at BETWEEN now() - make_interval(secs => %(around_s)s) AND clock_timestamp()
              AND NOT EXISTS (
                SELECT FROM seats AS theirs JOIN seats AS own ON own.version_id = theirs.version_id
                WHERE theirs.match_id = other.match_id AND own.match_id = %(id)s)
              AND other.match_id <> %(id)s)
        OR (SELECT count(*) = 2 FROM seats WHERE match_id = %(id)s AND EXISTS (
            SELECT FROM (
                SELECT match_id FROM seats AS played
                WHERE played.version_id = seats.version_id ORDER BY match_id DESC LIMIT %(latest)s) AS latest
            JOIN matches ON matches.id = latest.match_id
            WHERE state = 'finished' AND finished_at > now() - make_interval(secs => %(lately_s)s)))
        """,
        {"id": match_id, "around_s": AROUND_S, "lately_s": LATELY_S, "latest": LATEST},
    )
    return bool(row[0])


def count_against(connection: Connection, match_id: int) -> None:
    """Let the latest failed attempt count against its match."""
    connection.execute(
        """
        UPDATE failed_attempts SET counts = true
        WHERE match_id = %(id)s AND attempt = (SELECT attempt FROM matches WHERE id = %(id)s)
        """,
        {"id": match_id},
    )


def failures_of(connection: Connection, match_ids: Sequence[int]) -> list[FailedAttempt]:
    """Return the failed attempts at those matches, in order of match and attempt."""
    with connection.cursor(row_factory=class_row(FailedAttempt)) as cursor:
        return cursor.execute(
            """
            SELECT match_id, attempt, host, pid, began_at, failed_at, why, counts
            FROM failed_attempts WHERE match_id = ANY(%s) ORDER BY match_id, attempt
            """,
            [list(match_ids)],
        ).fetchall()
