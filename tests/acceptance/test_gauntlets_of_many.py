"""`ladder gauntlet run --local` in a game for two to four players, without any service."""

import re
from pathlib import Path

import pytest

from tests.acceptance.conftest import Desk
from tests.ladder.foragers import FOLDER as GAME

PICKER = """
import os
choose = {choose}
seat, seats = map(int, input().split())
bushes, count, rounds = map(int, input().split())
while True:
    number = int(input())
    for _ in range(seats):
        input()
    berries = list(map(int, input().split()))
    for _ in range(count):
        print("PICK", choose(range(bushes), key=berries.__getitem__), flush=True)
"""
WORST = "max if os.environ.get('WANTS') == 'most' else min"
LOCAL = ("--local", "--game-folder", GAME)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, choose in (("most", "max"), ("least", WORST), ("first", "lambda all, key: 0")):
        (tmp_path / f"{name}.py").write_text(PICKER.format(choose=choose))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_others_are_drawn_from_the_files_and_what_was_lost_can_be_played_again(desk: Desk, here: Path) -> None:
    against = ("--against", "./most.py,./first.py", "--players", "3", "--seeds", "5", "--jobs", "2")
    done = desk.run("gauntlet", "run", "./least.py", *against, *LOCAL)
    assert done.returncode == 6, "one seed proves nothing"
    assert re.search(r"^2 drawn from 2 +1 ", done.stdout, re.MULTILINE)
    assert "the others of each match were drawn from most.py and first.py\n" in done.stdout
    (lost,) = (line for line in done.stdout.splitlines() if "on seed 5," in line)
    again = desk.json(*lost.split("`")[1].split()[1:])
    points = 0.0
    for match, seat in zip(again, (0, 2, 1), strict=True):
        own, scores = match["outcome"]["scores"][seat], match["outcome"]["scores"]
        points += (sum(other < own for other in scores) + (scores.count(own) - 1) / 2) / 2
    assert f"on seed 5, {points:.3g} of 3 points" in lost


def test_variants_of_a_file_meet_in_matches_of_three(desk: Desk, here: Path) -> None:
    vary = ("--vary", "WANTS=least,most", "--players", "3", "--seeds", "5", "--jobs", "2")
    found = desk.json("gauntlet", "run", "./least.py", *vary, *LOCAL)
    assert [one["name"] for one in found["variants"]] == ["WANTS=most", "WANTS=least"]
    (row,) = found["compared"]
    assert (row["pairs"], len(row["counts"])) == (1, 13)
    assert row["share"] < 0.5


def test_what_cannot_be_played_is_said_in_one_sentence(desk: Desk, here: Path) -> None:
    run = ("gauntlet", "run", "./least.py", "--against", "./most.py")
    said = desk.refused(2, *run, *LOCAL, "--players", "5")
    assert said == "ladder: --players 5: matches of foragers have 2, 3 or 4 players\n"
    assert "--game-folder goes with --local" in desk.refused(2, *run, "--game-folder", GAME)
    assert "the game in" in desk.refused(2, *run, *LOCAL, "--game", "ocean-of-code")
    assert "nowhere/game.toml cannot be read" in desk.refused(2, *run, "--local", "--game-folder", "nowhere")
