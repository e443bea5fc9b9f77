"""`ladder rating`, `board`, `match void` and `bot why`, on a database with a history and nothing that runs."""

import json
import re
from html import unescape
from pathlib import Path

import pytest

from ladder.database.connection import Pool
from ladder.ratings.replay import COUNTED, MARKED
from tests.acceptance.conftest import Desk
from tests.ladder.arena import GAME, accept_bosses, insert_battle, league_named, on_the_board, within
from tests.ladder.rated import History, change, checked, numbers, play

pytestmark = pytest.mark.usefixtures("database_url")


def test_verifying_a_sound_ladder_says_what_was_looked_at(desk: Desk, history: History) -> None:
    told = desk.ok("rating", "verify", "--game", GAME, "--league", "wood-2")
    assert told.startswith("12 matches in 1 league, 24 ledger lines, 3 standings: every number is reproduced")
    assert desk.json("rating", "verify")["clean"] is True


def test_the_help_of_verifying_names_every_count_that_it_looks_at(desk: Desk) -> None:
    text = " ".join(desk.ok("rating", "verify", "--help").split())
    for count in COUNTED + MARKED:
        assert count in text


def test_verifying_a_corrupt_ladder_prints_the_first_of_each_kind(desk: Desk, pool: Pool, history: History) -> None:
    change(pool, "UPDATE ledger SET mu_after = mu_after + 1 WHERE match_id = %s", history.matches[-1])
    change(pool, "UPDATE standings SET timeouts = 99")
    done = desk.run("rating", "verify")
    assert done.returncode == 1
    assert f"other number: {GAME}, wood-2: rating of " in done.stdout
    assert f" after match {history.matches[-1]}: the ledger says " in done.stdout
    assert "stands with 99 time-outs, its matches give" in done.stdout
    assert "(and 1 more)" in done.stdout
    told = json.loads(desk.run("rating", "verify", "--json").stdout)
    assert {found["kind"] for found in told["differences"]} == {"other number", "other standing", "other count"}


def test_the_output_says_whether_rating_again_mends_what_was_found(desk: Desk, pool: Pool, history: History) -> None:
    change(pool, "UPDATE ledger SET mu_after = 0 WHERE match_id = %s", history.matches[0])
    assert desk.run("rating", "verify").stdout.endswith("standings: `ladder rating recompute` rebuilds them\n")
    change(pool, "DELETE FROM seats WHERE match_id = %s AND seat = 1", history.matches[0])
    told = " ".join(desk.run("rating", "verify").stdout.split())
    assert told.startswith(f"missing seat: {GAME}, wood-2: match {history.matches[0]} is finished, but has one seat")
    assert "take their matches back with `ladder match void`, then" in told


def test_recomputing_mends_the_ladder_and_says_how_much_it_changed(desk: Desk, pool: Pool, history: History) -> None:
    assert desk.ok("rating", "recompute").endswith("nothing had to be changed\n")
    before = numbers(pool)
    change(pool, "UPDATE ledger SET mu_after = 0 WHERE match_id = %s", history.matches[0])
    told = desk.ok("rating", "recompute", "--game", GAME)
    assert f"{GAME}, wood-2: 12 matches rated again, 2 ledger lines and 0 standings changed" in told
    assert numbers(pool) == before
    rows = desk.json("rating", "recompute", "--game", GAME, "--league", "wood-2")
    assert [(row["league"], row["matches"], row["changed_lines"]) for row in rows] == [("wood-2", 12, 0)]


def test_a_board_on_a_part_of_the_matches_changes_nothing(desk: Desk, pool: Pool, history: History) -> None:
    before = numbers(pool)
    where = f"match < {history.matches[4]} and opponent = kraken"
    rows = desk.json("rating", "recompute", "--where", where)
    assert "kraken@v1" in {row["version"] for row in rows}
    assert sum(row["matches"] for row in rows) % 2 == 0
    shown = desk.ok("rating", "recompute", "--where", where)
    assert ("on a part of its matches" in shown, " battles " in shown, " matches " in shown) == (True, True, False)
    assert desk.json("rating", "recompute", "--where", f"league = 'Wood 2' and {where}") == rows
    assert "no finished match fits" in desk.run("rating", "recompute", "--where", "seed < 0 and seed > 0").stderr
    assert numbers(pool) == before


def test_a_version_that_left_the_board_is_not_listed_on_a_part_of_it(desk: Desk, pool: Pool, history: History) -> None:
    for name in ("kraken", "orca"):
        on_the_board(pool, name, f"the next {name}")
    words = ("rating", "recompute", "--game", GAME, "--where")
    assert [(row["rank"], row["version"]) for row in desk.json(*words, "seed = -5")] == [(1, "eel@v1")]
    assert "kraken" not in desk.ok(*words, "seed = -5")
    on_the_board(pool, "eel", "the next eel")
    assert desk.json(*words, "seed = -5") == []
    assert desk.run(*words, "seed = -5").stderr == (
        "no finished match fits the filter that a version on a board now has played\n"
    )


def test_a_league_is_found_in_the_only_game_that_has_it(desk: Desk, pool: Pool, history: History) -> None:
    for words in (("rating", "verify"), ("rating", "recompute"), ("rating", "settle"), ("board",)):
        assert desk.run(*words, "--league", "Wood 3").returncode == 0
        known = "known: wood-3, wood-2, wood-1, bronze, silver, gold, legend\n"
        assert desk.refused(2, *words, "--league", "nope") == f"ladder: unknown league 'nope'; {known}"
        assert desk.refused(2, *words, "--league", "gold") == (
            "ladder: ice-and-fire and ocean-of-code have a league gold: say which with --game\n"
        )


def test_the_only_league_of_a_name_is_the_one_that_is_shown(desk: Desk, pool: Pool, bosses: None) -> None:
    assert {(row["game"], row["league"]) for row in desk.json("board", "--league", "wood-3")} == {
        ("ice-and-fire", "wood-3")
    }
    rows = desk.json("rating", "recompute", "--league", "wood-3")
    assert [(row["game"], row["league"]) for row in rows] == [("ice-and-fire", "wood-3")]


def test_a_match_is_taken_back_with_a_reason_that_can_be_seen(desk: Desk, pool: Pool, history: History) -> None:
    match = str(history.matches[2])
    told = desk.ok("match", "void", match, "--why", "the map was wrong", LADDER_PLAYER="olga")
    assert told.startswith(f"match {match} is void; 11 other matches of Wood 2 rated again, which changed ")
    assert "void (the map was wrong)" in desk.ok("match", "show", match)
    assert checked(pool).is_clean
    assert "is void already: the map was wrong" in desk.refused(3, "match", "void", match, "--why", "again")
    assert "only a finished match can be judged again" in desk.refused(3, "match", "rejudge", match)


def test_an_unrated_match_is_marked_and_changes_no_rating(desk: Desk, pool: Pool, history: History) -> None:
    pair = (history.versions["kraken"], history.versions["orca"])
    match_id, _ = within(pool, insert_battle, league_named(pool, "wood-2").id, pair, seed=1, rates=False)
    play(pool, match_id)
    before = numbers(pool)
    rated = [line.split()[-1] for line in desk.ok("match", "list").splitlines() if "Wood 2" in line]
    assert rated == ["no", *["yes"] * 12]
    shown = desk.json("bot", "show", "kraken")
    assert {row["id"]: row["rates"] for row in shown["latest_matches"]}[match_id] is False
    told = desk.ok("match", "void", str(match_id), "--why", "the map was wrong")
    assert told == f"match {match_id} is void; it was unrated, so no rating has changed\n"
    assert numbers(pool) == before
    assert checked(pool).is_clean


def test_ten_lines_explain_why_a_bot_stands_where_it_does(desk: Desk, history: History) -> None:
    told = desk.ok("bot", "why", "kraken")
    lines = told.splitlines()
    assert 5 <= len(lines) <= 10
    assert lines[0].startswith("kraken@v1 in Wood 2: score ")
    assert re.search(
        r"raised it most        match \d+: (beat|drew with) [a-z]+@v1 \(was expected to win \d+ %\), mu \+", told
    )
    assert "lowered it most" in told
    assert "better than expected" in told
    assert "by time-out" in lines[-1]
    story = desk.json("bot", "why", "kraken@v1", "--league", "wood-2")
    assert story["version"] == "kraken@v1"
    assert story["raised"][0]["change"] >= story["raised"][-1]["change"] > 0


def test_bad_input_is_one_sentence_and_changes_nothing(desk: Desk, pool: Pool, history: History) -> None:
    before = numbers(pool)
    for words, status, sentence in (
        (("match", "void", "999999", "--why", "x"), 2, "there is no match 999999"),
        (("match", "void", "{match}"), 2, "--why"),
        (("match", "void", "{match}", "--why", " \n"), 2, "--why is empty"),
        (("match", "void", "first", "--why", "x"), 2, "'first' is not a match number"),
        (("rating", "verify", "--game", "chess"), 2, "unknown game 'chess'"),
        (("rating", "verify", "--game", GAME, "--league", "tin"), 2, "unknown league"),
        (("rating", "verify", "--league", "gold"), 2, "say which with --game"),
        (("rating", "recompute", "--game", "chess"), 2, "unknown game 'chess'"),
        (("rating", "recompute", "--where", "seed == 7"), 2, "at character 7: it says '='"),
        (("rating", "recompute", "--where", "league = tin"), 2, "at character 10: it says 'tin' where a league ("),
        (("rating", "recompute", "--where", "not opponent = krakn"), 2, "it says 'krakn' where a bot (kraken, "),
        (("bot", "why", "kraken@v7"), 2, "unknown version of kraken 'v7'; known: v1"),
        (("bot", "why", "kraken", "--league", "gold"), 3, "kraken@v1 was never in gold"),
        (("bot", "why", "boss-wood-2", "--game", GAME), 3, "has no version on a board yet"),
    ):
        told = desk.refused(status, *(word.format(match=history.matches[0]) for word in words))
        assert sentence in told
        assert told.count("\n") == 1
        assert numbers(pool) == before


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
    assert desk.ok("board").splitlines() == [first, *table, of_game, "ice-and-fire: only the bosses play here yet"]
    assert "boss-legend@v1 (boss)" in desk.ok("board", "--game", GAME, "--league", "legend")
    rows = desk.json("board", "--game", GAME)
    assert [row["league"] for row in rows] == ["legend", "gold", "silver", "bronze", "wood-1", "wood-2", "wood-2"]


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


def test_a_file_stays_unless_forced_and_no_page_is_csv(desk: Desk, tmp_path: Path, bosses: None) -> None:
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
