"""Worker processes: each has a row, and while it lives its connection holds the advisory lock that says so."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from ladder.database import Connection, one

LOCK_CLASS = 1
"""First key of the workers' advisory locks; the second is the worker's id. Also in the function worker_is_alive."""


@dataclass(frozen=True, slots=True)
class Worker:
    """A live worker process and what it plays now, if anything."""

    id: int
    host: str
    pid: int
    started_at: datetime
    match_id: int | None


def enlist(connection: Connection, host: str, pid: int) -> int:
    """Add a worker, mark it alive for as long as this very connection lasts, and return its id."""
    row = one(
        connection,
        "INSERT INTO workers (host, pid) VALUES (%(host)s, %(pid)s) RETURNING id",
        {"host": host, "pid": pid},
    )
    mark_alive(connection, row[0])
    return int(row[0])


def mark_alive(connection: Connection, worker_id: int) -> None:
    """Hold the lock that says the worker lives, on a new connection after the old one was lost."""
    connection.execute("SELECT pg_advisory_lock(%s, %s)", [LOCK_CLASS, worker_id])


def live_workers(connection: Connection) -> list[Worker]:
    """Return the workers that are alive."""
    with connection.cursor(row_factory=class_row(Worker)) as cursor:
        return cursor.execute(
            """
            SELECT workers.id, workers.host, workers.pid, workers.started_at, matches.id AS match_id
            FROM workers LEFT JOIN matches ON matches.worker_id = workers.id AND matches.state = 'running'
            WHERE worker_is_alive(workers.id)
            ORDER BY workers.id
            """
        ).fetchall()


def forget_dead(connection: Connection) -> None:
    """Delete the rows of workers that are gone and hold no match any more."""
    connection.execute(
        """
        DELETE FROM workers
        WHERE started_at < now() - interval '1 hour' AND NOT worker_is_alive(id)
          AND NOT EXISTS (SELECT FROM matches WHERE worker_id = workers.id AND state = 'running')
        """
    )
