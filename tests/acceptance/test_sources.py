"""Getting sources back, comparing them, and notes: `ladder bot source`, `ladder bot diff`, `ladder submit --note`."""

import json
from pathlib import Path

import pytest

from ladder.database.connection import Pool
from ladder.flows.submission import accept
from tests.acceptance.conftest import Desk
from tests.ladder.arena import GAME, claimed_build, on_the_board, within

PLAYER = "kim"
OLD = "depth = 6\nprint(depth)\r\n# ö"
NEW = "depth = 8\nprint(depth)\r\n# ö"


@pytest.fixture
def two_versions(pool: Pool) -> None:
    """Two versions of kraken, the second one on the board."""
    on_the_board(pool, "kraken", OLD)
    on_the_board(pool, "kraken", NEW)


@pytest.mark.usefixtures("two_versions")
def test_a_versions_source_comes_back_byte_for_byte(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "back.py"
    desk.ok("bot", "source", "kraken@v1", "-o", file)
    assert file.read_bytes() == OLD.encode()
    assert desk.ok("bot", "source", "kraken@v1") == OLD
    assert desk.ok("bot", "source", "Kraken") == NEW, "of a bot, what plays for it"
    shown = desk.json("bot", "source", "kraken")
    assert (shown["version"], shown["language"], shown["text"]) == ("kraken@v2", "python", NEW)
    file.write_text("my work")
    assert "exists already" in desk.refused(3, "bot", "source", "kraken", "-o", file)
    assert file.read_text() == "my work"
    desk.ok("bot", "source", "kraken", "-o", file, "--force")
    assert file.read_bytes() == NEW.encode()
    assert "cannot write" in desk.refused(2, "bot", "source", "kraken", "-o", tmp_path / "no" / "folder")
    assert "known: v1, v2" in desk.refused(2, "bot", "source", "kraken@v3")


@pytest.mark.usefixtures("two_versions")
def test_a_diff_shows_the_lines_that_differ(desk: Desk, pool: Pool) -> None:
    wanted = ["--- kraken@v1", "+++ kraken@v2", "@@ -1,3 +1,3 @@", "-depth = 6", "+depth = 8", " print(depth)", " # ö"]
    assert desk.ok("bot", "diff", "kraken@v1", "v2").splitlines() == wanted
    assert desk.ok("bot", "diff", "kraken@v1", "kraken").splitlines() == wanted
    compared = desk.json("bot", "diff", "kraken@v1", "v2")
    assert compared == {"first": "kraken@v1", "second": "kraken@v2", "same": False, "lines": wanted, "params": [{}, {}]}
    on_the_board(pool, "orca", OLD)
    assert "have the same source" in desk.run("bot", "diff", "kraken@v1", "orca@v1").stderr
    on_the_board(pool, "eel", OLD.replace("\r", ""))
    assert "only in how their lines end" in desk.run("bot", "diff", "kraken@v1", "eel").stderr
    assert "unknown bot" in desk.refused(2, "bot", "diff", "kraken@v1", "v0")


def test_a_note_stands_in_every_list_of_versions(desk: Desk, pool: Pool, bot: Path) -> None:
    words = ("submit", bot, "--game", GAME, "--bot", "kraken", "--json")
    version = json.loads(desk.ok(*words, "--note", "new  eval\n[bold]"))
    assert version["note"] == "new eval [bold]"
    claim = claimed_build(pool, version["id"])
    assert within(pool, accept, claim)
    assert "v1: new eval [bold]" in desk.ok("bot", "show", "kraken").splitlines()
    assert "new eval [bold]" in desk.ok("bot", "list", "--game", GAME)
    for listing in (("bot", "list"), ("board",)):
        (row,) = [row for row in desk.json(*listing) if "kraken" in (row.get("name"), row.get("bot"))]
        assert row["note"] == "new eval [bold]"
    assert [row["note"] for row in desk.json("bot", "show", "kraken")["versions"]] == ["new eval [bold]"]
    bot.write_text("print(1)")
    assert "at most 200 characters" in desk.refused(2, *words_with_note(bot, "x" * 201))
    assert "kraken@v2" in desk.ok(*words_with_note(bot, "x" * 200))


def words_with_note(bot: Path, note: str) -> tuple[str | Path, ...]:
    return ("submit", bot, "--game", GAME, "--bot", "kraken", "--note", note)


@pytest.mark.usefixtures("two_versions")
def test_an_old_source_is_answered_with_the_command_that_puts_it_back(desk: Desk, tmp_path: Path) -> None:
    file = tmp_path / "kraken.py"
    file.write_bytes(OLD.encode())
    told = desk.refused(3, "submit", file, "--game", GAME)
    assert "it is kraken@v1, and `ladder bot activate kraken@v1` puts it on the board" in told
    desk.ok("bot", "activate", "kraken@v1")
    assert "it is kraken@v1, which plays for it now" in desk.refused(3, "submit", file, "--game", GAME)
