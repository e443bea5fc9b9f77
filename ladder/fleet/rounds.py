"""When those were last at work that look after a ladder: the scheduler, and the rounds for which it asks the workers.

How this works. Each has a row with a moment. The scheduler writes its own down, as its messages may wait in the broker;
a round is written down by the worker that does it. Where no sweep was done for OVERDUE_S, workers ask for one, so what
a dead worker held is free again although no scheduler lives.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from psycopg.rows import class_row

from ladder.database.connection import Connection

OVERDUE_S = 60


class Round(StrEnum):
    """Who was at work. `SCHEDULE`: matches and promotions; `SWEEP`: after dead workers."""

    SCHEDULER = "scheduler"
    SCHEDULE = "schedule"
    SWEEP = "sweep"


@dataclass(frozen=True, slots=True)
class Overdue:
    """What was not done for OVERDUE_S. `since_s`: for how long, in seconds; None: the database's clock was set back."""

    round: str
    since_s: int | None


def write_down(connection: Connection, done: Round) -> None:
    """Does nothing where somebody else is writing it down."""
    connection.execute(
        """
        UPDATE rounds SET at = clock_timestamp()
        WHERE name = (SELECT name FROM rounds WHERE name = %s FOR UPDATE SKIP LOCKED)
        """,
        [done],
    )


def overdue(connection: Connection) -> list[Overdue]:
    with connection.cursor(row_factory=class_row(Overdue)) as cursor:
        return cursor.execute(
            """
            SELECT name AS round,
                   CASE WHEN at < clock_timestamp() THEN extract(epoch FROM clock_timestamp() - at)::int END AS since_s
            FROM rounds WHERE NOT recently(at, %s) ORDER BY at
            """,
            [OVERDUE_S],
        ).fetchall()
