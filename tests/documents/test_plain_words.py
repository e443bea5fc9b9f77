"""What people read avoids words that have to be explained; CONTRIBUTING.md lists them."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STATEMENTS = (ROOT / "engine" / "games").glob("*/statement/level-[0-9].md")
PAGES = (
    ROOT / "README.md",
    ROOT / "docs" / "commands.md",
    *sorted((ROOT / "docs" / "guide").glob("*.md")),
    *sorted(STATEMENTS),
    *sorted((ROOT / "ladder" / "web" / "templates").glob("*.html")),
)
AVOIDED = re.compile(
    r"\b(nobody|whoever|told|so many|rung|unheard|wish|(valid|active|counts?|plays?|shows?|guards?) no more)\b"
    r"|\blets \w+ \w+ not\b",
    re.IGNORECASE,
)
PROGRAM = sorted(file for top in ("cli", "ladder", "workers") for file in (ROOT / top).rglob("*.py"))
SENTENCE = re.compile(r"lets (this )?\w+ not\b|valid no more|\bcounts? no more\b(?!`)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_for_users_avoid_unplain_words(page: Path) -> None:
    lines = enumerate(page.read_text("utf-8").splitlines(), 1)
    assert [f"{page.name}:{number}: {line}" for number, line in lines if AVOIDED.search(line)] == []


def test_no_sentence_of_the_program_puts_its_words_in_another_order() -> None:
    found = [
        f"{file.relative_to(ROOT)}: {line.strip()}"
        for file in PROGRAM
        for line in file.read_text("utf-8").splitlines()
        if SENTENCE.search(line) and not line.lstrip().startswith(('"""', "`"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "page", sorted((ROOT / "ladder" / "web" / "templates").glob("*.html")), ids=lambda page: page.name
)
def test_no_word_of_a_page_touches_the_next_one(page: Path) -> None:
    lines = page.read_text("utf-8").splitlines()
    touching = [
        f"{page.name}:{number}: {one[-60:]}"
        for number, (one, following) in enumerate(pairwise(lines), 1)
        if re.search(r"[^>\s}]\{% (endif|endfor) %\}$|\}\}\{% (endif|endfor) %\}$", one)
        and re.match(r"\{% for .* %\}<(a|span|em|strong|code)\b|<(a|span|em|strong|code)\b|\w|\{\{", following)
    ]
    assert touching == []
