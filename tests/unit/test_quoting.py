"""What strangers wrote reaches a terminal as it is, and steers nothing."""

import io

from rich.console import Console
from rich.text import Text

from cli.terminal.words import quoted


def printed(words: Text | str) -> str:
    """Return what a terminal with colours would get."""
    file = io.StringIO()
    Console(file=file, force_terminal=True, color_system="standard", width=200).print(quoted(words), highlight=False)
    return file.getvalue()


def test_a_bots_words_are_neither_commands_nor_markup() -> None:
    words = "\x1b]0;owned\x07 [red]red[/red] [/bold] [link=file:///etc] int a[b];"
    assert printed(words) == "\u241b]0;owned\u2407 [red]red[/red] [/bold] [link=file:///etc] int a[b];\n"


def test_our_own_colours_stay_where_they_are() -> None:
    text = Text("\x1b[2J ")
    text.append("kraken@v1", style="green")
    text.append("\x1b[2J")
    assert printed(text) == "\u241b[2J \x1b[32mkraken@v1\x1b[0m\u241b[2J\n"
    assert text.plain.startswith("\x1b"), "what is quoted stays itself"
