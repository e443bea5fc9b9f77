"""The program reads in what the command line names, and nothing else."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from cli.program import COMMANDS, named_in, overview, program
from tests.patience import patience_s

READ_IN = """
import contextlib, io, sys
from cli.run import run
with contextlib.redirect_stdout(io.StringIO()):
    run(sys.argv[1:])
print(*sorted(name for name in sys.modules if name.startswith("cli.")))
"""


def read_in(*words: str) -> set[str]:
    """Return which modules of the commands were read in to run this."""
    done = subprocess.run(
        [sys.executable, "-c", READ_IN, *words], capture_output=True, text=True, check=True, timeout=patience_s()
    )
    homes = {command.place.partition(":")[0] for command in COMMANDS.values()}
    return homes & set(done.stdout.split())


def test_for_a_command_only_its_own_module_is_read_in() -> None:
    assert read_in("game", "list") == {"cli.game.commands"}
    assert read_in("--debug", "board", "--help") == {"cli.board.commands"}


def test_for_the_list_of_commands_and_unknown_words_none_is() -> None:
    assert read_in("--help") == read_in("bord") == set()


def test_the_list_of_commands_says_of_each_what_the_command_says_of_itself() -> None:
    listed, real = (get_command(app) for app in (overview(), program()))
    assert isinstance(listed, TyperGroup)
    assert isinstance(real, TyperGroup)
    assert list(listed.commands) == list(real.commands), "in one order"
    for name, command in real.commands.items():
        assert listed.commands[name].get_short_help_str(200) == command.get_short_help_str(200), name


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["board"], "board"),
        (["--debug", "board", "--json"], "board"),
        (["submit", "bot.py", "--bot", "board"], "submit"),
        (["--help"], None),
        (["--help", "board"], None),
        (["bord"], None),
        ([], None),
    ],
)
def test_the_command_is_the_first_word_that_is_no_option(words: list[str], command: str | None) -> None:
    assert named_in(words) == command


def test_every_command_is_where_the_table_says() -> None:
    assert COMMANDS
    for command in COMMANDS.values():
        module, _, name = command.place.partition(":")
        assert hasattr(import_module(module), name)
