"""Sessions of PostgreSQL are few: workers borrow them briefly, wait where there are none, and leave some to others."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import psycopg
import pytest

from ladder.database.connection import connect, one, transaction
from ladder.database.worker_sessions import LEFT_BY_BORROWERS, LEFT_BY_WORKERS, Sessions, open_leaving
from tests.fleet.servers import Servers, servers
from tests.patience import wait_until
from workers.worker_process import open_sessions

MAX_CONNECTIONS = 24
"""Of these the server keeps three for its superusers, which the tests are, but workers do not count on them."""
BORROWABLE = MAX_CONNECTIONS - 3 - LEFT_BY_BORROWERS
OF_WORKERS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'ladder worker'"


@pytest.fixture(scope="module")
def small() -> Iterator[Servers]:
    with servers(MAX_CONNECTIONS) as running:
        yield running


@pytest.fixture
def lender(small: Servers) -> Iterator[Sessions]:
    sessions = open_sessions(small.database_url)
    yield sessions
    sessions.close()


def backend(lender: Sessions) -> int:
    with transaction(lender) as connection:
        return connection.info.backend_pid


def of_workers(small: Servers) -> int:
    with connect(small.database_url, any_schema=True) as connection:
        return int(one(connection, OF_WORKERS, {})[0])


def backends(small: Servers, name: str = "") -> list[int]:
    query = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND %s IN (application_name, '')"
    with connect(small.database_url, any_schema=True) as connection:
        return [row[0] for row in connection.execute(query, [name])]


def test_what_follows_at_once_gets_the_same_session_and_an_idle_one_is_closed(small: Servers, lender: Sessions) -> None:
    assert of_workers(small) == 0, "none before the first is needed"
    assert backend(lender) == backend(lender)
    wait_until(lambda: of_workers(small) == 0, every_s=0.2)
    backend(lender)
    assert of_workers(small) == 1


def test_a_session_is_kept_for_longer_only_where_half_of_all_were_free_when_it_was_opened(
    small: Servers, lender: Sessions
) -> None:
    cramped = open_sessions(small.database_url)
    with ExitStack() as borrowed:
        with ExitStack() as taken:
            while len(backends(small)) < BORROWABLE:
                taken.enter_context(psycopg.connect(small.database_url))
            borrowed.enter_context(transaction(cramped))
        wait_until(lambda: len(backends(small)) == 2)  # the one that looks, and `cramped`
        roomy = backend(lender)
        lender.keep()
    cramped.keep()
    wait_until(lambda: of_workers(small) < 2, every_s=0.2)
    assert backends(small, "ladder worker") == [roomy]
    wait_until(lambda: of_workers(small) == 0, every_s=0.2)
    cramped.close()


def test_a_borrowed_session_is_one_transaction(small: Servers, lender: Sessions) -> None:
    with connect(small.database_url, any_schema=True) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS written (number int)")
    with pytest.raises(ZeroDivisionError), transaction(lender) as connection:
        connection.execute("INSERT INTO written VALUES (1)")
        raise ZeroDivisionError
    with transaction(lender) as connection:
        connection.execute("INSERT INTO written VALUES (2)")
    with connect(small.database_url, any_schema=True) as connection:
        assert connection.execute("SELECT number FROM written").fetchall() == [(2,)]


def test_an_idle_session_that_the_server_has_ended_is_replaced(small: Servers, lender: Sessions) -> None:
    before = backend(lender)
    with connect(small.database_url, autocommit=True, any_schema=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s)", [before])
    assert backend(lender) != before


def test_borrowers_leave_sessions_to_others_and_wait_for_each_other(small: Servers) -> None:
    most = 0

    def borrow(_: int) -> None:
        sessions = open_sessions(small.database_url)
        with transaction(sessions) as connection:
            connection.execute("SELECT pg_sleep(0.2)")
        sessions.close()

    with ThreadPoolExecutor(4 * BORROWABLE) as threads:
        jobs = [threads.submit(borrow, number) for number in range(4 * BORROWABLE)]
        with connect(small.database_url, autocommit=True, any_schema=True) as connection:
            while not all(job.done() for job in jobs):
                most = max(most, int(one(connection, OF_WORKERS + " AND query ~ 'pg_sleep'", {})[0]))
                time.sleep(0.02)
        for job in jobs:
            job.result()
    assert 1 < most <= BORROWABLE


def test_a_worker_that_starts_gets_its_lasting_session_where_borrowers_wait(small: Servers) -> None:
    with ExitStack() as held:
        taken = [held.enter_context(open_leaving(small.database_url, LEFT_BY_BORROWERS, any_schema=True))]
        while len(taken) < BORROWABLE - 1:  # one less, as the worker's own counts while it looks
            taken.append(held.enter_context(open_leaving(small.database_url, LEFT_BY_BORROWERS, any_schema=True)))
        for _ in range(LEFT_BY_BORROWERS - LEFT_BY_WORKERS):
            held.enter_context(open_leaving(small.database_url, LEFT_BY_WORKERS, any_schema=True))
        with connect(small.database_url, any_schema=True) as connection:
            assert int(one(connection, OF_WORKERS, {})[0]) == len(taken) + LEFT_BY_BORROWERS - LEFT_BY_WORKERS


def test_an_operator_waits_a_moment_where_all_sessions_are_taken(small: Servers) -> None:
    with ThreadPoolExecutor(1) as thread:
        with ExitStack() as held:
            with pytest.raises(psycopg.OperationalError):
                while True:
                    held.enter_context(psycopg.connect(small.database_url))
            answer = thread.submit(lambda: of_workers(small))
            time.sleep(0.5)
            assert not answer.done()
        assert answer.result() == 0
