"""What people see of boards: those of an empty ladder, and of leagues in which only the boss plays."""

import re
from html import unescape
from pathlib import Path

import pytest

from ladder.database.connection import Pool
from tests.acceptance.conftest import Desk
from tests.ladder.arena import GAME, accept_bosses, on_the_board


def test_the_board_of_an_empty_ladder_says_so_in_three_lines(desk: Desk, pool: Pool) -> None:
    for _ in range(2):  # first the bosses are still being built, then they play
        said, submit, rules = desk.ok("board", LADDER_CALLED_AS="bin/ladder", COLUMNS="80").splitlines()
        assert said == "the ladder is empty: no bot but bosses plays here yet"
        assert submit.startswith(f"  bin/ladder submit my_bot.py --game {GAME} --watch  ")
        assert rules.startswith(f"  bin/ladder game show {GAME}  ")
        assert max(map(len, (said, submit, rules))) <= 80
        accept_bosses(pool)
    of_game = desk.ok("board", "--game", "ice-and-fire")
    assert of_game.startswith("ice-and-fire is empty: ")
    assert "game show ice-and-fire" in of_game


def test_leagues_in_which_only_the_boss_plays_are_one_line_for_each_game(desk: Desk, pool: Pool, bosses: None) -> None:
    on_the_board(pool, "kraken")
    first, *table, of_game = desk.ok("board", "--game", GAME).splitlines()
    assert first == f"Wood 2 ({GAME})"
    assert of_game == f"Legend, Gold, Silver, Bronze, Wood 1 ({GAME}): only their bosses play here yet"
    every = desk.ok("board").splitlines()
    assert every == [first, *table, of_game, "ice-and-fire: only the bosses play here yet"]
    assert "boss-legend@v1 (boss)" in desk.ok("board", "--game", GAME, "--league", "legend")
    rows = desk.json("board", "--game", GAME)
    assert [row["league"] for row in rows] == ["legend", "gold", "silver", "bronze", "wood-1", "wood-2", "wood-2"]


pytestmark = pytest.mark.usefixtures("database_url")

BOARD = ("board", "--game", GAME, "--league", "wood-2")
STATUS_USAGE, STATUS_REFUSED = 2, 3


def check_stands_alone(page: str) -> None:
    assert "default-src 'none'; style-src 'sha256-" in unescape(page)
    assert not re.search(r"<(script|a|link|form|iframe|img|base)\b", page)
    assert not re.search(r"\b(href|src|action|style|on\w+)=", page)
    assert "://" not in page.replace("http://www.w3.org", "")
    assert "@import" not in page


@pytest.mark.usefixtures("history")
def test_boards_are_written_as_one_file(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "board.html"
    assert "shows 1 board: open it in a browser" in desk.run(*BOARD, "--html", str(file)).stderr
    page = file.read_text("utf-8")
    check_stands_alone(page)
    for name in ("kraken@v1", "orca@v1", "eel@v1", "Wood 2", "Ocean of Code"):
        assert name in page


def test_a_file_that_is_there_stays_but_with_force_and_a_page_goes_with_no_other_form(
    desk: Desk, tmp_path: Path, bosses: None
) -> None:
    """It may be somebody's work."""
    file = tmp_path / "board.html"
    for other in (["--json"], ["--csv"], ["--watch"], ["--where", "turns > 1"]):
        assert "cannot be used together" in desk.refused(STATUS_USAGE, *BOARD, "--html", file, *other)
        assert not file.exists()
    file.write_text("mine")
    desk.refused(STATUS_REFUSED, *BOARD, "--html", file)
    assert file.read_text() == "mine"
    desk.ok(*BOARD, "--html", file, "--force")
    assert "boss-wood-2@v1" in file.read_text("utf-8")


@pytest.mark.usefixtures("history")
def test_a_closed_season_is_written_as_one_file(desk: Desk, tmp_path: Path) -> None:
    desk.ok("season", "close", GAME, "--yes", "--now")
    file = tmp_path / "season.html"
    assert "shows season 1" in desk.run("season", "show", GAME, "1", "--html", file).stderr
    page = file.read_text("utf-8")
    check_stands_alone(page)
    for words in ("Season 1", "Wood 2", "kraken@v1", "95 %"):
        assert words in page
    assert "exists already" in desk.refused(STATUS_REFUSED, "season", "show", GAME, "1", "--html", file)
    desk.ok("season", "show", GAME, "1", "--html", file, "--force")
    desk.refused(STATUS_USAGE, "season", "show", GAME, "--html", tmp_path / "other.html")
    desk.refused(STATUS_REFUSED, "season", "show", GAME, "2", "--html", tmp_path / "other.html")
    assert not (tmp_path / "other.html").exists()
