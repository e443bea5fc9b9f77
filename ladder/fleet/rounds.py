"""When those were last at work that look after a ladder: the scheduler, and the rounds for which it asks the workers.

How this works. Each has a row with a moment. The scheduler writes its own down, as its messages may wait in the broker;
a round is written down by the worker that does it. Where no sweep was done for OVERDUE_S, workers ask for one, so what
a dead worker held is free again although no scheduler lives.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ladder.database.connection import Connection, Rows

OVERDUE_S = 60
DAY_S = 86_400


class Round(StrEnum):
    """Who was at work. `SCHEDULE`: matches and promotions; `SWEEP`: after dead workers; `PRUNE`: once a day."""

    SCHEDULER = "scheduler"
    SCHEDULE = "schedule"
    SWEEP = "sweep"
    PRUNE = "prune"


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


def begin_of_day(connection: Connection, daily: Round) -> bool:
    """Write down a round that is done once a day, unless it was within the last one, or somebody else does."""
    done = connection.execute(
        """
        UPDATE rounds SET at = clock_timestamp()
        WHERE name = (SELECT name FROM rounds WHERE name = %s AND NOT recently(at, %s) FOR UPDATE SKIP LOCKED)
        """,
        [daily, DAY_S],
    )
    return done.rowcount == 1


def overdue(connection: Connection) -> list[Overdue]:
    return Rows(connection, Overdue).all(
        """
        SELECT name AS round,
               CASE WHEN at < clock_timestamp() THEN extract(epoch FROM clock_timestamp() - at)::int END AS since_s
        FROM rounds WHERE name <> %s AND NOT recently(at, %s) ORDER BY at
        """,
        [Round.PRUNE, OVERDUE_S],
    )
