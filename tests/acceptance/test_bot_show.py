"""`ladder bot show`: a bot, or one version of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ladder.database import Pool
from tests.acceptance.conftest import Desk
from tests.ladder.arena import a_pair, on_the_board
from tests.ladder.rated import play


@pytest.fixture
def desk(tmp_path: Path, database_url: str) -> Desk:
    """A shell with a database of its own and nothing that runs."""
    return Desk(tmp_path / "home", {"LADDER_DATABASE_URL": database_url})


@pytest.fixture
def versions(pool: Pool) -> list[int]:
    """Six versions of kraken, of which two have played a match each."""
    orca = on_the_board(pool, "orca")
    found: list[int] = []
    for number in range(1, 7):
        found.append(on_the_board(pool, "kraken", f"print({number})"))
        if number in {2, 3}:
            play(pool, a_pair(pool, found[-1], orca)[0])
    return found


def test_a_version_is_shown_by_itself_with_its_rating_record_and_matches(desk: Desk, versions: list[int]) -> None:
    row = json.loads(desk.ok("bot", "show", "kraken@v3", "--json"))
    assert row["name"] == "kraken"
    assert [version["number"] for version in row["versions"]] == [3]
    assert [(stay["version_id"], stay["matches"]) for stay in row["standings"]] == [(versions[2], 1)]
    (match,) = row["latest_matches"]
    assert {seat["version"] for seat in match["seats"]} == {"kraken@v3", "orca@v1"}
    shown = desk.ok("bot", "show", "kraken@v3")
    assert "v3" in shown
    assert "kraken@v3" in shown
    assert "v2" not in shown


def test_a_bot_is_shown_with_all_its_versions(desk: Desk, versions: list[int]) -> None:
    row = json.loads(desk.ok("bot", "show", "kraken", "--json"))
    assert [version["number"] for version in row["versions"]] == [6, 5, 4, 3, 2, 1]
    assert len(row["latest_matches"]) == 2


def test_a_version_that_is_not_there_is_answered_with_those_that_are(desk: Desk, versions: list[int]) -> None:
    assert "unknown version of kraken 'v9'; known: v1 to v6" in desk.refused(2, "bot", "show", "kraken@v9")
    assert "unknown version of orca 'v2'; known: v1" in desk.refused(2, "bot", "show", "orca@v2")
    assert "unknown bot 'nessie'" in desk.refused(2, "bot", "show", "nessie@v1")
    assert "names no version" in desk.refused(2, "bot", "show", "kraken@3")
