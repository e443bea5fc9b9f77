"""Statements in several languages: a translation has to be whole, and to say what the English rules say."""

import shutil
from itertools import pairwise
from pathlib import Path

import pytest

from engine.conformance.kit import statement_complaints
from engine.game import Game
from engine.games.game_folder import load_game
from tests.catalogue import GAMES

OCEAN = GAMES.find("ocean-of-code")


@pytest.fixture
def game(tmp_path: Path) -> Game:
    return load_game(shutil.copytree(OCEAN.folder, tmp_path / "game", ignore=shutil.ignore_patterns("__pycache__")))


def change(game: Game, name: str, old: str, new: str) -> None:
    path = game.folder / "statement" / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_the_shipped_statements_are_whole_and_say_the_same(game: Game) -> None:
    assert game.statement_languages == ("en", "fr")
    assert list(statement_complaints(game)) == []
    assert "la torpille" in game.statement(1, "fr")


def test_a_translation_that_lacks_a_level_is_complained_about(game: Game) -> None:
    (game.folder / "statement" / "level-2.fr.md").unlink()
    (complaint,) = statement_complaints(game)
    assert "statement/level-2.fr.md, the statement of ocean-of-code, cannot be read" in complaint


def test_a_statement_that_is_too_short_is_complained_about_in_each_language(game: Game) -> None:
    for name in ("level-1.md", "level-1.fr.md"):
        (game.folder / "statement" / name).write_text("# Rules")
    assert list(statement_complaints(game)) == [
        f"the statement of level 1 in {language} has 7 characters; rules take at least 200" for language in ("en", "fr")
    ]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("en 4 pas", "en 5 pas", "lacks numbers of the English one: 4"),
        ("en 4 pas", "en 5 pas", "has numbers that the English one has not: 5"),
        ("(`MOVE N`)", "(`MOVE S`)", "lacks code of the English one: MOVE N"),
        ("`ladder league list`", "`ladder list`", "has code that the English one has not: ladder list"),
        ("| `SONAR`, le sonar | 4 |", "", "lacks code of the English one: SONAR"),
    ],
)
def test_a_translation_that_says_something_else_is_a_complaint(game: Game, old: str, new: str, complaint: str) -> None:
    change(game, "level-2.fr.md", old, new)
    assert f"the statement of level 2 in fr {complaint}" in list(statement_complaints(game))


def test_a_large_number_may_be_written_as_the_language_does(game: Game) -> None:
    for old, new in pairwise(["9999", "9,999", "9\u00a0999", "9\u202f999"]):
        change(game, "level-2.fr.md", old, new)
        assert list(statement_complaints(game)) == []


def test_other_files_beside_the_statements_are_no_language(game: Game) -> None:
    for name in ("level-1.notes.md", "notes.md", "level-1.md.orig"):
        (game.folder / "statement" / name).write_text("to do")
    assert game.statement_languages == ("en", "fr")
