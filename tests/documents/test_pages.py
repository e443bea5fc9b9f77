"""Pages that say what the program has say all of it, and nothing else: settings, packages, promises, exports."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.sandbox.guarantees import ALWAYS, FAIRNESS, NEVER, TABLE
from engine.toolchains.languages import find_language
from tests.documents.export import PAGE, page
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


def packages() -> set[str]:
    folders = {file.parent for file in sources("__init__.py")}
    return {str(path.relative_to(CHECKOUT)) for path in folders if path.parent != CHECKOUT / "engine" / "games"}


def test_the_page_of_modules_names_every_package_and_no_other() -> None:
    page = (CHECKOUT / "docs" / "modules.md").read_text("utf-8")
    named = set(re.findall(r"`((?:cli|workers|ladder|engine)(?:/[a-z_]+)*)`", page))
    assert named == packages()


DEMANDED = {"always": ALWAYS, "strict": FAIRNESS, "never": NEVER}


def test_every_promise_of_the_sandbox_is_one_that_is_tried_and_demanded_as_it_says() -> None:
    page = (CHECKOUT / "SECURITY.md").read_text("utf-8")
    promised = dict(re.findall(r"^\| `([a-z-]+)` \|.*\| (\w+) \|$", page, flags=re.MULTILINE))
    assert {name: DEMANDED[word] for name, word in promised.items()} == {row.name: row.demanded_by for row in TABLE}


def test_the_page_on_exports_has_all_tables_and_columns() -> None:
    assert PAGE.read_text("utf-8") == page(), "renew it by `.venv/bin/python -m tests.documents.export`"
