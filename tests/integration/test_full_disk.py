"""No room, for services, for what is built, for further matches: one sentence, and all is well when there is some."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from psycopg.rows import TupleRow

from engine.errors import Unavailable, UsageFault
from engine.workspace import cache_mb
from ladder.database.connection import Pool, one, transaction
from ladder.errors import NotStarted
from ladder.fleet import room
from ladder.ids import MatchId
from tests.acceptance.conftest import Desk
from tests.integration.test_worker_log import await_words
from tests.ladder.arena import a_pair, on_the_board, scheduled, state_of, within
from tests.patience import wait_until
from tests.processes import a_worker, finished
from workers.app import queue_for
from workers.commands import ENVIRONMENT, worker_command
from workers.embedded.home import LadderHome, full_disk_error, require_room
from workers.embedded.state_file import Running

MEGABYTE = 1024 * 1024
STORY = """
import json, os, sys
from pathlib import Path
import psycopg
from engine.errors import ArenaError
from workers.embedded import control
from workers.embedded.home import LadderHome

folder = Path(sys.argv[1])
home = LadderHome.at(folder / "home")
filler = folder / "filler"
told = []

def up():
    try:
        running = control.up(home, prepare="builtins:str")
    except ArenaError as error:
        told.append([error.exit_status, str(error)])
        return None
    told.append([0, ""])
    return running.database_url

def fill(leave_bytes):
    with filler.open("ab", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            os.truncate(filler, max(0, filler.stat().st_size - leave_bytes))

fill(30 * 2**20)
up()  # a first start that has no room for a database
filler.unlink()
with psycopg.connect(up()) as connection:
    connection.execute("CREATE TABLE words AS SELECT 'kraken' AS word")
control.down(home)
for leave_bytes in (0, 8192):
    fill(leave_bytes)
    up()
filler.unlink()
with psycopg.connect(up()) as connection:
    told.append(connection.execute("SELECT word FROM words").fetchone()[0])
control.destroy(home)
print(json.dumps(told))
"""


PLAYED_ON = """
import json, os, sys
from pathlib import Path
from engine.errors import ArenaError
from ladder.bots.builds import store_artefact
from ladder.database.connection import open_pool, transaction
from ladder.fleet.room import lack_of_room
from tests.patience import wait_until
from workers.embedded import control
from workers.embedded.home import LadderHome

folder = Path(sys.argv[1])
home = LadderHome.at(folder / "home")
filler = folder / "filler"
pool = open_pool(control.up(home, prepare="ladder.actions.installation:bring_up_to_date").database_url)
kept, told = [], []

def store(name):
    try:
        with transaction(pool) as connection:
            store_artefact(connection, name, os.urandom(200_000))
    except ArenaError as error:
        told.append([error.exit_status, str(error)])
        return False
    kept.append(name)
    return True

with transaction(pool) as connection:
    lack = lack_of_room(connection)
with filler.open("ab", buffering=0) as file:
    try:
        while True:
            file.write(bytes(4096))
    except OSError:
        os.truncate(filler, filler.stat().st_size - 3 * 2**20)
for number in range(1000):
    if not store(str(number)):
        break
said = told[0]
filler.unlink()
wait_until(lambda: store("afterwards"), lambda: str(told[-1]), 0.1)
with transaction(pool) as connection:
    there = [row[0] for row in connection.execute("SELECT key FROM artefacts")]
control.destroy(home)
print(json.dumps({"lack": lack, "said": said, "is_whole": sorted(there) == sorted(kept), "kept": len(kept)}))
"""


def test_a_full_disk_under_the_database_is_one_sentence_and_what_was_acknowledged_is_there(open_folder: Path) -> None:
    found = json.loads(run_on_small_disk(open_folder / "full-disk", 150 * MEGABYTE, PLAYED_ON))
    status, sentence = found["said"]
    assert status == 4
    assert "\n" not in sentence
    assert "free some space" in sentence or "the database does not answer" in sentence
    assert found["is_whole"]
    assert found["kept"] > 1
    assert "MB free and LADDER_LEAST_ROOM_MB is 500" in found["lack"]


def run_on_small_disk(folder: Path, size_bytes: int, story: str) -> str:
    folder.mkdir()
    small_disk = ["bwrap", "--dev-bind", "/", "/", "--size", str(size_bytes), "--tmpfs", str(folder)]
    words = [*small_disk, "--die-with-parent", sys.executable, "-c", story, str(folder)]
    done = finished(words, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_start_on_a_full_disk_says_so_and_the_data_are_there_when_it_has_room_again(open_folder: Path) -> None:
    folder = open_folder / "small-disk"
    too_small, began, full, nearly_full, freed, word = json.loads(run_on_small_disk(folder, 90 * MEGABYTE, STORY))
    assert began == freed == [0, ""]
    assert word == "kraken"
    for status, sentence in (too_small, full, nearly_full):
        assert status == 4
        assert sentence.startswith(f"the disk of {folder}/home is full: ")
        assert "Free some space there" in sentence
        assert "\n" not in sentence


def test_only_a_start_that_failed_for_want_of_room_is_reported_as_that(tmp_path: Path) -> None:
    """The server's own words count as well: the room may be back by the time that we look."""
    out_of_room = NotStarted("postgres does not start; the end of its log:\nFATAL: No space left on device")
    sentence = str(full_disk_error(out_of_room, tmp_path))
    assert f"the disk of {tmp_path} is full" in sentence
    assert "\n" not in sentence
    assert full_disk_error(NotStarted("postgres does not start; FATAL: out of shared memory"), tmp_path) is None


def test_room_is_measured_above_a_folder_that_is_not_there_yet(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"never/made is full: .* a start takes at least 99999999 MB"):
        require_room(tmp_path / "never" / "made", 99_999_999 * MEGABYTE)
    require_room(tmp_path / "never" / "made", 1)
    require_room(Path("/proc/never"), MEGABYTE)  # no disk, so it has no room to speak of


@pytest.mark.parametrize(
    ("number", "status"),
    [(errno.ENOSPC, 4), (errno.EACCES, 4), (errno.EROFS, 4), (errno.ENOTDIR, 2), (errno.ENAMETOOLONG, 2)],
)
def test_the_message_about_an_unusable_home_names_it(tmp_path: Path, number: int, status: int) -> None:
    """What can never be a folder is a mistake of whoever named it; all else may be mended."""
    trouble = LadderHome.at(tmp_path).trouble(OSError(number, os.strerror(number)))
    assert trouble.exit_status == status
    assert str(tmp_path) in str(trouble)


MB = 2**20
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
    filler.write_bytes(bytes(295 * MB))
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
