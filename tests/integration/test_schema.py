"""A program and a database of different versions: newer programs wait or say so, older ones refuse."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from ladder import audit
from ladder.database.connection import connect
from ladder.database.migrate import Migration, migrate, migrations
from ladder.database.schema import needed
from ladder.errors import SchemaBehind
from tests.acceptance.conftest import LADDER
from tests.patience import patience_s, wait_until
from workers.embedded.state_file import Running
from workers.installing import bring_up_to_date
from workers.queue.broker import broker, queue_lengths
from workers.queue.celery_queue import queue_for
from workers.waiting import LOOK_EVERY_S

FUTURE = 9999
SPARE_ROOM = "?virtual_host=8"
BEFORE = migrations()[-2].number


OLD_LADDER = """
INSERT INTO players (name) VALUES ('kim');
INSERT INTO leagues (game, name, title, position, rules_level, battles, longest_s)
    VALUES ('ocean-of-code', 'wood-2', 'Wood 2', 1, 1, 30, 60);
INSERT INTO bots (game, name, player_id, league_id)
    VALUES ('ocean-of-code', 'kraken', 1, 1), ('ocean-of-code', 'wahoo', 1, 1);
INSERT INTO sources (hash, content) VALUES (repeat('a', 64), 'print(1)'), (repeat('b', 64), 'print(2)');
INSERT INTO versions (bot_id, number, source_hash, language, state)
    VALUES (1, 1, repeat('a', 64), 'python', 'accepted'), (2, 1, repeat('b', 64), 'python', 'accepted');
INSERT INTO standings (version_id, league_id, first_mu, first_sigma, mu, sigma, score, matches, wins, losses)
    VALUES (1, 1, 25, 8, 29, 7, 8, 1, 1, 0), (2, 1, 25, 8, 21, 7, 0, 1, 0, 1);
INSERT INTO matches (league_id, pair_id, seed, state, record, reason, turns, time_policy, clock, finished_at)
    VALUES (1, 1, -5, 'finished', '', 'dead', 12, 'strict', 'fair', '2020-02-03 04:05Z');
INSERT INTO seats (match_id, seat, version_id, score, result, verdict)
    VALUES (1, 0, 1, 1, 'win', 'ok'), (1, 1, 2, 0, 'loss', 'timeout');
INSERT INTO ledger (match_id, version_id, league_id, mu_before, sigma_before, mu_after, sigma_after)
    VALUES (1, 1, 1, 25, 8, 29, 7), (1, 2, 1, 25, 8, 21, 7);
"""
"""What people had in a database of `LONG_AGO`."""
LONG_AGO = 10
BEFORE_AUDIT = 44


BEFORE_PLACES = 53
MATCHES_OF_THREE = """
INSERT INTO players (name) VALUES ('kim');
INSERT INTO leagues (game, name, title, position, rules_level, battles, longest_s, players)
    VALUES ('tron', 'arena', 'Arena', 1, 1, 30, 60, '{2,3}');
INSERT INTO bots (game, name, player_id, league_id)
    VALUES ('tron', 'ant', 1, 1), ('tron', 'bee', 1, 1), ('tron', 'crow', 1, 1), ('tron', 'deer', 1, 1);
INSERT INTO sources (hash, content) VALUES (repeat('a', 64), 'print(1)');
INSERT INTO versions (bot_id, number, source_hash, language, state)
    SELECT id, 1, repeat('a', 64), 'python', 'accepted' FROM bots ORDER BY id;
INSERT INTO standings (version_id, league_id, first_mu, first_sigma, mu, sigma, score, matches, wins, draws, losses,
        further_opponents, entered_at)
    VALUES (1, 1, 25, 8, 25, 8, 1, 3, 3, 0, 2, 2, '2020-01-01'), (2, 1, 25, 8, 25, 8, 1, 2, 2, 1, 1, 2, '2020-01-01'),
           (3, 1, 25, 8, 25, 8, 1, 2, 1, 1, 2, 2, '2020-01-01'), (4, 1, 25, 8, 25, 8, 1, 1, 0, 0, 1, 0, '2020-01-01');
INSERT INTO matches (league_id, pair_id, seed, state, record, reason, turns, time_policy, clock, finished_at, players)
    VALUES (1, 1, 5, 'finished', '', 'dead', 12, 'strict', 'fair', '2020-02-03', 3),
           (1, 2, 5, 'finished', '', 'dead', 12, 'strict', 'fair', '2020-02-05', 3),
           (1, 3, 5, 'finished', '', 'dead', 12, 'strict', 'fair', '2020-02-06', 2);
INSERT INTO seats (match_id, seat, version_id, place, result, verdict)
    VALUES (1, 0, 1, 1, 'win', 'ok'), (1, 1, 2, 2, 'loss', 'ok'), (1, 2, 3, 2, 'loss', 'ok'),
           (2, 0, 1, 3, 'loss', 'ok'), (2, 1, 2, 1, 'win', 'ok'), (2, 2, 3, 2, 'loss', 'ok'),
           (3, 0, 1, 1, 'win', 'ok'), (3, 1, 4, 2, 'loss', 'ok');
INSERT INTO ledger (match_id, version_id, league_id, mu_before, sigma_before, mu_after, sigma_after)
    SELECT match_id, version_id, 1, 25, 8, 25, 8 FROM seats;
INSERT INTO board_freezes (game, frozen_from, frozen_by) VALUES ('tron', '2020-02-04', 'olga');
INSERT INTO frozen_standings SELECT * FROM standings;
"""
"""Two matches of three and one of two, the first of them from before the board was frozen."""


@contextmanager
def database_of(services: Running, past: Sequence[Migration], rows: str = "") -> Iterator[str]:
    """Make a database that has seen those migrations and holds those rows, for the block."""
    name = f"old_{os.urandom(6).hex()}"
    url = services.database_url.replace("/ladder?", f"/{name}?")
    with psycopg.connect(services.database_url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}".encode())
        with psycopg.connect(url) as connection:
            connection.execute("CREATE TABLE migrations (number int PRIMARY KEY, name text, fingerprint text)")
            for migration in past:
                connection.execute(migration.sql.encode())
            connection.execute(rows.encode())
            for old in past:
                connection.execute(
                    "INSERT INTO migrations VALUES (%s, %s, %s)", [old.number, old.name, old.fingerprint]
                )
        yield url
        server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture
def old_database(services: Running) -> Iterator[str]:
    """A database to which the program of one migration ago has brought its schema."""
    with database_of(services, migrations()[:-1]) as url:
        yield url


@pytest.fixture
def newer_database(database_url: str) -> str:
    """A database that a newer program has migrated."""
    make_newer(database_url)
    return database_url


def make_newer(database_url: str) -> None:
    """Let a newer program have migrated the database."""
    with psycopg.connect(database_url) as connection:
        connection.execute("INSERT INTO migrations (number, name, fingerprint) VALUES (%s, 'future', 'x')", [FUTURE])


def environment(services: Running, database_url: str) -> Mapping[str, str]:
    """Return the environment of a program with these services."""
    addresses = {"LADDER_DATABASE_URL": database_url, "LADDER_BROKER_URL": services.broker_url + SPARE_ROOM}
    return {**os.environ, **addresses}


def run(services: Running, database_url: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [LADDER, *words],
        env=environment(services, database_url),
        capture_output=True,
        text=True,
        timeout=patience_s(),
        check=False,
    )


@contextmanager
def started(services: Running, database_url: str, log: Path, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command for the block, its messages in a file."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            [LADDER, *words], env=environment(services, database_url), stderr=output, start_new_session=True
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.parametrize("command", ["status", "board", "submit", "web"])
def test_a_command_says_that_the_database_has_to_be_migrated_first(
    services: Running, old_database: str, tmp_path: Path, command: str
) -> None:
    source = tmp_path / "bot.py"
    source.write_text("print(7, 7)")
    done = run(services, old_database, command, *([str(source), "--game", "ocean-of-code"] * (command == "submit")))
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == (
        f"ladder: the database has schema {BEFORE}, this program needs {needed()}: run `ladder db migrate`\n"
    )


def test_a_database_of_long_ago_is_migrated_with_all_that_it_holds(services: Running) -> None:
    past = [migration for migration in migrations() if migration.number <= LONG_AGO]
    with database_of(services, past, OLD_LADDER) as url:
        assert run(services, url, "board").returncode == 4
        done = run(services, url, "db", "migrate")
        assert (done.returncode, done.stdout) == (0, "")
        applied = [int(line.split()[1]) for line in done.stderr.splitlines() if line.startswith("applied ")]
        assert applied == [migration.number for migration in migrations()[len(past) :]]
        assert run(services, url, "db", "migrate").stderr == "the database is up to date\n"
        board = json.loads(
            run(services, url, "board", "--game", "ocean-of-code", "--league", "wood-2", "--json").stdout
        )
        assert [(row["version"], row["wins"], row["losses"], row["mu"]) for row in board if row["matches"]] == [
            ("kraken@v1", 1, 0, 29),
            ("wahoo@v1", 0, 1, 21),
        ]
        found = json.loads(run(services, url, "match", "list", "--bot", "wahoo", "--json").stdout)
        assert [(match["id"], match["seed"], match["reason"]) for match in found] == [(1, -5, "timeout")]
        assert run(services, url, "bot", "source", "kraken").stdout == "print(1)"
        with psycopg.connect(url) as connection:
            assert connection.execute("SELECT sum(mu_after) FROM ledger").fetchone() == (50,)


def test_what_was_done_stands_in_the_audit_after_the_migration(services: Running) -> None:
    deed = "INSERT INTO deeds (done_by, deed, about) VALUES ('olga', 'match void', 'match 7')"
    past = [migration for migration in migrations() if migration.number <= BEFORE_AUDIT]
    with database_of(services, past, deed) as url:
        migrate(url)
        with connect(url) as connection:
            line = audit.latest(connection, 10)[0]
            assert (line.id, line.actor, line.via, line.action) == (1, "olga", "database", "match void")
            assert [found.about for found in audit.concerning_others(connection, 10)] == ["match 7"]


def test_places_of_matches_of_three_are_counted_by_the_migration_and_on_a_frozen_board_those_until_then(
    services: Running,
) -> None:
    past = [migration for migration in migrations() if migration.number <= BEFORE_PLACES]
    with database_of(services, past, MATCHES_OF_THREE) as url:
        migrate(url)
        with connect(url) as connection:
            assert connection.execute("SELECT places FROM standings ORDER BY version_id").fetchall() == [
                ([1, 0, 1],),
                ([1, 1],),
                ([0, 2],),
                ([],),
            ]
            assert connection.execute("SELECT places FROM frozen_standings ORDER BY version_id").fetchall()[:3] == [
                ([1],),
                ([0, 1],),
                ([0, 1],),
            ]


def test_migrating_a_newer_database_says_so_and_changes_nothing(services: Running, newer_database: str) -> None:
    with psycopg.connect(newer_database) as connection:
        connection.execute("DELETE FROM migrations WHERE number = %s", [needed()])
    done = run(services, newer_database, "db", "migrate")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        f"ladder: the database has schema {FUTURE}, this program knows {needed()} at most: "
        "update Ladder on this machine\n"
    )
    with psycopg.connect(newer_database) as connection:
        known = connection.execute("SELECT number FROM migrations ORDER BY number").fetchall()
    assert known == [*((migration.number,) for migration in migrations()[:-1]), (FUTURE,)]


@pytest.mark.parametrize("command", ["status", "board", "worker", "scheduler", "web"])
def test_an_old_program_refuses_a_newer_database(services: Running, newer_database: str, command: str) -> None:
    done = run(services, newer_database, command)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == (
        f"ladder: the database has schema {FUTURE}, this program knows {needed()} at most: "
        "update Ladder on this machine\n"
    )


def test_a_worker_waits_until_the_database_is_migrated(services: Running, old_database: str, tmp_path: Path) -> None:
    """It says so once, counts as no worker meanwhile, and begins by itself."""
    log = tmp_path / "worker.log"
    with started(services, old_database, log, "worker", "--concurrency", "1") as worker:
        wait_until(lambda: "waiting" in log.read_text(), "it says that it waits")
        time.sleep(2 * LOOK_EVERY_S)
        assert log.read_text() == (
            f"ladder: waiting, as the database has schema {BEFORE}, this program needs {needed()}: "
            "run `ladder db migrate`\n"
        )
        assert worker.poll() is None
        with psycopg.connect(old_database) as connection:
            assert connection.execute("SELECT count(*) FROM workers").fetchone() == (0,)
        bring_up_to_date(old_database)
        wait_until(lambda: "the worker is ready" in log.read_text(), "it is ready")


def test_a_scheduler_waits_until_the_database_is_migrated(services: Running, old_database: str, tmp_path: Path) -> None:
    url = f"{services.broker_url}{SPARE_ROOM}"
    with broker(url) as client:
        client.flushdb()
    log = tmp_path / "scheduler.log"
    with started(services, old_database, log, "scheduler"):
        wait_until(lambda: "waiting" in log.read_text(), "it says that it waits")
        time.sleep(2 * LOOK_EVERY_S)
        assert queue_lengths(url)["control"] == 0
        migrate(old_database)
        wait_until(lambda: queue_lengths(url)["control"] > 0, "the scheduler sends")
    with broker(url) as client:
        client.flushdb()


def test_a_running_worker_ends_when_it_finds_that_a_newer_program_has_migrated(
    services: Running, database_url: str, tmp_path: Path
) -> None:
    """It looks whenever it connects: here its sessions are ended, as by a restart of the database."""
    log = tmp_path / "worker.log"
    with (
        started(services, database_url, log, "worker", "--concurrency", "1") as worker,
        psycopg.connect(database_url, autocommit=True) as connection,
    ):
        wait_until(lambda: "the worker is ready" in log.read_text(), "it is ready")
        make_newer(database_url)
        connection.execute(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """
        )
        queue_for(f"{services.broker_url}{SPARE_ROOM}").enqueue_sweep()
        wait_until(lambda: worker.poll() is not None, "it ends")
    assert f"this program knows {needed()} at most" in log.read_text()


def test_with_embedded_services_the_sentence_names_what_migrates_those(
    old_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LADDER_DATABASE_URL", raising=False)
    with pytest.raises(SchemaBehind, match="`ladder down` and then `ladder up`"), connect(old_database):
        pass
