"""The scheduler: it goes on when its machine's clock is set back, and messages that no worker takes do not pile up."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from tests.chaos.machine import Clock
from tests.patience import wait_until
from workers.commands import scheduler_command
from workers.embedded.folders import SystemAccount
from workers.embedded.programs import redis_server


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
def test_it_goes_on_when_the_clock_is_set_back_by_a_day(broker: Redis, clock: Clock) -> None:
    take(broker)
    for offset_s in (-86_400, 3_600, -172_800):
        clock.set(offset_s)
        assert take(broker) > 0
        assert take(broker) > 0


@pytest.mark.usefixtures("scheduler")
def test_while_no_worker_takes_its_messages_it_sends_no_more(broker: Redis) -> None:
    wait_until(lambda: broker.llen("control"), "two messages", fits=lambda count: count == 2)
    time.sleep(3)
    assert broker.llen("control") == 2, "one message to schedule and one to sweep"


def test_it_sends_again_when_the_broker_is_back(broker: Redis, scheduler: subprocess.Popen[bytes]) -> None:
    take(broker)
    broker.config_set("timeout", 1)
    broker.client_kill_filter(_type="normal", skipme=True)
    assert take(broker) > 0
    assert scheduler.poll() is None
