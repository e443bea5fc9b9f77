"""The clerk's tray: what processes have asked for, until a session is free in which it is done.

How this works. A thread of the clerk's puts a request here, and waits until it is answered or until a session is free.
Then it takes the request that has waited longest, and all others that can be done together with that. So while a worker
has little to do each request has a transaction of its own, at once; the busier a worker is, the more of them share one.
One session is enough for that, however many ask. Where it does not come back for some time it waits for locks that
others hold, and a spare one is lent.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any

from ladder.database.worker_sessions import Sessions

MOST_SESSIONS = 4
PATIENCE_S = 1.0
"""Another session is lent only where all that are lent have been away for this long, as to open one takes longer than
what is done in it. How long a request has waited says nothing: on a busy machine all of them wait."""
MOST_TOGETHER = 16
"""At most this many requests share a transaction, as its locks are held until its end."""


@dataclass(slots=True, eq=False)
class Asked:
    """A request: a function that takes a connection first, and all its other arguments.

    `answer`: what the function has returned, or the error that it has raised; None until then.
    """

    work: Callable[..., Any]
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    answer: tuple[Any, Exception | None] | None = None


class Tray:
    """What waits, and what lends the sessions. To be used by several threads."""

    def __init__(self, lender: Callable[[], Sessions], together: Container[Callable[..., Any]]) -> None:
        """`lender` makes what lends a session. `together`: the functions whose requests can be done together."""
        self._lender = lender
        self._together = together
        self._waiting: list[Asked] = []
        self._first = lender()
        self._free = [self._first]
        self._spares: list[Sessions] = []
        """These are lent only to those who have waited: so they mostly have nothing to do, and close."""
        self._since: dict[Sessions, float] = {}
        """The sessions that are lent, and since when."""
        self._changed = threading.Condition()

    def put(self, asked: Asked) -> None:
        """Let a request wait."""
        with self._changed:
            self._waiting.append(asked)

    def turn(self, asked: Asked) -> tuple[Sessions, list[Asked]] | None:
        """Wait for a session, and return it with what the caller is to do in it; None once its request is answered.

        What is to be done may be others' requests alone, if they have waited longer.
        """
        with self._changed:
            while asked.answer is None:
                if asked not in self._waiting:
                    self._changed.wait()
                elif self._free or self._lends_spare():
                    return self._lent(), self._taken()
                else:
                    self._changed.wait(self._patience_left_s())
            return None

    def done(self, session: Sessions) -> None:
        """Take a session back. What was taken with it is answered."""
        with self._changed:
            del self._since[session]
            if session is self._first:
                session.keep()
                self._free.append(session)
            else:
                self._spares.append(session)
            self._changed.notify_all()

    def close(self) -> None:
        """Close all sessions that nobody has."""
        with self._changed:
            for session in self._free + self._spares:
                session.close()

    def _lends_spare(self) -> bool:
        """Free a spare session if it is time for that, and say whether it was."""
        left_s = self._patience_left_s()
        if left_s is None or left_s > 0:
            return False
        self._free.append(self._spares.pop() if self._spares else self._lender())
        return True

    def _patience_left_s(self) -> float | None:
        """Return how long it is until another session may be lent; None if no more are."""
        if len(self._since) == MOST_SESSIONS:
            return None
        return max(self._since.values()) + PATIENCE_S - time.monotonic()

    def _lent(self) -> Sessions:
        session = self._free.pop()
        self._since[session] = time.monotonic()
        return session

    def _taken(self) -> list[Asked]:
        """Take what has waited longest, and what can be done together with that."""
        first = self._waiting[0]
        taken = [asked for asked in self._waiting if asked is first or self._go_together(first, asked)][:MOST_TOGETHER]
        self._waiting = [asked for asked in self._waiting if asked not in taken]
        return taken

    def _go_together(self, one: Asked, other: Asked) -> bool:
        return one.work is other.work and one.work in self._together and not (one.named or other.named)
