"""`make size`: how large the house is, room by room, and how many files an ordinary change touches.

How this works. Lines are told apart by the syntax tree: docstrings and imports by their nodes, comments with the blank
lines. A change is represented by one that was made: the files that name it today are those which the next one of its
kind will touch. `--files` prints them. A pattern leaves out what has the same word for another thing.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import defaultdict
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from tests.bench.report import say
from tests.sources import CHECKOUT, LAYERS, is_a_bot

ENDINGS = {".py", ".sql", ".html", ".toml", ".js"}
CHANGES = {
    "a computed column of a board": r"\bmean_place\b",
    "a counted column of a board": r"\btimeouts( +int NOT NULL|: int = )|\b(record|standings)\.timeouts\b",
    "a rating system": r"\bopenskill\b",
    "a tier of the sandbox": r"\bNESTED\b",
    "how a time-out is judged": r"\bis_kept_from_its_core\b",
    "a language": r"\bkotlin\b",
    "a game": r"\bice-and-fire\b",
    "a noun of the command line": r"\bcontest\b.*Command|cli\.contest\b",
    "a state of matches": r"\bMatchState\.VOID\b|'void'",
    "a rule of promotion": r"\bRANK_ABOVE_BOSS\b|'rank_above_boss'",
    "a read with its command and route": r"\bopponents_of\(connection: |\bbots[.:]opponents_of\b|\"versus\": \"cli",
    "a metric of each match": r"\bmedian_us( +int,|=median_low\(times|, charged_us)|\bseat\.median_us\b",
    "a write with its command and route": r"\bPURGE_GAUNTLET = |\bpurge\(actor: |\bgauntlets[.:]purge\b|\"purge\"",
    "a verdict": r"\bVerdict\.MEMORY\b|'memory'",
}


@dataclass(slots=True)
class Size:
    """What a room is made of: files, functions, and lines by kind."""

    modules: int = 0
    functions: int = 0
    lines: int = 0
    code: int = 0
    docstrings: int = 0
    imports: int = 0
    blank: int = 0

    def add(self, other: Size) -> None:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


def size_of(text: str) -> Size:
    tree, lines = ast.parse(text), text.splitlines()
    docstrings: set[int] = set()
    imports: set[int] = set()
    functions = 0
    for node in ast.walk(tree):
        functions += isinstance(node, ast.FunctionDef)
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports |= lines_of(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            docstrings |= lines_of(node)
    blank = {
        number
        for number, line in enumerate(lines, 1)
        if number not in docstrings and (not line.strip() or line.lstrip().startswith("#"))
    }
    code = len(lines) - len(docstrings) - len(imports) - len(blank)
    return Size(1, functions, len(lines), code, len(docstrings), len(imports), len(blank))


def lines_of(node: ast.stmt) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def room_of(file: Path) -> str:
    """Return the room of a file: a layer and its first folder, the bots of games, or the tests."""
    if is_a_bot(file):
        return "bots"
    parts = file.relative_to(CHECKOUT).parts
    return "/".join(parts[: 2 if len(parts) > 2 and parts[0] != "tests" else 1])


def files_with(pattern: str) -> list[str]:
    """Return the files of the program that name something, bots left out."""
    word = re.compile(pattern)
    files = (file for layer in LAYERS for file in sorted((CHECKOUT / layer).rglob("*")))
    return [
        str(file.relative_to(CHECKOUT))
        for file in files
        if file.suffix in ENDINGS and not is_a_bot(file) and word.search(file.read_text("utf-8"))
    ]


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.size", description=__doc__)
    parser.add_argument("--files", action="store_true", help="name the files that each change touches")
    options = parser.parse_args()
    rooms: defaultdict[str, Size] = defaultdict(Size)
    for top in (*LAYERS, "tests"):
        for file in sorted((CHECKOUT / top).rglob("*.py")):
            rooms[room_of(file)].add(size_of(file.read_text("utf-8")))
    whole = Size()
    for room, size in rooms.items():
        if room not in {"bots", "tests"}:
            whole.add(size)
    rooms["the four packages, without bots"] = whole
    say(f"{'room':32}" + "".join(f"{field.name:>11}" for field in fields(Size)))
    for room, size in rooms.items():
        say(f"{room:32}" + "".join(f"{number:11,}" for number in astuple(size)))
    sql = sum(len(file.read_text("utf-8").splitlines()) for file in (CHECKOUT / "ladder").rglob("*.sql"))
    say(f"{'the schema, in SQL':32}{'':22}{sql:11,}\n")
    say(f"{'a change like the one that brought':40}files")
    for change, pattern in CHANGES.items():
        found = files_with(pattern)
        say(f"{change:40}{len(found):5}")
        if options.files:
            say("".join(f"    {file}\n" for file in found).rstrip("\n"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
