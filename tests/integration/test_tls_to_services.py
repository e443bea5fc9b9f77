"""Connections to services: by TLS only with a good certificate, and both ends look after each other."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from engine.toolchains.build import Installed
from ladder.database.connection import Connection, connect, one, open_pool, transaction
from ladder.database.session import GONE_AFTER_S, KEEPALIVE_COUNT, KEEPALIVE_IDLE_S, KEEPALIVE_INTERVAL_S
from ladder.database.worker_sessions import Sessions
from ladder.errors import QueueDown
from ladder.fleet import workers
from ladder.fleet.workers import SIGN_OF_LIFE_EVERY_S, mark_out_of_reach
from tests.acceptance.conftest import LADDER, run_at_home
from tests.certificates import Certified, certified
from tests.networks import Services, services_at
from tests.patience import patience_s, wait_until
from tests.processes import finished
from tests.tls_door import door
from workers.app import make_app, queue_for
from workers.broker import queue_lengths
from workers.embedded.state_file import Running
from workers.presence import LockHolder, Presence

HERE = "127.0.0.1"
SPARE_ROOM = 8


@dataclass(frozen=True, slots=True)
class Doors:
    """The ports of both services' doors, the certificates of these, and the database's name."""

    database: int
    broker: int
    files: Certified
    name: str

    def addresses(self, tls: str = "verify-full", authority: Path | None = None, more: str = "") -> Mapping[str, str]:
        """`more`: the client's certificate, by the names of both. In the form that operators write."""
        path = authority or self.files.authority
        own = f"&sslcert={self.files.certificate}&sslkey={self.files.key}" if more else ""
        owns = f"&ssl_certfile={self.files.certificate}&ssl_keyfile={self.files.key}" if more else ""
        return {
            "LADDER_DATABASE_URL": (
                f"postgresql://ladder@{HERE}:{self.database}/{self.name}?sslmode={tls}&sslrootcert={path}{own}"
            ),
            "LADDER_BROKER_URL": f"rediss://{HERE}:{self.broker}/{SPARE_ROOM}?ssl_ca_certs={path}{owns}",
            "LADDER_REQUIRE_TLS": "1",
        }


def doors(
    folder: Path,
    services: Running,
    url: str,
    stack: ExitStack,
    *,
    has_expired: bool = False,
    wants_client: bool = False,
) -> Doors:
    folder.mkdir()
    files = certified(folder, HERE, has_expired=has_expired)
    named = conninfo_to_dict(url)
    database = f"{named['host']}/.s.PGSQL.{named['port']}"
    redis = services.broker_url.removeprefix("redis+socket://")
    at_database = stack.enter_context(door(database, files, asks_first=True, wants_client=wants_client))
    at_broker = stack.enter_context(door(redis, files, asks_first=False, wants_client=wants_client))
    return Doors(at_database, at_broker, files, str(named["dbname"]))


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def right(tmp_path: Path, services: Running, database_url: str, stack: ExitStack) -> Doors:
    return doors(tmp_path / "right", services, database_url, stack)


def test_commands_and_workers_reach_their_services_by_tls(right: Doors, tmp_path: Path) -> None:
    status = run_at_home(right.addresses(), "status")
    assert (status.returncode, status.stderr) == (0, "")
    assert "messages in the queue: " in status.stdout
    log = tmp_path / "worker.log"
    with log.open("wb") as output:
        worker = subprocess.Popen(
            [LADDER, "worker", "run", "--concurrency", "1"], env={**os.environ, **right.addresses()}, stderr=output
        )
    try:
        wait_until(lambda: "the worker is ready" in log.read_text(), "it is ready")
        assert worker.poll() is None
    finally:
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(patience_s()) == 0


def test_a_certificate_that_an_unknown_authority_signed_is_refused(right: Doors, tmp_path: Path) -> None:
    folder = tmp_path / "stranger"
    folder.mkdir()
    stranger = certified(folder, HERE).authority
    for service, name in (("database", "LADDER_DATABASE_URL"), ("broker", "LADDER_BROKER_URL")):
        strange = {name: right.addresses(authority=stranger)[name]}
        refused = run_at_home({**right.addresses(), **strange}, "status")
        assert refused.returncode == 4
        assert f"the {service} does not answer" in refused.stderr
        assert "certificate verify failed" in refused.stderr


def test_an_old_certificate_is_refused(tmp_path: Path, services: Running, database_url: str, stack: ExitStack) -> None:
    expired = doors(tmp_path / "expired", services, database_url, stack, has_expired=True)
    refused = run_at_home(expired.addresses(), "status")
    assert refused.returncode == 4
    assert "certificate has expired" in refused.stderr or "certificate verify failed" in refused.stderr


def test_a_service_that_wants_a_certificate_of_its_clients_gets_it(
    tmp_path: Path, services: Running, database_url: str, stack: ExitStack
) -> None:
    strict = doors(tmp_path / "strict", services, database_url, stack, wants_client=True)
    strict.files.key.chmod(0o600)
    assert run_at_home(strict.addresses(more="client"), "status").returncode == 0
    assert run_at_home(strict.addresses(), "status").returncode == 4


def test_what_could_go_to_a_stranger_is_refused_where_tls_is_required(right: Doors) -> None:
    for mode in ("disable", "prefer", "require"):
        refused = run_at_home(right.addresses(mode), "status")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr == (
            "ladder: LADDER_REQUIRE_TLS is 1, and by LADDER_DATABASE_URL clear text or a stranger's certificate would "
            "do: it must be like postgresql://USER@HOST/DATABASE?sslmode=verify-full&sslrootcert=FILE\n"
        )


def test_a_broker_that_could_be_a_strangers_is_refused_where_tls_is_required(right: Doors) -> None:
    for address in ("redis://:secret@127.0.0.1:6379/0", "rediss://:secret@127.0.0.1/0?ssl_cert_reqs=none"):
        for words in ("status", "worker run"):
            refused = run_at_home({**right.addresses(), "LADDER_BROKER_URL": address}, *words.split())
            assert refused.returncode == 2
            assert "LADDER_REQUIRE_TLS is 1, and by LADDER_BROKER_URL" in refused.stderr
            assert "secret" not in refused.stderr
            assert "Traceback" not in refused.stderr


def test_an_odd_word_for_it_is_named(right: Doors) -> None:
    refused = run_at_home({**right.addresses(), "LADDER_REQUIRE_TLS": "perhaps"}, "status")
    assert refused.returncode == 2
    assert refused.stderr == "ladder: LADDER_REQUIRE_TLS is 'perhaps'; it must be 1 or 0\n"


def test_what_names_no_server_needs_no_tls() -> None:
    """As `ladder up`, whose services are reached by sockets of this machine."""
    command = [sys.executable, "-c", "import workers.app"]
    environment = {name: word for name, word in os.environ.items() if name != "LADDER_BROKER_URL"}
    done = finished(command, cwd=Path(__file__).parents[2], env={**environment, "LADDER_REQUIRE_TLS": "1"})
    assert (done.returncode, done.stderr) == (0, "")


def test_a_broker_with_tls_in_its_address_is_never_sent_a_word_in_clear_text() -> None:
    heard = [first_byte_by(ask) for ask in (queue_lengths, lambda url: queue_for(url).enqueue_sweep())]
    assert heard == [HANDSHAKE, HANDSHAKE]


HANDSHAKE = b"\x16"
"""The first byte of TLS (RFC 8446, 5.1)."""


def first_byte_by(ask: Callable[[str], object]) -> bytes:
    heard: list[bytes] = []

    def listen() -> None:
        client, _ = listener.accept()
        with client:
            heard.append(client.recv(1))

    with socket.create_server((HERE, 0)) as listener:
        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        with pytest.raises(QueueDown):
            ask(f"rediss://:secret@{HERE}:{listener.getsockname()[1]}/0")
        thread.join(patience_s())
    return heard[0]


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
