"""A transaction that others take part in: what they do counts only once all of it is committed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ladder.database.connection import Connection


class Within:
    """Lends the connection of a transaction that is open, as a pool lends one. For one thread.

    Each block is a part of that transaction: an exception takes back the part, and its end commits nothing.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lend the connection for a part of the transaction."""
        with self._connection.transaction():
            yield self._connection

    def close(self) -> None:
        """Do nothing: the connection belongs to whoever began the transaction."""
