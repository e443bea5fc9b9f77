"""`ladder bot show`: a bot, or one version of it."""

import re

import pytest

from ladder.database.connection import Pool
from ladder.ids import VersionId
from tests.acceptance.conftest import Desk
from tests.ladder.arena import GAME, a_pair, on_the_board
from tests.ladder.rated import change, play


@pytest.fixture
def versions(pool: Pool) -> list[VersionId]:
    orca = on_the_board(pool, "orca")
    found: list[VersionId] = []
    for number in range(1, 7):
        found.append(on_the_board(pool, "kraken", f"print({number})"))
        if number in {2, 3}:
            play(pool, a_pair(pool, found[-1], orca)[0])
    return found


def test_a_version_is_shown_by_itself_with_its_rating_record_and_matches_and_a_bot_with_all_its_versions(
    desk: Desk, versions: list[VersionId]
) -> None:
    row = desk.json("bot", "show", "kraken@v3")
    assert row["name"] == "kraken"
    assert [version["number"] for version in row["versions"]] == [3]
    assert [(stay["version_id"], stay["matches"]) for stay in row["standings"]] == [(versions[2], 1)]
    (match,) = row["latest_matches"]
    assert {seat["version"] for seat in match["seats"]} == {"kraken@v3", "orca@v1"}
    shown = desk.ok("bot", "show", "kraken@v3")
    assert "v3" in shown
    assert "kraken@v3" in shown
    assert "v2" not in shown
    row = desk.json("bot", "show", "kraken")
    assert [version["number"] for version in row["versions"]] == [6, 5, 4, 3, 2, 1]
    assert len(row["latest_matches"]) == 2
    assert "unknown version of kraken 'v9'; known: v1 to v6" in desk.refused(2, "bot", "show", "kraken@v9")
    assert "unknown version of orca 'v2'; known: v1" in desk.refused(2, "bot", "show", "orca@v2")
    assert "unknown bot 'nessie'" in desk.refused(2, "bot", "show", "nessie@v1")
    assert "names no version" in desk.refused(2, "bot", "show", "kraken@3")


def test_it_says_why_a_version_plays_on_and_what_would_settle_its_order_with_the_boss(
    desk: Desk, pool: Pool, bosses: None
) -> None:
    kraken = on_the_board(pool, "kraken")
    change(pool, "UPDATE leagues SET battles = 3")
    change(pool, "UPDATE standings SET matches = 6, draws = 6, mu = 25, sigma = 1.5, score = 20.5")
    change(pool, "UPDATE standings SET mu = 26, sigma = 2, score = 20 WHERE version_id = %s", kraken)
    shown = " ".join(desk.ok("bot", "show", "kraken@v1").split())
    assert (
        "kraken@v1 is 2nd of 2 in Wood 2; its battles are over; 0.5 points below boss-wood-2, plays on while machines "
        "are idle"
    ) in shown
    assert (
        "kraken@v1 ranks below boss-wood-2@v1, but has a 66 % chance of being the stronger one: it plays on against "
        "that boss until it ranks above it, or has a 95 % chance of being the weaker one, up to 12 battles (it has 3)"
    ) in shown
    change(pool, "UPDATE standings SET matches = 24, draws = 24")
    shown = " ".join(desk.ok("bot", "show", "kraken").split())
    assert "it has had all its battles, 12; more of them would settle that (`battles` in the file of" in shown
    (order,) = desk.json("bot", "show", "kraken")["open_orders"]
    assert (order["boss"], order["plays_on"], order["battles"]) == ("boss-wood-2@v1", False, 12)
    change(pool, "UPDATE standings SET mu = 15, score = 9 WHERE version_id = %s", kraken)
    assert desk.json("bot", "show", "kraken")["open_orders"] == []


def test_it_says_what_a_version_lacks_to_go_up_and_how_long_that_takes(desk: Desk, pool: Pool, bosses: None) -> None:
    kraken = on_the_board(pool, "kraken")
    change(pool, "UPDATE leagues SET battles = 10")
    board = desk.json("board", "--game", GAME, "--league", "wood-2")
    (boss,) = [row["version_id"] for row in board if row["is_boss"]]
    for match_id in [match_id for _ in range(7) for match_id in a_pair(pool, kraken, boss)]:
        play(pool, match_id)
    a_pair(pool, kraken, boss)
    shown = " ".join(desk.ok("bot", "show", "kraken").split())
    assert re.search(
        r"kraken@v1 is (1st|2nd) of 2 in Wood 2; "
        r"goes up when above boss-wood-2 with 10 battles \(3 to go, about \d+ s\)",
        shown,
    )
    (outlook,) = desk.json("bot", "show", "kraken")["outlooks"]
    assert (outlook["lacking_matches"], outlook["boss"], outlook["goes_up_to"]) == (6, "boss-wood-2", "Wood 1")
    assert "+1: 1 battle still to play" in desk.ok("board", "--game", GAME, "--league", "wood-2")
