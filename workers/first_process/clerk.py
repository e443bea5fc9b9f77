"""The clerk: does the transactions of all processes of a worker, so that a large fleet opens few sessions.

How this works. To open a session of PostgreSQL costs several times as much as to claim a match and to record it. A
process whose matches take long would open one for each claim and each record, or keep one that it hardly uses. So the
clerk, in the worker's first process, does for each process what every match needs, and mostly it is the same session in
which that is done. A process asks by a pipe of its own: a function of this program with its arguments, pickled; the
answer is what the function returned or raised. Only processes that the first one forks can ask. Each of them has a
thread of the clerk's, as a transaction may have to wait for locks that others hold. What a killed process has asked for
is still done: a match that was claimed for it is free again by its lock, and a result that was to be recorded is.

What several processes ask for at the same time is done in one transaction, where there is a function for that: to begin
and to commit one takes as long as what is done in it. It is committed for all of them or for none, and they get their
answers after that. Where it fails nothing of it stays, and then each request is done in a transaction of its own: so
one that fails takes no other with it.

The first process forks the others while these threads run. So it never forks while one of them opens a session.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection as Wire
from multiprocessing.connection import Pipe
from types import MappingProxyType
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from engine.errors import ArenaError, Unavailable, plain_words
from ladder.database.connection import Connection, transaction
from ladder.database.worker_sessions import Sessions
from ladder.errors import DatabaseDown
from workers.first_process.door import Door
from workers.first_process.tray import Asked, Tray

P = ParamSpec("P")
T = TypeVar("T")

WorkForSeveral: TypeAlias = Callable[[Connection, Sequence[tuple[Any, ...]]], Sequence[Any]]
"""Does something in a transaction for several requests, of which it gets the arguments, and returns all answers."""
Together: TypeAlias = Mapping[Callable[..., Any], WorkForSeveral]
"""By the function that does it for one request."""

NOTHING: Together = MappingProxyType({})
FORK_LIMIT_S = 10
"""A fork waits so long for a session that is being opened."""


class Clerk:
    """Does transactions for all processes that join it. Made in the worker's first process, before it forks."""

    def __init__(self, lender: Callable[[threading.Lock], Sessions], together: Together = NOTHING) -> None:
        """Open no session yet. `lender` makes what lends a session; it opens one only while it has that lock."""
        self._door = Door()
        self._together = together
        self._opening = threading.Lock()
        self._tray = Tray(lambda: lender(self._opening), together)
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
        self._tray.close()

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
                asked = Asked(*wire.recv())
                self._tray.put(asked)
                while (turn := self._tray.turn(asked)) is not None:
                    self._do(*turn)
                wire.send(asked.answer)

    def _do(self, session: Sessions, requests: Sequence[Asked]) -> None:
        try:
            do_all(session, requests, self._together)
        finally:
            self._tray.done(session)

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


def do_all(session: Sessions, requests: Sequence[Asked], together: Together) -> None:
    """Do what is asked for and answer it: several requests in one transaction or, if that fails, each in its own."""
    if len(requests) == 1 or not done_together(session, requests, together[requests[0].work]):
        do_each(session, requests)


def done_together(session: Sessions, requests: Sequence[Asked], work: WorkForSeveral) -> bool:
    """Do it all in one transaction; say whether that went well. If not, nothing of it stays."""
    try:
        with transaction(session) as connection:
            done = work(connection, [asked.arguments for asked in requests])
    except Exception:  # noqa: BLE001 - whose fault it was shows where each is done by itself
        return False
    for asked, found in zip(requests, done, strict=True):
        asked.answer = found, None
    return True


def do_each(session: Sessions, requests: Sequence[Asked]) -> None:
    """Do each request in a transaction of its own. Once the database is away for one, it is for those that follow."""
    for number, asked in enumerate(requests):
        try:
            with transaction(session) as connection:
                asked.answer = asked.work(connection, *asked.arguments, **asked.named), None
        except DatabaseDown as fault:
            for left in requests[number:]:
                left.answer = None, fault
            return
        except Exception as fault:  # noqa: BLE001 - the process that asks gets it
            asked.answer = None, as_it_arrives(fault)


def as_it_arrives(fault: Exception) -> Exception:
    """Return an error as another process can raise it, or else one that says the same."""
    try:
        pickle.loads(pickle.dumps(fault))  # noqa: S301 - our own
    except Exception:  # noqa: BLE001 - each class pickles in its own way
        return ArenaError(f"{type(fault).__name__}: {plain_words(fault)}")
    return fault
