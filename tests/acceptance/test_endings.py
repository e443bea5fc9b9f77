"""How a match ended, as people read it: crash, time-out or illegal, on which turn of the bot's own, and what it did."""

import re
from pathlib import Path

import pytest

from tests.acceptance.conftest import Desk
from tests.throwaway import written

CRASHES = """
for _ in range(int(input())): input()
for turn in range(1, 9):
    gold, income, enemy_gold, enemy_income = (int(input()) for _ in range(4))
    for _ in range(12): input()
    for _ in range(int(input())): input()
    for _ in range(int(input())): input()
    if turn == 3: raise SystemExit(1)
    print("WAIT", flush=True)
"""
"""A bot of Ice and Fire that ends on its third turn."""
THINKS = "import time\ninput()\nwhile time.process_time() < 0.4: pass\nprint('1 1', flush=True)\ntime.sleep(9)\n"


@pytest.mark.smoke
def test_a_crash_in_ice_and_fire_is_shown_as_a_crash_on_the_bots_own_turn(desk: Desk, tmp_path: Path) -> None:
    crashing = written(tmp_path / "crashing.py", CRASHES)
    words = ("play", "ice-and-fire", crashing, "boss-wood-3", "--seed", "5", "--league", "wood-1")
    assert desk.ok(*words).splitlines()[:2] == [
        "boss-wood-3 beats crashing.py (crash, 5 turns, seed 5)",
        "  player 0  crashing.py  -1  crash on its turn 3 (match turn 5): the program ended with exit code 1",
    ]
    assert "crash on its turn 3 (match turn 6)" in desk.ok(*words, "--swap")
    assert '"reason": "crashed"' in desk.ok(*words, "--json"), "records have the old words"


def test_a_time_out_says_what_the_bot_did_in_that_time_and_is_never_called_disabled(desk: Desk, tmp_path: Path) -> None:
    thinking = written(tmp_path / "thinking.py", THINKS)
    shown = desk.ok("play", "ocean-of-code", thinking, "boss-wood-2", "--seed", "5", "--first-limit", "300")
    assert shown.startswith("boss-wood-2 beats thinking.py (time-out, 2 turns, seed 5)\n")
    assert re.search(
        r"time-out on its first turn \(match turn 1\): "
        r"(answered after [1-9][0-9.]* m?s|no complete line within 300 ms)[:,] "
        r"it computed [0-9.]+ m?s and slept [0-9.]+ m?s",
        shown,
    )
    assert "disabled" not in shown
    assert "disabled" not in desk.ok("match", "show", "play:1", "--json")
    assert desk.json("match", "view", "play:1")["match"]["reason"] == "timeout"
