"""How others know that processes live: one session of PostgreSQL for a whole worker holds a lock for each of them.

How this works. Each of a worker's processes connects to the holder, a thread of the first one, by a pair of sockets.
When a process dies the kernel closes its socket; the holder sees that at once and gives its lock up. When the first
process dies its session ends, PostgreSQL drops all its locks, and the kernel ends the others (Celery asks for that). A
request is the process's number, the languages whose bots it can build and play (those installed, unless building and
playing have shown otherwise) and the games with rules in Python that are here, as JSON; the answer is its worker id, or
why there is none. A process asks before it claims a match, and the answer means that the lock is held. Before it
answers the holder makes sure that the session stands: it asks the server, unless that has answered within the last
second and said nothing since. While no process asks it gives PostgreSQL a sign of life every few seconds. A new session
enlists all that have asked, each by a new id: a process without work would be taken for dead until it gets some.

The first process forks the others while this thread runs. So it never forks while the thread talks to the database, and
a new process closes what it has inherited of the holder's.
"""

import json
import logging
import os
import selectors
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from random import random
from typing import Any, cast

import psycopg

from engine.errors import ArenaError, plain_words
from engine.sandbox.box import readable
from engine.toolchains.build import Installed
from ladder.database.connection import Connection, our_errors
from ladder.database.worker_sessions import LEFT_BY_WORKERS, answers, open_leaving
from ladder.errors import DatabaseDown, QueueDown, SchemaBehind, SchemaUnknown
from ladder.event_log import Outage
from ladder.fleet import workers
from ladder.fleet.workers import SIGN_OF_LIFE_EVERY_S
from ladder.health import SignOfLife
from ladder.ids import WorkerId
from workers.clerk import Door, let_forks_wait
from workers.wait_for_schema import once_migrated

LOG = logging.getLogger(__name__)

LONGEST_MESSAGE = 65_536
FAREWELL = b"end"
"""What a process says last; one that is killed says nothing."""
SURE_FOR_S = 1
"""After an answer of the server. One that cannot reach us drops the locks in silence; a match that is claimed within
that second may be another worker's as well, and counts once."""

PATIENCE_S = 20
"""A worker that has been called waits so long for a database that is being started again."""
PAUSE_S = 0.1


@dataclass(slots=True)
class MemberProcess:
    """A process that is connected, its worker id in the present session, and what it has said of itself."""

    worker_id: WorkerId | None = None
    words: bytes = b""


class LockHolder:
    """Holds the locks of all processes that join it. Made in the worker's first process, before it forks."""

    def __init__(
        self,
        database_url: str,
        *,
        fair_clock: bool | None = None,
        tier: str | None = None,
        sign: SignOfLife | None = None,
        ask_for_sweep: Callable[[], object] = bool,
        is_deaf: Callable[[], bool] = bool,
    ) -> None:
        """`fair_clock`: None: not known. `tier`: of the sandbox. `ask_for_sweep`: after OVERDUE_S without. `is_deaf`:
        whether this worker is to end, as it will hear of no match any more.
        """
        self._ask_for_sweep, self._is_deaf = ask_for_sweep, is_deaf
        self._sign = sign
        self._sweep_due = self._end_due = 0.0
        self._database_url = database_url
        self._fair_clock, self._tier = fair_clock, tier
        self._door = Door()
        self._members: dict[socket.socket, MemberProcess] = {}
        self._connection: Connection | None = None
        self._sure_until = 0.0
        self._workers: float = 1
        self._using_database = threading.Lock()
        self._forgotten = False
        self._pid = os.getpid()
        self._outage = Outage("database")
        self._thread = threading.Thread(target=self._serve_or_end, name="lock holder", daemon=True)
        let_forks_wait(lambda: self._using_database, self._forget_inherited)
        self._thread.start()

    def join(self) -> socket.socket:
        if os.getpid() != self._pid and os.getppid() != self._pid:
            os._exit(1)  # the process that holds our lock is gone, and we are to end with it
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._door.hand_in(theirs.fileno())
        return ours

    def close(self) -> None:
        self._door.end()
        self._thread.join()
        self._door.leave()

    def _serve_or_end(self) -> None:
        """A worker whose locks are lost must not go on: it ends, and its parent starts it again."""
        try:
            self._serve()
        except Exception:
            LOG.exception("the locks of this worker's processes cannot be kept any longer")
            os._exit(1)

    def _serve(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._door.inside, selectors.EVENT_READ)
            while True:
                self._renew_sign()
                if self._is_deaf():
                    LOG.error("this worker asks for no match any more, though it has nothing to do: it ends")
                    os._exit(1)
                ready = selector.select(SIGN_OF_LIFE_EVERY_S)
                if not ready:
                    self._give_sign_of_life()
                if time.monotonic() > self._end_due:
                    self._end_where_asked()
                if time.monotonic() > self._sweep_due:
                    self._see_to_sweeps()
                for key, _ in ready:
                    member = self._members.get(key.fileobj)  # type: ignore[call-overload]
                    if member is not None:
                        self._hear(selector, key.fileobj, member)  # type: ignore[arg-type]
                    elif not self._let_in(selector):
                        self._end()
                        return

    def _give_sign_of_life(self) -> None:
        """Sweeps look who is out of reach, too; but while all processes play long matches none sweeps in time."""
        with self._using_database, suppress(psycopg.Error, SchemaBehind, SchemaUnknown):
            if not any(member.words for member in self._members.values()):
                return
            if self._connection is None or self._connection.closed or not answers(self._connection):
                self._outage.begins("the server does not answer")
                self._standing()
                self._outage.ends()
                return
            if random() * self._workers < workers.LOOKS_EACH_TIME:  # noqa: S311 - so that they do not all look
                self._workers = workers.mark_out_of_reach(self._connection)
            else:
                self._workers *= workers.FEWER_BY_NOW

    def _end_where_asked(self) -> None:
        """By `ladder worker drain`: as where this process is sent a SIGTERM, its matches are finished first."""
        ids = [member.worker_id for member in self._members.values() if member.worker_id is not None]
        with self._using_database, suppress(psycopg.Error):
            if self._connection is None or self._connection.closed or not ids:
                return
            self._end_due = time.monotonic() + SIGN_OF_LIFE_EVERY_S
            if workers.any_to_end(self._connection, ids):
                os.kill(os.getpid(), signal.SIGTERM)
                self._end_due = float("inf")  # a second SIGTERM would not wait for matches

    def _renew_sign(self) -> None:
        if self._sign is not None:
            stands = self._connection is not None and not self._connection.closed
            self._sign.renew("" if stands else "it has no session of the database")

    def _see_to_sweeps(self) -> None:
        """The scheduler sends for one every few seconds. Not all workers look at the same moment."""
        with self._using_database, suppress(psycopg.Error, QueueDown):
            if self._connection is None or self._connection.closed:
                return
            self._sweep_due = time.monotonic() + workers.OVERDUE_S * (1 + random()) / 4  # noqa: S311 - it is not a secret
            if any(overdue.round == workers.MaintenanceRound.SWEEP for overdue in workers.overdue(self._connection)):
                self._ask_for_sweep()

    def _let_in(self, selector: selectors.BaseSelector) -> bool:
        goes_on, newcomers = self._door.take_in()
        for member in newcomers:
            self._members[member] = MemberProcess()
            selector.register(member, selectors.EVENT_READ)
        return goes_on

    def _hear(self, selector: selectors.BaseSelector, talk: socket.socket, member: MemberProcess) -> None:
        try:
            words = talk.recv(LONGEST_MESSAGE)
            if words == FAREWELL:
                self._write_down(member, workers.mark_ended)
            elif words:
                talk.send(json.dumps(self._answer(member, words)).encode())
                return
        except OSError:  # it died while we looked
            pass
        selector.unregister(talk)
        del self._members[talk]
        talk.close()
        self._write_down(member, workers.mark_dead)

    def _answer(self, member: MemberProcess, words: bytes) -> dict[str, Any]:
        try:
            with self._using_database:
                worker_id = self._worker_id(member, words)
        except psycopg.OperationalError as error:
            self._outage.begins(plain_words(error))
            return {"down": str(error)}
        except (SchemaBehind, SchemaUnknown) as fault:
            return {type(fault).__name__: str(fault)}
        except Exception as fault:  # the process that asks gets the error; others go on
            LOG.exception("no lock for a process of this worker")
            return {"fault": f"{type(fault).__name__}: {plain_words(fault)}"}
        self._outage.ends()
        return {"id": worker_id}

    def _worker_id(self, member: MemberProcess, words: bytes) -> WorkerId:
        before, member.words = member.words, words
        connection = self._standing()
        worker_id = cast(WorkerId, member.worker_id)
        if before not in {b"", words}:
            request = json.loads(words)
            workers.register_languages(connection, worker_id, request["builds"], request["plays"])
        return worker_id

    def _standing(self) -> Connection:
        """A session that holds a lock for each process that has asked."""
        if self._connection is None or not self._stands(self._connection):
            self._connection, _ = open_leaving(self._database_url, LEFT_BY_WORKERS)
            former = [member.worker_id for member in self._members.values() if member.worker_id is not None]
            for member in self._members.values():
                member.worker_id = None
            workers.mark_ended(self._connection, *former)
        for member in self._members.values():
            if member.words and member.worker_id is None:
                request = json.loads(member.words)  # by the names of that function's parameters
                host = socket.gethostname()
                member.worker_id = workers.enlist(
                    self._connection, host, **request, fair_clock=self._fair_clock, tier=self._tier
                )
        return self._connection

    def _stands(self, connection: Connection) -> bool:
        if time.monotonic() < self._sure_until and not readable(0, connection.fileno()):
            return True
        asked_at = time.monotonic()
        if not answers(connection):
            return False
        self._sure_until = asked_at + SURE_FOR_S
        return True

    def _write_down(self, member: MemberProcess, end: Callable[[Connection, WorkerId], None]) -> None:
        if member.worker_id is not None and self._connection is not None:
            with self._using_database, suppress(psycopg.OperationalError):
                end(self._connection, member.worker_id)

    def _end(self) -> None:
        if self._sign is not None:
            self._sign.end()
        self._close_ours()
        with self._using_database:
            if self._connection is not None:
                self._connection.close()

    def _close_ours(self) -> None:
        for talk in self._members:
            talk.close()
        self._members.clear()
        self._door.shut()

    def _forget_inherited(self) -> None:
        self._using_database = threading.Lock()
        self._close_ours()
        if self._connection is not None and not self._connection.closed and not self._forgotten:
            os.close(self._connection.fileno())
            self._forgotten = True  # the object stays: this process must not close that socket


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
        able = self._registered = self._registered or self._able()
        answer = self._ask({"pid": os.getpid(), "builds": able.builds, "plays": able.plays, "games": self._games})
        if "down" in answer:
            with our_errors():
                raise psycopg.OperationalError(answer["down"])
        for schema in (SchemaBehind, SchemaUnknown):
            if schema.__name__ in answer:
                raise schema(answer[schema.__name__])
        if "fault" in answer:
            raise ArenaError(f"the worker cannot hold this process's lock: {answer['fault']}")
        return WorkerId(int(answer["id"]))

    def _ask(self, request: Mapping[str, object]) -> dict[str, Any]:
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
        installed = self._installed()
        return Installed(builds=self._as_shown(installed.builds), plays=self._as_shown(installed.plays))

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
