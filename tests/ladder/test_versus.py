"""How a bot did in each seat, and against each opponent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ladder.database.connection import Pool, transaction
from ladder.fleet.fleet import fleet_of
from ladder.gauntlets.order import GauntletRequest, spec_of
from ladder.gauntlets.running import advance, begin
from ladder.ratings.explain import meetings_of
from tests.acceptance.conftest import Desk
from tests.ladder.arena import a_pair, league_named, on_the_board
from tests.ladder.rated import play

SENTENCE = (
    "kraken@v2 takes 100 % of the points as player 0 and 0 % as player 1: more than chance. If the game favours "
    "no seat, look for a bug as player 1"
)


@pytest.fixture
def desk(tmp_path: Path, database_url: str) -> Desk:
    """Commands of somebody whose ladder is the database alone."""
    return Desk(tmp_path / "home", {"LADDER_DATABASE_URL": database_url})


@pytest.fixture
def versions(pool: Pool) -> dict[str, int]:
    """Two versions of kraken, which wins as player 0 alone, and two opponents."""
    found = {"kraken@v1": on_the_board(pool, "kraken", "a"), "wahoo@v1": on_the_board(pool, "wahoo", "w")}
    found["eel@v1"] = on_the_board(pool, "eel", "e")
    first = a_pair(pool, found["kraken@v1"], found["wahoo@v1"])
    for match_id in first:
        play(pool, match_id, (0, 0))
    found["kraken@v2"] = on_the_board(pool, "kraken", "b")
    for _ in range(12):
        for match_id in a_pair(pool, found["kraken@v2"], found["wahoo@v1"]):
            play(pool, match_id, (1, 0))
    for match_id in a_pair(pool, found["kraken@v2"], found["eel@v1"]):
        play(pool, match_id, (1, 0))
    return found


def test_bot_versus_shows_each_opponent_by_seat_with_expected_points(
    desk: Desk, pool: Pool, versions: dict[str, int]
) -> None:
    rows = json.loads(desk.ok("bot", "versus", "kraken", "--json"))
    wahoo, eel = rows
    assert (wahoo["opponent"], wahoo["matches"], wahoo["pairs"], wahoo["points"]) == ("wahoo", 26, 13, 13)
    assert [(one["won"], one["drawn"], one["lost"]) for one in wahoo["by_seat"]] == [(12, 1, 0), (0, 1, 12)]
    assert (eel["opponent"], eel["points"], eel["latest_match"]) == ("eel", 1, 28)
    with transaction(pool) as connection:
        league_id = league_named(pool, "wood-2").id
        met = meetings_of(connection, versions["kraken@v2"], league_id)
    assert eel["expected"] == pytest.approx(sum(one.expected for one in met if one.opponent == "eel@v1"))
    shown = desk.ok("bot", "versus", "kraken")
    (line,) = [line for line in shown.splitlines() if " wahoo " in line]
    assert line.replace("│", " ").split() == ["wahoo", "12-1-0", "0-1-12", "13", "13", f"{wahoo['expected']:.1f}", "26"]
    assert "`ladder match list --bot kraken --against wahoo` lists matches, `ladder match show 26` shows one" in shown


def test_with_an_opponent_it_shows_each_version_against_each(desk: Desk, versions: dict[str, int]) -> None:
    rows = json.loads(desk.ok("bot", "versus", "kraken", "wahoo", "--json"))
    assert [(row["version"], row["opponent"], row["matches"]) for row in rows] == [
        ("kraken@v2", "wahoo@v1", 24),
        ("kraken@v1", "wahoo@v1", 2),
    ]
    assert "kraken@v1" in desk.ok("bot", "versus", "kraken", "wahoo")
    (one,) = json.loads(desk.ok("bot", "versus", "kraken@v1", "--json"))
    assert (one["opponent"], one["matches"], one["version"]) == ("wahoo", 2, "")
    assert "eel has no rated match against kraken@v9" not in desk.ok("bot", "versus", "eel")
    assert "unknown bot 'nessie'" in desk.refused(2, "bot", "versus", "kraken", "nessie")
    assert "wahoo has no rated match against eel yet" in desk.run("bot", "versus", "wahoo", "eel").stderr


def test_bot_show_says_that_a_version_does_better_in_one_seat(desk: Desk, versions: dict[str, int]) -> None:
    shown = " ".join(desk.ok("bot", "show", "kraken").split())
    assert "kraken@v2 as player 0 13 won, 0 drawn, 0 lost; as player 1 0 won, 0 drawn, 13 lost" in shown
    assert SENTENCE in shown
    former = json.loads(desk.ok("bot", "show", "kraken@v1", "--json"))["seats"]
    assert (former["version"], former["sentence"]) == ("kraken@v1", "")
    assert [one["drawn"] for one in former["by_seat"]] == [1, 1]


def test_a_gauntlet_shows_points_by_seat_and_says_where_they_differ(
    desk: Desk, pool: Pool, versions: dict[str, int]
) -> None:
    with transaction(pool) as connection:
        spec = spec_of(connection, GauntletRequest("kraken@v2", "kim", ("wahoo",), pairs=12))
        gauntlet = begin(connection, spec)
    while True:
        with transaction(pool) as connection:
            made = advance(connection, fleet_of(connection))
        if not made:
            break
        for match_id in made:
            play(pool, match_id, (1, 0))
    number = str(gauntlet.id)
    found = json.loads(desk.ok("gauntlet", "show", number, "--json"))
    assert found["seats_sentence"] == SENTENCE
    (row,) = found["against"]
    assert [(one["seat"], one["won"], one["lost"]) for one in row["by_seat"]] == [(0, 12, 0), (1, 0, 12)]
    shown = desk.ok("gauntlet", "show", number, COLUMNS="140")
    assert "100 %" in shown
    assert SENTENCE in " ".join(shown.split())
