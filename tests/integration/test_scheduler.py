"""The scheduler: it goes on when its machine's clock is set back, and messages that no worker takes do not pile up.

Without one, workers still free what a dead one held, and `ladder status` says who is missing.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from ladder.database.connection import Pool
from ladder.fleet import workers
from ladder.fleet.workers import Overdue
from ladder.views.fleet import missing_text
from tests.acceptance.conftest import Desk
from tests.chaos.machine import Clock
from tests.ladder.arena import a_pair, claimed, on_the_board, state_of, within
from tests.ladder.rated import change
from tests.patience import wait_until
from tests.processes import a_worker
from workers.commands import scheduler_command
from workers.embedded.folders import SystemAccount, redis_server

LONG_AGO = """
    INSERT INTO rounds
    SELECT name, now() - interval '125 seconds' FROM unnest(ARRAY['scheduler', 'schedule', 'sweep']) AS name
"""


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scheduler")


@pytest.fixture
def broker(folder: Path) -> Iterator[Redis]:
    socket = folder / "redis.sock"
    command = [str(redis_server(SystemAccount.current())), "--port", "0", "--unixsocket", str(socket), "--save", ""]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    client = Redis(unix_socket_path=str(socket))
    wait_until(socket.exists, "the socket of Redis")
    yield client
    client.close()
    server.kill()
    server.wait()


@pytest.fixture
def clock(folder: Path) -> Clock:
    clock = Clock(folder, "scheduler")
    assert clock.is_ours, "a C compiler makes it"
    return clock


@pytest.fixture
def scheduler(folder: Path, broker: Redis, clock: Clock) -> Iterator[subprocess.Popen[bytes]]:
    url = f"redis+socket://{folder / 'redis.sock'}"
    environment = {**os.environ, **clock.environment, "LADDER_BROKER_URL": url, "PYTHONPATH": os.pathsep.join(sys.path)}
    started = subprocess.Popen(scheduler_command(), env=environment)
    yield started
    started.kill()
    started.wait()


def take(broker: Redis) -> int:
    """Wait for messages and take them all, as a worker would; return how many there were."""
    wait_until(lambda: broker.exists("control"), "a message")
    time.sleep(0.2)
    count = int(broker.llen("control"))
    broker.delete("control")
    return count


@pytest.mark.usefixtures("scheduler")
def test_it_goes_on_when_the_clock_is_set_forward_and_back_by_a_day(broker: Redis, clock: Clock) -> None:
    take(broker)
    for offset_s in (3_600, -86_400):
        clock.set(offset_s)
        assert take(broker) > 0
        assert take(broker) > 0


@pytest.mark.usefixtures("scheduler")
def test_while_no_worker_takes_its_messages_it_sends_no_more(broker: Redis) -> None:
    wait_until(lambda: broker.llen("control"), "three messages", fits=lambda count: count == 3)
    time.sleep(3)
    assert broker.llen("control") == 3, "one message each to schedule, to sweep and to prune"


def test_it_sends_again_when_the_broker_is_back(broker: Redis, scheduler: subprocess.Popen[bytes]) -> None:
    take(broker)
    broker.config_set("timeout", 1)
    broker.client_kill_filter(_type="normal", skipme=True)
    assert take(broker) > 0
    assert scheduler.poll() is None


def test_without_a_scheduler_workers_free_what_a_dead_one_held_and_status_says_who_is_missing(
    database_url: str, broker_url: str, pool: Pool, desk: Desk, tmp_path: Path
) -> None:
    match_id, _ = a_pair(pool, on_the_board(pool, "kraken", "a"), on_the_board(pool, "orca", "b"))
    claimed(pool, match_id)
    change(pool, LONG_AGO)
    log = tmp_path / "worker.log"
    with a_worker(log, database_url, broker_url, LADDER_LOG_LEVEL="debug"):
        wait_until(lambda: state_of(pool, match_id) != "running", log.read_text, 0.1)
        shown = desk.ok("status")
    said = log.read_text()
    assert re.search(r" info round kind=sweep freed=1 .* host=\S+ pid=\d+$", said, re.MULTILINE)
    assert re.search(
        r"^no scheduler has been at work for 1[2-9]\d seconds: `ladder scheduler` starts one", shown, re.MULTILINE
    )


def test_a_scheduler_that_lives_is_not_missing(database_url: str, pool: Pool, broker: Redis, folder: Path) -> None:
    def missing() -> list[str]:
        return [one.round for one in within(pool, workers.overdue)]

    change(pool, LONG_AGO)
    assert sorted(missing()) == ["schedule", "scheduler", "sweep"]
    addresses = {"LADDER_DATABASE_URL": database_url, "LADDER_BROKER_URL": f"redis+socket://{folder / 'redis.sock'}"}
    with subprocess.Popen(scheduler_command(), env=os.environ | addresses) as scheduler:
        try:
            assert take(broker) > 0
            wait_until(lambda: "scheduler" not in missing(), "its sign of life")
        finally:
            scheduler.terminate()
    assert sorted(missing()) == ["schedule", "sweep"]
    assert "though a scheduler is at work: no worker takes its messages" in str(missing_text([Overdue("schedule", 70)]))
