"""The clerk: does the transactions of all processes of a worker, so that a large fleet opens few sessions.

How this works. To open a session of PostgreSQL costs several times as much as to claim a match and to record it. A
process whose matches take long would open one for each claim and each record, or keep one that it hardly uses. So the
clerk, in the worker's first process, does for each process what every match needs, and mostly it is the same session in
which that is done. A process asks by a pipe of its own: a function of this program with its arguments, pickled; the
answer is what the function returned or raised. Only processes that the first one forks can ask. Each of them has a
thread of the clerk's, as a transaction may have to wait for locks that others hold. What a killed process has asked for
is still done: a match that was claimed for it is free again by its lock, and a result that was to be recorded is.

The first process forks the others while these threads run. So it never forks while one of them opens a session.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection as Wire
from multiprocessing.connection import Pipe
from queue import Empty, PriorityQueue
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from engine.errors import ArenaError, Unavailable, plain_words
from ladder.database.connection import Connection, transaction
from ladder.database.worker_sessions import Sessions
from workers.first_process.door import Door

P = ParamSpec("P")
T = TypeVar("T")

Request: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
"""What is to be done in one transaction: a function that takes its connection first, and all other arguments."""

MOST_SESSIONS = 4
PATIENCE_S = 0.2
"""Only where no session was free for this long another one is opened: that takes longer than a claim or a record."""
FORK_LIMIT_S = 10
"""A fork waits so long for a session that is being opened."""


class Clerk:
    """Does transactions for all processes that join it. Made in the worker's first process, before it forks."""

    def __init__(self, lender: Callable[[threading.Lock], Sessions]) -> None:
        """Open no session yet. `lender` makes what lends a session; it opens one only while it has that lock."""
        self._door = Door()
        self._lender = lender
        self._idle = PriorityQueue[tuple[int, Sessions]]()
        """Numbered, the first before the others: so those seldom have something to do, and close their sessions."""
        self._opening = threading.Lock()
        self._idle.put((0, lender(self._opening)))
        self._lenders = 1
        self._fork_has_lock = False
        self._thread = threading.Thread(target=self._let_in, name="clerk", daemon=True)
        os.register_at_fork(
            before=self._before_fork, after_in_parent=self._after_fork, after_in_child=self._forget_inherited
        )
        self._thread.start()

    def join(self) -> Wire:
        """Connect this process, and return the pipe by which it asks."""
        ours, theirs = Pipe()
        with theirs:
            self._door.hand_in(theirs.fileno())
        return ours

    def close(self) -> None:
        """Take in no more processes, and close idle sessions. For the process that made the clerk."""
        self._door.end()
        self._thread.join()
        self._door.leave()
        with suppress(Empty):
            while True:
                self._idle.get_nowait()[1].close()

    def _let_in(self) -> None:
        """Take in the processes that join, until the end."""
        goes_on = True
        with self._door.inside:
            while goes_on:
                goes_on, descriptors = self._door.take_in()
                for descriptor in descriptors:
                    threading.Thread(target=self._serve, args=[Wire(descriptor)], name="clerk", daemon=True).start()

    def _serve(self, wire: Wire) -> None:
        """Do what a process asks for until it is gone."""
        with wire, suppress(EOFError, OSError):
            while True:
                wire.send(self._answer(wire.recv()))

    def _answer(self, request: Request) -> tuple[Any, Exception | None]:
        try:
            return self._done(*request), None
        except Exception as fault:  # noqa: BLE001 - the process that asks gets it
            return None, as_it_arrives(fault)

    def _done(self, work: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
        number, lender = self._free_lender()
        try:
            with transaction(lender) as connection:
                done = work(connection, *arguments, **named)
            if number == 0:
                lender.keep()
            return done
        finally:
            self._idle.put((number, lender))

    def _free_lender(self) -> tuple[int, Sessions]:
        """Return a lender that nobody uses: soon one of those that there are, or else one more, but not too many."""
        with suppress(Empty):
            return self._idle.get(timeout=PATIENCE_S)
        with self._opening:
            if self._lenders < MOST_SESSIONS:
                self._lenders += 1
                return self._lenders - 1, self._lender(self._opening)
        return self._idle.get()

    def _before_fork(self) -> None:
        self._fork_has_lock = self._opening.acquire(timeout=FORK_LIMIT_S)

    def _after_fork(self) -> None:
        if self._fork_has_lock:
            self._opening.release()

    def _forget_inherited(self) -> None:
        """In a new process: the door and the sessions are the first one's. Psycopg closes none that another opened."""
        self._door.shut()


class Desk:
    """One process's way to the clerk."""

    def __init__(self, clerk: Clerk) -> None:
        self._clerk = clerk
        self._wire: Wire | None = None

    def do(self, work: Callable[Concatenate[Connection, P], T], *arguments: P.args, **named: P.kwargs) -> T:
        """Have something done in one transaction, and return what it returns or raise what it raises.

        Raises Unavailable where the first process is gone. An answer that was not waited for must not be taken for the
        next one: then we join anew.
        """
        if self._wire is None:
            self._wire = self._clerk.join()
        try:
            self._wire.send((work, arguments, named))
            done, fault = self._wire.recv()
        except (EOFError, OSError) as gone:
            self.close()
            raise Unavailable("the first process of this worker is gone") from gone
        except BaseException:
            self.close()
            raise
        if fault is not None:
            raise fault
        found: T = done
        return found

    def close(self) -> None:
        """Ask for nothing more."""
        if self._wire is not None:
            self._wire.close()
            self._wire = None


def as_it_arrives(fault: Exception) -> Exception:
    """Return an error as another process can raise it, or else one that says the same."""
    try:
        pickle.loads(pickle.dumps(fault))  # noqa: S301 - our own
    except Exception:  # noqa: BLE001 - each class pickles in its own way
        return ArenaError(f"{type(fault).__name__}: {plain_words(fault)}")
    return fault
