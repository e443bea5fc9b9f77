"""Sessions of PostgreSQL that workers borrow: one for as long as there is work for it, and never the last ones.

How this works. Each session is a process of the server and some MB of its memory, and there is a limit to them
(`max_connections`). A worker's process needs one while it claims and records, which is milliseconds, and none while it
plays. So it closes its session when that has been idle for a moment; where one match follows the other at once, it is
the same session. Where few sessions are left a worker waits until others have given theirs back, and so an operator
always finds one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import uniform

import psycopg

from ladder.database.connection import Connection, check_address, is_full, limit_idleness, open_session
from ladder.database.session import CONNECT_TIMEOUT_S, goes_through_pooler

IDLE_S = 0.5
"""A session that was not used for so long is closed."""
FULL_LIMIT_S = 30
"""A worker waits so long for a session where none is to be had."""
PAUSE_S = 0.1
LEFT_BY_BORROWERS = 10
"""A borrower leaves so many sessions to others: to operators, to backups, and to the workers' own lasting ones."""
LEFT_BY_WORKERS = 5
"""A worker's lasting session leaves fewer, so that borrowers keep none from starting."""

SESSIONS_LEFT = """
    SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
           - coalesce(current_setting('reserved_connections', true)::int, 0) - sum(numbackends)::int
    FROM pg_stat_database
"""


def open_leaving(database_url: str, sessions: int, *, any_schema: bool = False) -> Connection:
    """Open a session without transactions, but wait while fewer than that many others would be left.

    Raises psycopg.OperationalError where the server does not answer for CONNECT_TIMEOUT_S, or is full for FULL_LIMIT_S;
    but with `any_schema` SchemaBehind or SchemaAhead where the database's schema is not this program's.
    """
    began = time.monotonic()
    while True:
        try:
            connection = open_session(database_url, "ladder worker", any_schema=any_schema)
            if leaves(connection, sessions):
                return connection
            connection.close()
            fault = psycopg.OperationalError(f"fewer than {sessions} sessions are left")
            limit_s = FULL_LIMIT_S
        except psycopg.OperationalError as error:
            fault, limit_s = error, FULL_LIMIT_S if is_full(error) else CONNECT_TIMEOUT_S
        if time.monotonic() > began + limit_s:
            raise fault
        time.sleep(uniform(0.5, 1.5) * PAUSE_S)  # noqa: S311 - so that they do not all come back at once


def leaves(connection: Connection, sessions: int) -> bool:
    """Say whether, with this one, so many sessions are left."""
    row = connection.execute(SESSIONS_LEFT).fetchone()
    return row is not None and row[0] >= sessions


class Sessions:
    """The session of one process, opened when it is needed and closed when it is idle; at most one at a time.

    To be used like a pool, by one thread at a time.
    """

    def __init__(self, database_url: str, idle_limit_s: int) -> None:
        """Open none yet. Raises UsageFault for an address that makes no sense.

        `idle_limit_s`: a transaction that does nothing for this long is rolled back, its locks are free: its process
        hangs.
        """
        check_address(database_url)
        self._database_url = database_url
        self._idle_limit_s = idle_limit_s
        self._is_pooled = goes_through_pooler(database_url)
        self._changes = threading.Lock()
        self._idle: Connection | None = None
        self._used_at = 0.0
        self._timer: threading.Timer | None = None

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Borrow the session for one transaction: committed at the end of the block, rolled back by an exception."""
        connection = self._taken()
        try:
            with connection.transaction():
                if self._is_pooled:
                    limit_idleness(connection, self._idle_limit_s, this_transaction=True)
                yield connection
        finally:
            self._put_back(connection)

    def close(self) -> None:
        """Close the session, if there is one."""
        with self._changes:
            self._close_idle()
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def _taken(self) -> Connection:
        with self._changes:
            connection, self._idle = self._idle, None
        if connection is not None and answers(connection):
            return connection
        opened = open_leaving(self._database_url, LEFT_BY_BORROWERS, any_schema=True)  # a lock's session was compared
        if not self._is_pooled:
            limit_idleness(opened, self._idle_limit_s, this_transaction=False)
        return opened

    def _put_back(self, connection: Connection) -> None:
        with self._changes:
            self._close_idle()
            self._idle, self._used_at = connection, time.monotonic()
            if self._timer is None:
                self._close_later(IDLE_S)

    def _close_later(self, after_s: float) -> None:
        self._timer = threading.Timer(after_s, self._close_if_unused)
        self._timer.daemon = True
        self._timer.start()

    def _close_if_unused(self) -> None:
        with self._changes:
            self._timer = None
            left_s = self._used_at + IDLE_S - time.monotonic()
            if self._idle is not None and left_s > 0:
                self._close_later(left_s)
            else:
                self._close_idle()

    def _close_idle(self) -> None:
        if self._idle is not None:
            self._idle.close()
            self._idle = None


def answers(connection: Connection) -> bool:
    """Say whether a session that was idle still works; close it if not."""
    try:
        connection.execute("")
    except psycopg.OperationalError:
        connection.close()
        return False
    return True
