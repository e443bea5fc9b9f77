"""The clerk: does the transactions of all processes of a worker, so that a large fleet opens few sessions.

How this works. To open a session of PostgreSQL costs several times as much as to claim a match and to record it. So the
clerk, in the worker's first process, does for each process what every match needs, mostly in one session. A process
asks by a pair of sockets: a function of this program with its arguments, pickled; the answer is what it returned or
raised. Only processes that the first one forks can ask. What a killed process has asked for is still done: a match that
was claimed for it is free again by its lock, and a result is recorded.

What several processes ask for at the same time shares one transaction, where there is a function for that. It is
committed for all of them or for none, before they get their answers. Where it fails nothing of it stays, and each
request is done by itself: so one that fails takes no other with it. While a worker has little to do each request has a
transaction of its own, at once; the busier it is, the more share one.

How duty passes on. One thread is on duty: it reads what is asked, does it and answers. As a transaction may wait for
locks, a second one stands by, and looks about once a second whether the one on duty is still at what it was at the look
before. Then it takes over, with a session of its own, and another stands by; the first one notices when it is done. How
long requests have waited does not count: on a busy machine all wait, without any lock. Where all takes long, as a large
fleet has one server, taking over would only give that server more to do; so patience grows with how long things have
taken of late.

The first process forks the others while these threads run. So it never forks while one of them opens a session.

How messages pass. The clerk must not wait for a process that stands still in the middle of a message: it takes what has
come in by now, and has the message once all of it has. Whoever joins makes a pair of its own and hands one end in at
the doorstep, where the thread takes it in. Both ends of the door are made before the first fork, so every other process
has them: it shuts the inner one, which is the thread's alone.
"""

from __future__ import annotations

import logging
import os
import pickle
import selectors
import socket
import struct
import threading
import time
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar, cast

from engine.errors import ArenaError, Unavailable, plain_words
from ladder.database.connection import Connection, transaction
from ladder.database.worker_sessions import Sessions
from ladder.errors import DatabaseDown
from ladder.flows.recording import write_all_down, write_down
from ladder.matches.claims import claim_match, claim_matches

MOST_TOGETHER = 16
"""At most this many requests share a transaction, as its locks are held until its end."""


@dataclass(slots=True, eq=False)
class ClerkRequest:
    """`answer`: what the function has returned, or the error that it has raised. `post`: leads to who asks."""

    work: Callable[..., Any]
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    answer: tuple[Any, Exception | None] | None = None
    post: Post | None = None


class Inbox:
    """All processes that have joined, and their requests. To be read by one thread at a time, answered by any."""

    def __init__(self, door: Door, together: Container[Callable[..., Any]]) -> None:
        """`together`: the functions whose requests can be done together."""
        self._door = door
        self._together = together
        self._listening = selectors.DefaultSelector()
        self._listening.register(door.inside, selectors.EVENT_READ)
        self._posts: set[Post] = set()
        self._waiting: list[ClerkRequest] = []

    def take(self) -> list[ClerkRequest]:
        """Wait for something, and take what has waited longest with what goes with it. It may be nothing."""
        for key, _ in self._listening.select(0 if self._waiting else None):
            if isinstance(key.fileobj, Post):
                self._read(key.fileobj)
            else:
                self._let_in()
        return self._take_together()

    def close(self) -> None:
        """Close this process's ends: when the clerk ends, and in each process that has inherited them."""
        for post in self._posts:
            post.close()
        self._listening.close()
        self._door.shut()

    def _let_in(self) -> None:
        for end in self._door.take_in()[1]:
            post = Post(end)
            self._posts.add(post)
            self._listening.register(post, selectors.EVENT_READ)

    def _read(self, post: Post) -> None:
        try:
            request = post.fetch_if_whole()
            if request is not None:
                work, arguments, named = request
                self._waiting.append(ClerkRequest(work, arguments, named, post=post))
        except Exception as fault:
            if not isinstance(fault, (EOFError, OSError)):
                LOG.exception("a process of this worker asks for what cannot be read")
            self._listening.unregister(post)
            self._posts.remove(post)
            post.close()

    def _take_together(self) -> list[ClerkRequest]:
        requests = self._waiting[:1]
        if requests and requests[0].work in self._together and not requests[0].named:
            work = requests[0].work
            requests = [request for request in self._waiting if request.work is work and not request.named]
            requests = requests[:MOST_TOGETHER]
        self._waiting = [request for request in self._waiting if request not in requests]
        return requests


END = b"end"
JOIN = b"join"


class Door:
    """Made in the first process. `inside` is what the thread waits for: it can be read when somebody is there."""

    def __init__(self) -> None:
        self.inside, self._doorstep = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)

    def hand_in(self, descriptor: int) -> None:
        socket.send_fds(self._doorstep, [JOIN], [descriptor])

    def take_in(self) -> tuple[bool, list[socket.socket]]:
        """Return whether it goes on, and what was handed in."""
        word, descriptors, _, _ = socket.recv_fds(self.inside, len(JOIN), 1, socket.MSG_CMSG_CLOEXEC)
        return word != END, [socket.socket(fileno=descriptor) for descriptor in descriptors]

    def end(self) -> None:
        self._doorstep.send(END)

    def leave(self) -> None:
        self._doorstep.close()

    def shut(self) -> None:
        self.inside.close()


LENGTH = struct.Struct("!Q")
MOST_AT_ONCE = 1 << 18


class Post:
    """One end of a pair of sockets. Each end sends a message only after it has had the other's."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._come = bytearray()

    def fileno(self) -> int:
        return self._end.fileno()

    def send(self, message: object) -> None:
        words = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        self._end.sendall(LENGTH.pack(len(words)) + words)

    def fetch(self) -> Any:
        """Raises EOFError or OSError where the other end is gone."""
        while not self._takes_the_rest(0):
            pass
        return self._message()

    def fetch_if_whole(self) -> Any | None:
        return self._message() if self._takes_the_rest(socket.MSG_DONTWAIT) else None

    def close(self) -> None:
        self._end.close()

    def _takes_the_rest(self, flags: int) -> bool:
        """Take what has come in, and say whether the message is whole now."""
        words = self._end.recv(MOST_AT_ONCE, flags)
        if not words:
            raise EOFError("the other end is closed")
        come = self._come
        come += words
        return len(come) >= LENGTH.size and len(come) >= LENGTH.size + LENGTH.unpack_from(come)[0]

    def _message(self) -> Any:
        words = memoryview(self._come)[LENGTH.size :]
        self._come = bytearray()
        return pickle.loads(words)  # noqa: S301 - our own


PATIENCE_S = 1.0
"""A thread takes over where the one on duty has been at the same for this long, and twice as long at most ..."""
TIMES_AS_LONG = 5
"""... and this many times as long as it usually is at anything."""
FADES = 0.9
"""What took long is remembered by this share of itself with each thing that takes less."""


class Duty:
    """At most one thread has it. To be used by several threads."""

    def __init__(self) -> None:
        self._changes = threading.Lock()
        self._on_duty: int | None = None
        self._at: object | None = None
        """What the one on duty is at; None while it waits for something to do."""
        self._began = self._usual_s = 0.0
        self._standing_by = 0
        self._is_busy = threading.Event()
        self._is_over = threading.Event()

    def comes(self) -> bool:
        """Stand by until this thread is on duty; return False at the end."""
        with self._changes:
            self._standing_by += 1
        while not self._is_over.is_set():
            if self._is_taken(None):
                return True
            self._is_busy.wait()
            self._is_busy.clear()
            at = self._at
            if not self._is_over.wait(self._patience_s()) and at is not None and self._is_taken(at):
                return True
        return False

    def _is_taken(self, at: object | None) -> bool:
        """Go on duty if nobody is, or take over from one that is still at that; say whether it was possible."""
        with self._changes:
            if self._on_duty is not None and (at is None or at is not self._at):
                return False
            self._on_duty, self._at = threading.get_ident(), None
            self._standing_by -= 1
            return True

    def _patience_s(self) -> float:
        return max(PATIENCE_S, TIMES_AS_LONG * self._usual_s)

    def needs_another(self) -> bool:
        return self._standing_by == 0

    def begin(self) -> None:
        self._at = object()
        self._began = time.monotonic()
        self._is_busy.set()

    def finish(self) -> bool:
        """Say that it is done; return whether this thread is still on duty."""
        with self._changes:
            if self._on_duty != threading.get_ident():
                return False
            self._at = None
            self._usual_s = max(time.monotonic() - self._began, FADES * self._usual_s)
            return True

    def end(self) -> None:
        self._is_over.set()
        self._is_busy.set()

    def is_over(self) -> bool:
        return self._is_over.is_set()


def write_each_down(connection: Connection, requests: Sequence[tuple[Any, ...]]) -> list[bool]:
    return write_all_down(connection, [match for (match,) in requests])


TOGETHER: Together = MappingProxyType({claim_match: claim_matches, write_down: write_each_down})

P = ParamSpec("P")
T = TypeVar("T")

WorkForSeveral: TypeAlias = Callable[[Connection, Sequence[tuple[Any, ...]]], Sequence[Any]]
"""Does something in a transaction for several requests, of which it gets the arguments, and returns all answers."""
Together: TypeAlias = Mapping[Callable[..., Any], WorkForSeveral]

LOG = logging.getLogger(__name__)

NOTHING: Together = MappingProxyType({})
MOST_SESSIONS = 4
LAST_WAIT_S = 1
"""At the end: for a thread that waits for locks."""
FORK_LIMIT_S = 10
"""A fork waits so long for a thread that uses the database."""


def let_forks_wait(lock_of: Callable[[], threading.Lock], forget: Callable[[], object]) -> None:
    """Let this process fork only while it has that lock. `forget`: lets go of what a child has inherited."""
    has_lock = False

    def before() -> None:
        nonlocal has_lock
        has_lock = lock_of().acquire(timeout=FORK_LIMIT_S)

    def after() -> None:
        if has_lock:
            lock_of().release()

    os.register_at_fork(before=before, after_in_parent=after, after_in_child=forget)


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
        let_forks_wait(lambda: self._opening, self._inbox.close)  # psycopg closes no session that another opened
        self._add_thread()

    def join(self) -> Post:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            self._door.hand_in(theirs.fileno())
        return Post(ours)

    def close(self) -> None:
        self._duty.end()
        self._door.end()
        for thread in self._threads:
            thread.join(LAST_WAIT_S)
        self._inbox.close()
        self._door.leave()

    def _add_thread(self) -> None:
        thread = threading.Thread(target=self._serve, name="clerk", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve(self) -> None:
        """A worker that cannot do what its processes ask for must not go on: its parent starts it again."""
        try:
            with closing(self._lender(self._opening)) as session:
                while self._duty.comes():
                    if self._duty.needs_another() and len(self._threads) < MOST_SESSIONS:
                        self._add_thread()
                    self._be_on_duty(session)
        except Exception:
            if not self._duty.is_over():
                LOG.exception("what the processes of this worker ask for cannot be done any longer")
                os._exit(1)

    def _be_on_duty(self, session: Sessions) -> None:
        while not self._duty.is_over():
            requests = self._inbox.take()
            if not requests:
                continue
            self._duty.begin()
            do_all(session, requests, self._together)
            for request in requests:
                answer(request)
            if not self._duty.finish():
                return
            session.keep()


class Desk:
    """One process's way to the clerk."""

    def __init__(self, clerk: Clerk) -> None:
        self._clerk = clerk
        self._post: Post | None = None

    def do(self, work: Callable[Concatenate[Connection, P], T], *arguments: P.args, **named: P.kwargs) -> T:
        """Raises what the work raises, and Unavailable where the first process is gone."""
        if self._post is None:
            self._post = self._clerk.join()
        try:
            self._post.send((work, arguments, named))
            result, fault = self._post.fetch()
        except (EOFError, OSError) as gone:
            self.close()
            raise Unavailable("the first process of this worker is gone") from gone
        except BaseException:
            self.close()
            raise
        if fault is not None:
            raise fault
        return cast("T", result)

    def close(self) -> None:
        if self._post is not None:
            self._post.close()
            self._post = None


def do_all(session: Sessions, requests: Sequence[ClerkRequest], together: Together) -> None:
    if len(requests) == 1 or not done_together(session, requests, together[requests[0].work]):
        do_each(session, requests)


def done_together(session: Sessions, requests: Sequence[ClerkRequest], work: WorkForSeveral) -> bool:
    """Do it all in one transaction; say whether that went well. If not, nothing of it stays."""
    try:
        with transaction(session) as connection:
            results = work(connection, [request.arguments for request in requests])
    except Exception:  # noqa: BLE001 - whose fault it was shows where each is done by itself
        return False
    for request, result in zip(requests, results, strict=True):
        request.answer = result, None
    return True


def do_each(session: Sessions, requests: Sequence[ClerkRequest]) -> None:
    """Do each request in a transaction of its own. Once the database is away for one, it is for those that follow."""
    for number, request in enumerate(requests):
        try:
            with transaction(session) as connection:
                request.answer = request.work(connection, *request.arguments, **request.named), None
        except DatabaseDown as fault:
            for undone in requests[number:]:
                undone.answer = None, fault
            return
        except Exception as fault:  # noqa: BLE001 - the process that asks gets it
            request.answer = None, picklable(fault)


def picklable(fault: Exception) -> Exception:
    """Return an error as another process can raise it, or else one that says the same."""
    try:
        pickle.loads(pickle.dumps(fault))  # noqa: S301 - our own
    except Exception:  # noqa: BLE001 - each class pickles in its own way
        return ArenaError(f"{type(fault).__name__}: {plain_words(fault)}")
    return fault


def answer(request: ClerkRequest) -> None:
    if request.post is None:
        return
    try:
        request.post.send(request.answer)
    except OSError:
        return
    except Exception as fault:  # noqa: BLE001 - whatever was returned cannot be pickled
        request.post.send((None, picklable(fault)))
