"""PostgreSQL and Redis by TLS: whose certificate is good is let be, every other one is refused in one sentence."""

import os
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from psycopg.conninfo import conninfo_to_dict

from ladder.errors import QueueDown
from tests.acceptance.conftest import LADDER, Desk, Shell
from tests.certificates import Certified, certified
from tests.patience import patience_s, wait_until
from tests.tls_door import door
from workers.app import queue_for
from workers.broker import queue_lengths
from workers.embedded.state_file import Running

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


def run(environment: Mapping[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command in this process; a worker, which would go on for ever, in one of its own."""
    kind = Shell if words[0] == "worker" else Desk
    with TemporaryDirectory() as home:
        return kind(Path(home), dict(environment)).run(*words)


def test_commands_and_workers_reach_their_services_by_tls(right: Doors, tmp_path: Path) -> None:
    status = run(right.addresses(), "status")
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
        refused = run({**right.addresses(), **strange}, "status")
        assert refused.returncode == 4
        assert f"the {service} does not answer" in refused.stderr
        assert "certificate verify failed" in refused.stderr


def test_a_certificate_that_has_expired_is_refused(
    tmp_path: Path, services: Running, database_url: str, stack: ExitStack
) -> None:
    expired = doors(tmp_path / "expired", services, database_url, stack, has_expired=True)
    refused = run(expired.addresses(), "status")
    assert refused.returncode == 4
    assert "certificate has expired" in refused.stderr or "certificate verify failed" in refused.stderr


def test_a_service_that_wants_a_certificate_of_its_clients_gets_it(
    tmp_path: Path, services: Running, database_url: str, stack: ExitStack
) -> None:
    strict = doors(tmp_path / "strict", services, database_url, stack, wants_client=True)
    strict.files.key.chmod(0o600)
    assert run(strict.addresses(more="client"), "status").returncode == 0
    assert run(strict.addresses(), "status").returncode == 4


def test_what_could_go_to_a_stranger_is_refused_where_tls_is_required_and_an_odd_word_for_that_is_named(
    right: Doors,
) -> None:
    for mode in ("disable", "prefer", "require"):
        refused = run(right.addresses(mode), "status")
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr == (
            "ladder: LADDER_REQUIRE_TLS is 1, and by LADDER_DATABASE_URL clear text or a stranger's certificate would "
            "do: it must be like postgresql://USER@HOST/DATABASE?sslmode=verify-full&sslrootcert=FILE\n"
        )
    for address in ("redis://:secret@127.0.0.1:6379/0", "rediss://:secret@127.0.0.1/0?ssl_cert_reqs=none"):
        for words in ("status", "worker run"):
            refused = run({**right.addresses(), "LADDER_BROKER_URL": address}, *words.split())
            assert refused.returncode == 2
            assert "LADDER_REQUIRE_TLS is 1, and by LADDER_BROKER_URL" in refused.stderr
            assert "secret" not in refused.stderr
            assert "Traceback" not in refused.stderr
    refused = run({**right.addresses(), "LADDER_REQUIRE_TLS": "perhaps"}, "status")
    assert refused.returncode == 2
    assert refused.stderr == "ladder: LADDER_REQUIRE_TLS is 'perhaps'; it must be 1 or 0\n"


def test_a_broker_with_tls_in_its_address_is_never_sent_a_word_in_clear_text() -> None:
    heard = [first_byte_by(ask) for ask in (lengths_at, enqueued_at)]
    assert heard == [HANDSHAKE, HANDSHAKE]


HANDSHAKE = b"\x16"
"""The first byte of TLS (RFC 8446, 5.1)."""


def lengths_at(url: str) -> None:
    queue_lengths(url)


def enqueued_at(url: str) -> None:
    queue_for(url).enqueue_sweep()


def first_byte_by(ask: Callable[[str], None]) -> bytes:
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
