"""Text as the official referees read it, as people read it in a message, and as a terminal shows it."""

import io
from pathlib import Path
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from cli.terminal.words import next_commands, own_command, quoted
from engine.text import BLANKS, harmless, one_line, shortened
from tests.unit.conversations import ANY_TEXT


def test_blanks_are_the_first_33_characters() -> None:
    assert all((chr(code) in BLANKS) == (code <= 0x20) for code in range(0x110000))


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("MOVE N TORPEDO", "MOVE N TORPEDO"),
        ("caf\u00e9 \u65e5\u672c", "caf\u00e9 \u65e5\u672c"),
        ("a\tb\x00c", "a\\tb\\x00c"),
        ("\ud800", "\\ud800"),
        ("x" * 80, "x" * 80),
        ("x" * 81, "x" * 77 + "..."),
        ("\x00" * 80, ("\\x00" * 20)[:77] + "..."),
    ],
)
def test_quotes_for_people(text: str, quoted: str) -> None:
    """What can be printed stays, the rest is escaped, and the end of a long text is left out."""
    assert shortened(text) == quoted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("caf\u00e9 \u65e5\u672c\n\tindented", "caf\u00e9 \u65e5\u672c\n\tindented"),
        ("\x1b]0;owned\x07\x1b[2J", "\u241b]0;owned\u2407\u241b[2J"),
        ("one\r\ntwo\rthree\x00\x7f", "one\ntwo\u240dthree\u2400\u2421"),
        ("\x9b2J \u202eright to left \ud800", "\ufffd2J \ufffdright to left \ufffd"),
    ],
)
def test_strangers_words_are_shown_and_steer_nothing(text: str, shown: str) -> None:
    """What is text stays; what a terminal would obey is seen."""
    assert harmless(text) == shown


@given(ANY_TEXT)
def test_harmless_words_can_be_printed_and_have_no_control_characters(text: str) -> None:
    shown = harmless(text)
    assert not any(category(character) in {"Cc", "Cs"} for character in shown if character not in "\n\t")
    assert len(shown) == len(text) - text.count("\r\n")
    assert harmless(shown) == shown


@given(ANY_TEXT)
def test_quotes_are_short_and_printable(text: str) -> None:
    assert len(shortened(text)) <= 80
    assert shortened(text).isprintable()


@given(st.text(st.characters(), max_size=20))
def test_one_line_is_what_harmless_makes_of_it_without_line_ends_and_tabs(text: str) -> None:
    assert one_line(text) == harmless(text).replace("\n", "␊").replace("\t", "␉")


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
