"""The clerk does transactions for all processes of a worker: what shares one, each whole, whoever dies meanwhile."""

import os
import pickle
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from threading import Event
from typing import Any, LiteralString

import psycopg
import pytest
from psycopg.rows import TupleRow

from engine.errors import ArenaError, HostBusy
from ladder.database.connection import Connection, Pool, one, transaction
from ladder.errors import DatabaseDown
from tests.ladder.arena import players, within
from tests.patience import patience_s, wait_until
from tests.processes import finished
from workers.clerk import (
    LENGTH,
    MOST_SESSIONS,
    MOST_TOGETHER,
    Clerk,
    ClerkRequest,
    Desk,
    Door,
    Inbox,
    Post,
    do_all,
    picklable,
)
from workers.worker_process import open_sessions

BACKEND = "SELECT pg_backend_pid()"
WRITE = "INSERT INTO players (name) VALUES (%(name)s) RETURNING pg_sleep(%(pause_s)s)"


@pytest.fixture
def clerk(database_url: str) -> Iterator[Clerk]:
    clerk = Clerk(partial(open_sessions, database_url))
    yield clerk
    clerk.close()


@pytest.fixture
def desk(clerk: Clerk) -> Iterator[Desk]:
    desk = Desk(clerk)
    yield desk
    desk.close()


def asked(clerk: Clerk, query: LiteralString) -> TupleRow:
    with closing(Desk(clerk)) as own:
        return own.do(one, query, {})


def of_a_forked_process(clerk: Clerk) -> int:
    """Fork a process that asks the clerk in which session it is served; return the server's process."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writes, f"{asked(clerk, BACKEND)[0]}\n".encode())
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as pipe:
        found = int(pipe.readline())
    os.waitpid(pid, 0)
    return found


def test_all_processes_of_a_worker_are_served_in_one_session(clerk: Clerk, desk: Desk) -> None:
    (own,) = desk.do(one, BACKEND, {})
    assert [of_a_forked_process(clerk) for _ in range(3)] == [own] * 3


def test_who_waits_for_locks_delays_no_other_and_sessions_stay_few(clerk: Clerk, desk: Desk, pool: Pool) -> None:
    take = "SELECT pg_backend_pid(), pg_advisory_xact_lock(77)"
    with ThreadPoolExecutor(MOST_SESSIONS + 2) as threads:
        with transaction(pool) as connection:
            connection.execute("SELECT pg_advisory_xact_lock(77)")
            first = threads.submit(asked, clerk, take)
            waiters = "SELECT count(*) FROM pg_locks WHERE NOT granted AND objid = 77"
            wait_until(lambda: one(connection, waiters, {})[0], "one that waits for the lock")
            assert desk.do(one, BACKEND, {})
            assert not first.done()
            others = [threads.submit(asked, clerk, take) for _ in range(MOST_SESSIONS + 1)]
        backends = {job.result(patience_s())[0] for job in [first, *others]}
    assert 1 <= len(backends) <= MOST_SESSIONS


def test_an_error_arrives_as_it_was_raised_and_nothing_of_its_transaction_stays(desk: Desk, pool: Pool) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero):
        desk.do(written_then_broken, "kim")
    assert players(pool).isdisjoint({"kim"})
    desk.do(one, WRITE, {"name": "lee", "pause_s": 0})
    assert "lee" in players(pool)


def written_then_broken(connection: Connection, name: str) -> None:
    one(connection, WRITE, {"name": name, "pause_s": 0})
    connection.execute("SELECT 1 / 0")


class Unwilling(Exception):
    """Cannot be made of its words alone."""

    def __init__(self, *, number: int) -> None:
        super().__init__(f"the {number}th")


def test_an_error_that_cannot_be_passed_on_arrives_as_one_that_says_the_same() -> None:
    fault = picklable(Unwilling(number=7))
    assert isinstance(fault, ArenaError)
    assert str(fault) == "Unwilling: the 7th"
    assert isinstance(picklable(HostBusy("no core")), HostBusy)


def test_what_a_killed_process_asked_for_is_done_and_others_are_served(clerk: Clerk, desk: Desk, pool: Pool) -> None:
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        mine = Desk(clerk)
        mine.do(one, BACKEND, {})
        os.write(writes, b"!")
        mine.do(one, WRITE, {"name": "max", "pause_s": 0.5})
        os._exit(0)
    os.read(reads, 1)
    wait_until(lambda: waits_in(pool, "INSERT INTO players%"), "the statement of the other process")
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(reads)
    os.close(writes)
    assert desk.do(one, BACKEND, {})
    wait_until(lambda: "max" in players(pool), "what the other process has written")


def waits_in(pool: Pool, query: str) -> bool:
    sql = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE %(query)s"
    return bool(within(pool, one, sql, {"query": query})[0])


def test_processes_are_forked_while_the_clerk_is_busy(clerk: Clerk, desk: Desk) -> None:
    over = Event()

    def be_busy() -> None:
        own = Desk(clerk)
        while not over.is_set():
            own.do(one, BACKEND, {})
        own.close()

    with ThreadPoolExecutor(3) as threads:
        jobs = [threads.submit(be_busy) for _ in range(3)]
        assert all(of_a_forked_process(clerk) for _ in range(10))
        over.set()
        for job in jobs:
            job.result(patience_s())


def written_together(connection: Connection, requests: Sequence[tuple[Any, ...]]) -> list[int]:
    return [written(connection, *request) for request in requests]


def written(connection: Connection, name: str) -> int:
    """Write a player, and return the transaction's number. One cannot be written, and one breaks a shared session."""
    one(connection, WRITE, {"name": name, "pause_s": 0})
    if name == "nobody":
        connection.execute("SELECT 1 / 0")
    if name == "cut" and one(connection, "SELECT count(*) FROM players WHERE name IN ('kim', 'lee')", {})[0]:
        connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    return int(one(connection, "SELECT pg_current_xact_id()::text", {})[0])


def done_by_clerk(database_url: str, *names: str) -> list[tuple[int | None, Exception | None]]:
    session = open_sessions(database_url)
    requests = [ClerkRequest(written, (name,), {}) for name in names]
    do_all(session, requests, {written: written_together})
    session.close()
    return [request.answer or (None, None) for request in requests]


def test_what_processes_ask_for_at_the_same_time_is_done_in_one_transaction(database_url: str, pool: Pool) -> None:
    answers = done_by_clerk(database_url, "kim", "lee", "max")
    assert len({number for number, _ in answers}) == 1
    assert [fault for _, fault in answers] == [None] * 3
    assert {"kim", "lee", "max"} <= players(pool)


def test_a_request_that_fails_takes_no_other_with_it(database_url: str, pool: Pool) -> None:
    answers = done_by_clerk(database_url, "kim", "nobody", "max")
    assert isinstance(answers[1][1], psycopg.errors.DivisionByZero)
    assert [fault for _, fault in (answers[0], answers[2])] == [None, None]
    assert answers[0][0] != answers[2][0]
    assert players(pool) >= {"kim", "max"}
    assert "nobody" not in players(pool)


def test_where_the_session_is_lost_each_is_done_once_or_its_process_knows(database_url: str, pool: Pool) -> None:
    answers = done_by_clerk(database_url, "kim", "cut", "max")
    assert [type(fault) for _, fault in answers] == [type(None), DatabaseDown, DatabaseDown]
    assert players(pool) & {"kim", "cut", "max"} == {"kim"}


def test_a_busy_worker_shares_transactions_and_loses_nothing(database_url: str, pool: Pool) -> None:
    """Twelve processes ask again and again, and one of them always asks for what fails."""
    clerk = Clerk(partial(open_sessions, database_url), {written: written_together})

    def write_some(number: int) -> set[int]:
        own = Desk(clerk)
        found = {own.do(written, f"player{number}of{count}") for count in range(10)}
        with pytest.raises(psycopg.errors.DivisionByZero):
            own.do(written, "nobody")
        own.close()
        return found

    with ThreadPoolExecutor(12) as threads:
        numbers = list(threads.map(write_some, range(12)))
    clerk.close()
    assert len(set().union(*numbers)) < 120
    assert {f"player{number}of{count}" for number in range(12) for count in range(10)} <= players(pool)


BROKEN_CLERK = """
import sys, threading
from functools import partial
from workers.clerk import Clerk
from workers.clerk import Inbox
from workers.worker_process import open_sessions

def take(self):
    raise RuntimeError("no more descriptors")

Inbox.take = take
clerk = Clerk(partial(open_sessions, sys.argv[1]))
threading.Event().wait(60)
"""


def test_a_worker_whose_clerk_fails_ends_with_the_reason_in_its_log(database_url: str) -> None:
    """Its other processes would wait for answers for ever."""
    ended = finished([sys.executable, "-c", BROKEN_CLERK, database_url])
    assert ended.returncode == 1
    assert "cannot be done any longer" in ended.stderr
    assert "no more descriptors" in ended.stderr


def claim(number: int) -> int:
    return number


def record(number: int) -> int:
    return number


def look(number: int) -> int:
    return number


class Office:
    """An inbox, and processes that have joined."""

    def __init__(self) -> None:
        self.door = Door()
        self.inbox = Inbox(self.door, {claim, record})
        self.ends: list[socket.socket] = []

    def join(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            self.door.hand_in(theirs.fileno())
        assert self.inbox.take() == []
        self.ends.append(ours)
        return ours

    def ask(self, work: object, number: int, named: dict[str, object] | None = None) -> None:
        Post(self.join()).send((work, (number,), named or {}))

    def take(self) -> list[tuple[str, int]]:
        return [(asked.work.__name__, *asked.arguments) for asked in self.inbox.take()]


@pytest.fixture
def office() -> Iterator[Office]:
    office = Office()
    yield office
    for end in office.ends:
        end.close()
    office.inbox.close()
    office.door.leave()


def test_requests_of_one_kind_are_taken_together_and_others_one_by_one(office: Office) -> None:
    ends = [office.join() for _ in range(6)]
    kinds = [(work, number) for number in range(2) for work in (claim, record, look)]
    for end, (work, number) in zip(ends, kinds, strict=True):
        Post(end).send((work, (number,), {}))
    taken = [office.take() for _ in range(4)]
    rounds = sorted(map(sorted, taken))
    assert rounds == [[("claim", 0), ("claim", 1)], [("look", 0)], [("look", 1)], [("record", 0), ("record", 1)]]


def test_what_is_asked_while_others_wait_is_taken_with_those_of_its_kind(office: Office) -> None:
    ends = [office.join() for _ in range(4)]
    for end, (work, number) in zip(ends, [(look, 0), (claim, 0)], strict=False):
        Post(end).send((work, (number,), {}))
    first = office.take()
    Post(ends[2]).send((claim, (1,), {}))
    second = office.take()
    assert sorted([first, second]) in ([[("claim", 0), ("claim", 1)], [("look", 0)]], [[("claim", 0)], [("look", 0)]])
    if len(second) == 1:
        assert office.take() == [("claim", 1)]


def test_a_request_with_named_arguments_is_done_by_itself(office: Office) -> None:
    ends = [office.join() for _ in range(2)]
    Post(ends[0]).send((claim, (0,), {}))
    Post(ends[1]).send((claim, (1,), {"named": 1}))
    assert sorted([office.take(), office.take()]) == [[("claim", 0)], [("claim", 1)]]


def test_no_more_are_taken_together_than_a_transaction_is_to_hold(office: Office) -> None:
    ends = [office.join() for _ in range(MOST_TOGETHER + 1)]
    for number, end in enumerate(ends):
        Post(end).send((record, (number,), {}))
    assert [len(office.take()), len(office.take())] == [MOST_TOGETHER, 1]


def test_half_a_request_keeps_nobody_waiting_and_is_taken_once_it_is_whole(office: Office) -> None:
    slow, quick = office.join(), office.join()
    words = pickle.dumps((claim, (0,), {}))
    slow.send((LENGTH.pack(len(words)) + words)[:-1])
    assert office.take() == []
    Post(quick).send((look, (1,), {}))
    assert office.take() == [("look", 1)]
    slow.send(words[-1:])
    assert office.take() == [("claim", 0)]


def test_a_large_request_arrives_whole(office: Office) -> None:
    large = b"x" * 5_000_000
    end = office.join()
    end.settimeout(0)
    words = pickle.dumps((claim, (large,), {}))
    left = memoryview(LENGTH.pack(len(words)) + words)

    def taken() -> list[ClerkRequest]:
        nonlocal left
        if left:
            left = left[end.send(left) :]
        return office.inbox.take()

    assert wait_until(taken, "the whole request", 0)[0].arguments == (large,)


def test_what_a_process_asked_for_before_it_died_is_taken_and_then_it_is_forgotten(office: Office) -> None:
    end = office.join()
    Post(end).send((claim, (0,), {}))
    end.close()
    assert office.take() == [("claim", 0)]
    assert office.take() == []
    office.ask(look, 1)
    assert office.take() == [("look", 1)], "the other's end is heard no more"


def test_a_process_that_sends_what_cannot_be_read_is_left_alone_and_others_are_heard(office: Office) -> None:
    end = office.join()
    end.send(LENGTH.pack(5) + b"no so")
    assert office.take() == []
    assert end.recv(1) == b"", "it sees that nobody listens any more"
    office.ask(look, 1)
    assert office.take() == [("look", 1)]
