"""A sign of life every few seconds on the session that holds a worker's lock.

How this works. The session says that a worker lives, and ends at once when its process is killed. When its machine
has no power, or the network is cut, it stands until PostgreSQL's probes go unanswered (`ladder.session`): then nobody
can say any more why it ended. So a thread asks PostgreSQL for nothing every few seconds, and PostgreSQL remembers
when it was asked last. A session that stands though nothing was asked lately belongs to a machine out of reach, and
what becomes of its match says nothing about the bots: `ladder.storage.contact`.
"""

from __future__ import annotations

import threading

import psycopg

from ladder.database import Connection
from ladder.storage.contact import SIGN_OF_LIFE_EVERY_S

STOP_LIMIT_S = 1.0


class Pulse:
    """The thread behind one connection. It ends when the connection does."""

    def __init__(self, connection: Connection) -> None:
        """Begin at once."""
        self._connection = connection
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="sign of life", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it, before the connection is closed; it may just be waiting for an answer that never comes."""
        self._stopped.set()
        self._thread.join(STOP_LIMIT_S)

    def _beat(self) -> None:
        while not self._stopped.wait(SIGN_OF_LIFE_EVERY_S):
            try:
                self._connection.execute("SELECT")
            except psycopg.Error:
                return  # whoever needs the connection next opens another one
