"""A worker without a language among others: it requeues what they can do, and notices when it can do it itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.toolchains.build import Installed
from ladder.bots import versions
from ladder.bots.versions import Version
from ladder.database.connection import Pool, one
from ladder.ids import MatchId, VersionId
from ladder.matches import match_rows
from tests.ladder.arena import DRIFTER, a_pair, living_worker, on_the_board, submitted, within
from tests.throwaway import written
from workers.app import queue_for
from workers.broker import broker, queue_lengths
from workers.embedded.state_file import Running
from workers.jobs import build_version, play_match
from workers.worker_process import WorkerProcess

SPARE_ROOM = "?virtual_host=8"
"""Where no worker listens."""
WITHOUT_PYTHON = """
[python.toolchains.python3]
tools = ["no-such-python"]
"""


@pytest.fixture
def queue_url(process: WorkerProcess, services: Running) -> Iterator[str]:
    url = services.broker_url + SPARE_ROOM
    with broker(url) as client:
        client.flushdb()
        process.queue = queue_for(url)
        yield url
        client.flushdb()


@pytest.fixture(autouse=True)
def _no_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LADDER_LANGUAGES", str(written(tmp_path / "languages.toml", WITHOUT_PYTHON)))


def install_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LADDER_LANGUAGES")


def plays_python(process: WorkerProcess, pool: Pool) -> bool:
    row = within(pool, one, "SELECT plays FROM workers WHERE id = %(id)s", {"id": process.presence.worker_id()})
    return "python" in row[0]


def version(pool: Pool, version_id: VersionId) -> Version:
    return within(pool, versions.find_version, version_id)


def state_of(pool: Pool, match_id: MatchId) -> tuple[str, int]:
    found = within(pool, match_rows.find_match, match_id)
    assert found is not None
    return found.state, found.attempt


def test_a_version_that_another_worker_can_build_is_requeued_and_not_rejected(
    process: WorkerProcess, pool: Pool, queue_url: str, database_url: str
) -> None:
    version_id = submitted(pool, source=DRIFTER)
    with living_worker(database_url):
        build_version(process, version_id)
    assert version(pool, version_id).state == "building"
    assert queue_lengths(queue_url)["build"] == 1


def test_a_version_that_no_worker_can_build_is_rejected_and_the_message_names_the_missing_toolchain(
    process: WorkerProcess, pool: Pool, queue_url: str
) -> None:
    version_id = submitted(pool, source=f"{DRIFTER}\n# not built before")
    build_version(process, version_id)
    rejected = version(pool, version_id)
    assert rejected.state == "rejected"
    assert rejected.message.startswith("no toolchain for Python is installed where bots can use it")
    assert queue_lengths(queue_url)["build"] == 0


def test_a_match_that_another_worker_can_play_is_requeued_until_this_worker_has_its_language(
    process: WorkerProcess, pool: Pool, queue_url: str, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match_id, other_id = a_pair(pool, on_the_board(pool, "kraken", DRIFTER), on_the_board(pool, "orca", f"{DRIFTER}\n"))
    with living_worker(database_url):
        play_match(process, match_id)
        assert state_of(pool, match_id) == ("queued", 0)
        assert queue_lengths(queue_url)["play"] == 1
        install_python(monkeypatch)
        for _ in range(2):  # after requeuing all messages it checks what is installed
            with broker(queue_url) as client:
                client.flushdb()
            play_match(process, match_id)
        assert state_of(pool, match_id) == ("finished", 1)
        before = queue_lengths(queue_url)
        play_match(process, match_id)
    assert queue_lengths(queue_url) == before, "a finished match is not requeued"
    assert state_of(pool, other_id) == ("queued", 0)


def test_a_match_that_no_worker_can_play_waits(process: WorkerProcess, pool: Pool, queue_url: str) -> None:
    match_id, _ = a_pair(pool, on_the_board(pool, "kraken", DRIFTER), on_the_board(pool, "orca", f"{DRIFTER}\n"))
    play_match(process, match_id)
    assert state_of(pool, match_id) == ("queued", 0)
    assert queue_lengths(queue_url)["play"] == 0


def test_a_worker_whose_toolchain_fails_leaves_that_language_to_other_workers(
    process: WorkerProcess, pool: Pool, queue_url: str, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process.presence, "_installed", lambda: Installed(builds=("python",), plays=("python",)))
    version_id = submitted(pool, "eel", f"{DRIFTER}\n# not built before")
    match_id, _ = a_pair(pool, on_the_board(pool, "kraken", DRIFTER), on_the_board(pool, "orca", f"{DRIFTER}\n"))
    with living_worker(database_url):
        build_version(process, version_id)
        assert version(pool, version_id).state == "building"
        assert not plays_python(process, pool)
        play_match(process, match_id)
    assert state_of(pool, match_id) == ("queued", 0)
    assert (queue_lengths(queue_url)["build"], queue_lengths(queue_url)["play"]) == (1, 1)


def test_a_version_of_no_language_is_rejected_at_once(process: WorkerProcess, pool: Pool, queue_url: str) -> None:
    version_id = submitted(pool, source="anything", language="klingon")
    build_version(process, version_id)
    rejected = version(pool, version_id)
    assert rejected.state == "rejected"
    assert rejected.message.startswith("unknown language 'klingon'; known: ")


def test_a_worker_that_has_built_a_version_in_a_new_language_registers_that_language(
    process: WorkerProcess, pool: Pool, queue_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    version_id = submitted(pool, source=DRIFTER)
    assert not plays_python(process, pool)
    install_python(monkeypatch)
    monkeypatch.setattr(process.presence, "_installed", lambda: Installed(builds=(), plays=()))
    build_version(process, version_id)
    assert version(pool, version_id).state == "accepted"
    assert plays_python(process, pool), "whatever the check had found to be installed"


def test_a_worker_registers_its_languages_again_on_a_new_connection(
    process: WorkerProcess, pool: Pool, queue_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = process.presence.worker_id()
    assert not plays_python(process, pool)
    install_python(monkeypatch)
    process.presence.close()
    assert plays_python(process, pool)
    assert process.presence.worker_id() != before
