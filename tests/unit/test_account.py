"""Accounts without an entry in the list of accounts, as in a container that is started with a number for its user."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.acceptance.conftest import LADDER
from tests.processes import finished

NAMELESS_UID = 424242


def as_nameless(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command under a number that has no account, in a user namespace, with nothing but this environment."""
    command = ["unshare", "--user", f"--map-user={NAMELESS_UID}", "--", *words]
    return finished(command, cwd="/", env={"PATH": os.environ["PATH"], **environment})


def sentence(done: subprocess.CompletedProcess[str]) -> str:
    assert done.stdout == ""
    assert "unexpected" not in done.stderr
    assert done.stderr.startswith("ladder: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.parametrize(("named", "player"), [({}, f"uid{NAMELESS_UID}"), ({"LADDER_PLAYER": "kim"}, "kim")])
def test_an_account_without_a_name_is_called_by_its_number_or_as_it_says(named: dict[str, str], player: str) -> None:
    """Its name is a player's, so it has to be one that the database takes."""
    words = ("-c", "from cli.context import default_player; print(default_player())")
    done = as_nameless(sys.executable, *words, PYTHONPATH=str(Path(__file__).parents[2]), **named)
    assert done.stdout == f"{player}\n", done.stderr


SEVERAL = """
import sys
from cli.run import run
for line in sys.argv[1:]:
    print(run(line.split()))
"""
"""Runs several commands and prints the status of each."""


def all_refused(status: int, sentence: str, lines: list[str], **environment: str) -> None:
    done = as_nameless(sys.executable, "-c", SEVERAL, *lines, PYTHONPATH=str(Path(__file__).parents[2]), **environment)
    assert done.stdout.split() == [str(status)] * len(lines), done.stderr
    said = done.stderr.splitlines()
    assert len(said) == len(lines), done.stderr
    assert all(line.startswith("ladder: ") and sentence in line and "unexpected" not in line for line in said), said


def test_without_any_home_folder_the_variable_is_named_that_says_where_the_ladder_is() -> None:
    words = f"uid {NAMELESS_UID} has no home folder: name one for the ladder in LADDER_HOME"
    all_refused(2, words, ["board", "match cancel 5", "status"])


def test_commands_that_name_their_player_get_as_far_as_for_anybody_else(tmp_path: Path) -> None:
    lines = ["gauntlet run kraken", "match request kraken orca", "match void 1 --why x", "gauntlet stop 1"]
    all_refused(4, "no services run for", lines, LADDER_HOME=str(tmp_path / "home"))


def test_what_is_built_needs_a_folder_which_is_named_where_there_is_no_home(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("print(7, 7)\n")
    words = ("play", "ocean-of-code", bot, bot, "--sandbox", "none")
    done = as_nameless(LADDER, *words, LADDER_HOME=str(tmp_path / "home"))
    assert done.returncode == 2
    assert f"uid {NAMELESS_UID} has no home folder for what is built: name one in LADDER_CACHE" in sentence(done)


def test_logins_need_a_folder_which_is_named_where_there_is_no_home(tmp_path: Path) -> None:
    done = as_nameless(LADDER, "login", "http://127.0.0.1:9")
    assert done.returncode == 2
    assert f"uid {NAMELESS_UID} has no home folder for its logins: name one in XDG_CONFIG_HOME" in sentence(done)
    done = as_nameless(LADDER, "whoami", LADDER_HOME=str(tmp_path / "home"))
    assert done.returncode == 0, done.stderr
