"""`ladder backup` and `ladder restore`: the same ladder again, in an empty place alone, or nothing at all."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from ladder.database.connection import Pool, transaction
from tests.acceptance.conftest import Desk
from workers.embedded import control
from workers.embedded.home import LadderHome
from workers.embedded.state_file import Running

WHOLE = (("board", "--json"), ("match", "list", "--json"), ("rating", "verify", "--json"), ("audit", "--json"))


pytestmark = pytest.mark.usefixtures("broker_url")


@pytest.fixture
def empty(services: Running, tmp_path: Path) -> Iterator[Desk]:
    """A desk whose database has no tables."""
    name = f"test_{os.urandom(6).hex()}"
    with psycopg.connect(services.database_url.replace("/ladder?", "/postgres?"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
        url = services.database_url.replace("/ladder?", f"/{name}?")
        yield Desk(tmp_path / "other", {"LADDER_DATABASE_URL": url, "LADDER_BROKER_URL": services.broker_url})
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def whole(desk: Desk) -> list[object]:
    return [json.loads(desk.ok(*words)) for words in WHOLE]


@pytest.mark.usefixtures("history")
def test_what_is_restored_is_the_same_ladder(desk: Desk, empty: Desk, tmp_path: Path) -> None:
    file = tmp_path / "ladder.dump"
    said = desk.json("backup", file)
    assert (said["matches"], said["versions"]) == (12, 16)
    assert file.stat().st_mode & 0o777 == 0o600, "it holds passwords and sources"
    assert "exists already" in desk.refused(3, "backup", file)
    assert desk.json("backup", file, "--force")["bytes"] == file.stat().st_size
    assert "again.dump holds 16 versions and 12 matches" in desk.ok("backup", tmp_path / "again.dump")

    restored = empty.json("restore", file, "--verify")
    assert restored == said | {"bytes": file.stat().st_size, "is_verified": True}
    assert whole(empty) == whole(desk)
    assert "tables in this database already" in empty.refused(3, "restore", file)
    assert whole(empty) == whole(desk)


@pytest.mark.usefixtures("history")
def test_a_rating_that_is_wrong_is_restored_and_said(desk: Desk, empty: Desk, pool: Pool, tmp_path: Path) -> None:
    with transaction(pool) as connection:
        connection.execute("UPDATE standings SET mu = mu + 1 WHERE version_id = (SELECT max(version_id) FROM ledger)")
    desk.ok("backup", tmp_path / "ladder.dump")
    done = empty.run("restore", tmp_path / "ladder.dump", "--verify")
    assert (done.returncode, "some ratings are not: `ladder rating verify`" in done.stdout) == (1, True)


@pytest.mark.usefixtures("history")
def test_a_file_that_is_cut_off_or_something_else_is_refused_and_leaves_nothing(
    desk: Desk, empty: Desk, tmp_path: Path
) -> None:
    desk.ok("backup", tmp_path / "ladder.dump")
    dump = (tmp_path / "ladder.dump").read_bytes()
    broken = tmp_path / "broken.dump"
    size = len(dump)
    for part in (b"", b"PGDMP", dump[: size // 10], dump[: size // 2], dump[:-2000], dump[:-1], b"# Ladder\n" * 200):
        broken.write_bytes(part)
        sentence = empty.refused(2, "restore", broken)
        assert "not a whole backup of a ladder" in sentence or "cut off or damaged" in sentence
    assert f"there is no file {tmp_path / 'none.dump'}" in empty.refused(2, "restore", tmp_path / "none.dump")
    empty.ok("restore", tmp_path / "ladder.dump")
    assert not list(tmp_path.glob(".ladder-*")), "no draft is left"


def test_a_backup_of_a_newer_ladder_is_refused(desk: Desk, empty: Desk, pool: Pool, tmp_path: Path) -> None:
    with transaction(pool) as connection:
        connection.execute(
            "INSERT INTO migrations (number, name, fingerprint, oldest_program) VALUES (999, 'later', 'abc', 2)"
        )
    # A newer database is refused by all commands, so that program's own backup stands for it.
    from workers.backup import write

    write(desk.environment["LADDER_DATABASE_URL"], tmp_path / "newer.dump", str)
    assert "update Ladder on this machine" in empty.refused(3, "restore", tmp_path / "newer.dump")


def test_a_home_whose_services_are_down_is_backed_up_and_restored_into_another(
    open_folder: Path, tmp_path: Path
) -> None:
    homes = [LadderHome.at(open_folder / f"backup-{number}-{os.urandom(3).hex()}") for number in range(3)]
    first, second, third = (Desk(home.folder) for home in homes)
    file = tmp_path / "ladder.dump"
    try:
        assert "there is no ladder in" in first.refused(4, "backup", file)
        control.up(homes[0], prepare="ladder.actions.installation:bring_up_to_date")
        control.down(homes[0])
        said = first.ok("backup", file)
        assert "0 matches" in said
        file.with_suffix(".cut").write_bytes(file.read_bytes()[:-3000])
        assert "cut off or damaged" in third.refused(2, "restore", file.with_suffix(".cut"))
        assert not homes[2].folder.exists(), "what was begun for it is gone again"
        assert "every rating is reproduced" in second.ok("restore", file, "--verify")
        assert first.ok("league", "list", "--json") == second.ok("league", "list", "--json")
        assert "there is a ladder in" in second.refused(3, "restore", file)
    finally:
        for home in homes:
            control.destroy(home)
            shutil.rmtree(home.folder, ignore_errors=True)
