"""`ladder play` as an author uses it all day: against bosses, on chosen seeds, in either seat, with other limits."""

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.conftest import SURFACER, Desk
from tests.catalogue import GAMES
from tests.throwaway import written

GAME = "ocean-of-code"
PLAY = ("play", "--jobs", "1", GAME)


def rows_of(desk: Desk, *words: str | Path) -> list[Any]:
    rows: list[Any] = desk.json(*PLAY, *words)
    return rows


def test_a_boss_plays_by_its_name_without_any_ladder_and_by_its_leagues_rules(desk: Desk, nonsense: Path) -> None:
    done = desk.run(*PLAY, nonsense, "boss-wood-2")
    assert re.match(r"boss-wood-2 beats nonsense.py \(.*, seed \d{6}\)\n", done.stdout), "a drawn seed has six digits"
    assert done.stderr.startswith("by the rules of Wood 2; --league chooses others\n")
    assert [path.name for path in desk.home.iterdir()] == ["played"], "no ladder, only what was played"
    (row,) = rows_of(desk, nonsense, "Boss-Wood-2")
    assert row["bots"] == ["nonsense.py", "boss-wood-2"]
    assert row["spec"]["rules_level"] == GAMES.find(GAME).league("wood-2").rules_level
    (other,) = rows_of(desk, nonsense, "boss-wood-2", "--league", "bronze")
    assert other["spec"]["rules_level"] == GAMES.find(GAME).league("bronze").rules_level
    told = desk.refused(4, *PLAY, nonsense, "nemo@v3")
    assert "nemo@v3 is not a file, nor one of the bosses of ocean-of-code" in told


def test_one_match_is_quiet_and_stderr_is_shown_of_the_bot_that_is_asked_for(desk: Desk, nonsense: Path) -> None:
    words = (*PLAY, nonsense, "boss-wood-2", "--seed", "7")
    quiet = desk.run(*words)
    result, first, second = quiet.stdout.splitlines()
    assert result.startswith("boss-wood-2 beats nonsense.py (")
    assert result.endswith(", 2 turns, seed 7)")
    assert re.fullmatch(r"  player 0  nonsense\.py  -1  illegal on its first turn \(match turn 1\): .*", first)
    assert re.fullmatch(r"  player 1  boss-wood-2   \d  ok", second)
    assert "nonsense.py wrote to stderr: --stderr a shows it" in quiet.stderr
    assert "nonsense.py on stderr:\n    what is this?" in desk.ok(*words, "--stderr", "a")
    assert "what is this?" not in desk.ok(*words, "--stderr", "b")
    assert "what is this?" in desk.ok(*words, "--swap", "--stderr", "a"), "a is the bot that is named first"
    both = desk.ok(*words, "--stderr", "both", "--matches", "2")
    assert both.count("nonsense.py on stderr:") == 2, "in a series with each match"


def test_swap_lets_the_second_bot_be_player_0_first(desk: Desk, nonsense: Path) -> None:
    rows = rows_of(desk, nonsense, "boss-wood-2", "--swap", "--matches", "3", "--seed", "7")
    assert [row["bots"][0] for row in rows] == ["boss-wood-2", "nonsense.py", "boss-wood-2"]
    assert [row["spec"]["seed"] for row in rows] == [7, 7, 8]
    assert [row["points_of_first"] for row in rows] == [0, 0, 0]


def test_given_seeds_are_played_in_both_orders_and_the_summary_has_an_interval_and_points_per_seat(
    desk: Desk, nonsense: Path, tmp_path: Path
) -> None:
    rows = rows_of(desk, nonsense, "boss-wood-2", "--seeds", "3..4,9")
    assert [row["spec"]["seed"] for row in rows] == [3, 3, 4, 4, 9, 9]
    assert [row["bots"][0] for row in rows] == ["nonsense.py", "boss-wood-2"] * 3
    seeds = written(tmp_path / "hard-maps", "3..4\n9  # an island\n")
    *matches, total, as_0, as_1, interval = desk.ok(*PLAY, "boss-wood-2", nonsense, "--seeds", seeds).splitlines()
    assert len(matches) == 6
    assert total.startswith("boss-wood-2 against nonsense.py: 6 won, 0 drawn, 0 lost (100.0 % of the points), ")
    assert as_0 == "  as player 0: 3 won, 0 drawn, 0 lost (100.0 % of the points)"
    assert as_1 == "  as player 1: 3 won, 0 drawn, 0 lost (100.0 % of the points)"
    assert interval == "  with 95 % confidence 36.8 to 100.0 % of the points: -94 to +1200 Elo"


LATE = """
import time
def think():
    end = time.process_time() + 0.08
    while time.process_time() < end: pass
width, height, my_id = map(int, input().split())
rows = [input() for _ in range(height)]
think()
print(*next((x, y) for y in range(height) for x in range(width) if rows[y][x] == "."), flush=True)
input()
think()
print("nonsense", flush=True)
"""


def test_limits_of_time_can_be_chosen_or_taken_away(desk: Desk, nonsense: Path, tmp_path: Path) -> None:
    late = written(tmp_path / "late.py", LATE)
    words = (late, "boss-wood-2", "--seed", "7")

    def verdict(*more: str) -> tuple[str, list[int]]:
        (row,) = rows_of(desk, *words, *more)
        own = [turn["limit_ms"] for turn in row["turns"] if turn["seat"] == 0]
        return row["outcome"]["verdicts"][0]["verdict"], own

    assert verdict() == ("timeout", [1000, 50])
    assert verdict("--first-limit", "20") == ("timeout", [20])
    assert verdict("--turn-limit", "60000") == ("illegal", [1000, 60_000])
    day_ms = 24 * 60 * 60 * 1000
    assert verdict("--no-limit") == ("illegal", [day_ms, day_ms])
    done = desk.run(*PLAY, nonsense, "boss-wood-2", "--no-limit")
    assert "there are no time limits: the results do not compare with those of the ladder\n" in done.stderr


LINER = """
import os, sys
print({name: value for name, value in os.environ.items() if name in ("DEPTH", "HOME")}, file=sys.stderr)
print("9 9 9" if os.environ.get("DEPTH") == "6" else "nonsense", flush=True)
input()
"""


def test_parameters_are_variables_in_the_box_and_a_source_meets_itself_with_others(desk: Desk, tmp_path: Path) -> None:
    liner = written(tmp_path / "liner.py", LINER)
    words = (liner, liner, "--param-a", "DEPTH=6", "--param-b", "DEPTH=8", "--seed", "7")
    for more, order in (((), [0, 1]), (("--swap",), [1, 0])):
        (row,) = rows_of(desk, *words, *more)
        assert row["params"] == [[{"DEPTH": "6"}, {"DEPTH": "8"}][bot] for bot in order]
        assert [eval(said) for said in row["stderr"]] == [  # noqa: S307 - our own words
            {"HOME": "/bot", "DEPTH": ("6", "8")[bot]} for bot in order
        ]
    text = desk.ok(*PLAY, *words)
    assert "player 0  liner.py (DEPTH=6)  -1  illegal" in text
    assert "player 1  liner.py (DEPTH=8)  -1  illegal" in text
    for given, sentence in (
        (("--param-a", "LD_PRELOAD=x"), "LD_PRELOAD cannot be a bot's parameter"),
        (("--param-b", "DEPTH"), "'DEPTH' has no value: write it as in DEPTH=6"),
    ):
        assert sentence in desk.refused(2, *PLAY, liner, liner, *given)


@pytest.fixture
def versions(tmp_path: Path) -> tuple[Path, Path, Path]:
    """A new bot that has a bug as player 1, the old one without it, and a rival as good as the old one."""
    new, old, rival = (tmp_path / name for name in ("new bot.py", "old.py", "rival.py"))
    new.write_text(SURFACER.replace("while True", "if my_id == 1:\n    print('nonsense', flush=True)\nwhile True"))
    old.write_text(SURFACER)
    rival.write_text(SURFACER)
    return new, old, rival


def test_worse_only_shows_the_seeds_that_the_new_bot_lost_each_with_the_command_that_plays_it_again(
    desk: Desk, versions: tuple[Path, Path, Path]
) -> None:
    new, old, _ = versions
    shown = desk.ok(*PLAY, new, old, "--seeds", "7..8", "--worse-only", "--turn-limit", "60")
    *lines, total = shown.splitlines()
    assert [line.partition(": ")[0] for line in lines] == [
        "seed 7, new bot.py took 0 of 2 points from old.py",
        "seed 8, new bot.py took 0 of 2 points from old.py",
    ]
    assert total == "of 2 seeds, new bot.py took fewer points than old.py on 2, and more on 0"
    again = shlex.split(lines[0].partition(": ")[2])
    assert again[0] == "ladder"
    assert again[-2:] == ["--turn-limit", "60"]
    both = desk.ok(*again[1:])
    assert both.count("seed 7 ") == 2
    assert "0 won, 0 drawn, 2 lost" in both
    assert "more on 2" in desk.ok(*PLAY, old, new, "--seeds", "7..8", "--worse-only")


def test_against_a_third_bot_it_shows_the_matches_that_the_new_one_lost_and_the_old_one_did_not(
    desk: Desk, versions: tuple[Path, Path, Path]
) -> None:
    new, old, rival = versions
    words = (*PLAY, new, old, "--seeds", "7..8", "--worse-only", "--against", rival)
    *lines, total = desk.ok(*words).splitlines()
    assert [line.partition(": ")[0] for line in lines] == [
        "seed 7, as player 1 new bot.py lost to rival.py and old.py won",
        "seed 8, as player 1 new bot.py lost to rival.py and old.py won",
    ]
    assert total.startswith("of 4 matches, new bot.py lost 2 to rival.py that old.py did not lose; ")
    assert total.endswith("; old.py lost 0 that new bot.py did not lose")
    rows = desk.json(*words)
    found = [(row["seed"], row["seat"], row["points"], row["old_points"]) for row in rows]
    assert found == [(7, 1, 0, 1), (8, 1, 0, 1)]
    again = shlex.split(rows[0]["command"])
    played = desk.ok(*again[1:])
    assert played.startswith("rival.py beats new bot.py (")
    assert "player 1  new bot.py" in played
    assert "--against goes with --worse-only" in desk.refused(2, *PLAY, new, old, "--against", rival)


FORAGERS = str(Path(__file__).parents[1] / "referees" / "foragers")
SAYS = "import sys\nfor line in sys.stdin:\n    print('{0}', file=sys.stderr)\n    print('{0}', flush=True)\n"


@pytest.fixture
def table(desk: Desk, tmp_path: Path) -> Desk:
    """A desk that knows a game for 2 to 4, in a folder with a bot that picks, one that waits, and one that ends."""
    (tmp_path / "picker.py").write_text(SAYS.format("PICK 1"))
    (tmp_path / "waiter.py").write_text(SAYS.format("WAIT"))
    (tmp_path / "quitter.py").write_text("input(); raise SystemExit(3)")
    return Desk(desk.home, {**desk.environment, "LADDER_GAMES": FORAGERS})


def test_four_bots_play_and_each_has_its_place_and_its_seat_where_matches_are_looked_at(
    table: Desk, tmp_path: Path
) -> None:
    bots = ("picker", "waiter", "waiter", "quitter")
    said = table.ok("play", "foragers", *(tmp_path / f"{bot}.py" for bot in bots))
    assert re.search(r"^picker\.py wins \(crash", said)
    assert re.search(r"place 1  player 0  picker\.py +\d+  ok", said)
    assert re.search(r"place 2  player 1  waiter\.py +0  ok", said)
    assert re.search(r"place 4  player 3  quitter\.py +-1  crash on its first turn .* exit code 3", said)
    shown = table.ok("match", "show", "play:1", "--turns")
    assert re.search(r"seat 0: picker\.py  place 1 of 4, score \d+, verdict ok", shown)
    assert re.search(r"seat 3: quitter\.py \(crash\)  place 4 of 4, score -1, verdict crash", shown)
    assert "seat 3" in table.ok("match", "list", "--local")


def test_a_series_gives_each_bot_each_seat_on_every_seed(table: Desk, tmp_path: Path) -> None:
    words = ("play", "--jobs", "1", "foragers", tmp_path / "picker.py", tmp_path / "waiter.py", tmp_path / "quitter.py")
    rows = table.json(*words, "--seeds", "1..2")
    assert [row["spec"]["seed"] for row in rows] == [1, 1, 1, 2, 2, 2]
    for seat in range(3):
        assert {row["bots"][seat] for row in rows[:3]} == {"picker.py", "waiter.py", "quitter.py"}
    assert all(row["points_of_first"] == 1.0 and len(row["outcome"]["scores"]) == 3 for row in rows)
    said = table.ok(*words, "--seeds", "1..2")
    assert "picker.py against waiter.py and quitter.py: first in 6 of 6 matches (100.0 % of the points)" in said
    assert "as player 2: first in 2 of 2 matches" in said


def test_the_wrong_number_of_bots_is_refused(table: Desk, tmp_path: Path) -> None:
    picker = tmp_path / "picker.py"
    assert "foragers is played by 2, 3 or 4 bots, not by 5" in table.refused(2, "play", "foragers", *[picker] * 5)
    assert "ocean-of-code is played by 2 bots, not by 3" in table.refused(2, "play", "ocean-of-code", *[picker] * 3)
    assert "name two" in table.refused(2, "play", "foragers", *[picker] * 3, "--worse-only")
