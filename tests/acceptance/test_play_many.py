"""`ladder play` and what follows from it where a game has more than two seats."""

import json
import re
from pathlib import Path

import pytest

from tests.acceptance.conftest import Desk

FORAGERS = str(Path(__file__).parents[1] / "referees" / "foragers")
SAYS = "import sys\nfor line in sys.stdin:\n    print('{0}', file=sys.stderr)\n    print('{0}', flush=True)\n"


@pytest.fixture
def table(desk: Desk, tmp_path: Path) -> Desk:
    """A desk that knows a game for 2 to 4, in a folder with a bot that picks, one that waits, and one that ends."""
    (tmp_path / "picker.py").write_text(SAYS.format("PICK 1"))
    (tmp_path / "waiter.py").write_text(SAYS.format("WAIT"))
    (tmp_path / "quitter.py").write_text("input(); raise SystemExit(3)")
    return Desk(desk.home, {**desk.environment, "LADDER_GAMES": FORAGERS})


def test_three_bots_play_and_each_has_its_place(table: Desk, tmp_path: Path) -> None:
    said = table.ok("play", "foragers", *(tmp_path / f"{bot}.py" for bot in ("picker", "waiter", "quitter")))
    assert re.search(r"^picker\.py wins \(crash", said)
    assert re.search(r"place 1  player 0  picker\.py +\d+  ok", said)
    assert re.search(r"place 2  player 1  waiter\.py +0  ok", said)
    assert re.search(r"place 3  player 2  quitter\.py +-1  crash on its first turn .* exit code 3", said)


def test_a_series_gives_each_bot_each_seat_on_every_seed(table: Desk, tmp_path: Path) -> None:
    words = ("play", "foragers", tmp_path / "picker.py", tmp_path / "waiter.py", tmp_path / "quitter.py")
    rows = json.loads(table.ok(*words, "--seeds", "1..2", "--json"))
    assert [row["spec"]["seed"] for row in rows] == [1, 1, 1, 2, 2, 2]
    for seat in range(3):
        assert {row["bots"][seat] for row in rows[:3]} == {"picker.py", "waiter.py", "quitter.py"}
    assert all(row["points_of_first"] == 1.0 and len(row["outcome"]["scores"]) == 3 for row in rows)
    said = table.ok(*words, "--seeds", "1..2")
    assert "picker.py against waiter.py and quitter.py: first in 6 of 6 matches (100.0 % of the points)" in said
    assert "as player 2: first in 2 of 2 matches" in said


def test_a_match_of_many_is_kept_and_shown_with_all_its_seats(table: Desk, tmp_path: Path) -> None:
    table.ok("play", "foragers", *(tmp_path / f"{bot}.py" for bot in ("picker", "waiter", "waiter", "quitter")))
    shown = table.ok("match", "show", "play:1", "--turns")
    assert re.search(r"seat 0: picker\.py  place 1 of 4, score \d+, verdict ok", shown)
    assert re.search(r"seat 3: quitter\.py \(crash\)  place 4 of 4, score -1, verdict crash", shown)
    assert "seat 3" in table.ok("match", "list", "--local")


def test_the_wrong_number_of_bots_is_refused(table: Desk, tmp_path: Path) -> None:
    picker = tmp_path / "picker.py"
    assert "foragers is played by 2, 3 or 4 bots, not by 5" in table.refused(2, "play", "foragers", *[picker] * 5)
    assert "ocean-of-code is played by 2 bots, not by 3" in table.refused(2, "play", "ocean-of-code", *[picker] * 3)
    assert "name two" in table.refused(2, "play", "foragers", *[picker] * 3, "--worse-only")
