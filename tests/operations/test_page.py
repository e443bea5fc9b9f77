"""Every command of docs/operations.md, typed in its order on a ladder that has played. `make operations` runs it."""

import json
import os
import re
import socket
import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path

import psycopg
import pytest

from tests.acceptance.conftest import LADDER
from tests.patience import patience_s
from tests.sources import CHECKOUT

pytestmark = pytest.mark.weekly
PAGE = CHECKOUT / "docs" / "operations.md"
COMMAND = re.compile(r"^ {4,}((?:[A-Z_]+=\S+ )?ladder .*)$", re.MULTILINE)
STARTER = "ladder game starter ocean-of-code --language python"
BEFORE = (
    "ladder up --workers 2",
    f"{STARTER} > one.py",
    f"({STARTER}; echo '# two') > two.py",
    "ladder submit one.py --game ocean-of-code --bot kraken --watch",
    "ladder submit two.py --game ocean-of-code --bot kraken --watch",
    "ladder gauntlet run kraken@v2 --against kraken@v1 --pairs 2",
)
UNTIL_CTRL_C = ("ladder metrics",)
OLD = "UPDATE matches SET finished_at = finished_at - interval '5 years', started_at = started_at - interval '5 years'"


class Terminal:
    """Where an operator types, with a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "HOME": str(folder),
            "LADDER_HOME": str(folder / "first"),
            "LADDER_KEEP_NEWEST": "2",
            "PATH": f"{LADDER.parent}:{os.environ['PATH']}",
        }

    def type(self, command: str, statuses: Collection[int] = (0,)) -> str:
        limit = "timeout --preserve-status --signal=TERM 8 " if command.startswith(UNTIL_CTRL_C) else ""
        done = subprocess.run(
            ["bash", "-c", limit + command],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=patience_s(300),
            check=False,
        )
        assert done.returncode in statuses, f"{command}: exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout + done.stderr


@pytest.fixture
def terminal(open_folder: Path) -> Iterator[Terminal]:
    folder = open_folder / f"operator-{os.urandom(3).hex()}"
    folder.mkdir(mode=0o755)
    terminal = Terminal(folder)
    try:
        for command in BEFORE:
            terminal.type(command, {0, 6})  # a gauntlet of equals is undecided
        yield terminal
    finally:
        for home in ("first", "second"):
            terminal.type(f"LADDER_HOME=~/{home} ladder down")


def test_every_command_of_the_page_does_what_it_says(terminal: Terminal) -> None:
    commands = COMMAND.findall(PAGE.read_text("utf-8"))
    assert len(commands) > 8
    gauntlets = json.loads(terminal.type("ladder gauntlet list --json"))
    url = json.loads((terminal.folder / "first/state.json").read_text())["database_url"]
    with psycopg.connect(url) as connection:
        connection.execute(OLD)
    printed = {}
    for command in commands:
        typed = command.replace("arena-3", socket.gethostname()).replace(
            "--gauntlet 12", f"--gauntlet {gauntlets[0]['id']}"
        )
        archived = sorted(terminal.folder.glob("old-matches/*.match"))
        if "17.match" in typed:
            assert archived, "the command before has archived some"
            typed = typed.replace("17.match", archived[0].name)
        printed[command] = terminal.type(typed)
    assert any("every rating is reproduced" in words for words in printed.values())
    assert "will end" in printed[next(command for command in commands if "drain" in command)]
    assert "ledger" in terminal.type("ladder rating verify")
