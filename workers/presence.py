"""How the others know that this worker process lives: its worker's session holds a lock for it.

How this works. The session is the lock holder's (`workers.lock_holder`), to which this process is connected by a
socket. Before it claims a match it asks for its worker id, and the answer means that the lock is held; where the
session was lost the id is a new one. Each request names the languages whose bots it can build and play: those
installed, unless building and playing have shown otherwise; and the games with rules in Python that are here.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import psycopg

from engine.errors import ArenaError
from engine.toolchains.build import Installed
from ladder.database.connection import our_errors
from ladder.errors import DatabaseDown, SchemaBehind, SchemaUnknown
from ladder.ids import WorkerId
from workers.lock_holder import FAREWELL, LONGEST_MESSAGE, LockHolder
from workers.wait_for_schema import once_migrated

PATIENCE_S = 20
"""A worker that has been called waits so long for a database that is being started again."""
PAUSE_S = 0.1


class Presence:
    def __init__(
        self, holder: LockHolder, installed: Callable[[], Installed], games: Sequence[str] | None = None
    ) -> None:
        """`installed` looks which languages are here by now. `games`: those with rules in Python here; None: all."""
        self._games = games
        self._holder = holder
        self._installed = installed
        self._shown: dict[str, bool] = {}
        self._talk: socket.socket | None = None
        self._registered: Installed | None = None

    def worker_id(self) -> WorkerId:
        """See that we count as alive. Raises DatabaseDown, SchemaBehind, SchemaUnknown, UsageFault."""
        if self._registered is None:
            self._registered = self._able()
        able = self._registered
        asked = {"pid": os.getpid(), "builds": able.builds, "plays": able.plays, "games": self._games}
        answer = self._asked(asked)
        if "down" in answer:
            with our_errors():
                raise psycopg.OperationalError(answer["down"])
        for schema in (SchemaBehind, SchemaUnknown):
            if schema.__name__ in answer:
                raise schema(answer[schema.__name__])
        if "fault" in answer:
            raise ArenaError(f"the worker cannot hold this process's lock: {answer['fault']}")
        return WorkerId(int(answer["id"]))

    def _asked(self, request: Mapping[str, object]) -> dict[str, Any]:
        """An answer that was not waited for must not be taken for the next one: then we join anew."""
        if self._talk is None:
            self._talk = self._holder.join()
        try:
            self._talk.send(json.dumps(request).encode())
            answer: dict[str, Any] = json.loads(self._talk.recv(LONGEST_MESSAGE))
        except BaseException:
            self._leave()
            raise
        return answer

    def worker_id_once_there(self) -> WorkerId:
        return once_migrated(self._worker_id_soon)

    def _worker_id_soon(self) -> WorkerId:
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return self.worker_id()
            except DatabaseDown:
                if time.monotonic() > deadline:
                    raise
                time.sleep(PAUSE_S)

    def lacks(self, language: str) -> None:
        self._shown[language] = False
        self.register_again()

    def has(self, language: str) -> None:
        self._shown[language] = True
        if self._registered is None or language not in self._registered.builds:
            self.register_again()

    def register_again(self) -> None:
        """Something may have been installed. While the database is away, the next request does that."""
        self._registered = self._able()
        if self._talk is not None:
            with suppress(DatabaseDown):
                self.worker_id()

    def _able(self) -> Installed:
        found = self._installed()
        return Installed(builds=self._as_shown(found.builds), plays=self._as_shown(found.plays))

    def _as_shown(self, languages: Iterable[str]) -> tuple[str, ...]:
        seeming = dict.fromkeys(languages, True) | self._shown
        return tuple(sorted(language for language, is_here in seeming.items() if is_here))

    def close(self) -> None:
        self._leave()
        self._registered = None

    def _leave(self) -> None:
        if self._talk is not None:
            with suppress(OSError):
                self._talk.send(FAREWELL)
            self._talk.close()
        self._talk = None
