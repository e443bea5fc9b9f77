"""PostgreSQL behind a pooler that gives each transaction another session: what is refused, and what works."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest

from engine.errors import Refused, UsageFault
from ladder.database.connection import Pool, connect, one, require_own_sessions, transaction
from ladder.database.migrate import migrate
from ladder.database.worker_sessions import Sessions
from ladder.errors import DatabaseDown
from ladder.settings import POOLED_URL, SESSION_URL, settings_from
from tests.acceptance.conftest import LADDER
from tests.ladder.arena import DRIFTER, a_pair, dead_worker, on_the_board, within
from tests.networks import free_port
from tests.patience import wait_until
from tests.pooler import pooled
from tests.processes import finished
from workers.app import queue_for
from workers.embedded.state_file import Running

LIVE = "SELECT count(*) FROM live_workers"


@pytest.fixture
def folder(open_folder: Path) -> Path:
    folder = open_folder / f"pooler-{os.urandom(3).hex()}"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("mode", ["transaction", "statement"])
@pytest.mark.parametrize(("pool_size", "round_robin"), [(1, False), (2, True), (3, True), (20, False)])
def test_a_pooler_that_hands_sessions_around_is_found_out_however_many_it_has(
    folder: Path, database_url: str, mode: str, pool_size: int, round_robin: bool
) -> None:
    with (
        pooled(folder, database_url, mode, pool_size=pool_size, round_robin=round_robin) as url,
        pytest.raises(Refused, match=f"pool by session, or name a direct way.*{SESSION_URL}"),
    ):
        require_own_sessions(url)


def test_a_pooler_that_gives_each_client_a_session_is_as_good_as_none(folder: Path, database_url: str) -> None:
    require_own_sessions(database_url)
    with pooled(folder, database_url, "session") as url:
        require_own_sessions(url)
        with connect(url) as connection:
            assert connection.execute("SHOW tcp_user_timeout").fetchone() is not None


def test_a_worker_and_a_scheduler_refuse_it_in_one_sentence(folder: Path, services: Running, database_url: str) -> None:
    with pooled(folder, database_url, "transaction") as url:
        addresses = {"LADDER_BROKER_URL": f"{services.broker_url}?virtual_host=7", POOLED_URL: url}
        for command in ("worker", "scheduler"):
            done = finished([LADDER, command], env=os.environ | addresses)
            assert done.returncode == 3
            assert done.stderr == (
                f"ladder: {POOLED_URL} leads to a pooler that gives each transaction another session: let it pool by "
                f"session, or name a direct way to the same database in {SESSION_URL}\n"
            )


@pytest.fixture
def through_pooler(folder: Path, database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with pooled(folder, database_url, "transaction", pool_size=2, round_robin=True) as url:
        monkeypatch.setenv(POOLED_URL, url)
        monkeypatch.setenv(SESSION_URL, database_url)
        yield url


def test_with_a_direct_way_beside_it_matches_are_played_and_a_killed_worker_is_dead_at_once(
    services: Running, through_pooler: str, database_url: str, pool: Pool, tmp_path: Path
) -> None:
    pair = a_pair(pool, on_the_board(pool, "kraken", DRIFTER), on_the_board(pool, "orca", f"{DRIFTER}\n"))
    broker_url = f"{services.broker_url}?virtual_host=7"
    log = tmp_path / "worker.log"
    environment = {POOLED_URL: through_pooler, SESSION_URL: database_url, "LADDER_BROKER_URL": broker_url}
    with log.open("wb") as output:
        worker = subprocess.Popen(
            [LADDER, "worker", "--concurrency", "1"],
            env=os.environ | environment,
            stderr=output,
            start_new_session=True,
        )
    try:
        for match_id in pair * 4:
            queue_for(broker_url).enqueue_match(match_id)
        wait_until(lambda: count(pool, "SELECT count(*) FROM matches WHERE state = 'finished'") == 2, "both played")
        assert count(pool, LIVE) == 1
    finally:
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()
    wait_until(lambda: count(pool, LIVE) == 0, "the worker is dead", quiet_s=5)
    assert "Traceback" not in log.read_text()


def test_a_process_that_stands_still_behind_a_pooler_lets_go_of_its_locks(through_pooler: str, pool: Pool) -> None:
    worker_id = dead_worker(pool)
    still = Sessions(through_pooler, idle_limit_s=1)
    with pytest.raises(DatabaseDown), transaction(still) as standing:
        standing.execute("UPDATE workers SET pid = 2 WHERE id = %s", [worker_id])
        with transaction(pool) as connection:
            connection.execute("UPDATE workers SET pid = 3 WHERE id = %s", [worker_id])
        standing.execute("SELECT")
    still.close()


def test_nothing_of_a_session_stays_behind_for_the_poolers_other_clients(through_pooler: str) -> None:
    pool = Sessions(through_pooler, idle_limit_s=7)
    for number in range(20):
        with transaction(pool) as connection:
            assert connection.execute("SELECT %s::int", [number]).fetchone() == (number,)
            assert connection.execute("SHOW idle_in_transaction_session_timeout").fetchone() == ("7s",)
    pool.close()
    with psycopg.connect(through_pooler, autocommit=True, prepare_threshold=None) as stranger:
        for _ in range(4):
            assert stranger.execute("SHOW idle_in_transaction_session_timeout").fetchone() == ("0",)
            assert stranger.execute("SELECT count(*) FROM pg_prepared_statements").fetchone() == (0,)


def test_migrating_goes_by_the_direct_way(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = f"postgresql://ladder@127.0.0.1:{free_port()}/ladder"
    monkeypatch.setenv(POOLED_URL, nowhere)
    monkeypatch.setenv(SESSION_URL, database_url)
    assert migrate(nowhere) == []


def test_a_command_that_meets_such_a_pooler_without_a_direct_way_says_so(folder: Path, database_url: str) -> None:
    """A statement that is repeated is prepared, and the session in which that is known belongs to others by then."""
    with pooled(folder, database_url, "transaction", pool_size=1) as url, pytest.raises(Refused, match=SESSION_URL):
        for _ in range(2):
            with connect(url) as connection:
                for number in range(10):
                    connection.execute("SELECT %s::int", [number])


def test_a_direct_way_without_what_it_stands_beside_is_no_setting() -> None:
    with pytest.raises(UsageFault, match=f"{SESSION_URL} is set and {POOLED_URL} is not"):
        settings_from({SESSION_URL: "postgresql://ladder@db/ladder"})


def count(pool: Pool, query: LiteralString) -> int:
    return int(within(pool, one, query, {})[0])
