"""The database of a ladder whose services are down: read for a moment, changed by nobody, and down again afterwards."""

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from engine.workspace import is_locked
from tests.throwaway import lay_database, new_folder
from workers.embedded import control, folders, state_file
from workers.embedded.home import LadderHome
from workers.embedded.postgres import database_alone, has_data
from workers.embedded.processes import serving

NO_MIGRATION = "builtins:str"
READER = """
import sys, time
from pathlib import Path
from workers.embedded.home import LadderHome
from workers.embedded.postgres import database_alone
with database_alone(LadderHome.at(Path(sys.argv[1]))) as url:
    print(url, flush=True)
    time.sleep(1000)
"""


@pytest.fixture
def home() -> Iterator[LadderHome]:
    folder = new_folder()
    home = LadderHome.at(folder / "home")
    lay_database(home)
    running = control.up(home, prepare=NO_MIGRATION)
    with psycopg.connect(running.database_url) as connection:
        connection.execute("CREATE TABLE words AS SELECT 'kraken' AS word")
    control.down(home)
    yield home
    control.destroy(home)
    shutil.rmtree(folder)


def servers_of(home: LadderHome) -> list[int]:
    found = folders.find(home)
    assert found is not None
    return serving("postgres", found.label, found.account().uid)


def the_word(url: str) -> str:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT word FROM words").fetchone()
    assert row is not None
    return str(row[0])


def begin_reading(home: LadderHome) -> subprocess.Popen[bytes]:
    reader = subprocess.Popen([sys.executable, "-c", READER, home.folder], stdout=subprocess.PIPE)
    assert reader.stdout is not None
    assert reader.stdout.readline().startswith(b"postgresql://")
    return reader


def test_it_can_be_read_and_not_written_and_is_down_again_afterwards(home: LadderHome) -> None:
    """No second server is started beside another reader's: who comes second waits for the first, even a killed one."""
    assert has_data(home)
    with database_alone(home) as url:
        assert the_word(url) == "kraken"
        with psycopg.connect(url) as connection, pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            connection.execute("DROP TABLE words")
        assert state_file.running(home) is None, "it is not a ladder that runs"
    found = folders.find(home)
    assert servers_of(home) == []
    assert found is not None
    assert not found.sockets.exists()
    assert not is_locked(home.lock)

    reader = begin_reading(home)
    ending = subprocess.Popen(["sh", "-c", f"sleep 0.5; kill -KILL {reader.pid}"])
    began = time.monotonic()
    with database_alone(home) as url:
        assert time.monotonic() - began > 0.4
        assert the_word(url) == "kraken"
    ending.wait()
    reader.communicate()
    assert servers_of(home) == []


def test_a_home_that_was_never_used_has_nothing_to_read_and_stays_as_it_is(tmp_path: Path) -> None:
    home = LadderHome.at(tmp_path / "never")
    assert not has_data(home)
    assert not home.folder.exists()
