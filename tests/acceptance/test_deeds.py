"""What operators do that concerns others: who may, under which name it is written down, and how it is shown."""

from pathlib import Path
from typing import Any

import pytest

from ladder.database.connection import Pool
from tests.acceptance.conftest import Desk
from tests.ladder.arena import on_the_board
from tests.ladder.rated import History
from tests.throwaway import written

GAME = "ocean-of-code"


def deeds(desk: Desk) -> list[tuple[str, str, str]]:
    rows: list[dict[str, Any]] = desk.json("deeds")
    return [(row["done_by"], row["deed"], row["about"]) for row in rows]


def test_taking_a_match_back_is_written_down_with_a_name_and_people_see_that_as_a_table(
    desk: Desk, history: History
) -> None:
    assert "no operator has done anything yet" in desk.run("deeds").stderr
    first, second, third = (str(match) for match in history.matches[:3])
    desk.ok("match", "void", first, "--why", "the map was wrong")
    desk.ok("match", "void", second, "--why", "that too", "--player", "olga")
    assert "--player is empty" in desk.refused(2, "match", "void", third, "--why", "no", "--player", "")
    desk.refused(3, "match", "void", first, "--why", "again")
    assert deeds(desk) == [
        ("olga", "match void", f"match {second} of Wood 2: that too"),
        ("tess", "match void", f"match {first} of Wood 2: the map was wrong"),
    ]
    assert "taken back by olga" in desk.ok("match", "show", second)
    desk.ok("match", "void", third, "--why", "the map was wrong")
    shown = desk.ok("deeds", "--limit", "2")
    assert (shown.count("the map was wrong"), shown.count("that too"), "tess" in shown) == (1, 1, True)


def test_only_who_began_a_gauntlet_stops_or_resumes_it_unless_an_operator_says_so(desk: Desk, pool: Pool) -> None:
    for number in (1, 2):
        on_the_board(pool, "kraken", f"print({number})", "tess")
    gauntlet = str(desk.json("gauntlet", "run", "kraken", "--detach")["gauntlet"])
    for act in ("stop", "resume"):
        told = desk.refused(3, "gauntlet", act, gauntlet, LADDER_PLAYER="ben")
        assert f"gauntlet {gauntlet} belongs to tess, and only its player can do that, or an operator" in told
    assert "is stopped" in desk.ok("gauntlet", "stop", gauntlet, "--player", "Tess", LADDER_PLAYER="ben")
    assert "goes on" in desk.ok("gauntlet", "resume", gauntlet)
    assert deeds(desk) == [], "they were her own"
    assert "is stopped" in desk.ok("gauntlet", "stop", gauntlet, "--operator", LADDER_PLAYER="ben")
    assert deeds(desk) == [("ben", "gauntlet stop", f"gauntlet {gauntlet} of tess for kraken@v2")]


@pytest.mark.usefixtures("database_url")
def test_changing_leagues_is_written_down_where_something_changes(desk: Desk, tmp_path: Path) -> None:
    file = written(tmp_path / "leagues.toml", f'game = "{GAME}"\n[leagues.gold]\nclock = "wall"\n')
    desk.ok("league", "apply", file, "--dry-run")
    assert deeds(desk) == []
    desk.ok("league", "apply", file, "--player", "olga")
    desk.ok("league", "apply", file)
    assert deeds(desk) == [("olga", "league apply", f'{GAME}: gold: clock "fair" -> "wall"')]


def test_closing_a_season_and_rating_again_are_written_down(desk: Desk, history: History) -> None:
    desk.ok("season", "close", GAME, "--yes", "--now", "--player", "olga")
    desk.refused(3, "season", "close", GAME, "--yes")
    desk.ok("rating", "recompute", "--game", GAME, "--league", "wood-2")
    (recomputed, closed) = deeds(desk)
    assert recomputed == ("tess", "rating recompute", "Wood 2: 0 ledger lines changed")
    assert closed[:2] == ("olga", "season close")
    assert closed[2].startswith(f"season 1 of {GAME} is closed")
