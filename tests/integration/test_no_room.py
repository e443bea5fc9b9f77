"""No room: for what is built on a worker's machine, and for further matches where the database is."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg.rows import TupleRow

from engine.errors import UsageFault
from engine.workspace import cache_mb
from ladder.database.connection import Pool, one, transaction
from ladder.fleet import room
from ladder.ids import MatchId
from tests.acceptance.conftest import Desk
from tests.integration.test_worker_log import await_words
from tests.ladder.arena import a_pair, on_the_board, scheduled, state_of, within
from tests.patience import wait_until
from tests.processes import a_worker, finished
from workers.app import queue_for
from workers.commands import ENVIRONMENT, worker_command
from workers.embedded.state_file import Running

MEGABYTE = 2**20
TALKER = "import sys\nprint('7 7', flush=True)\nfor line in sys.stdin:\n    print('SURFACE', flush=True)\n"


@pytest.fixture
def small_disk(open_folder: Path) -> Iterator[Path]:
    """A memory file system of 300 MB."""
    folder = open_folder / "small-cache"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300m,mode=755", "ladder-small", str(folder)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("no memory file system can be mounted here")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def queued_attempts(pool: Pool, match_id: MatchId) -> TupleRow:
    return within(pool, one, "SELECT state, attempt, strikes FROM matches WHERE id = %(id)s", {"id": match_id})


def test_a_worker_whose_cache_is_full_blames_nobody_and_goes_on_when_there_is_room(
    database_url: str, broker_url: str, pool: Pool, small_disk: Path, tmp_path: Path
) -> None:
    match_id, _ = a_pair(pool, on_the_board(pool, "kraken", TALKER), on_the_board(pool, "orca", f"{TALKER}\n"))
    filler = small_disk / "filler"
    filler.write_bytes(bytes(295 * MEGABYTE))
    queue_for(broker_url).enqueue_match(match_id)
    log = tmp_path / "worker.log"
    with a_worker(log, database_url, broker_url, LADDER_CACHE=str(small_disk)) as worker:
        await_words(worker, log, "room_lost")
        assert queued_attempts(pool, match_id) == ("queued", 0, 0)
        filler.unlink()
        queue_for(broker_url).enqueue_match(match_id)
        wait_until(lambda: state_of(pool, match_id) == "finished", log.read_text, 0.1)
    assert queued_attempts(pool, match_id) == ("finished", 1, 0)
    said = log.read_text()
    assert f"the disk under {small_disk} has " in said
    assert said.count("room_lost") == said.count("room_found") == 1


@pytest.mark.parametrize(("variable", "value"), [(room.LEAST_ROOM, "1000000"), (room.DATABASE_MB, "1")])
def test_without_room_for_the_database_no_matches_are_made_until_there_is_again(
    desk: Desk, pool: Pool, broker_url: str, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    on_the_board(pool, "kraken")
    on_the_board(pool, "orca")
    monkeypatch.setenv(variable, value)
    assert scheduled(pool) == []
    assert scheduled(pool) == []
    line = next(line for line in desk.ok("status").splitlines() if line.startswith("no matches have been made since"))
    assert f"{variable} is {value}" in line
    monkeypatch.delenv(variable)
    assert scheduled(pool)
    assert "no matches have been made" not in desk.ok("status")


@pytest.mark.parametrize("word", ["-1", "much"])
def test_a_bound_that_cannot_be_is_refused(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, read in (
        (room.LEAST_ROOM, room.bounds_from),
        (room.DATABASE_MB, room.bounds_from),
        ("LADDER_CACHE_MB", cache_mb),
    ):
        with monkeypatch.context() as changed, pytest.raises(UsageFault, match=f"{variable} is '{word}'; it must be"):
            changed.setenv(variable, word)
            read()


def test_a_worker_with_such_a_bound_says_so_and_ends(database_url: str, services: Running) -> None:
    addresses = {"LADDER_DATABASE_URL": database_url, "LADDER_BROKER_URL": services.broker_url}
    variables = os.environ | addresses | ENVIRONMENT | {"LADDER_STDERR_DAYS": "-1"}
    done = finished(worker_command(1, "odd"), env=variables)
    assert done.returncode == 2
    assert "ladder: LADDER_STDERR_DAYS is '-1'; it must be a number from 0" in done.stderr
    assert "Traceback" not in done.stderr


def test_where_the_database_is_elsewhere_nobody_guesses_at_its_disk(pool: Pool) -> None:
    assert sys.platform == "linux"
    with transaction(pool) as connection:
        free_mb = room.free_room_mb(connection)
        assert free_mb is not None
        assert free_mb > 0
        connection.execute("CREATE ROLE stranger")
        connection.execute("SET LOCAL ROLE stranger")
        assert room.free_room_mb(connection) is None
        connection.rollback()
