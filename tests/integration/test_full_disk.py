"""A disk without room: one sentence that names the folder, nothing lost, and all is well when there is room again."""

import errno
import json
import os
import sys
from pathlib import Path

import pytest

from engine.errors import Unavailable
from ladder.errors import NotStarted
from tests.processes import finished
from workers.embedded.home import LadderHome, full_disk_error, require_room

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
    done = run_on_small_disk(open_folder / "full-disk", 150 * MEGABYTE, PLAYED_ON)
    found = json.loads(done)
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
    told = run_on_small_disk(folder, 90 * MEGABYTE, STORY)
    too_small, began, full, nearly_full, freed, word = json.loads(told)
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
