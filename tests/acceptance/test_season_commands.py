"""`ladder season`, on a database with a history and nothing that runs but the scheduler, now and then."""

import csv
import io
import subprocess
from datetime import datetime

import pytest

from engine.errors import Refused
from engine.text import zoned_words
from ladder.database.connection import Pool
from tests.acceptance.conftest import Desk, Shell
from tests.ladder.arena import on_the_board, rows_of, scheduled, submitted
from tests.ladder.rated import History, change, play
from tests.patience import patience_s, wait_until

GAME = "ocean-of-code"


@pytest.fixture
def quiet(pool: Pool, history: History) -> None:
    change(pool, "UPDATE leagues SET battles = 1")


def test_a_season_is_closed_listed_and_read_again(desk: Shell, quiet: None) -> None:
    assert desk.ok("season", "close", GAME, "--yes").startswith(f"season 1 of {GAME} is closed, season 2 has begun")
    listed = desk.json("season", "list", "--game", GAME)
    assert [(row["number"], row["state"], row["series"]) for row in listed] == [(1, "closed", None), (2, "open", None)]
    assert listed[1]["opened_at"] == listed[0]["closed_at"] is not None
    table = desk.ok("season", "show", GAME, "1")
    assert f"Wood 2 ({GAME}), season 1" in table
    assert "kraken@v1" in table
    rows = desk.json("season", "show", GAME, "1")
    assert [(row["season"], row["league"], row["rank"]) for row in rows] == [(1, "wood-2", rank) for rank in (1, 2, 3)]
    lines = list(csv.DictReader(io.StringIO(desk.ok("season", "show", GAME, "1", "--league", "wood-2", "--csv"))))
    assert [line["version"] for line in lines] == [row["version"] for row in rows]
    assert "no version stood" in desk.run("season", "show", GAME, "1", "--league", "gold").stderr
    assert "since the start" in desk.ok("season", "list")


def test_a_series_is_followed_until_the_season_is_closed(desk: Shell, pool: Pool, quiet: None) -> None:
    watching = desk.begin("season", "close", GAME, "--series", "2", "--top", "2", "--yes", "--watch")
    made = wait_until(lambda: scheduled(pool), "the matches of the series")
    (listed, *_) = desk.json("season", "list", "--game", GAME)
    assert listed["state"] == "series"
    assert (listed["series"]["battles"], listed["series"]["made"], listed["series"]["waiting"]) == (2, 2, 4)
    assert "2 of 2 made, 4 matches to be played" in desk.ok("season", "list")
    assert "is not closed yet" in desk.refused(3, "season", "show", GAME, "1")
    assert watching.poll() is None
    for match_id in made:
        play(pool, match_id)
    scheduled(pool)
    told, complaints = watching.communicate(timeout=patience_s())
    assert watching.returncode == 0, complaints
    assert told.startswith(f"season 1 of {GAME} plays its series, 2 battles; when they are played it is closed")
    assert f"Wood 2 ({GAME}), season 1" in told


def test_closing_a_season_prints_how_much_of_its_series_is_given_up(desk: Shell, pool: Pool, quiet: None) -> None:
    begun = desk.json("season", "close", GAME, "--series", "200", "--yes")
    assert (begun["state"], begun["series"]["battles"], begun["series"]["lapsed"]) == ("series", 300, 0)
    made = len(scheduled(pool)) // 2
    closed = desk.json("season", "close", GAME, "--yes", "--now")
    assert closed["state"] == "closed"
    assert 0 < made < 300
    assert (closed["series"]["made"], closed["series"]["lapsed"]) == (made, 300 - made)
    scheduled(pool)
    (listed, *_) = desk.json("season", "list", "--game", GAME)
    assert listed["series"] == closed["series"]
    in_words = " ".join(desk.ok("season", "list").split())
    assert f"{made} battles played, {300 - made} dropped because bots changed league or left" in in_words


def test_given_up_battles_and_unplayed_versions_are_shown_with_the_boards(desk: Shell, pool: Pool, quiet: None) -> None:
    on_the_board(pool, "snail", "snail")
    desk.ok("season", "close", GAME, "--series", "20", "--yes")
    closed = desk.ok("season", "close", GAME, "--yes", "--now")
    assert "given up: " in closed
    assert "because the season was closed before its series was played" in closed
    shown = desk.ok("season", "show", GAME, "1")
    assert "snail@v1 (unplayed)" in shown
    assert "given up: " in shown
    assert "because the season was closed before its series was played" in shown
    rows = {row["version"]: row for row in desk.json("season", "show", GAME, "1")}
    unplayed = {name: row["is_unplayed"] for name, row in rows.items()}
    assert unplayed == {"kraken@v1": False, "orca@v1": False, "eel@v1": False, "snail@v1": True}
    (listed, *_) = desk.json("season", "list", "--game", GAME)
    of_snail = [one for one in listed["series"]["given_up"] if "snail@v1" in {one["first"], one["second"]}]
    assert rows["snail@v1"]["given_up"] == of_snail != []
    assert sum(one["battles"] for one in listed["series"]["given_up"]) == listed["series"]["lapsed"]
    as_csv = csv.DictReader(io.StringIO(desk.ok("season", "show", GAME, "1", "--csv")))
    assert all("because the season was closed" in row["given_up"] for row in as_csv)


def test_a_series_that_is_given_up_is_reported_too(desk: Shell, quiet: None) -> None:
    desk.ok("season", "close", GAME, "--series", "1", "--top", "2", "--yes")
    assert f"season 1 of {GAME} is closed, season 2 has begun; 1 battle of its series given up; `ladder" in desk.ok(
        "season", "close", GAME, "--yes", "--now"
    )


def test_a_season_not_played_out_is_closed_only_when_that_is_said(desk: Shell, pool: Pool, quiet: None) -> None:
    on_the_board(pool, "snail", "snail")
    refused = desk.refused(3, "season", "close", GAME, "--yes")
    assert "is not played to its end: 1 battle lacks; --now closes it all the same, --when-settled waits" in refused
    made = scheduled(pool)
    assert "2 matches wait to be played" in desk.refused(3, "season", "close", GAME, "--yes")
    (listed,) = desk.json("season", "list", "--game", GAME)
    assert listed["state"] == "open"
    waiting = desk.begin("season", "close", GAME, "--yes", "--when-settled")
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(timeout=3)
    for match_id in made:
        play(pool, match_id)
    told, _ = waiting.communicate(timeout=patience_s())
    assert told.startswith(f"season 1 of {GAME} is closed"), told
    assert "cannot be used together" in desk.refused(2, "season", "close", GAME, "--yes", "--now", "--when-settled")


def test_impossible_input_gets_one_sentence_and_changes_nothing(desk: Shell, quiet: None) -> None:
    for status, words in (
        (3, ("close", GAME, "--yes", "--number", "2")),
        (3, ("close", "ice-and-fire", "--yes")),
        (3, ("show", GAME, "1")),
        (2, ("show", GAME, "7")),
        (2, ("show", "chess", "1")),
        (2, ("show", GAME, "1", "--league", "plywood")),
        (2, ("close", "chess", "--yes")),
        (2, ("close", GAME)),
        (2, ("close", GAME, "--yes", "--top", "3")),
        (2, ("close", GAME, "--yes", "--series", "0")),
        (2, ("list", "--game", "chess")),
    ):
        done = desk.run("season", *words)
        assert (done.returncode, done.stdout, done.stderr[:8]) == (status, "", "ladder: "), words
        assert done.stderr.count("\n") == 1, words
    listed = desk.json("season", "list", "--game", GAME)
    assert [row["state"] for row in listed] == ["open"]


def test_a_planned_season_plays_its_series_and_is_closed(desk: Desk, pool: Pool, history: History) -> None:
    change(pool, "UPDATE leagues SET battles = 5")  # so that battles lack
    assert desk.ok("season", "show", GAME) == f"season 1 of {GAME} is on, and its end is not planned\n"
    told = desk.ok("season", "plan", GAME, "--submit-until", "2999-01-01T18:00", "--series", "1", "--top", "2")
    until = zoned_words(datetime(2999, 1, 1, 18))  # noqa: DTZ001 - by this machine's clock
    assert f"season 1 of {GAME}: versions are submitted until {until}; when all is played (now " in told
    assert "then a series of 1 battle for each of the first 2 is played, and it is closed" in told
    assert desk.ok("season", "show", GAME) == told
    scheduled(pool, 7)
    assert states(desk) == ["open"], "its time has not come"

    change(pool, "UPDATE season_plans SET submit_until = now()")
    closed = f"submissions for {GAME} are closed: season 1 is being played to its end"
    with pytest.raises(Refused, match=closed):
        submitted(pool, "late")
    plan = desk.json("season", "show", GAME)
    assert (plan["number"], plan["plan"]["series_battles"], plan["unplayed"]["matches"] > 0) == (1, 1, True)
    play_while(desk, pool, "open")
    assert states(desk) == ["series"]
    assert "plays its series, 1 battle" in desk.ok("season", "show", GAME)
    with pytest.raises(Refused, match=closed):
        submitted(pool, "late")
    play_while(desk, pool, "series")
    assert states(desk) == ["closed", "open"]
    scheduled(pool, 7)
    assert desk.ok("season", "show", GAME) == f"season 2 of {GAME} is on, and its end is not planned\n"
    submitted(pool, "late")
    lines = desk.json("audit")
    assert [(line["action"], line["via"]) for line in lines if line["action"].startswith("season")] == [
        ("season close", "scheduler"),
        ("season plan", "database"),
    ]
    deed = desk.json("deeds")[0]
    about = f"season 1 of {GAME} plays its series, after which it is closed, as planned"
    assert (deed["done_by"], deed["about"]) == ("tess", about)


def test_a_season_closed_as_planned_names_who_planned_it(desk: Desk, pool: Pool, quiet: None) -> None:
    desk.ok("season", "plan", GAME, "--submit-until", "2999-01-01")
    change(pool, "UPDATE season_plans SET submit_until = now()")
    for _ in range(2):
        scheduled(pool, 7)
        (last, first) = [line for line in desk.json("audit") if line["action"].startswith("season")]
        assert (first["action"], last["action"], last["via"]) == ("season plan", "season close", "scheduler")
        assert (last["actor"], last["target"]) == ("tess", f"season 1 of {GAME} is closed, as planned")


def test_a_plan_is_taken_back_and_what_makes_no_sense_is_refused(desk: Desk, quiet: None) -> None:
    assert "nothing is planned" in desk.refused(3, "season", "plan", GAME, "--cancel")
    assert "--submit-until" in desk.refused(2, "season", "plan", GAME)
    assert "--series" in desk.refused(2, "season", "plan", GAME, "--submit-until", "2026-01-01", "--top", "3")
    assert "tomorrow" in desk.refused(2, "season", "plan", GAME, "--submit-until", "tomorrow")
    for word in ("--csv", "--html=season.html", "--league=bronze"):
        assert "are for boards of a closed season: say its number" in desk.refused(2, "season", "show", GAME, word)
    assert "leave --json and --csv out" in desk.refused(2, "season", "show", GAME, "1", "--html", "x.html", "--json")
    assert "--json and --csv cannot be used together" in desk.refused(2, "season", "show", GAME, "1", "--json", "--csv")
    over = desk.refused(2, "season", "plan", GAME, "--submit-until", "2026-01-01")
    began = zoned_words(datetime(2026, 1, 1))  # noqa: DTZ001 - by this machine's clock
    assert over.startswith(f"ladder: {began} is over, and submissions would be closed at once: ")
    desk.ok("season", "plan", GAME, "--submit-until", "2999-01-01")
    assert "its end is not planned" in desk.ok("season", "plan", GAME, "--cancel")


def test_a_plan_without_a_match_to_close_with_is_over_and_bots_may_come(desk: Desk, pool: Pool) -> None:
    desk.ok("season", "plan", GAME, "--submit-until", "2999-01-01")
    change(pool, "UPDATE season_plans SET submit_until = now()")
    scheduled(pool, 7)
    assert "its end is not planned" in desk.ok("season", "show", GAME)
    submitted(pool, "first")


def states(desk: Desk) -> list[str]:
    return [row["state"] for row in desk.json("season", "list", "--game", GAME)]


def play_while(desk: Desk, pool: Pool, state: str) -> None:
    """Play what is made as long as the game's first season is in that state."""
    while states(desk)[0] == state:
        scheduled(pool, 7)
        for (match_id,) in rows_of(pool, "SELECT id FROM matches WHERE state = 'queued' ORDER BY id"):
            play(pool, match_id, (1, 0))
