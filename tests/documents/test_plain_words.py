"""What people read avoids words that have to be explained; CONTRIBUTING.md lists them."""

from __future__ import annotations

import re
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
AVOIDED = re.compile(r"\b(nobody|whoever|told|so many|rung|unheard|wish)\b", re.IGNORECASE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_for_users_avoid_unplain_words(page: Path) -> None:
    lines = enumerate(page.read_text("utf-8").splitlines(), 1)
    assert [f"{page.name}:{number}: {line}" for number, line in lines if AVOIDED.search(line)] == []
