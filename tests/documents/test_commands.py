"""The reference of commands says what the program says."""

import re

import pytest
import typer

from cli.answer import ExitStatus
from cli.program.assembly import program
from tests.documents.commands import MEANINGS, PAGE, RENEW, page, walk


def test_the_reference_of_commands_is_what_the_program_says() -> None:
    if PAGE.read_text("utf-8") != page():
        pytest.fail(f"docs/commands.md is not what the program says; renew it: {RENEW}")


def test_the_help_of_every_command_and_group_has_an_example_of_it() -> None:
    for path, command, _ in walk(typer.main.get_command(program()), "ladder", None):
        assert re.search(rf"Example: (\w+=\S+ )*{path}\b", " ".join(command.help.split())), path


def test_every_exit_status_has_its_meaning_in_the_reference() -> None:
    assert list(MEANINGS) == list(ExitStatus)
    assert all(f"| {status} | {MEANINGS[status]} |" in PAGE.read_text("utf-8") for status in ExitStatus)
