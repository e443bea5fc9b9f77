"""What people see of boards: those of an empty ladder, and of leagues in which only the boss plays."""

import json
from pathlib import Path

import pytest

from ladder.database.connection import Pool
from tests.acceptance.conftest import Desk
from tests.ladder.arena import GAME, accept_bosses, on_the_board


@pytest.fixture
def desk(tmp_path: Path, database_url: str) -> Desk:
    return Desk(tmp_path / "home", {"LADDER_DATABASE_URL": database_url, "COLUMNS": "80"})


def test_the_board_of_an_empty_ladder_says_so_in_three_lines(desk: Desk, pool: Pool) -> None:
    for _ in range(2):  # first the bosses are still being built, then they play
        said, submit, rules = desk.ok("board", LADDER_CALLED_AS="bin/ladder").splitlines()
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
    rows = json.loads(desk.ok("board", "--game", GAME, "--json"))
    assert [row["league"] for row in rows] == ["legend", "gold", "silver", "bronze", "wood-1", "wood-2", "wood-2"]
