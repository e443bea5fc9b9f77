"""What people read avoids words that have to be explained; CONTRIBUTING.md lists them."""

import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[2]
STATEMENTS = (ROOT / "engine" / "games").glob("*/statement/level-[0-9].md")
TEMPLATES = sorted((ROOT / "ladder" / "web" / "templates").glob("*.html"))
PAGES = (
    ROOT / "README.md",
    ROOT / "docs" / "commands.md",
    *sorted((ROOT / "docs" / "guide").glob("*.md")),
    *sorted(STATEMENTS),
    *TEMPLATES,
)
AVOIDED = re.compile(
    r"\b(nobody|whoever|told|so many|rung|unheard|wish|(valid|active|counts?|plays?|shows?|guards?) no more)\b"
    r"|\blets \w+ \w+ not\b",
    re.IGNORECASE,
)
PROGRAM = sorted(file for top in ("cli", "ladder", "workers") for file in (ROOT / top).rglob("*.py"))
SENTENCE = re.compile(r"lets (this )?\w+ not\b|valid no more|\bcounts? no more\b(?!`)")


def lines_of(files: Iterable[Path]) -> list[tuple[str, str]]:
    """Return each line of the files with where it stands."""
    lines = [
        (f"{file.relative_to(ROOT)}:{number}", line)
        for file in files
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
    ]
    assert lines
    return lines


def test_pages_for_users_avoid_unplain_words() -> None:
    assert [line for line in lines_of(PAGES) if AVOIDED.search(line[1])] == []


def test_no_sentence_of_the_program_puts_its_words_in_another_order() -> None:
    lines = lines_of(PROGRAM)
    assert [line for line in lines if SENTENCE.search(line[1]) and not line[1].lstrip().startswith(('"""', "`"))] == []


def test_no_word_of_a_page_touches_the_next_one() -> None:
    touching = [
        f"{where}: {one[-60:]}"
        for (where, one), (_, following) in pairwise(lines_of(TEMPLATES))
        if re.search(r"[^>\s}]\{% (endif|endfor) %\}$|\}\}\{% (endif|endfor) %\}$", one)
        and re.match(r"\{% for .* %\}<(a|span|em|strong|code)\b|<(a|span|em|strong|code)\b|\w|\{\{", following)
    ]
    assert touching == []
