"""A program and a database of different versions: newer programs wait or say so, older ones refuse."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Identifier

from ladder.actions.installation import bring_up_to_date
from ladder.database.connection import connect
from ladder.database.migrate import migrate, migrations
from ladder.database.schema import needed
from ladder.errors import SchemaBehind
from tests.acceptance.conftest import LADDER, run_at_home, without_waits
from tests.patience import wait_until
from tests.throwaway import written
from workers.app import queue_for
from workers.broker import broker, queue_lengths
from workers.embedded.state_file import Running
from workers.wait_for_schema import LOOK_EVERY_S

FUTURE = 9999
SPARE_ROOM = "?virtual_host=8"
OF_BEFORE_THE_RELEASE = """
CREATE TABLE migrations (
    number int PRIMARY KEY, name text, fingerprint text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
INSERT INTO migrations (number, name, fingerprint)
    SELECT number, 'ladder', md5(number::text) FROM generate_series(1, 59) AS number;
CREATE TABLE players (id bigint PRIMARY KEY, name text NOT NULL);
INSERT INTO players VALUES (1, 'kim');
"""
"""What is left of a database that programs from before the first release have brought to their schema 59."""


@contextmanager
def database_of(services: Running, tables: str) -> Iterator[str]:
    name = f"old_{os.urandom(6).hex()}"
    url = services.database_url.replace("/ladder?", f"/{name}?")
    with psycopg.connect(services.database_url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}".encode())
        with psycopg.connect(url) as connection:
            connection.execute(tables.encode())
        yield url
        server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture
def old_database(services: Running) -> Iterator[str]:
    with database_of(
        services,
        OF_BEFORE_THE_RELEASE
        + "TRUNCATE migrations; ALTER TABLE migrations ADD oldest_program int; DROP TABLE players",
    ) as url:
        yield url


def make_newer(database_url: str) -> None:
    with psycopg.connect(database_url) as connection:
        connection.execute("INSERT INTO migrations VALUES (%s, 'future', 'x', now(), %s)", [FUTURE, FUTURE])


def environment(services: Running, database_url: str) -> Mapping[str, str]:
    return {"LADDER_DATABASE_URL": database_url, "LADDER_BROKER_URL": services.broker_url + SPARE_ROOM}


def run(services: Running, database_url: str, *words: str) -> subprocess.CompletedProcess[str]:
    return run_at_home(environment(services, database_url), *words)


@contextmanager
def started(services: Running, database_url: str, log: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        process = subprocess.Popen(
            [LADDER, *words],
            env={**os.environ, **environment(services, database_url)},
            stderr=output,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_an_old_database_is_to_be_migrated_first(services: Running, old_database: str, tmp_path: Path) -> None:
    source = written(tmp_path / "bot.py", "print(7, 7)")
    for words in (("status",), ("submit", str(source), "--game", "ocean-of-code"), ("web",)):
        done = run(services, old_database, *words)
        assert (done.returncode, done.stdout) == (4, "")
        assert done.stderr == (
            f"ladder: the database has schema 0, this program needs {needed()}: run `ladder db migrate`\n"
        )


def test_no_old_program_takes_a_newer_database_or_changes_it(services: Running, database_url: str) -> None:
    make_newer(database_url)
    for words in (("status",), ("worker",), ("scheduler",), ("web",), ("db", "migrate")):
        if words[0] == "db":
            with psycopg.connect(database_url) as connection:
                connection.execute("DELETE FROM migrations WHERE number = %s", [needed()])
        done = run(services, database_url, *words)
        assert (done.returncode, done.stdout) == (3, "")
        assert done.stderr == (
            f"ladder: the database has schema {FUTURE}, this program knows {needed()} at most: "
            "update Ladder on this machine\n"
        )
    with psycopg.connect(database_url) as connection:
        known = connection.execute("SELECT number FROM migrations ORDER BY number").fetchall()
    assert known == [*((migration.number,) for migration in migrations()[:-1]), (FUTURE,)]


def test_a_database_from_before_the_first_release_is_refused_and_stays_as_it_is(services: Running) -> None:
    with database_of(services, OF_BEFORE_THE_RELEASE) as url, psycopg.connect(url, autocommit=True) as connection:
        before = tables_of(connection)
        for words in (("db", "migrate"), ("status",)):
            done = run(services, url, *words)
            assert (done.returncode, done.stdout) == (3, "")
            assert done.stderr == (
                "ladder: the database is of a Ladder from before the first release: write it into files with "
                "`ladder export` of the program that made it, and make a new ladder of them with `ladder import` of "
                "this one\n"
            )
            assert tables_of(connection) == before


def tables_of(connection: psycopg.Connection[TupleRow]) -> dict[str, list[TupleRow]]:
    names = connection.execute("SELECT relname FROM pg_stat_user_tables ORDER BY relname").fetchall()
    return {
        name: connection.execute(SQL("TABLE {}").format(Identifier(name)).as_bytes()).fetchall() for (name,) in names
    }


def test_a_worker_waits_until_the_database_is_migrated_and_ends_when_it_finds_that_a_newer_program_has_done_so(
    services: Running, old_database: str, tmp_path: Path
) -> None:
    """It looks whenever it connects: later its sessions are ended, as by a restart of the database."""
    log = tmp_path / "worker.log"
    with started(services, old_database, log, "worker", "--concurrency", "1") as worker:
        wait_until(lambda: "waiting" in log.read_text(), "it says that it waits")
        time.sleep(LOOK_EVERY_S + 0.5)  # it has looked again
        assert without_waits(log.read_text()) == (
            f"ladder: waiting, as the database has schema 0, this program needs {needed()}: run `ladder db migrate`\n"
        )
        assert worker.poll() is None
        with psycopg.connect(old_database) as connection:
            assert connection.execute("SELECT to_regclass('workers')").fetchone() == (None,)
        bring_up_to_date(old_database)
        wait_until(lambda: "the worker is ready" in log.read_text(), "it is ready")
        make_newer(old_database)
        with psycopg.connect(old_database, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        queue_for(f"{services.broker_url}{SPARE_ROOM}").enqueue_sweep()
        wait_until(lambda: worker.poll() is not None, "it ends")
    assert f"this program knows {needed()} at most" in log.read_text()


def test_a_scheduler_waits_until_the_database_is_migrated(services: Running, old_database: str, tmp_path: Path) -> None:
    url = f"{services.broker_url}{SPARE_ROOM}"
    with broker(url) as client:
        client.flushdb()
    log = tmp_path / "scheduler.log"
    with started(services, old_database, log, "scheduler"):
        wait_until(lambda: "waiting" in log.read_text(), "it says that it waits")
        time.sleep(LOOK_EVERY_S + 0.5)  # it has looked again
        assert queue_lengths(url)["control"] == 0
        migrate(old_database)
        wait_until(lambda: queue_lengths(url)["control"] > 0, "the scheduler sends")
    with broker(url) as client:
        client.flushdb()


def test_with_embedded_services_it_names_what_migrates(old_database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LADDER_DATABASE_URL", raising=False)
    with pytest.raises(SchemaBehind, match="`ladder down` and then `ladder up`"), connect(old_database):
        pass
