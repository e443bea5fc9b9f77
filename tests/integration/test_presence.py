"""Sessions are few: one holds the locks of all processes of a worker, so who dies is seen; others are borrowed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import datetime
from typing import Final

import psycopg
import pytest

from engine.toolchains.build import Installed
from ladder.database.connection import Pool, connect, one, transaction
from ladder.database.worker_sessions import LEFT_BY_BORROWERS, LEFT_BY_WORKERS, Sessions, open_leaving
from ladder.errors import DatabaseDown
from ladder.fleet import workers
from ladder.views import metrics
from tests.fleet.servers import Servers, servers
from tests.ladder.arena import rows_of, within
from tests.ladder.rated import change
from tests.patience import patience_s, wait_until
from tests.processes import finished
from workers.presence import LockHolder, Presence
from workers.worker_process import open_sessions

PYTHON = Installed(builds=("python",), plays=("python",))
SESSIONS: Final = "FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'ladder worker'"


@pytest.fixture
def holder(database_url: str) -> Iterator[LockHolder]:
    holder = LockHolder(database_url)
    yield holder
    holder.close()


def alive(pool: Pool) -> set[int]:
    return {worker.id for worker in within(pool, workers.live_workers)}


def sessions(pool: Pool) -> int:
    return int(within(pool, one, f"SELECT count(*) {SESSIONS}", {})[0])


def forked(holder: LockHolder) -> tuple[int, int]:
    """Fork a process that joins the holder and sleeps; return its pid and its worker id."""
    reads, writes = os.pipe()
    pid = os.fork()
    if pid == 0:
        presence = Presence(holder, lambda: PYTHON)
        os.write(writes, f"{presence.worker_id()}\n".encode())
        time.sleep(patience_s())
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads) as pipe:
        return pid, int(pipe.readline())


def test_a_killed_process_is_dead_at_once_and_the_others_of_its_worker_are_not(pool: Pool, holder: LockHolder) -> None:
    stays = Presence(holder, lambda: PYTHON)
    own_id = stays.worker_id()
    children = [forked(holder) for _ in range(3)]
    assert alive(pool) == {own_id, *(worker_id for _, worker_id in children)}
    assert sessions(pool) == 1, "for all processes together"
    (killed, _), *others = children
    os.kill(killed, signal.SIGKILL)
    left = {own_id, *(worker_id for _, worker_id in others)}
    wait_until(lambda: alive(pool), "the end of the one that was killed", fits=lambda found: found == left)
    for pid, _ in others:
        os.kill(pid, signal.SIGKILL)
    for pid, _ in children:
        os.waitpid(pid, 0)
    wait_until(lambda: alive(pool), "the end of the others", fits=lambda found: found == {own_id})
    assert stays.worker_id() == own_id
    stays.close()


def lost(pool: Pool) -> float:
    """Return how many processes are counted as lost after one more sweep."""
    with transaction(pool) as connection:
        workers.count_lost(connection)
        return metrics.samples(connection, wait_s=300).values["ladder_workers_lost_total"][()]


def test_an_idle_process_is_lost_once_if_it_is_killed_and_not_if_it_ends(pool: Pool, holder: LockHolder) -> None:
    ends, stays = Presence(holder, lambda: PYTHON), Presence(holder, lambda: PYTHON)
    own_id, _ = stays.worker_id(), ends.worker_id()
    ends.close()
    wait_until(lambda: alive(pool), "the end of the other", fits=lambda found: found == {own_id})
    assert lost(pool) == 0
    pid, _ = forked(holder)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    wait_until(lambda: alive(pool), "the end of the one that was killed", fits=lambda found: found == {own_id})
    assert [lost(pool), lost(pool)] == [1, 1]
    stays.close()


FIRST_PROCESS = """
import os, sys, time
from celery.platforms import set_pdeathsig
from engine.toolchains.build import Installed
from workers.presence import LockHolder
from workers.presence import Presence

holder = LockHolder(sys.argv[1])
if os.fork() == 0:
    set_pdeathsig("SIGKILL")  # as Celery does
    presence = Presence(holder, lambda: Installed((), ()))
    print(presence.worker_id(), flush=True)
time.sleep(60)
"""


def test_when_the_first_process_is_killed_all_of_its_worker_is_dead_at_once(pool: Pool, database_url: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", FIRST_PROCESS, database_url]
    first = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)
    assert first.stdout is not None
    with first.stdout:
        worker_id = int(first.stdout.readline())
        assert alive(pool) == {worker_id}
        first.kill()
        wait_until(lambda: not alive(pool), "its end")
        assert first.stdout.read() == b"", "the process that was forked has ended too"
        assert lost(pool) == 1
    first.wait()


DEAF = """
import sys, time
from workers import deliveries, presence

deliveries.DEAF_AFTER_S = deliveries.SURE_AFTER_S = presence.SIGN_OF_LIFE_EVERY_S = 0.2
deliveries.HEARING.asked_at = time.monotonic()
is_idle = [False]
holder = presence.LockHolder(sys.argv[1], is_deaf=lambda: deliveries.HEARING.is_deaf(lambda: is_idle[0]))
time.sleep(2)
print("it lives on while it plays", flush=True)
is_idle[0] = True
time.sleep(300)
"""


def test_a_worker_that_asks_the_broker_for_nothing_although_it_is_idle_ends(database_url: str) -> None:
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = finished([sys.executable, "-c", DEAF, database_url], env=variables)
    assert (done.returncode, done.stdout) == (1, "it lives on while it plays\n")
    assert "this worker asks for no match any more" in done.stderr


def end_session(pool: Pool) -> None:
    rows_of(pool, f"SELECT pg_terminate_backend(pid) {SESSIONS}")


def test_where_the_session_is_lost_each_process_is_enlisted_anew_when_it_asks(pool: Pool, holder: LockHolder) -> None:
    first, other = Presence(holder, lambda: PYTHON), Presence(holder, lambda: PYTHON)
    before = {first.worker_id(), other.worker_id()}
    end_session(pool)
    wait_until(lambda: not alive(pool), "its end")
    after = {first.worker_id(), other.worker_id()}
    assert alive(pool) == after
    assert not before & after, "an old lock may still be held by a session that the server has not given up"
    assert sessions(pool) == 1
    assert lost(pool) == 0
    first.close()
    other.close()


def test_processes_without_work_are_alive_again_by_themselves_after_the_session_was_lost(
    pool: Pool, holder: LockHolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.presence.SIGN_OF_LIFE_EVERY_S", 0.2)
    first, other = Presence(holder, lambda: PYTHON), Presence(holder, lambda: PYTHON)
    before = {first.worker_id(), other.worker_id()}
    end_session(pool)
    wait_until(lambda: alive(pool) - before, "both in the new session", fits=lambda found: len(found) == 2)
    assert sessions(pool) == 1
    assert {first.worker_id(), other.worker_id()} == alive(pool)
    first.close()
    other.close()


def test_a_busy_worker_asks_the_server_about_its_locks_now_and_then_and_not_for_each_match(
    pool: Pool, holder: LockHolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.presence.SURE_FOR_S", 3600)

    def last_asked() -> datetime:
        (found,) = within(pool, one, f"SELECT state_change {SESSIONS}", {})
        assert isinstance(found, datetime)
        return found

    presence = Presence(holder, lambda: PYTHON)
    presence.worker_id()
    presence.worker_id()
    moment = last_asked()
    assert len({presence.worker_id() for _ in range(20)}) == 1
    assert last_asked() == moment
    holder._sure_until = 0
    presence.worker_id()
    assert last_asked() > moment
    presence.close()


def test_a_process_that_leaves_and_comes_back_has_a_new_id(pool: Pool, holder: LockHolder) -> None:
    presence = Presence(holder, lambda: PYTHON)
    before = presence.worker_id()
    presence.close()
    wait_until(lambda: not alive(pool), "its end")
    assert presence.worker_id() != before
    presence.close()


def test_what_a_process_has_learnt_of_its_languages_is_written_down(pool: Pool, holder: LockHolder) -> None:
    presence = Presence(holder, lambda: PYTHON)
    presence.worker_id()
    presence.lacks("python")
    presence.has("ruby")
    (worker,) = within(pool, workers.live_workers)
    assert (worker.builds, worker.plays, worker.pid) == (["ruby"], ["ruby"], os.getpid())
    presence.close()


def test_a_process_learns_that_the_database_is_away_and_is_alive_once_it_is_back(
    pool: Pool, holder: LockHolder, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that began meanwhile, whether it asks again or not."""
    monkeypatch.setattr("workers.presence.SIGN_OF_LIFE_EVERY_S", 0.2)
    monkeypatch.setattr("ladder.database.worker_sessions.CONNECT_TIMEOUT_S", 0.2)
    presence, new = Presence(holder, lambda: PYTHON), Presence(holder, lambda: PYTHON)
    presence.worker_id()
    name = database_url.partition("?")[0].rpartition("/")[2]
    with psycopg.connect(database_url.replace(f"/{name}?", "/postgres?"), autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false".encode())
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
        with pytest.raises(DatabaseDown, match="does not answer"):
            presence.worker_id()
        with pytest.raises(DatabaseDown, match="does not answer"):
            new.worker_id()
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true".encode())
    wait_until(lambda: alive(pool), "both", fits=lambda found: len(found) == 2)
    assert {presence.worker_id(), new.worker_id()} == alive(pool)
    presence.close()
    new.close()


def test_in_a_large_fleet_a_worker_seldom_looks_who_is_out_of_reach(pool: Pool, holder: LockHolder) -> None:
    """Each look reads all locks: if all workers looked each time, the work would grow with the fleet's square."""
    presence = Presence(holder, lambda: PYTHON)
    worker_id = presence.worker_id()

    def is_marked_after_a_sign_of_life(sessions: int) -> bool:
        change(pool, "UPDATE workers SET out_of_reach = true WHERE id = %s", worker_id)
        holder._workers = sessions
        holder._give_sign_of_life()
        ((is_marked,),) = rows_of(pool, "SELECT out_of_reach FROM workers WHERE id = %s", worker_id)
        return bool(is_marked)

    assert not is_marked_after_a_sign_of_life(1)
    assert sum(not is_marked_after_a_sign_of_life(10**9) for _ in range(5)) == 0, "by chance, one time in fifty million"
    presence.close()


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


def test_a_session_is_kept_if_half_of_all_were_free_when_it_was_opened(small: Servers, lender: Sessions) -> None:
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
        taken = [held.enter_context(open_leaving(small.database_url, LEFT_BY_BORROWERS, any_schema=True)[0])]
        while len(taken) < BORROWABLE - 1:  # one less, as the worker's own counts while it looks
            taken.append(held.enter_context(open_leaving(small.database_url, LEFT_BY_BORROWERS, any_schema=True)[0]))
        for _ in range(LEFT_BY_BORROWERS - LEFT_BY_WORKERS):
            held.enter_context(open_leaving(small.database_url, LEFT_BY_WORKERS, any_schema=True)[0])
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
