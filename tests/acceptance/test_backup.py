"""`ladder backup`, `restore` and `prune`: the same ladder again or nothing at all, and matches whose turns are gone."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

import workers
from ladder.database.connection import Pool
from ladder.ids import MatchId
from tests.acceptance.conftest import Desk
from tests.ladder.arena import GAME, insert_battle, league_named, on_the_board, within
from tests.ladder.rated import change
from tests.web.a_ladder import record_as, records_of
from tests.web.serving import serving
from tests.web.test_matches import text_of
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

    assert empty.json("restore", file, "--verify") == said | {"bytes": file.stat().st_size, "is_verified": True}
    assert whole(empty) == whole(desk)
    assert "tables in this database already" in empty.refused(3, "restore", file)
    assert whole(empty) == whole(desk)


@pytest.mark.usefixtures("history")
def test_a_backup_of_a_ladder_that_goes_on_says_what_it_holds(
    desk: Desk, empty: Desk, pool: Pool, tmp_path: Path
) -> None:
    def go_on(table: str) -> None:
        if table == "seats":
            on_the_board(pool, "squid")

    file = tmp_path / "ladder.dump"
    said = workers.backup.write(desk.environment["LADDER_DATABASE_URL"], file, go_on)
    assert desk.json("backup", tmp_path / "later.dump")["versions"] == said.versions + 1
    assert empty.json("restore", file)["versions"] == said.versions == 16


@pytest.mark.usefixtures("history")
def test_a_rating_that_is_wrong_is_restored_and_said(desk: Desk, empty: Desk, pool: Pool, tmp_path: Path) -> None:
    change(pool, "UPDATE standings SET mu = mu + 1 WHERE version_id = (SELECT max(version_id) FROM ledger)")
    desk.ok("backup", tmp_path / "ladder.dump")
    done = empty.run("restore", tmp_path / "ladder.dump", "--verify")
    assert (done.returncode, "some ratings are not: `ladder rating verify`" in done.stdout) == (1, True)


@pytest.mark.usefixtures("history")
def test_a_file_cut_off_or_something_else_is_refused_whole(desk: Desk, empty: Desk, tmp_path: Path) -> None:
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
    change(pool, "INSERT INTO migrations (number, name, fingerprint, oldest_program) VALUES (999, 'later', 'abc', 2)")
    # A newer database is refused by all commands, so that program's own backup stands for it.
    assert "update Ladder on this machine" in desk.refused(3, "backup", tmp_path / "newer.dump")
    file = ["--format=custom", "--file", str(tmp_path / "newer.dump")]
    workers.backup.run("pg_dump", file, desk.environment["LADDER_DATABASE_URL"], str)
    assert "update Ladder on this machine" in empty.refused(3, "restore", tmp_path / "newer.dump")


def test_a_home_without_services_is_backed_up_and_restored(open_folder: Path, tmp_path: Path) -> None:
    homes = [LadderHome.at(open_folder / f"backup-{number}-{os.urandom(3).hex()}") for number in range(3)]
    first, second, third = (Desk(home.folder) for home in homes)
    file = tmp_path / "ladder.dump"
    try:
        assert "there is no ladder in" in first.refused(4, "backup", file)
        control.up(homes[0], prepare="ladder.actions.installation:bring_up_to_date")
        control.down(homes[0])
        assert "0 matches" in first.ok("backup", file)
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


@pytest.fixture
def old_match(pool: Pool) -> MatchId:
    """The first of two, in which each bot lost once."""
    both = on_the_board(pool, "kraken"), on_the_board(pool, "orca")
    league = league_named(pool, "wood-2")
    decided = next(one for one in records_of(GAME, league.rules_level, 1000) if one.scores[0] != one.scores[1])
    played = within(pool, insert_battle, league.id, both, seed=decided.seed)
    for match_id in played:
        record_as(pool, match_id, decided, is_hostile=False)
    change(pool, "UPDATE matches SET finished_at = finished_at - interval '3 years'")
    return played[0]


LET_ALL_GO = {"LADDER_KEEP_NEWEST": "0", "LADDER_RECORD_DAYS": "365"}


def test_an_archived_match_is_looked_at_as_before_and_the_ladder_says_what_is_gone(
    desk: Desk, pool: Pool, old_match: MatchId, tmp_path: Path
) -> None:
    number, folder = str(old_match), tmp_path / "old"
    before = desk.json("match", "view", number)
    assert "the turns of 2 matches and the stderr of 2 matches" in desk.ok("prune", "--dry-run", **LET_ALL_GO)
    assert desk.json("match", "view", number) == before
    done = desk.json("prune", "--archive", folder, **LET_ALL_GO)
    assert (done["records"], done["stderr"]) == (2, 2)
    assert desk.ok("prune", **LET_ALL_GO) == "nothing is due\n"

    assert desk.json("match", "view", folder / f"{number}.match")["turns"] == before["turns"]
    assert "kraken@v1" in desk.ok("match", "show", folder / f"{number}.match")
    shown = " ".join(desk.ok("match", "show", number).split())
    assert "its turns and what its bots wrote to stderr were let go on 2" in shown
    assert f"match {number}" in shown
    for words in (["view", number], ["rematch", number], ["rejudge", number], ["input", number, "--seat", "0"]):
        refused = desk.run("match", *words)
        assert refused.returncode == 3, words
        assert refused.stderr.startswith(
            f"ladder: of match {number} its turns and what its bots wrote to stderr were let go"
        ), words
        assert refused.stderr.count("\n") == 1
    losses = [desk.run("losses", bot) for bot in ("kraken", "orca")]
    assert [done.returncode for done in losses] == [0, 0]
    assert "".join(done.stderr for done in losses).count("left out: 1 match whose turns were let go") == 2
    desk.ok("rating", "verify")
    assert "prune" in desk.ok("deeds")
    with serving(pool) as site:
        page = site.get(f"/matches/{number}")
        assert page.status_code == 200
        assert "cannot be shown turn by turn: its turns and what its bots wrote to stderr were let go on" in text_of(
            page.text
        )
        parts = ["replay", "seats/0/stderr", "seats/0/input"]
        answers = [site.get(f"/api/v1/matches/{number}/{part}") for part in parts]
        assert [answer.status_code for answer in answers] == [410, 410, 410]
        assert all("let go on" in answer.json()["detail"] for answer in answers)
        assert site.get(f"/api/v1/matches/{number}").json()["record_pruned_at"]


def test_bad_input_is_one_sentence_and_changes_nothing(desk: Desk, old_match: MatchId) -> None:
    nowhere = "/dev/full/below"
    rows: list[tuple[list[str], dict[str, str], int, str]] = [
        (
            ["--stderr-days", "-1"],
            {},
            2,
            "LADDER_STDERR_DAYS is '-1'; it must be a number from 0 to 1000000, or `forever`",
        ),
        ([], {"LADDER_RECORD_DAYS": "-1"}, 2, "LADDER_RECORD_DAYS is '-1'; it must be a number from 0 to 1000000"),
        (["--gauntlet", "99"], {}, 2, "there is no gauntlet 99"),
        (["--archive", nowhere], LET_ALL_GO, 4, f"the archive {nowhere} cannot be written: Not a directory"),
    ]
    for words, variables, status, sentence in rows:
        refused = desk.run("prune", *words, **variables)
        assert (refused.returncode, refused.stdout) == (status, "")
        assert sentence in refused.stderr
        assert len(refused.stderr.splitlines()) == 1
        assert desk.json("match", "view", str(old_match))["turns"]
