"""What was done that concerns others, written down with the name of the person in the transaction that did it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from ladder.database.connection import Connection


@dataclass(frozen=True, slots=True)
class Deed:
    """Who did what and when. `deed`: the command, as in `match void`; `about`: what it concerned, for people."""

    id: int
    done_at: datetime
    done_by: str
    deed: str
    about: str


def write(connection: Connection, by: str, deed: str, about: str) -> None:
    """Write down what somebody does in this transaction."""
    connection.execute("INSERT INTO deeds (done_by, deed, about) VALUES (%s, %s, %s)", [by, deed, about])


def latest(connection: Connection, limit: int) -> list[Deed]:
    """Return the latest deeds, the last one first."""
    with connection.cursor(row_factory=class_row(Deed)) as cursor:
        return cursor.execute(
            "SELECT id, done_at, done_by, deed, about FROM deeds ORDER BY id DESC LIMIT %s", [limit]
        ).fetchall()
