"""Both ends of each connection by TCP look after each other: what the kernels were told, on real sockets."""

import os
import socket
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from engine.toolchains.build import Installed
from ladder.database.connection import Connection, connect, one, open_pool, transaction
from ladder.database.session import GONE_AFTER_S, KEEPALIVE_COUNT, KEEPALIVE_IDLE_S, KEEPALIVE_INTERVAL_S
from ladder.database.worker_sessions import Sessions
from ladder.errors import QueueDown
from ladder.fleet import workers
from ladder.fleet.workers import SIGN_OF_LIFE_EVERY_S, mark_out_of_reach
from tests.networks import Services, services_at
from tests.patience import wait_until
from workers.app import make_app, queue_for
from workers.presence import LockHolder, Presence

LIMIT_S = 30
"""A machine that is gone is known to be gone by then."""
PROBES = (
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, KEEPALIVE_IDLE_S),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, KEEPALIVE_INTERVAL_S),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, KEEPALIVE_COUNT),
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 1000 * GONE_AFTER_S),
)


@pytest.fixture(scope="module")
def by_tcp(open_folder: Path) -> Iterator[Services]:
    folder = open_folder / f"tcp-{os.urandom(3).hex()}"
    folder.mkdir(mode=0o755)
    with services_at(folder, "127.0.0.1") as services:
        yield services


def settings_of(descriptor: int) -> list[int]:
    with socket.socket(fileno=os.dup(descriptor)) as own:
        return [own.getsockopt(level, option) for level, option, _ in PROBES]


def check(connection: Connection) -> None:
    assert settings_of(connection.fileno()) == [wanted for _, _, wanted in PROBES]
    names = ["tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count", "tcp_user_timeout"]
    told = [connection.execute("SELECT current_setting(%s)::int", [name]).fetchone() for name in names]
    assert told == [(wanted,) for _, _, wanted in PROBES[1:]]


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Signs of life come ten times as often."""
    monkeypatch.setattr("workers.presence.SIGN_OF_LIFE_EVERY_S", SIGN_OF_LIFE_EVERY_S / 10)


def test_a_machine_that_is_gone_is_known_to_be_gone_within_half_a_minute() -> None:
    assert KEEPALIVE_IDLE_S + KEEPALIVE_INTERVAL_S * KEEPALIVE_COUNT == GONE_AFTER_S < LIMIT_S


def test_commands_borrowed_connections_and_a_workers_presence_all_look_after_each_other(by_tcp: Services) -> None:
    with connect(by_tcp.database_url, snapshot=True) as connection:
        check(connection)
    pool = open_pool(by_tcp.database_url)
    sessions = Sessions(by_tcp.database_url, idle_limit_s=30)
    for lender in (pool, sessions):
        with transaction(lender) as connection:
            check(connection)
        lender.close()
    holder = LockHolder(by_tcp.database_url)
    presence = Presence(holder, lambda: Installed(builds=(), plays=()))
    presence.worker_id()
    assert holder._connection is not None
    check(holder._connection)
    presence.close()
    holder.close()


def test_a_setting_that_the_address_names_goes_before_ours(by_tcp: Services) -> None:
    with connect(f"{by_tcp.database_url}?keepalives_idle=77") as connection:
        assert settings_of(connection.fileno())[1] == 77


def test_celerys_connections_to_redis_are_looked_after_too(by_tcp: Services) -> None:
    app = make_app(by_tcp.broker_url)
    with app.connection_for_write() as connection:
        client = connection.default_channel.client
        wire = client.connection_pool.get_connection()
        wire.connect()
        assert settings_of(wire._sock.fileno()) == [wanted for _, _, wanted in PROBES]
        client.connection_pool.disconnect()


def test_a_bell_gives_up_on_a_broker_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which takes connections and says nothing, as where the network is lost."""
    monkeypatch.setattr("workers.app.ANSWER_LIMIT_S", 1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        queue = queue_for(f"redis://127.0.0.1:{silent.getsockname()[1]}/0")
        with pytest.raises(QueueDown):
            queue.enqueue_sweep()


def test_a_worker_gives_a_sign_of_life_while_it_plays(by_tcp: Services, often: None) -> None:
    """Else its machine would count as out of reach. One that is back in reach counts no more as out of it."""
    holder = LockHolder(by_tcp.database_url)
    presence = Presence(holder, lambda: Installed(builds=(), plays=()))
    worker_id = presence.worker_id()
    with connect(by_tcp.inside_url, autocommit=True) as connection:
        connection.execute("UPDATE workers SET out_of_reach = true WHERE id = %s", [worker_id])
        before = asked_at(connection)
        wait_until(lambda: asked_at(connection) > before, "PostgreSQL is asked", quiet_s=3 * SIGN_OF_LIFE_EVERY_S)
        mark_out_of_reach(connection)
        assert one(connection, "SELECT out_of_reach FROM workers WHERE id = %(id)s", {"id": worker_id}) == (False,)
    presence.close()
    holder.close()


def test_a_worker_marks_another_machine_that_is_out_of_reach_where_no_sweep_has_its_turn(
    by_tcp: Services, monkeypatch: pytest.MonkeyPatch, often: None
) -> None:
    """As where all processes that are left play long matches: else the lost one's match would be blamed on somebody."""
    monkeypatch.setattr(workers, "OUT_OF_REACH_AFTER_S", 1)
    holder = LockHolder(by_tcp.database_url)
    presence = Presence(holder, lambda: Installed(builds=(), plays=()))
    presence.worker_id()
    query = "SELECT out_of_reach FROM workers WHERE id = %(id)s"
    with connect(by_tcp.inside_url, autocommit=True) as silent, connect(by_tcp.inside_url, autocommit=True) as looking:
        silent_id = workers.enlist(silent, "elsewhere", 1, None, None)
        assert one(looking, query, {"id": silent_id}) == (False,)
        wait_until(lambda: one(looking, query, {"id": silent_id})[0], "it is marked", quiet_s=3 * SIGN_OF_LIFE_EVERY_S)

        def is_back() -> bool:
            silent.execute("")
            return not one(looking, query, {"id": silent_id})[0]

        wait_until(is_back, "its mark is taken away", quiet_s=3 * SIGN_OF_LIFE_EVERY_S)
    presence.close()
    holder.close()


def asked_at(connection: Connection) -> datetime:
    query = "SELECT max(state_change) FROM pg_stat_activity WHERE application_name = 'ladder worker'"
    found: datetime = one(connection, query, {})[0]
    return found
