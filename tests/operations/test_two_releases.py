"""An upgrade and the way back without a pause: two releases play on one schema, and workers are changed by draining.

The next release is this one with a migration more, in a folder of its own. The one before is, as nothing was released,
the first commit with this schema, or this code where git does not have that. `make operations` runs this.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from ladder.database.connection import open_pool
from ladder.database.schema import PAGE, needed
from ladder.leagues import leagues
from tests.ladder.arena import GAME, drifter, submitted, within
from tests.patience import patience_s, wait_until
from tests.sources import CHECKOUT, LAYERS
from workers.broker import broker
from workers.commands import ENVIRONMENT
from workers.embedded.state_file import Running

pytestmark = pytest.mark.weekly
SPARE_ROOM = "?virtual_host=8"
BATTLES = 500
SLEEPER = drifter(in_each_turn="time.sleep(0.002)", beforehand="import time")
MORE = 3
"""So many matches are played in each state of the upgrade."""


@dataclass
class Release:
    """The packages of one release, and the environment of its programs."""

    folder: Path
    environment: Mapping[str, str]

    def run(self, *words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "cli", *words],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=patience_s(),
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    @contextmanager
    def started(self, *words: str) -> Iterator[subprocess.Popen[bytes]]:
        process = subprocess.Popen(
            [sys.executable, "-m", "cli", *words], cwd=self.folder, env=self.environment, start_new_session=True
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait(patience_s(60))


@pytest.fixture
def url(services: Running, database_url: str) -> Iterator[str]:
    """A database in which three bots wait to be built; the bosses are left out, as building them takes long."""
    with psycopg.connect(database_url) as connection:
        connection.execute("UPDATE versions SET state = 'rejected', message = 'not in this test'")
    pool = open_pool(database_url)
    within(pool, leagues.set_battles, GAME, BATTLES)
    for bot in ("minnow", "barracuda", "perch"):
        submitted(pool, bot, f"{SLEEPER}# {bot}\n", "tess")
    pool.close()
    yield database_url
    with broker(services.broker_url + SPARE_ROOM) as client:
        client.flushdb()


def release(folder: Path, services: Running, url: str, home: Path) -> Release:
    addresses = {"LADDER_DATABASE_URL": url, "LADDER_BROKER_URL": services.broker_url + SPARE_ROOM}
    own = {"PYTHONPATH": str(folder), "LADDER_HOME": str(home), **addresses, **ENVIRONMENT}
    return Release(folder, {**os.environ, **own})


@pytest.fixture
def old(services: Running, url: str, open_folder: Path) -> Release:
    return release(first_with_this_schema(open_folder / "release-before"), services, url, open_folder / "old")


def first_with_this_schema(folder: Path) -> Path:
    def git(*words: str) -> bytes:
        return subprocess.run(["git", "-C", CHECKOUT, *words], capture_output=True, check=False).stdout

    page = PAGE.relative_to(CHECKOUT)
    commit = git("log", "-1", "--format=%H", "--", str(page)).decode().strip()
    if not commit or git("show", f"{commit}:{page}") != PAGE.read_bytes():
        return CHECKOUT
    folder.mkdir()
    subprocess.run(["tar", "--extract"], input=git("archive", commit, *LAYERS), cwd=folder, check=True)
    return folder


@pytest.fixture
def new(services: Running, url: str, open_folder: Path) -> Iterator[Release]:
    folder = open_folder / "next-release"
    for layer in LAYERS:
        shutil.copytree(CHECKOUT / layer, folder / layer, ignore=shutil.ignore_patterns("__pycache__"))
    later = folder / "ladder/database/migrations"
    later.mkdir(exist_ok=True)
    (later / f"{needed() + 1:04}_notes.sql").write_text(
        f"-- oldest program: {needed()}\nALTER TABLE matches ADD COLUMN note text NOT NULL DEFAULT '';"
    )
    yield release(folder, services, url, open_folder / "new")
    shutil.rmtree(folder)


def finished(url: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT count(*) FROM matches WHERE state = 'finished'").fetchone()
    assert row is not None
    return int(row[0])


def plays_on(url: str) -> None:
    before = finished(url)
    wait_until(lambda: finished(url) >= before + MORE, "matches are played")


def drained(release: Release, worker: subprocess.Popen[bytes]) -> int:
    assert "will end" in release.run("worker", "drain")
    return worker.wait(patience_s(60))


def test_an_upgrade_and_the_way_back_lose_nothing_and_stop_nobody(old: Release, new: Release, url: str) -> None:
    with ExitStack() as scheduler:
        scheduler.enter_context(old.started("scheduler"))
        with old.started("worker", "--concurrency", "2") as worker:
            plays_on(url)
            assert "notes" in new.run("db", "migrate")
            plays_on(url)
            assert drained(old, worker) == 0
        scheduler.close()
        scheduler.enter_context(new.started("scheduler"))
        with new.started("worker", "--concurrency", "2") as worker:
            plays_on(url)
            lines = old.run("db", "migrate").splitlines()
            assert lines
            assert all("up to date" in line or line.startswith("submitted boss-") for line in lines), lines
            assert drained(new, worker) == 0
        with old.started("worker", "--concurrency", "2") as worker:
            plays_on(url)
            assert drained(old, worker) == 0
    assert old.run("worker", "drain") == "no worker is alive\n"
    old.run("rating", "verify")
    with psycopg.connect(url) as connection:
        failed = connection.execute("SELECT id FROM matches WHERE attempt > 1 OR strikes > 0 OR state = 'void'")
        assert failed.fetchall() == []
