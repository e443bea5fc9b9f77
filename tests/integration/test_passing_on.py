"""A worker without a language among others: it passes on what they can do, and notices when it can do it itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.toolchains.installed import Installed
from ladder.bots import versions
from ladder.bots.versions import Version
from ladder.database.connection import Pool, one, transaction
from ladder.matches import match_rows
from tests.catalogue import GAMES
from tests.ladder.arena import GAME, a_pair, living_worker, on_the_board, submitted
from workers.build_job import build_version
from workers.embedded.state_file import Running
from workers.play_job import play_match
from workers.queue.celery_queue import broker, queue_for, queue_lengths
from workers.worker_process import WorkerProcess

DRIFTER = (GAMES.find(GAME).bots_folder / "drifter_v1.py").read_text("utf-8")
SPARE_ROOM = "?virtual_host=8"
"""Where no worker listens."""
WITHOUT_PYTHON = """
[python.toolchains.python3]
tools = ["no-such-python"]
"""


@pytest.fixture
def rings(process: WorkerProcess, services: Running) -> Iterator[str]:
    """The address of a broker in which nothing waits, where the worker's queue rings."""
    url = services.broker_url + SPARE_ROOM
    with broker(url) as client:
        client.flushdb()
        process.queue = queue_for(url)
        yield url
        client.flushdb()


@pytest.fixture(autouse=True)
def _no_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let there be no Python here, as far as the table of languages goes."""
    table = tmp_path / "languages.toml"
    table.write_text(WITHOUT_PYTHON)
    monkeypatch.setenv("LADDER_LANGUAGES", str(table))


def install_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be Python from now on."""
    monkeypatch.delenv("LADDER_LANGUAGES")


def plays_python(process: WorkerProcess, pool: Pool) -> bool:
    """Say whether the worker has told that it plays bots in Python."""
    with transaction(pool) as connection:
        told = one(connection, "SELECT plays FROM workers WHERE id = %(id)s", {"id": process.presence.worker_id()})
    return "python" in told[0]


def version(pool: Pool, version_id: int) -> Version:
    with transaction(pool) as connection:
        return versions.find_version(connection, version_id)


def hear_all(rings: str) -> None:
    """Take all messages out of the queues, as workers do."""
    with broker(rings) as client:
        client.flushdb()


def state_of(pool: Pool, match_id: int) -> tuple[str, int]:
    """Return a match's state and how often it was begun."""
    with transaction(pool) as connection:
        found = match_rows.find_match(connection, match_id)
    assert found is not None
    return found.state, found.attempt


def test_a_version_that_another_worker_can_build_is_passed_on_and_not_rejected(
    process: WorkerProcess, pool: Pool, rings: str, database_url: str
) -> None:
    version_id = submitted(pool, source=DRIFTER)
    with living_worker(database_url):
        build_version(process, version_id)
    assert version(pool, version_id).state == "building"
    assert queue_lengths(rings)["build"] == 1


def test_a_version_that_nobody_can_build_is_rejected_with_what_is_missing(
    process: WorkerProcess, pool: Pool, rings: str
) -> None:
    version_id = submitted(pool, source=f"{DRIFTER}\n# not built before")
    build_version(process, version_id)
    rejected = version(pool, version_id)
    assert rejected.state == "rejected"
    assert rejected.message.startswith("no toolchain for Python is installed where bots can use it")
    assert queue_lengths(rings)["build"] == 0


def test_a_match_that_another_worker_can_play_is_passed_on_until_its_language_has_come_here_too(
    process: WorkerProcess, pool: Pool, rings: str, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id, other_id = a_pair(pool, on_the_board(pool, "kraken", DRIFTER), on_the_board(pool, "orca", f"{DRIFTER}\n"))
    with living_worker(database_url):
        play_match(process, match_id)
        assert state_of(pool, match_id) == ("queued", 0)
        assert queue_lengths(rings)["play"] == 1
        install_python(monkeypatch)
        for _ in range(2):  # it looks what is installed while it passes on all that there is
            hear_all(rings)
            play_match(process, match_id)
        assert state_of(pool, match_id) == ("finished", 1)
        before = queue_lengths(rings)
        play_match(process, match_id)
    assert queue_lengths(rings) == before, "what is over is not passed on"
    assert state_of(pool, other_id) == ("queued", 0)


def test_a_match_that_nobody_can_play_waits(process: WorkerProcess, pool: Pool, rings: str) -> None:
    match_id, _ = a_pair(pool, on_the_board(pool, "kraken", DRIFTER), on_the_board(pool, "orca", f"{DRIFTER}\n"))
    play_match(process, match_id)
    assert state_of(pool, match_id) == ("queued", 0)
    assert queue_lengths(rings)["play"] == 0


def test_a_worker_in_which_a_language_turns_out_not_to_do_leaves_it_to_others_from_then_on(
    process: WorkerProcess, pool: Pool, rings: str, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its programs seem to be there; none of that is held against the version or the match."""
    monkeypatch.setattr(process.presence, "_installed", lambda: Installed(builds=("python",), plays=("python",)))
    version_id = submitted(pool, "eel", f"{DRIFTER}\n# not built before")
    match_id, _ = a_pair(pool, on_the_board(pool, "kraken", DRIFTER), on_the_board(pool, "orca", f"{DRIFTER}\n"))
    with living_worker(database_url):
        build_version(process, version_id)
        assert version(pool, version_id).state == "building"
        assert not plays_python(process, pool)
        play_match(process, match_id)
    assert state_of(pool, match_id) == ("queued", 0)
    assert (queue_lengths(rings)["build"], queue_lengths(rings)["play"]) == (1, 1)


def test_a_version_in_a_language_that_nobody_knows_is_rejected_at_once(
    process: WorkerProcess, pool: Pool, rings: str
) -> None:
    version_id = submitted(pool, source="anything", language="klingon")
    build_version(process, version_id)
    rejected = version(pool, version_id)
    assert rejected.state == "rejected"
    assert rejected.message.startswith("unknown language 'klingon'; known: ")


def test_a_worker_that_has_built_a_version_in_a_new_language_tells_that_it_has_it(
    process: WorkerProcess, pool: Pool, rings: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    version_id = submitted(pool, source=DRIFTER)
    assert not plays_python(process, pool)
    install_python(monkeypatch)
    monkeypatch.setattr(process.presence, "_installed", lambda: Installed(builds=(), plays=()))
    build_version(process, version_id)
    assert version(pool, version_id).state == "accepted"
    assert plays_python(process, pool), "whatever seemed to be installed when it looked"


def test_a_worker_tells_its_languages_again_on_a_new_connection(
    process: WorkerProcess, pool: Pool, rings: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = process.presence.worker_id()
    assert not plays_python(process, pool)
    install_python(monkeypatch)
    process.presence.close()
    assert plays_python(process, pool)
    assert process.presence.worker_id() != before
