"""The program reads in what the command line names, and nothing else."""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from cli.program.assembly import named_in, program
from cli.program.command_list import COMMANDS, SECTIONS, CommandGroup
from tests.acceptance.conftest import LADDER
from tests.processes import finished

READ_IN = """
import contextlib, io, json, os, sys
from cli.run import run
for words in json.loads(sys.argv[1]):
    if os.fork() == 0:
        with contextlib.redirect_stdout(io.StringIO()):
            run(words)
        print(*sorted(name for name in sys.modules if name.startswith("cli.")), flush=True)
        os._exit(0)
    os.wait()
"""


def read_in(*commands: Sequence[str]) -> list[set[str]]:
    """Return the modules with commands that each of these reads in, each in a process that has read in none."""
    done = finished([sys.executable, "-c", READ_IN, json.dumps(commands)])
    homes = {place.partition(":")[0] for place in every_place()}
    found = [homes & set(line.split()) for line in done.stdout.splitlines()]
    assert len(found) == len(commands), done.stderr
    return found


def every_place() -> Iterator[str]:
    for found in COMMANDS.values():
        yield from found.commands.values() if isinstance(found, CommandGroup) else [found]


def test_for_a_command_only_its_own_module_is_read_in_and_for_lists_of_commands_and_unknown_words_none() -> None:
    found = read_in(["game", "list"], ["match", "input", "--help"], ["--debug", "board", "--help"])
    assert found == [{"cli.game.commands"}, {"cli.match.show"}, {"cli.board"}]
    none = (["--help"], ["bord"], ["match", "--help"], ["match", "lst"], ["match"])
    assert read_in(*none) == [set()] * len(none)


def test_the_list_of_commands_says_of_each_what_the_command_says_of_itself() -> None:
    require_alike(get_command(program("")), get_command(program()))


@pytest.mark.parametrize("name", [name for name, found in COMMANDS.items() if isinstance(found, CommandGroup)])
def test_the_list_of_a_groups_commands_does_so_too(name: str) -> None:
    groups = [get_command(app) for app in (program(name, ""), program())]
    assert all(isinstance(group, TyperGroup) for group in groups)
    require_alike(*(group.commands[name] for group in groups if isinstance(group, TyperGroup)))


def test_help_lists_each_command_once_by_what_it_is_for() -> None:
    names = [name for names in SECTIONS.values() for name in names]
    assert sorted(names) == sorted(COMMANDS)
    printed = finished([LADDER, "--help"]).stdout
    places = [printed.index(f"\n{section}:\n") for section in SECTIONS]
    assert places == sorted(places)
    listed = re.findall(r"^  ([a-z]+) ", printed[places[0] :], re.MULTILINE)
    assert listed == names


def require_alike(listed: object, real: object) -> None:
    assert isinstance(listed, TyperGroup)
    assert isinstance(real, TyperGroup)
    assert list(listed.commands) == list(real.commands), "in one order"
    for name, command in real.commands.items():
        assert listed.commands[name].get_short_help_str(200) == command.get_short_help_str(200), name


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (["board"], ("board", "")),
        (["--debug", "board", "--json"], ("board", "")),
        (["submit", "bot.py", "--bot", "board"], ("submit", "")),
        (["--server", "board", "match", "--server", "x", "list"], ("match", "list")),
        (["match", "list", "show"], ("match", "list")),
        (["match", "--help", "list"], ("match", "")),
        (["match", "lst"], ("match", "")),
        (["match"], ("match", "")),
        (["import", "cgarena"], ("import", "cgarena")),
        (["import", "folder"], ("import", "export")),
        (["--help"], ("", "")),
        (["--help", "board"], ("", "")),
        (["bord", "list"], ("", "")),
        ([], ("", "")),
    ],
)
def test_a_command_is_the_first_word_that_is_no_option_and_in_a_group_the_second(
    words: list[str], command: tuple[str, str]
) -> None:
    assert named_in(words) == command


def test_every_command_is_where_the_table_says() -> None:
    assert COMMANDS
    for place in every_place():
        module, _, name = place.partition(":")
        assert hasattr(import_module(module), name)
