"""`ladder play` as an author uses it all day, and the last matches of it: listed, looked at, compared."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from engine.games.golden import MatchRecord
from tests.acceptance.conftest import LADDER, SURFACER, Desk, completed
from tests.catalogue import GAMES
from tests.processes import finished
from tests.throwaway import written
from tests.unit.test_official_files import ONE, records, saved

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


def test_given_seeds_are_played_in_both_orders_and_summed_up(desk: Desk, nonsense: Path, tmp_path: Path) -> None:
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
    words = (written(tmp_path / "late.py", LATE), "boss-wood-2", "--seed", "7")

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


def test_worse_shows_the_lost_seeds_and_how_to_play_them(desk: Desk, versions: tuple[Path, Path, Path]) -> None:
    new, old, _ = versions
    *lines, total = desk.ok(*PLAY, new, old, "--seeds", "7..8", "--worse-only", "--turn-limit", "60").splitlines()
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


def test_against_a_third_bot_it_shows_what_only_one_lost(desk: Desk, versions: tuple[Path, Path, Path]) -> None:
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
    played = desk.ok(*shlex.split(rows[0]["command"])[1:])
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


def test_each_of_four_bots_has_its_place_and_the_seat_where_it_sat(table: Desk, tmp_path: Path) -> None:
    said = table.ok("play", "foragers", *(tmp_path / f"{bot}.py" for bot in ("picker", "waiter", "waiter", "quitter")))
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


COPYING = """
import sys
read = input
def input():
    line = read()
    print(line, file=sys.stderr)
    return line
"""


@pytest.fixture
def chatty(tmp_path: Path) -> Path:
    return written(tmp_path / "chatty.py", COPYING + SURFACER)


def test_matches_that_were_played_here_are_listed_shown_fed_to_a_debugger_viewed_and_compared(
    desk: Desk, chatty: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert "has played no match here yet" in desk.run("match", "list", "--local").stderr
    assert "has played none here yet" in desk.refused(2, "match", "show", "play:1")
    rows = desk.json(*PLAY, chatty, "boss-wood-2", "--matches", "2", "--seed", "7")
    assert [row["kept_as"] for row in rows] == ["local:1", "local:2"]

    listed = desk.json("match", "list", "--local")
    assert [(row["id"], row["place"], row["players"][0]) for row in listed] == [
        ("local:2", "play:1", "boss-wood-2"),
        ("local:1", "play:2", "chatty.py"),
    ]
    assert [row["own_result"] for row in listed] == ["lost", "lost"]
    table = desk.ok("match", "list", "--local", "--limit", "1")
    assert "local:2" in table
    assert "local:1 " not in table

    shown = desk.json("match", "show", "play:2")
    assert shown["id"] == "local:1"
    for key in ("reason", "sandbox"):
        assert shown[key] == rows[0].get(key, rows[0].get("outcome", {}).get(key))
    assert [seat["result"] for seat in shown["seats"]] == ["loss", "win"]
    assert [seat["stderr"] for seat in shown["seats"]] == rows[0]["stderr"]
    assert [(turn["seat"], turn["line"], turn["wall_us"]) for turn in shown["said"]] == [
        (turn["seat"], turn["line"], turn["wall_us"]) for turn in rows[0]["turns"]
    ]
    text = desk.ok("match", "show", "play:2", "--turns")
    assert text.startswith(f"local:1: {GAME}, Wood 2, seed 7, finished (dead)\n")
    assert "seat 0: chatty.py  loss, score 0, verdict ok" in text

    assert desk.ok("match", "input", "play:2", "--seat", "0") == rows[0]["stderr"][0], "it copied what it was sent"
    compared = desk.ok("match", "compare", "play:2", "local:2")
    assert compared.startswith("local:1: chatty.py - boss-wood-2  0:6 (dead, ")
    assert "turn 1 is the first that differs" in compared
    assert "both went the same way" in desk.ok("match", "compare", "play:1", "local:2")
    assert desk.ok("match", "view", "play:2", "--turn", "1") == desk.ok("match", "view", "local:1", "--turn", "1")

    for words, sentence in (
        (("show", "abc"), "'abc' is not a match number; `ladder match list` lists them, and play:1 is the latest"),
        (("show", "play:0"), "play:0 cannot be a match: play:1 is the latest"),
        (("view", "play:9999"), "there is no match play:9999: there are play:1 to play:2, and"),
        (("list", "--local", "--won", "--lost"), "no match is both won and lost"),
        (("list", "--official", "--longer-than", "x"), "--longer-than is x; it must be a number of turns"),
        (("list", "--local", "--bot", "x"), "with --local go only --game, --league, --against"),
    ):
        assert sentence in desk.refused(2, "match", *words)
    assert completed(desk, capfd, "match", "show", "") == {"play:1", "play:2", "local:1", "local:2"}
    (desk.home / "played" / "2.match").write_bytes(b"cut")
    assert "match play:1 cannot be read" in desk.refused(3, "match", "show", "play:1")
    done = desk.run("match", "list", "--local")
    assert "local:1" in done.stdout
    assert "played were left out: local:2\n" in done.stderr


def test_each_lost_match_comes_with_the_command_that_views_it(desk: Desk, nonsense: Path, chatty: Path) -> None:
    words = (*PLAY, nonsense, "boss-wood-2", "--seed", "7")
    one = desk.run(*words).stderr
    command = "  ladder match view local:1  (seed 7 as player 0, -1:6, 2 turns)\n"
    assert one.endswith(f"the match that nonsense.py lost:\n{command}")
    at_once = desk.ok(*words, "--matches", "2", "--view")
    assert at_once.endswith(desk.ok("match", "view", "local:2")), "the one that was lost worst, and first"
    last = desk.ok(*PLAY, "boss-wood-2", nonsense, "--matches", "2", "--view")
    assert last.endswith(desk.ok("match", "view", "play:1")), "none was lost"
    assert "leave one of them out" in desk.refused(2, *words, "--view", "--json")
    assert "match view" not in desk.run(*PLAY, "boss-wood-2", nonsense, "--seed", "7").stderr, "it won"
    before = len(desk.json("match", "list", "--local"))
    many = desk.run(*words, "--matches", "8").stderr.splitlines()
    assert [line.split()[3] for line in many[-6:-1]] == [f"local:{before + number}" for number in range(1, 6)]
    assert many[-1] == "  and 3 more: ladder match list --local"
    found = desk.run(*PLAY, nonsense, chatty, "--against", "boss-wood-2", "--worse-only", "--seeds", "7")
    assert "lost" not in found.stderr, "the old one lost these too"
    found = desk.run(*PLAY, nonsense, chatty, "--worse-only", "--seeds", "7")
    assert "the matches that nonsense.py lost, the worst first:\n  ladder match view local:" in found.stderr


def test_a_log_has_all_that_each_seat_was_sent_said_and_wrote_and_the_worst_losses_leave_their_input(
    desk: Desk, nonsense: Path, chatty: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = (*PLAY, chatty, nonsense, "--matches", "2", "--seed", "7")
    desk.ok(*words, "--log", "log")
    seats = sorted(str(path.relative_to("log")) for path in Path("log").glob("*/*"))
    assert seats == [
        "1-seed-7/seat-0-chatty.py",
        "1-seed-7/seat-1-nonsense.py",
        "2-seed-7/seat-0-nonsense.py",
        "2-seed-7/seat-1-chatty.py",
    ]
    own = tmp_path / "log" / "1-seed-7" / "seat-0-chatty.py"
    assert (own / "in.txt").read_text() == desk.ok("match", "input", "play:2", "--seat", "0")
    said = desk.json("match", "show", "play:2")["said"]
    assert (own / "out.txt").read_text() == "".join(f"{turn['line']}\n" for turn in said if turn["seat"] == 0)
    assert (own / "err.txt").read_text() == f"--- first turn (match turn 1)\n{said[0]['stderr']}"
    other = tmp_path / "log" / "1-seed-7" / "seat-1-nonsense.py"
    assert (other / "err.txt").read_text() == "--- first turn (match turn 2)\nwhat is this?\n"

    assert "log has files already: name a new folder, or add --force" in desk.refused(3, *words, "--log", "log")
    assert "cannot write a log into" in desk.refused(2, *words, "--log", chatty)
    (own / "in.txt").write_text("")
    desk.ok(*words, "--log", "log", "--force", "--jobs", "1")
    assert (own / "in.txt").read_text().startswith("15 15 0\n")

    lost = desk.run(*PLAY, chatty, "boss-wood-2", "--matches", "3", "--seed", "7", "--keep-worst", "2").stderr
    assert lost.split("what chatty.py was sent where it lost worst:\n")[1].splitlines() == [
        f"  worst/1-seed-7-seat-0.txt  (seed 7 as player 0, 0:6, {turns_of(desk, 'play:3')} turns)",
        f"  worst/2-seed-8-seat-0.txt  (seed 8 as player 0, 0:6, {turns_of(desk, 'play:1')} turns)",
    ]
    assert Path("worst/1-seed-7-seat-0.txt").read_text() == desk.ok("match", "input", "play:3", "--seat", "0")
    assert "  worst-2/1-seed-" in desk.run(*PLAY, nonsense, "boss-wood-2", "--keep-worst", "1").stderr
    none = desk.run(*PLAY, "boss-wood-2", nonsense, "--keep-worst", "1").stderr
    assert "boss-wood-2 lost no match, so no input is kept" in none
    assert sorted(path.name for path in tmp_path.glob("worst*")) == ["worst", "worst-2"]


def turns_of(desk: Desk, match: str) -> int:
    turns: int = desk.json("match", "show", match)["turns"]
    return turns


def test_a_home_that_cannot_be_written_costs_one_line_and_no_match(desk: Desk, nonsense: Path) -> None:
    desk.home.write_text("a file")
    done = desk.run(*PLAY, nonsense, "boss-wood-2", "--matches", "4", "--jobs", "2")
    assert done.returncode == 0
    assert "0 won, 0 drawn, 4 lost" in done.stdout
    assert done.stderr.count("is not kept for a later look: ") == 1
    assert "ladder match view" not in done.stderr


def test_one_match_or_the_worst_of_several_becomes_a_page(desk: Desk, nonsense: Path, tmp_path: Path) -> None:
    """Where the page cannot be written nothing is played."""
    page = tmp_path / "match.html"
    done = desk.run(*PLAY, nonsense, "boss-wood-2", "--seed", "7", "--html", page)
    assert done.returncode == 0
    assert f"{page} shows local:1: open it in a browser" in done.stderr
    assert "ladder match view local:1" in page.read_text("utf-8")
    assert "add --force" in desk.refused(3, *PLAY, nonsense, "boss-wood-2", "--html", page)
    assert "there is no folder" in desk.refused(2, *PLAY, nonsense, nonsense, "--html", tmp_path / "no" / "x.html")
    assert "play:2" not in desk.ok("match", "list", "--local")

    words = (*PLAY, nonsense, "boss-wood-2", "--seeds", "7,8", "--html", page, "--force")
    worst = desk.run(*words).stderr.partition("ladder match view ")[2].partition(" ")[0]
    assert f"ladder match view {worst}</code>" in page.read_text("utf-8")
    last = tmp_path / "last.html"
    desk.ok(*PLAY, "boss-wood-2", nonsense, "--seeds", "7", "--html", last)
    latest = desk.json("match", "list", "--local")[0]["id"]
    assert f"ladder match view {latest}</code>" in last.read_text("utf-8")


def test_a_page_for_which_the_disk_has_no_room_is_refused_and_no_part_is_left(tmp_path: Path, nonsense: Path) -> None:
    """The disk is a real one of 32 kB; a page takes more. Also what stood there before is still there, whole."""
    desk, small = Desk(tmp_path / "home"), tmp_path / "small"
    small.mkdir()
    desk.run(*PLAY, nonsense, "boss-wood-2", "--seed", "7")
    story = (
        f'cd {small}; {LADDER} match view play:1 --html new.html; echo "status $?"; ls -A; echo before >old.html; '
        f'{LADDER} match view play:1 --html old.html --force; echo "status $?"; ls -A; cat old.html'
    )
    small_disk = ("bwrap", "--dev-bind", "/", "/", "--size", "32768", "--tmpfs", small)
    done = finished([*small_disk, "sh", "-c", story], env=desk.full_environment())
    assert done.stdout == "status 2\nstatus 2\nold.html\nbefore\n"
    assert done.stderr == "".join(
        f"ladder: cannot write {name}: No space left on device\n" for name in ("new.html", "old.html")
    )


def test_matches_of_the_official_site_are_brought_in_listed_and_looked_at(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    folder.mkdir()
    mine = ONE | {"frames": [*ONE["frames"][:1], ONE["frames"][1] | {"stderr": "hello\n"}, *ONE["frames"][2:]]}
    (folder / "one.json").write_text(json.dumps(mine))
    (folder / "two.json").write_text(json.dumps([saved(one) | {"gameId": 7} for one in records("ice-and-fire", 2)]))
    (folder / "notes.txt").write_text("none")
    assert "no match of the official site is here yet" in desk.run("match", "list", "--official").stderr
    found = [json.loads(line) for line in desk.ok("match", "import", folder, "--json", LADDER_GAME=GAME).splitlines()]
    assert [(one["match"], one["game"], one["agrees"]) for one in found] == [
        ("official:1", GAME, True),
        ("official:2", "ice-and-fire", True),
        ("official:3", "ice-and-fire", True),
    ]
    again = desk.run("match", "import", folder / "one.json")
    assert (again.returncode, "official:1" in again.stdout) == (0, True), "it was there before"

    listed = desk.json("match", "list", "--official")
    assert [one["id"] for one in listed] == ["official:3", "official:2", "official:1"]
    assert [one["own_seat"] for one in listed] == [None, None, mine["frames"][1]["agentId"]]
    other = f"player{1 - mine['frames'][1]['agentId']}"
    (own,) = desk.json("match", "list", "--official", "--against", other, "--game", GAME)
    assert own["id"] == "official:1"
    shown = desk.ok("match", "show", "official:1", "--turns")
    assert "played on the official site; no times are known" in shown
    assert "answers: median" not in shown
    assert "hello" in shown
    sent = desk.ok("match", "input", "official:1", "--seat", "0")
    assert sent == "".join(f"{line}\n" for ask in records(GAME, 1)[0].asks if ask.seat == 0 for line in ask.lines)
    assert "official:1: player0 - player1" in desk.ok("match", "view", "official:1", "--turn", "3")


def test_what_cannot_be_brought_in_is_said_and_the_rest_is_kept(desk: Desk, tmp_path: Path) -> None:
    wrong = ONE | {"scores": [91.0, 92.0], "gameId": 8}
    (tmp_path / "some.json").write_text(json.dumps([wrong, ONE, {"hello": 1}]))
    done = desk.run("match", "import", tmp_path / "some.json", tmp_path / "missing.json", "--json")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode, [one["match"] for one in found]) == (1, [None, "official:1", None, None])
    faults = ("scores: expected (91, 92)", "", "frames: Field required", "No such file")
    (tmp_path / "tron.json").write_text(json.dumps({"questionTitle": "Tron Battle - Level 3", "gameResult": wrong}))
    (tron,) = json.loads(f"[{desk.run('match', 'import', tmp_path / 'tron.json', '--json').stdout}]")
    assert (tron["game"], tron["agrees"]) == (None, False)
    assert tron["fault"] == "Tron Battle - Level 3 is not a game that is here, and goes by no other's rules"
    for one, why in zip(found, faults, strict=True):
        assert why in one["fault"]
    (tmp_path / "empty").mkdir()
    assert "without any file" in desk.refused(2, "match", "import", tmp_path / "empty")
    assert "no game here has a league 'tin'" in desk.refused(2, "match", "import", "x.json", "--league", "tin")


PARROT = """
import sys
LINES, READS = {lines!r}, {reads!r}
for lines in READS:
    for _ in range(lines):
        if not sys.stdin.readline():
            sys.exit()
    print(LINES.pop(0), flush=True)
while sys.stdin.readline():
    for _ in range(2):
        sys.stdin.readline()
    print("SURFACE", flush=True)
"""


def parrot(path: Path, record: MatchRecord, seat: int, turns: int) -> Path:
    """Write a bot that says what a seat said on its first turns, and then SURFACE."""
    asks = [ask for ask in record.asks if ask.seat == seat][:turns]
    lines, reads = [ask.answer for ask in asks], [len(ask.lines) for ask in asks]
    return written(path, PARROT.format(lines=lines, reads=reads))


def test_a_file_enters_an_official_match_and_goes_on_from_a_turn(desk: Desk, tmp_path: Path) -> None:
    """The match: seat 1 sinks seat 0 with the last of 22 answers."""
    record = records(GAME, 16)[15]
    recorded = [(ask.seat, ask.answer) for ask in record.asks]
    assert (recorded[-1][0], len(recorded), record.scores) == (1, 22, (0, 2))
    (tmp_path / "one.json").write_text(json.dumps(saved(record)))
    desk.ok("match", "import", tmp_path / "one.json")
    words = ("match", "rematch", "official:1", "--with")
    same, other = parrot(tmp_path / "same.py", record, 1, 11), parrot(tmp_path / "other.py", record, 1, 10)
    assert "say with --seat whose place" in desk.refused(2, *words, same)
    assert "on all 11 turns of seat 1" in desk.ok(*words, same, "--seat", "1")

    found = desk.json(*words, other, "--seat", "1")
    assert (found["turns"], found["parting"]["turn"]) == (10, 22)
    assert found["parting"]["lines"] == [recorded[-1][1], "SURFACE"]
    text = desk.ok(*words, other, "--seat", "1")
    assert text.startswith("official:1: other.py answers otherwise on turn 22, turn 11 of its seat\n")
    assert text.endswith("  other.py: SURFACE\n--from-turn 22 lets it play on from there\n")

    whole = desk.ok(*words, same, "--seat", "1", "--from-turn", "22")
    assert "official:1 had ended 0:2, player1 won" in whole
    assert "it goes the same way now" in whole
    assert "`ladder match view local:1` shows it" in whole

    on = (*words, other, "--seat", "1", "--from-turn", "22")
    open_end = desk.ok(*on)
    assert "now turn 22 is the first that differs" in open_end
    assert "player0 (recorded): fault of unknown kind on its turn 12" in open_end
    assert "its end says nothing; `--then boss-gold` lets somebody play on" in open_end
    found = desk.json(*on, "--then", "boss-wood-2")
    assert found["take_overs"] == [{"seat": 0, "turn": 23, "bot": "boss-wood-2"}]
    assert found["parting_turn"] == 22
    assert found["replayed"]["bots"] == ["player0 (recorded) then boss-wood-2", "other.py"]
    lines = [(turn["seat"], turn["line"]) for turn in found["replayed"]["turns"]]
    assert lines[:22] == [*recorded[:21], (1, "SURFACE")]
    assert len(lines) > 23
    assert desk.ok("match", "view", "play:1", "--turn", "22").startswith("local:3: player0 (recorded) then boss-wood-2")

    for more, status, sentence in (
        (("--then", "boss-wood-2"), 2, "--then says who plays on, so it goes with --from-turn"),
        (("--from-turn", "9999"), 2, "official:1 has 22 turns, and seat 1 was last asked on turn 22"),
        (("--recorded",), 2, "--recorded is for matches of the ladder"),
        (("--from-turn", "2", "--then", "boss-tin"), 4, "boss-tin is not a file, nor one of the bosses"),
    ):
        assert sentence in desk.refused(status, *words, other, "--seat", "1", *more)
    assert "the seats 0 to 1, and no seat 5" in desk.refused(2, *words, other, "--seat", "5")
    assert "name with --with the file" in desk.refused(2, "match", "rematch", "official:1")


def test_what_a_bot_dies_of_is_counted_here_and_on_the_site(desk: Desk, chatty: Path, tmp_path: Path) -> None:
    assert "`ladder play` has played none here yet" in desk.refused(3, "losses", "--local")
    desk.ok(*PLAY, chatty, "boss-wood-2", "--matches", "3", "--seed", "7")
    found = desk.json("losses", "--local", "--by", "kind,map")
    assert [one["match"] for one in found["matches"]] == ["local:3", "local:2", "local:1"]
    assert {one["opponent"] for one in found["matches"]} == {"boss-wood-2"}
    groups = [(one["by"], one["value"], one["losses"]) for one in found["groups"]]
    assert groups == [("kind", "own surfacing", 3), ("map", "7", 2), ("map", "8", 1)]
    table = desk.ok("losses", "--local", "--by", "kind,seat", COLUMNS="80")
    example = found["groups"][0]["examples"][0]
    row = next(row for row in table.splitlines() if "own surfacing" in row)
    assert f" {example['match']} --turn {example['turn']}" in row, "a match to look at has room in 80 columns"
    assert f"`ladder match view {example['match']} --turn {example['turn']}` opens one" in table
    desk.ok("match", "view", example["match"], "--turn", str(example["turn"]))

    (tmp_path / "some.json").write_text(json.dumps([saved(one) for one in records(GAME, 16)[14:]]))
    desk.ok("match", "import", tmp_path / "some.json", "--bot", "player0")
    (own,) = desk.json("losses", "--official")["matches"]
    assert (own["opponent"], own["seat"], own["kind"], own["last_turn"]) == ("player1", 0, "torpedo", 11)
    assert "no lost match fits" in desk.run("losses", "player1", "--official").stderr
    for words, sentence in (
        (("--local", "--by", "colour"), "--by is 'colour': lost matches are counted by kind, opponent"),
        (("--local", "--official"), "cannot be used together"),
        (("x", "--local", "--since", "1d"), "with --local go only --game, --league, --against, --limit and --json"),
        ((), "name a bot; only in a bot's folder"),
    ):
        assert sentence in desk.refused(2, "losses", *words)
