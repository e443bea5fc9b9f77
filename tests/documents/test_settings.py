"""The page of settings has every variable that the program reads, and no other; its example of a recipe can be used."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.toolchains.languages import find_language
from tests.sources import CHECKOUT, sources

SETTINGS = (CHECKOUT / "docs" / "settings.md").read_text("utf-8")


def variables() -> Iterator[str]:
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and re.fullmatch(r"LADDER_[A-Z_]+", str(node.value)):
                yield str(node.value)


def test_every_variable_that_the_program_reads_is_explained_and_no_other() -> None:
    assert set(re.findall(r"`(LADDER_[A-Z_]+)`", SETTINGS)) == set(variables())


def test_the_recipe_that_bot_authors_are_shown_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (CHECKOUT / "docs" / "writing-a-bot.md").read_text("utf-8")
    recipe = tmp_path / "languages.toml"
    own = page.split("### Languages of your own")[1]
    recipe.write_text(own.split("```toml\n")[1].split("```")[0], "utf-8")
    monkeypatch.setenv("LADDER_LANGUAGES", str(recipe))
    assert "-std=c++23" in find_language("c++").toolchains[0].compile
