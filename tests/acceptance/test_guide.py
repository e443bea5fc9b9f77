"""Each command of the guide works as it stands, in the order of its page, and prints what the page shows first."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.conftest import Desk

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
UNDECIDED = 6
WORD = re.compile(r"[A-Za-z][A-Za-z-]{2,}")
PATH = re.compile(r"/\S+")
FOR_SHELL = re.compile(r"[>|&]")
INDENT = "    "
COMMAND = f"{INDENT}$ "


def steps(page: Path) -> Iterator[tuple[str, str]]:
    """Yield each command of a page, and the first line that the page shows of what it prints; "" where none is."""
    lines = page.read_text("utf-8").splitlines()
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if line.startswith(COMMAND):
            is_shown = after.startswith(INDENT) and not after.startswith(COMMAND)
            yield line.removeprefix(COMMAND), after.removeprefix(INDENT) if is_shown else ""


def test_the_guide_has_its_four_pages() -> None:
    assert {page.stem for page in GUIDE.glob("*.md")} == {"first-bot", "daily-loop", "team", "class"}
    assert all(list(steps(page)) for page in GUIDE.glob("*.md"))


@pytest.mark.parametrize("name", ["first-bot", "team", "class"])
def test_a_page_of_the_guide_can_be_typed_as_it_stands(
    arena: Desk, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    follow(arena, GUIDE / f"{name}.md", monkeypatch)


def test_the_daily_loop_is_typed_in_a_bots_folder(arena: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    arena.ok("new", "nereid", "--game", "ocean-of-code", "--language", "python")
    monkeypatch.chdir(tmp_path / "nereid")
    arena.ok("submit", "--watch")
    follow(arena, GUIDE / "daily-loop.md", monkeypatch)


def follow(desk: Desk, page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variables: dict[str, str] = {}
    for line, shown in steps(page):
        first, *words = shlex.split(line)
        if first == "cd":
            monkeypatch.chdir(words[0])
        elif first == "export":
            variables |= dict([words[0].split("=", 1)])
        else:
            printed = typed(desk, line, words, variables)
            wanted = WORD.findall(PATH.sub("", shown))
            missing = [word for word in wanted if word not in {"you", *WORD.findall(printed)}]
            assert not missing, f"{line}\n{printed}"


def typed(desk: Desk, line: str, words: list[str], variables: dict[str, str]) -> str:
    if not line.startswith("ladder ") or FOR_SHELL.search(line):
        done = desk.type(line, **variables)
    else:
        done = desk.run(*(latest(desk) if word == "216" else word for word in words), **variables)
    assert done.returncode in {0, UNDECIDED if words[0] == "gauntlet" else 0}, f"{line}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def latest(desk: Desk) -> str:
    return str(desk.json("match", "list", "--limit", "1")[0]["id"])
