"""`ladder contest`: opened in one command, looked at, all or nothing."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from ladder.database.connection import Pool
from tests.acceptance.conftest import Desk
from tests.ladder.arena import on_the_board

SERVED = {"LADDER_WEB_MODE": "served", "LADDER_PUBLIC_URL": "https://arena.example/"}
GAME = "ocean-of-code"
UNTIL = ("--until", "2126-12-18 18:00")


@pytest.fixture
def served(tmp_path: Path, database_url: str) -> Desk:
    """The shell of tess beside the database of a served ladder."""
    addresses = {"LADDER_DATABASE_URL": database_url, "LADDER_BROKER_URL": "redis://127.0.0.1:1/0"}
    return Desk(tmp_path / "home", {**addresses, **SERVED})


@pytest.fixture
def players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A list of a class, in the folder where the commands are typed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "class.csv").write_text("class,name\n7b,kim\n7b,mia\n7a,tom\n", "utf-8")
    return tmp_path / "class.csv"


def test_one_command_makes_links_leagues_and_the_plan(served: Desk, pool: Pool, players: Path) -> None:
    on_the_board(pool, "kraken", "a")
    words = ("contest", "open", GAME, "--leagues", "3", *UNTIL, "--series", "50", "--players", str(players))
    shown = served.ok(*words)
    assert "links.csv has the 3 links of players who have no password yet" in shown
    assert "versions are submitted until 2126-12-18 18:00" in shown
    assert "a series of 50 battles for each of the first 10" in shown
    links = Path("links.csv")
    assert links.stat().st_mode & 0o777 == 0o600
    rows = list(csv.DictReader(links.read_text("utf-8").splitlines()))
    assert [row["player"] for row in rows] == ["kim", "mia", "tom"]
    assert all(row["link"].startswith("https://arena.example/join/") for row in rows)
    opens = {
        row["league"]: row["opens_at"] for row in json.loads(served.ok("league", "list", "--game", GAME, "--json"))
    }
    assert [opens[name] for name in ("wood-2", "wood-1", "bronze")] == [None] * 3
    assert opens["silver"].startswith("2127-01-17")
    assert "exists already, and may be your work" in served.refused(3, *words)
    found = {row["player"]: row for row in json.loads(served.ok("contest", "status", GAME, "--json"))["players"]}
    assert (found["kim"]["version"], found["kim"]["versions"], found["kim"]["league"]) == ("kraken@v1", 1, "Wood 2")
    assert (found["mia"]["bot"], found["mia"]["versions"], found["mia"]["logs_in"]) == (None, 0, False)
    assert [row["deed"] for row in json.loads(served.ok("deeds", "--json"))] == ["contest open"]


@pytest.mark.parametrize(
    ("lines", "words", "sentence"),
    [
        ("name\nkim\na b\n", UNTIL, "a player's name is"),
        ("name\nkim\nKIM\n", UNTIL, "KIM is in the list twice"),
        ("name\nhouse\n", UNTIL, "come with Ladder"),
        ("name\n", UNTIL, "names no player"),
        ("kim\n", ("--until", "2020-01-01"), "is over"),
        ("kim\n", (*UNTIL, "--leagues", "50"), "say 1 to"),
        ("kim\n", (*UNTIL, "--top", "5"), "say --series too"),
    ],
)
def test_what_cannot_be_changes_nothing(
    served: Desk, players: Path, lines: str, words: tuple[str, ...], sentence: str
) -> None:
    players.write_text(lines, "utf-8")
    done = served.run("contest", "open", GAME, *words, "--players", str(players))
    assert done.returncode in {2, 3}
    assert sentence in " ".join(done.stderr.split())
    assert not Path("links.csv").exists()
    assert json.loads(served.ok("player", "list", "--json")) == []
    assert "its end is not planned" in served.ok("season", "show", GAME)


def test_without_players_a_ladder_of_ones_own_has_contests_too(served: Desk, players: Path) -> None:
    alone = Desk(served.home, {name: value for name, value in served.environment.items() if name not in SERVED})
    assert "accounts are for a served ladder" in alone.refused(
        3, "contest", "open", GAME, *UNTIL, "--players", str(players)
    )
    assert "versions are submitted until" in alone.ok("contest", "open", GAME, *UNTIL)


FREEZE = ("board", "--game", GAME, "--frozen-from")


def test_boards_are_frozen_from_a_time_until_they_are_thawed(served: Desk, pool: Pool, players: Path) -> None:
    on_the_board(pool, "kraken", "a")
    opened = served.ok("contest", "open", GAME, *UNTIL, "--players", str(players), "--frozen-from", "2126-12-18 17:00")
    says = "the boards of ocean-of-code are frozen from 2126-12-18 17:00: all but operators see them as of then until"
    assert f"{says} `ladder board --game {GAME} --thaw`" in opened
    assert "frozen" not in served.ok("board", "--game", GAME)
    assert "are frozen since 2020-01-01 17:00" in served.ok(*FREEZE, "2020-01-01 17:00", "--player", "olga")
    for words in (("board", "--game", GAME), ("bot", "show", "kraken")):
        assert "frozen since 2020-01-01 17:00: this is how it stands now" in " ".join(served.ok(*words).split())
    assert "are frozen since 2020-01-01 17:00 already" in served.refused(3, *FREEZE, "2020-01-01")
    assert "everybody sees the boards" in served.ok("board", "--game", GAME, "--thaw")
    assert "are not frozen" in served.refused(3, "board", "--game", GAME, "--thaw")
    assert "frozen" not in served.ok("board", "--game", GAME)
    deeds = json.loads(served.ok("deeds", "--json"))
    assert [row["deed"] for row in deeds] == ["board thaw", "board freeze", "contest open"]
    assert deeds[1]["done_by"] == "olga"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--frozen-from", "2026-12-18"), "say with --game which game's boards are meant"),
        (("--thaw",), "say with --game which game's boards are meant"),
        (("--thaw", "--frozen-from", "2026-12-18", "--game", GAME), "cannot be used together: choose one"),
        (("--frozen-from", "tomorrow", "--game", GAME), "does not match the formats"),
    ],
)
def test_a_freeze_that_makes_no_sense_is_refused(served: Desk, words: tuple[str, ...], sentence: str) -> None:
    assert sentence in " ".join(served.refused(2, "board", *words).replace("│", "").split())
