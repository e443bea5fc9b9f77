"""A standby takes over: the primary is killed while it plays, the standby promoted, and the ladder plays on there.

Both are the embedded PostgreSQL, reached by an address with two hosts, as docs/operations.md has it. `make operations`
runs this; it takes some minutes.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import LiteralString

import psutil
import psycopg
import pytest

from tests.acceptance.conftest import LADDER, Shell
from tests.ladder.arena import drifter
from tests.networks import make_database, serving, settled
from tests.patience import patience_s, wait_until
from workers.embedded import folders, postgres, redis
from workers.embedded.folders import DataPlace, private_folder

pytestmark = pytest.mark.weekly
GAME = "ocean-of-code"
SLEEPER = drifter(in_each_turn="time.sleep(0.002)", beforehand="import time")
MORE = 5
SUBMISSIONS = 6


@dataclass(frozen=True, slots=True)
class Service:
    """How the ladder reaches its servers."""

    shell: Shell


@dataclass(frozen=True, slots=True)
class Pair(Service):
    """Where primary and standby stand."""

    primary: DataPlace
    standby: DataPlace

    def ask(self, place: DataPlace, query: LiteralString) -> list[tuple[object, ...]]:
        with psycopg.connect(postgres.database_url(place), autocommit=True) as connection:
            done = connection.execute(query)
            return done.fetchall() if done.description else []

    def finished(self, place: DataPlace) -> int:
        (row,) = self.ask(place, "SELECT count(*)::int FROM matches WHERE state = 'finished'")
        return int(str(row[0]))


@contextmanager
def server(place: DataPlace) -> Iterator[None]:
    account = place.account()
    with serving(postgres.child(place, folders.postgres_programs(account), account), account, None):
        yield


def copy(primary: DataPlace, standby: DataPlace) -> None:
    """Make the standby of the primary that runs, as its operator would."""
    account = primary.account()
    private_folder(standby.postgres, account)
    program = folders.postgres_programs(account) / "pg_basebackup"
    words: list[str | Path] = [program, "-h", primary.sockets, "-U", postgres.ROLE, "-D", standby.postgres, "-R"]
    if not account.is_ours:
        words = ["setpriv", f"--reuid={account.uid}", f"--regid={account.gid}", "--clear-groups", *words]
    subprocess.run([*words, "-c", "fast"], check=True, cwd="/", timeout=patience_s(60))


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def pair(open_folder: Path, stack: ExitStack) -> Pair:
    folder = open_folder / f"standby-{os.urandom(3).hex()}"
    folder.mkdir(mode=0o755)
    primary, standby, broker = (settled(folder / name) for name in ("primary", "second", "broker"))
    account = primary.account()
    postgres.prepare(primary, folders.postgres_programs(account), account)
    stack.enter_context(server(primary))
    make_database(postgres.database_url(primary), "none")
    stack.enter_context(serving(redis.child(broker, folders.redis_server(account), account), account, None))
    hosts, port = f"{primary.sockets},{standby.sockets}", postgres.PORT
    both = f"host={hosts}&port={port},{port}&target_session_attrs=read-write&connect_timeout=3"
    addresses = {
        "LADDER_DATABASE_URL": f"postgresql://{postgres.ROLE}@/{postgres.DATABASE}?{both}",
        "LADDER_BROKER_URL": redis.broker_url(broker),
        "C_FORCE_ROOT": "1",
    }
    made = Pair(Shell(folder / "home", addresses), primary, standby)
    made.ask(primary, "UPDATE versions SET state = 'rejected', message = 'not in this test' WHERE state = 'building'")
    return made


@contextmanager
def running(service: Service, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [LADDER, *words], env=service.shell.full_environment(), stderr=sys.stderr, start_new_session=True
    )
    try:
        yield process
        assert process.poll() is None, f"{words} has ended"
    finally:
        with suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        process.wait(patience_s(60))


def kill(place: DataPlace) -> None:
    """As a machine ends that loses its power: all processes at once."""
    (main,) = postgres.postmaster(place)
    found = [psutil.Process(main), *psutil.Process(main).children(recursive=True)]
    for process in found:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(found, timeout=patience_s())


def submit(service: Service, folder: Path, bot: str) -> bool:
    """Say whether the submission was acknowledged."""
    file = folder / f"{bot}.py"
    file.write_text(f"{SLEEPER}# {bot}\n")
    return service.shell.run("submit", file, "--game", GAME, "--bot", bot).returncode == 0


def test_a_promoted_standby_has_all_that_was_acknowledged_and_the_ladder_plays_on(
    pair: Pair, stack: ExitStack, tmp_path: Path
) -> None:
    acknowledged = [bot for bot in ("minnow", "perch", "trout") if submit(pair, tmp_path, bot)]
    copy(pair.primary, pair.standby)
    stack.enter_context(server(pair.standby))
    stack.enter_context(running(pair, "scheduler"))
    stack.enter_context(running(pair, "worker", "run", "--concurrency", "2"))
    wait_until(lambda: pair.finished(pair.primary) >= MORE, "it plays")
    streams = "SELECT count(*)::int FROM pg_stat_replication WHERE state = 'streaming'"
    wait_until(lambda: pair.ask(pair.primary, streams) == [(1,)], "the standby follows")
    pair.ask(pair.primary, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    pair.ask(pair.primary, "SELECT pg_reload_conf()")
    acknowledged += [bot for bot in map("carp-{}".format, range(SUBMISSIONS)) if submit(pair, tmp_path, bot)]
    assert len(acknowledged) == SUBMISSIONS + 3
    at_the_end = pair.finished(pair.primary)

    kill(pair.primary)
    pair.ask(pair.standby, "SELECT pg_promote()")
    pair.ask(pair.standby, "ALTER SYSTEM RESET synchronous_standby_names")
    pair.ask(pair.standby, "SELECT pg_reload_conf()")
    began = time.monotonic()
    after = pair.finished(pair.standby)
    assert after >= at_the_end, "a result that was recorded is not lost"
    wait_until(lambda: pair.finished(pair.standby) >= after + MORE, "it plays on")
    sys.stdout.write(f"{MORE} matches after {time.monotonic() - began:.0f} s on the promoted standby\n")

    names = {name for (name,) in pair.ask(pair.standby, "SELECT name FROM bots")}
    assert set(acknowledged) <= names
    pair.shell.ok("rating", "verify")
    void = pair.ask(pair.standby, "SELECT id FROM matches WHERE state = 'void' OR strikes > 0")
    assert void == []
    assert submit(pair, tmp_path, "pike")
