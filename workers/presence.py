"""How the others know that this worker process lives: one connection of its own that holds one lock.

How this works. PostgreSQL drops an advisory lock the moment its session ends, whatever ended it. So as long as this
connection stands, `worker_is_alive` says true, and the match that this process has claimed is left alone. When the
connection is lost (the server was restarted), the process takes its lock again before it claims the next match.
Whenever it connects it tells which languages' bots it can build and play: those that are installed, unless building and
playing have shown otherwise.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterable
from contextlib import suppress

import psycopg

from engine.installed import Installed
from ladder.database import Connection, open_session, our_errors
from ladder.errors import DatabaseDown
from ladder.session import session_url
from ladder.storage import workers
from workers.pulse import Pulse
from workers.waiting import once_migrated

PATIENCE_S = 20
"""A worker that has been called waits so long for a database that is being started again."""
PAUSE_S = 0.1


class Presence:
    """This process's entry among the workers."""

    def __init__(self, database_url: str, installed: Callable[[], Installed]) -> None:
        """`installed` looks which languages are here by now."""
        self._database_url = session_url(database_url)
        self._installed = installed
        self._shown: dict[str, bool] = {}
        self._connection: Connection | None = None
        self._pulse: Pulse | None = None
        self._worker_id: int | None = None
        self._told: Installed | None = None

    def worker_id(self) -> int:
        """Return this process's worker id and make sure that it counts as alive.

        Raises DatabaseDown, SchemaBehind and SchemaAhead where its schema is not this program's, and UsageFault for a
        user's table of languages that is broken.
        """
        if self._connection is None or self._worker_id is None or not self._still_connected():
            self._connect()
        if self._worker_id is None:
            raise LookupError("a worker that has just enlisted has no id")
        return self._worker_id

    def worker_id_once_there(self) -> int:
        """Do the same, but wait for a database that is away or has to be migrated: the call would be lost.

        Raises DatabaseDown where it is away for long, SchemaAhead where it was migrated by a newer program.
        """
        return once_migrated(self._worker_id_soon)

    def _worker_id_soon(self) -> int:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return self.worker_id()
            except DatabaseDown:
                if time.monotonic() > deadline:
                    raise
                time.sleep(PAUSE_S)

    def lacks(self, language: str) -> None:
        """Tell that bots of this language cannot be built or played here, whatever seems to be installed."""
        self._shown[language] = False
        self.tell_again()

    def has(self, language: str) -> None:
        """Tell that they can: one was built."""
        self._shown[language] = True
        if self._told is None or language not in self._told.builds:
            self.tell_again()

    def tell_again(self) -> None:
        """Tell which languages' bots can be built and played here by now: something may have been installed.

        Where the connection is lost that is told when there is a new one.
        """
        if self._connection is None or self._worker_id is None:
            return
        found = self._able()
        if found == self._told:
            return
        with suppress(DatabaseDown), our_errors():
            workers.tell(self._connection, self._worker_id, found.builds, found.plays)
            self._told = found

    def _able(self) -> Installed:
        """Return what is installed, but where building and playing have shown otherwise."""
        found = self._installed()
        return Installed(builds=self._as_shown(found.builds), plays=self._as_shown(found.plays))

    def _as_shown(self, languages: Iterable[str]) -> tuple[str, ...]:
        seeming = dict.fromkeys(languages, True) | self._shown
        return tuple(sorted(language for language, is_here in seeming.items() if is_here))

    def close(self) -> None:
        """Be no worker any more."""
        if self._pulse is not None:
            self._pulse.stop()
        if self._connection is not None:
            self._connection.close()

    def _still_connected(self) -> bool:
        if self._connection is None or self._connection.closed:
            return False
        try:
            self._connection.execute("SELECT")
        except psycopg.OperationalError:
            return False
        return True

    def _connect(self) -> None:
        self.close()
        found = self._able()
        with our_errors():
            connection = open_session(self._database_url, "ladder worker")
            self._worker_id = workers.enlist(connection, socket.gethostname(), os.getpid(), found.builds, found.plays)
            self._connection, self._told = connection, found
            self._pulse = Pulse(connection)
