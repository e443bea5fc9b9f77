"""Sessions of PostgreSQL that workers borrow: one for as long as there is work for it, and never the last ones.

How this works. Each session is a process of the server and some MB of its memory, and there is a limit to them
(`max_connections`). A worker's process needs one while it claims and records, which is milliseconds, and none while it
plays. So it closes its session when that has been idle for a moment, or for some seconds if half of all sessions were
free when it was opened; where one match follows the other, it is the same session. Where few sessions are left a worker
waits until others have given theirs back, and so an operator always finds one.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from random import uniform
from typing import Any, LiteralString

import psycopg

from engine.machine import patience_s
from ladder.database.connection import Connection, check_address, is_full, limit_idleness, one, open_session
from ladder.database.session import CONNECT_TIMEOUT_S, goes_through_pooler

IDLE_S = 0.5
"""A session that was not used for so long is closed ..."""
KEPT_S = 5
"""... but where half of all are free only after this time, if its process plays or does what the scheduler asks for
each second: to open one costs the server and the worker more CPU time than a match's claim and record."""
FULL_LIMIT_S = 30
"""A worker waits so long for a session where none is to be had."""
PAUSE_S = 0.1
FREELY: AbstractContextManager[Any] = nullcontext()
LEFT_BY_BORROWERS = 10
"""A borrower leaves this many sessions to others: to operators, to backups, and to the workers' own lasting ones."""
LEFT_BY_WORKERS = 5
"""A worker's lasting session leaves fewer, so that borrowers keep none from starting."""

USABLE: LiteralString = """
    (current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
     - coalesce(current_setting('reserved_connections', true)::int, 0))
"""
"""In SQL, how many sessions there can be besides those that PostgreSQL reserves."""
SESSIONS_LEFT: LiteralString = f"""
    SELECT usable - taken AS free, (usable - taken) * 2 >= current_setting('max_connections')::int AS is_roomy
    FROM (
        SELECT {USABLE} AS usable,
               (SELECT sum(pg_stat_get_db_numbackends(oid))::int FROM pg_database) AS taken) AS sessions
"""  # noqa: S608 - our own words


def borrowable(connection: Connection) -> int:
    """Return how many sessions there can be before borrowers wait, whoever has them."""
    usable: int = one(connection, f"SELECT {USABLE}", {})[0]
    return usable - LEFT_BY_BORROWERS


def open_leaving(
    database_url: str, sessions: int, *, any_schema: bool = False, one_at_a_time: AbstractContextManager[Any] = FREELY
) -> tuple[Connection, bool]:
    """Open a session, waiting while fewer than `sessions` would be left; say whether half of all were free.

    `one_at_a_time`: is held for each attempt. Raises OperationalError, SchemaBehind.
    """
    began = time.monotonic()
    while True:
        try:
            with one_at_a_time:
                connection = open_session(database_url, "ladder worker", any_schema=any_schema)
            free, is_roomy = one(connection, SESSIONS_LEFT, {})
            if free >= sessions:
                return connection, is_roomy
            connection.close()
            fault = psycopg.OperationalError(f"fewer than {sessions} sessions are left")
            limit_s = float(FULL_LIMIT_S)
        except psycopg.OperationalError as error:
            fault = error
            limit_s = float(FULL_LIMIT_S) if is_full(error) else patience_s(CONNECT_TIMEOUT_S)
        if time.monotonic() > began + limit_s:
            raise fault
        time.sleep(uniform(0.5, 1.5) * PAUSE_S)  # noqa: S311 - so that they do not all come back at once


class Sessions:
    """The session of one process, opened when needed and closed when idle. Used like a pool, by one thread."""

    def __init__(
        self, database_url: str, idle_limit_s: int, one_at_a_time: AbstractContextManager[Any] = FREELY
    ) -> None:
        """Open none yet. Raises UsageFault for an address that makes no sense.

        `idle_limit_s`: a transaction that does nothing for this long is rolled back, its locks are free: its process
        hangs. `one_at_a_time`: is held while a session is opened.
        """
        check_address(database_url)
        self._database_url = database_url
        self._idle_limit_s = idle_limit_s
        self._one_at_a_time = one_at_a_time
        self._is_pooled = goes_through_pooler(database_url)
        self._changes = threading.Lock()
        self._idle: Connection | None = None
        self._is_roomy = False
        self._keep_until = 0.0
        self._timer: threading.Timer | None = None

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Borrow the session for one transaction: committed at the end of the block, rolled back by an exception."""
        with ExitStack() as block:
            connection = self._begun(block)
            if self._is_pooled:
                limit_idleness(connection, self._idle_limit_s, this_transaction=True)
            yield connection

    def keep(self) -> None:
        """Keep the session for longer than usual, if it was opened where many were free: it is soon needed again."""
        with self._changes:
            if self._is_roomy:
                self._keep_until = time.monotonic() + KEPT_S

    def close(self) -> None:
        with self._changes:
            self._close_idle()
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def _begun(self, block: ExitStack) -> Connection:
        """Begin the block's transaction. Whether the idle session has ended is not asked: that takes time."""
        with self._changes:
            idle, self._idle = self._idle, None
        if idle is not None:
            try:
                return self._begin(idle, block)
            except psycopg.OperationalError:
                idle.close()
        return self._begin(self._opened(), block)

    def _begin(self, connection: Connection, block: ExitStack) -> Connection:
        block.callback(self._put_back, connection)
        block.enter_context(connection.transaction())
        return connection

    def _opened(self) -> Connection:
        opened, self._is_roomy = open_leaving(
            self._database_url,
            LEFT_BY_BORROWERS,
            any_schema=True,  # the session of the locks has compared it
            one_at_a_time=self._one_at_a_time,
        )
        if not self._is_pooled:
            limit_idleness(opened, self._idle_limit_s, this_transaction=False)
        return opened

    def _put_back(self, connection: Connection) -> None:
        if connection.closed:
            return
        with self._changes:
            self._close_idle()
            self._idle = connection
            self._keep_until = time.monotonic() + IDLE_S
            if self._timer is None:
                self._close_later(IDLE_S)

    def _close_later(self, after_s: float) -> None:
        self._timer = threading.Timer(after_s, self._close_if_unused)
        self._timer.daemon = True
        self._timer.start()

    def _close_if_unused(self) -> None:
        with self._changes:
            self._timer = None
            left_s = self._keep_until - time.monotonic()
            if self._idle is not None and left_s > 0:
                self._close_later(left_s)
            else:
                self._close_idle()

    def _close_idle(self) -> None:
        if self._idle is not None:
            self._idle.close()
            self._idle = None


def answers(connection: Connection) -> bool:
    try:
        connection.execute("")
    except psycopg.OperationalError:
        connection.close()
        return False
    return True
