"""The guide and docs/new-game.md work as they stand: files are written, commands typed, in the order of each page."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.acceptance.conftest import Desk, Shell
from tests.processes import finished, processes_of

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
UNDECIDED = 6
WORD = re.compile(r"[A-Za-z][A-Za-z-]{2,}")
PATH = re.compile(r"/\S+")
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
def test_a_page_can_be_typed_as_is(arena: Desk, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    if not line.startswith("ladder ") or re.search(r"[>|&]", line):
        done = desk.type(line, **variables)
    else:
        latest = str(desk.json("match", "list", "--limit", "1")[0]["id"]) if "216" in words else ""
        done = desk.run(*(latest if word == "216" else word for word in words), **variables)
    assert done.returncode in {0, UNDECIDED if words[0] == "gauntlet" else 0}, f"{line}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


NEW_GAME = Path(__file__).parents[2] / "docs" / "new-game.md"
BLOCK = re.compile(
    r"(?:^\*\*`(?P<path>[^`]+)`\*\*\n\n)?^```(?P<language>\w*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
BIN = Path(sys.executable).parent
IN_A_SHELL = re.compile(r"^(?!ladder )|^ladder up|[&{]")


@dataclass
class Reader:
    """Somebody who follows the guide in a folder. `exported`: variables so far; `printed`: by each command."""

    folder: Path
    home: Path
    exported: dict[str, str] = field(default_factory=dict[str, str])
    printed: dict[str, str] = field(default_factory=dict[str, str])

    def follow(self) -> None:
        for block in BLOCK.finditer(NEW_GAME.read_text("utf-8")):
            if block["path"]:
                path = self.folder / block["path"]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block["text"], "utf-8")
            else:
                assert block["language"] == "sh", f"a block that is neither a file nor commands: {block['text'][:50]}"
                for command in block["text"].splitlines():
                    self.type(command)

    def type(self, command: str) -> None:
        if command.startswith("export "):
            name, value = command.removeprefix("export ").split("=")
            self.exported[name] = value.replace("$PWD", str(self.folder))
            return
        done = self.run(command)
        assert done.returncode == 0, f"{command}: exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
        self.printed[command] = done.stdout + done.stderr

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command here where that is as good: not what a shell reads, what stays, nor other modules."""
        if IN_A_SHELL.search(command) or "PYTHONPATH" in self.exported:
            environment = Shell(self.home).full_environment(PATH=f"{BIN}:{os.environ['PATH']}", **self.exported)
            return finished(["bash", "-c", command], cwd=self.folder, env=environment)
        with chdir(self.folder):
            return Desk(self.home, self.exported).run(*command.split()[1:])

    def output(self, beginning: str) -> str:
        return [words for command, words in self.printed.items() if command.startswith(beginning)][-1]


@pytest.fixture(scope="module")
def reader(open_folder: Path) -> Iterator[Reader]:
    folder = open_folder / "new-game"
    folder.mkdir()
    reader = Reader(folder, folder / "home")
    try:
        reader.follow()
        yield reader
    finally:
        reader.run("ladder down")


def test_the_game_of_the_guide_passes_the_kit(reader: Reader) -> None:
    words = reader.output("ladder game check")
    assert "failed" not in words
    assert "ok     golden records\n" in words
    assert "ok     golden records are met\n" in words
    assert "lacks  secrets\n" in words
    assert "ok     starters pass their trial matches\n" in words


def test_the_game_of_the_guide_is_listed_shown_and_played(reader: Reader) -> None:
    assert "tic-tac-toe: Tic-Tac-Toe; Wood, Bronze\n" in reader.output("ladder game list")
    assert "three rows of the board" in reader.output("ladder game show")
    assert "first_free.py against watchful.py: " in reader.output("ladder play")
    assert reader.output("ladder game verify") == "8 matches, 8 identical\n"


def test_a_bot_of_the_guides_game_is_built_matched_and_rated(reader: Reader) -> None:
    assert "chance@v1 ranks" in reader.output("ladder submit")
    rows = json.loads(reader.run("ladder board --game tic-tac-toe --json").stdout)
    (own,) = (row for row in rows if row["bot"] == "chance")
    assert own["player"] == "ada"
    # Over all leagues: it may have gone up since it had its battles, and a board counts those in its own league.
    assert len(json.loads(reader.run("ladder match list --bot chance --rated --limit 50 --json").stdout)) >= 10
    assert {row["bot"] for row in rows} >= {"boss-wood", "boss-bronze"}
    assert "chance@v1" in reader.output("ladder match list")


def test_the_guides_records_show_a_change_of_the_rules_line_by_line(reader: Reader) -> None:
    changed = reader.folder / "changed"
    changed.mkdir()
    records = (reader.folder / "games/tic-tac-toe/golden.jsonl").read_text().splitlines()
    assert json.loads(records[0]) == {"game": "tic-tac-toe", "id": "1", "league": 1, "seed": 1}
    first = json.loads(records[1])
    records[1] = json.dumps([first[0], ["X", "...", "...", "..."], first[2]])
    (changed / "golden.jsonl").write_text("\n".join(records))
    done = reader.run("ladder game verify changed/golden.jsonl")
    assert done.returncode == 1
    assert "changed/golden.jsonl: line 1: ask 1, seat 0, line " in done.stdout
    assert done.stdout.endswith("8 matches, 7 identical\n")


def test_the_guides_package_brings_the_game_without_a_folder_being_named(reader: Reader) -> None:
    """As it is installed: a package and the entry points that its pyproject.toml names."""
    project = tomllib.loads((reader.folder / "package/pyproject.toml").read_text())
    (group, points), *_ = project["project"]["entry-points"].items()
    site = reader.folder / "site"
    metadata = site / "ladder_tic_tac_toe-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: ladder-tic-tac-toe\nVersion: 1.0\n")
    lines = "".join(f"{name} = {value}\n" for name, value in points.items())
    (metadata / "entry_points.txt").write_text(f"[{group}]\n{lines}")
    (package,) = project["tool"]["setuptools"]["packages"]
    reader.run(f"cp -r games/tic-tac-toe site/{package} && touch site/{package}/__init__.py")
    other = Reader(reader.folder, reader.home, {"PYTHONPATH": str(site)})
    other.type("ladder game list")
    other.type(f"ladder play tic-tac-toe {reader.folder}/games/tic-tac-toe/bots/{{watchful,first_free}}.py")
    assert "tic-tac-toe: Tic-Tac-Toe; Wood, Bronze\n" in other.output("ladder game list")


def test_up_says_what_to_type_next_and_down_stops_everything_and_the_data_stay(reader: Reader) -> None:
    *_, pages, submit, board = reader.output("ladder up").splitlines()
    assert re.fullmatch(r"the pages(: http://127\.0\.0\.1:82\d\d/\?key=[0-9a-f]{64}| are not there yet; .*)", pages)
    assert submit == "  ladder submit my_bot.py --game ocean-of-code --watch  submit a bot"
    assert re.fullmatch("  ladder board +see the ranking", board)
    assert "stopped" in reader.run("ladder down").stderr
    assert not processes_of(reader.home)
    stays = json.loads(reader.run("ladder bot list --json").stdout)
    assert [found["name"] for found in stays if found["player"] == "ada"] == ["chance"]
    assert "nothing runs" in reader.run("ladder down").stderr
