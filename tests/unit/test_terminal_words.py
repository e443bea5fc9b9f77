"""Words on a terminal: what strangers wrote steers nothing, and our program is named as the person can call it."""

import io
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from cli.terminal.words import next_commands, own_command, quoted


def printed(words: Text | str) -> str:
    """Return what a terminal with colours would get."""
    file = io.StringIO()
    Console(file=file, force_terminal=True, color_system="standard", width=200).print(quoted(words), highlight=False)
    return file.getvalue()


def test_a_bots_words_are_neither_commands_nor_markup_and_our_own_colours_stay_where_they_are() -> None:
    words = "\x1b]0;owned\x07 [red]red[/red] [/bold] [link=file:///etc] int a[b];"
    assert printed(words) == "\u241b]0;owned\u2407 [red]red[/red] [/bold] [link=file:///etc] int a[b];\n"
    text = Text("\x1b[2J ")
    text.append("kraken@v1", style="green")
    text.append("\x1b[2J")
    assert printed(text) == "\u241b[2J \x1b[32mkraken@v1\x1b[0m\u241b[2J\n"
    assert text.plain.startswith("\x1b"), "what is quoted stays itself"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that was called by its whole path, in a folder that PATH does not name."""
    program = tmp_path / "bin" / "ladder"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr("sys.argv", [str(program), "up"])
    monkeypatch.setenv("PATH", "/usr/bin")
    monkeypatch.delenv("LADDER_CALLED_AS", raising=False)
    return program


def test_the_program_is_named_by_its_whole_path_or_as_the_script_of_the_clone_was_called_in_columns_of_commands(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert own_command() == str(program)
    monkeypatch.setenv("LADDER_CALLED_AS", "bin/ladder")
    assert own_command() == "bin/ladder"
    columns = "  bin/ladder up        start\n  bin/ladder board -w  watch"
    assert next_commands({"up": "start", "board -w": "watch"}) == columns


def test_a_program_that_path_leads_to_is_named_alone(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(program.parent))
    assert own_command() == "ladder"
    monkeypatch.setenv("LADDER_CALLED_AS", str(program))
    assert own_command() == "ladder"
    monkeypatch.setenv("LADDER_CALLED_AS", "/other/clone/bin/ladder")
    assert own_command() == "/other/clone/bin/ladder"
