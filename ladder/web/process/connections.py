"""The way to a database that may go and come back while pages are open.

How this works. The pool connects anew by itself. Until then each request is soon refused with the reason. The log
gets one line when the database goes and one when it is back; the pool's own line for each attempt is not written.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from psycopg import OperationalError
from psycopg.errors import QueryCanceled
from psycopg_pool import PoolTimeout

from ladder.database.connection import Connection, Pool, first_line, open_pool

LOG = logging.getLogger(__name__)
PATIENCE_S = 2.0
"""For a connection; with it a page waits no longer than for a statement."""


class Connections:
    """A pool that says when its database goes and when it is back."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._is_down = False

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        try:
            with self._pool.connection() as connection:
                self._is_back()
                yield connection
        except QueryCanceled:
            raise
        except (OperationalError, PoolTimeout) as error:
            self._is_gone(error)
            raise

    def close(self) -> None:
        self._pool.close()

    def _is_back(self) -> None:
        if self._is_down:
            self._is_down = False
            LOG.warning("the database answers again")

    def _is_gone(self, error: Exception) -> None:
        if not self._is_down:
            self._is_down = True
            LOG.warning("the database does not answer: %s", first_line(error))


@contextmanager
def connected(database_url: str, most: int) -> Iterator[Connections]:
    """Open a pool for the block; the database need not answer. Raises UsageFault for an address without sense."""
    logging.getLogger("psycopg.pool").setLevel(logging.CRITICAL)
    connections = Connections(open_pool(database_url, most=most, patience_s=PATIENCE_S))
    try:
        yield connections
    finally:
        connections.close()
