"""Back to a moment: a real PostgreSQL archives its log, and the commands of docs/operations.md restore what it had.

`make operations` runs this; it takes a minute or two.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from tests.acceptance.conftest import Shell
from tests.networks import make_database, serving, settled
from tests.operations.test_standby import MORE, Service, running, submit
from tests.patience import patience_s, wait_until
from tests.sources import CHECKOUT
from workers.embedded import folders, postgres, redis
from workers.embedded.folders import DataPlace, private_folder

pytestmark = pytest.mark.weekly
PAGE = (CHECKOUT / "docs" / "operations.md").read_text("utf-8")
COMMANDS = [
    line.strip()
    for line in PAGE.partition("## Point in time\n")[2].partition("\n## ")[0].splitlines()
    if line.startswith("    ")
]
BEFORE, AFTER = COMMANDS[:3], COMMANDS[3:]
MOMENT = "2026-11-27 16:08:44+00"


@dataclass(frozen=True, slots=True)
class Server(Service):
    """A PostgreSQL that its operator runs by hand, in folders of its account."""

    place: DataPlace

    def type(self, command: str, names: Mapping[str, str] = {}) -> None:
        """Type a command of the page as that account, with other names in it."""
        folder, account = self.place.folder, self.place.account()
        for name, other in {"/mnt/": f"{folder}/mnt/", **names}.items():
            command = command.replace(name, other)
        before = ["setpriv", f"--reuid={account.uid}", f"--regid={account.gid}", "--clear-groups"]
        environment = {
            "PATH": f"{folders.postgres_programs(account)}:{os.environ['PATH']}",
            "PGDATA": str(self.place.postgres),
            "PGHOST": str(self.place.sockets),
            "PGPORT": str(postgres.PORT),
            "PGUSER": postgres.ROLE,
            "PGDATABASE": "postgres" if not names else postgres.DATABASE,
        }
        subprocess.run(
            [*([] if account.is_ours else before), "bash", "-c", command],
            env=environment,
            cwd="/",
            stdout=subprocess.DEVNULL,
            stderr=sys.stderr,
            check=True,
            timeout=patience_s(120),
        )

    def finished(self) -> int:
        with psycopg.connect(postgres.database_url(self.place)) as connection:
            row = connection.execute("SELECT count(*)::int FROM matches WHERE state = 'finished'").fetchone()
        return int(row[0]) if row else 0

    def is_itself_again(self) -> bool:
        with psycopg.connect(postgres.database_url(self.place)) as connection:
            return connection.execute("SELECT pg_is_in_recovery()").fetchone() == (False,)


@pytest.fixture
def server(open_folder: Path) -> Iterator[Server]:
    folder = open_folder / f"moment-{os.urandom(3).hex()}"
    folder.mkdir(mode=0o755)
    place, broker = settled(folder / "database"), settled(folder / "broker")
    account = place.account()
    postgres.prepare(place, folders.postgres_programs(account), account)
    for folder_of_account in (place.folder / "mnt", place.folder / "mnt" / "wal"):
        private_folder(folder_of_account, account)
    with (place.postgres / "postgresql.conf").open("a") as settings:
        settings.write(f"listen_addresses = ''\nunix_socket_directories = '{place.sockets}'\n")
    addresses = {
        "LADDER_DATABASE_URL": postgres.database_url(place),
        "LADDER_BROKER_URL": redis.broker_url(broker),
        "C_FORCE_ROOT": "1",
    }
    made = Server(Shell(folder / "home", addresses), place)
    made.type("pg_ctl start --log=/mnt/log")
    with ExitStack() as stack:
        stack.callback(end, made)
        stack.enter_context(serving(redis.child(broker, folders.redis_server(account), account), account, None))
        make_database(postgres.database_url(place), "none")
        with psycopg.connect(postgres.database_url(place)) as connection:
            connection.execute("UPDATE versions SET state = 'rejected', message = 'no' WHERE state = 'building'")
        yield made


def end(server: Server) -> None:
    restored = server.place.folder / "mnt" / "data"
    for data, name in ((restored, "/mnt/data"), (server.place.postgres, "$PGDATA")):
        if (data / "postmaster.pid").exists():
            server.type(f"pg_ctl stop --mode=immediate --pgdata={name}")


def test_what_there_was_at_a_moment_is_restored_verified_and_played_on(server: Server, tmp_path: Path) -> None:
    for command in BEFORE[:2]:
        server.type(command.replace("restart", "restart --log=/mnt/log"))
    assert all(submit(server, tmp_path, bot) for bot in ("minnow", "perch", "trout"))
    with running(server, "scheduler"), running(server, "worker", "run", "--concurrency", "2"):
        wait_until(lambda: server.finished() >= MORE, "it plays")
        server.type(BEFORE[2])
        copied = server.finished()
        wait_until(lambda: server.finished() >= copied + MORE, "it plays on after the copy")
        with psycopg.connect(postgres.database_url(server.place)) as connection:
            row = connection.execute("SELECT clock_timestamp()::text").fetchone()
        assert row is not None
        at_the_moment = server.finished()
        assert submit(server, tmp_path, "mistake")
        wait_until(lambda: server.finished() >= at_the_moment + MORE, "it plays on after the mistake")

    at_the_end = server.finished()
    for command in AFTER[:-1]:
        server.type(command.replace("start ", "start --log=/mnt/log "), {MOMENT: row[0]})
    wait_until(server.is_itself_again, "the end of the recovery")
    assert AFTER[-1] == "ladder rating verify"
    server.shell.ok("rating", "verify")
    restored = server.finished()
    assert copied + MORE <= restored <= at_the_moment < at_the_end
    bots = server.shell.ok("bot", "list", "--game", "ocean-of-code")
    assert "trout" in bots
    assert "mistake" not in bots
    with running(server, "scheduler"), running(server, "worker", "run", "--concurrency", "2"):
        wait_until(lambda: server.finished() >= restored + MORE, "it plays on")
