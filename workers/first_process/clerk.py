"""The clerk: does the transactions of all processes of a worker, so that a large fleet opens few sessions.

How this works. To open a session of PostgreSQL costs several times as much as to claim a match and to record it. A
process whose matches take long would open one for each claim and each record, or keep one that it hardly uses. So the
clerk, in the worker's first process, does for each process what every match needs, and mostly it is the same session in
which that is done. A process asks by a pair of sockets of its own: a function of this program with its arguments,
pickled; the answer is what the function returned or raised. Only processes that the first one forks can ask. What a
killed process has asked for is still done: a match that was claimed for it is free again by its lock, and a result that
was to be recorded is.

What several processes ask for at the same time is done in one transaction, where there is a function for that: to begin
and to commit one takes as long as what is done in it. It is committed for all of them or for none, and they get their
answers after that. Where it fails nothing of it stays, and then each request is done in a transaction of its own: so
one that fails takes no other with it.

One thread of the clerk's is on duty: it reads what is asked, does it and answers, so nothing passes from thread to
thread. A transaction may have to wait for locks that others hold. So a second thread stands by, and looks once a second
whether the one on duty is still at what it did a second ago, or less often where all takes long. Then it takes over,
with a session of its own, and another stands by; the first one answers when it can, and then stands by itself. How long
requests have waited does not count: on a busy machine all of them wait, without any lock, and one session is enough.

The first process forks the others while these threads run. So it never forks while one of them opens a session.
"""

from __future__ import annotations

import logging
import os
import pickle
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from types import MappingProxyType
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from engine.errors import ArenaError, Unavailable, plain_words
from ladder.database.connection import Connection, transaction
from ladder.database.worker_sessions import Sessions
from ladder.errors import DatabaseDown
from ladder.flows.recording import MatchOver, write_all_down, write_down
from ladder.matches.claims import claim_match, claim_matches
from workers.first_process.duty import Duty
from workers.first_process.inbox import Asked, Inbox
from workers.first_process.post import Door, Post


def write_each_down(connection: Connection, requests: Sequence[tuple[Any, ...]]) -> list[bool]:
    """Record matches, of each of which there is what `write_down` takes."""
    return write_all_down(connection, [MatchOver(*request) for request in requests])


TOGETHER: Together = MappingProxyType({claim_match: claim_matches, write_down: write_each_down})


P = ParamSpec("P")
T = TypeVar("T")

WorkForSeveral: TypeAlias = Callable[[Connection, Sequence[tuple[Any, ...]]], Sequence[Any]]
"""Does something in a transaction for several requests, of which it gets the arguments, and returns all answers."""
Together: TypeAlias = Mapping[Callable[..., Any], WorkForSeveral]
"""By the function that does it for one request."""

LOG = logging.getLogger(__name__)

NOTHING: Together = MappingProxyType({})
MOST_SESSIONS = 4
"""And threads: each has one."""
LAST_WAIT_S = 1
"""At the end: for a thread that waits for locks."""
FORK_LIMIT_S = 10
"""A fork waits so long for a session that is being opened."""


class Clerk:
    """Does transactions for all processes that join it. Made in the worker's first process, before it forks."""

    def __init__(self, lender: Callable[[threading.Lock], Sessions], together: Together = NOTHING) -> None:
        """Open no session yet. `lender` makes what lends a session; it opens one only while it has that lock."""
        self._lender = lender
        self._together = together
        self._opening = threading.Lock()
        self._door = Door()
        self._inbox = Inbox(self._door, together)
        self._duty = Duty()
        self._threads: list[threading.Thread] = []
        self._fork_has_lock = False
        os.register_at_fork(
            before=self._before_fork, after_in_parent=self._after_fork, after_in_child=self._forget_inherited
        )
        self._add_thread()

    def join(self) -> Post:
        """Connect this process, and return the way by which it asks."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            self._door.hand_in(theirs.fileno())
        return Post(ours)

    def close(self) -> None:
        """Do nothing more, and close idle sessions. For the process that made the clerk."""
        self._duty.end()
        self._door.end()
        for thread in self._threads:
            thread.join(LAST_WAIT_S)
        self._inbox.close()
        self._door.leave()

    def _add_thread(self) -> None:
        thread = threading.Thread(target=self._serve_or_end, name="clerk", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve_or_end(self) -> None:
        """Serve. A worker that cannot do what its processes ask for must not go on: its parent starts it again."""
        try:
            self._serve()
        except Exception:
            if not self._duty.is_over():
                LOG.exception("what the processes of this worker ask for cannot be done any longer")
                os._exit(1)

    def _serve(self) -> None:
        """Stand by and be on duty, in turn, until the end."""
        with closing(self._lender(self._opening)) as session:
            while self._duty.comes():
                if self._duty.needs_another() and len(self._threads) < MOST_SESSIONS:
                    self._add_thread()
                self._be_on_duty(session)

    def _be_on_duty(self, session: Sessions) -> None:
        """Do what processes ask for, until the end or until another has taken over."""
        while not self._duty.is_over():
            requests = self._inbox.take()
            if requests and not self._done_on_duty(session, requests):
                return

    def _done_on_duty(self, session: Sessions, requests: Sequence[Asked]) -> bool:
        """Do what is asked and answer. Returns whether this thread is still on duty."""
        self._duty.begin()
        do_all(session, requests, self._together)
        for asked in requests:
            answer(asked)
        is_on_duty = self._duty.done()
        if is_on_duty:
            session.keep()
        return is_on_duty

    def _before_fork(self) -> None:
        self._fork_has_lock = self._opening.acquire(timeout=FORK_LIMIT_S)

    def _after_fork(self) -> None:
        if self._fork_has_lock:
            self._opening.release()

    def _forget_inherited(self) -> None:
        """In a new process: the inbox and the sessions are the first one's. Psycopg closes none that another opened."""
        self._inbox.close()


class Desk:
    """One process's way to the clerk."""

    def __init__(self, clerk: Clerk) -> None:
        self._clerk = clerk
        self._post: Post | None = None

    def do(self, work: Callable[Concatenate[Connection, P], T], *arguments: P.args, **named: P.kwargs) -> T:
        """Have something done in one transaction, and return what it returns or raise what it raises.

        Raises Unavailable where the first process is gone. An answer that was not waited for must not be taken for the
        next one: then we join anew.
        """
        if self._post is None:
            self._post = self._clerk.join()
        try:
            self._post.send((work, arguments, named))
            done, fault = self._post.fetch()
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
        if self._post is not None:
            self._post.close()
            self._post = None


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


def answer(asked: Asked) -> None:
    """Let the process know what has become of its request, unless it is gone."""
    if asked.post is None:
        return
    try:
        asked.post.send(asked.answer)
    except OSError:
        return
    except Exception as fault:  # noqa: BLE001 - whatever was returned cannot be pickled
        asked.post.send((None, as_it_arrives(fault)))
