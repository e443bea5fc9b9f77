"""What documents point to is there: files, headings, modules. And the documents stay short, the first page too."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
DOCUMENTS = sorted([*CHECKOUT.glob("*.md"), *CHECKOUT.glob("docs/**/*.md"), *CHECKOUT.glob("deploy/*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:cli|workers|ladder|engine|tests|docs|deploy)(?:/[\w-][\w.-]*)+/?)`")
FILE = re.compile(r"(?<![\w/.])(?:cli|workers|ladder|engine|tests|deploy)(?:/\w+)+\.(?:py|toml|sql|sh)\b")
"""A source file, also in drawings and blocks of code."""
MODULE = re.compile(r"`((?:cli|workers|ladder|engine)(?:\.[a-z_]+)+)`")
MOST_LINES = 150
"""Of README.md: what greets people can be read in one go."""
MOST_WORDS = 50_000
"""Of all documents that people write; commands.md and the tables of export.md come from the program."""
WRITTEN_BY_PROGRAM = "written by `python"


@cache
def prose(document: Path) -> str:
    text = re.sub(r"^```.*?^```", "", document.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"(?<=\n\n)((?: {4}.*)?\n)+", "", text)


def anchors(document: Path) -> set[str]:
    titles = re.findall(r"^#+ (.+)$", prose(document), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}


def broken_links(document: Path) -> Iterator[str]:
    for link in LINK.findall(prose(document)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            yield link


def is_there(module: str) -> bool:
    path = CHECKOUT.joinpath(*module.split("."))
    return any(way.is_dir() or way.with_suffix(".py").is_file() for way in (path, path.parent))


def test_every_link_leads_to_a_file_and_a_heading_that_are_there() -> None:
    assert not [f"{document}: {link}" for document in DOCUMENTS for link in broken_links(document)]


def test_every_path_and_module_that_a_document_names_is_there() -> None:
    for document in DOCUMENTS:
        named = PATH.findall(prose(document)) + FILE.findall(document.read_text("utf-8"))
        assert not [path for path in named if not (CHECKOUT / path).exists()], document
        assert not [module for module in MODULE.findall(prose(document)) if not is_there(module)], document


def test_links_and_paths_are_found_at_all() -> None:
    readme = CHECKOUT / "README.md"
    assert len(LINK.findall(prose(readme))) > 20
    assert PATH.findall("see `ladder/ratings/models.py`") == ["ladder/ratings/models.py"]
    assert not is_there("ladder.nowhere.at_all")


def test_the_readme_is_short() -> None:
    assert len((CHECKOUT / "README.md").read_text("utf-8").splitlines()) <= MOST_LINES


def test_the_documents_together_are_short() -> None:
    words = {
        document: len(document.read_text("utf-8").partition(WRITTEN_BY_PROGRAM)[0].split())
        for document in DOCUMENTS
        if document.name != "commands.md"
    }
    assert sum(words.values()) <= MOST_WORDS
