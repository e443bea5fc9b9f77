"""Words that are read without Typer's own library give the values that it would give."""

from typing import Annotated, Any

import pytest
import typer
from typer.core import TyperCommand
from typer.main import get_command

from cli.program.assembly import NOT_PLAIN, QuickCommand, plain

WORDS = ("0", "7", "10", "11", "-1", "+3", " 3", "3_0", "03", "3.0", "1e3", "x", "", "\u0663", "9" * 30, "e\u0301")


def even(word: str) -> int:
    number = int(word)
    if number % 2:
        raise ValueError("it is odd")
    return number


def the_command(kind: type[TyperCommand]) -> Any:
    app = typer.Typer()

    @app.command(cls=kind)
    def command(
        word: Annotated[str | None, typer.Option()] = None,
        number: Annotated[int | None, typer.Option()] = None,
        small: Annotated[int, typer.Option(min=1, max=10)] = 5,
        evenly: Annotated[int | None, typer.Option(parser=even)] = None,
        share: Annotated[float | None, typer.Option(min=0)] = None,
        words: Annotated[list[str] | None, typer.Option()] = None,
        flag: Annotated[bool, typer.Option("--flag")] = False,
    ) -> None:
        """Do nothing."""

    return get_command(app)


def read(kind: type[TyperCommand], *words: str) -> Any:
    try:
        return the_command(kind).make_context("command", list(words)).params
    except typer.TyperException as error:
        return error.format_message()


@pytest.mark.parametrize("option", ["--word", "--number", "--small", "--evenly", "--share", "--words"])
def test_each_word_is_the_value_that_it_is_to_typer_and_each_wrong_one_is_said_in_the_same_words(option: str) -> None:
    for word in WORDS:
        assert read(QuickCommand, option, word) == read(TyperCommand, option, word), word


def test_what_is_left_out_is_what_it_is_to_typer() -> None:
    assert read(QuickCommand) == read(TyperCommand)
    assert read(QuickCommand, "--flag") == read(TyperCommand, "--flag")


def test_what_is_plain_is_read_here_and_what_is_not_is_left_to_typer() -> None:
    options = {option.name: option for option in the_command(QuickCommand).params}
    assert plain(options["word"], "a") == "a"
    assert plain(options["number"], "17") == plain(options["number"], 17) == 17
    assert plain(options["evenly"], "4") == 4
    assert plain(options["words"], None) == ()
    assert plain(options["flag"], None) is None
    for name, word in (("small", "11"), ("number", "-1"), ("evenly", "3"), ("share", "1"), ("words", ["a"])):
        assert plain(options[name], word) is NOT_PLAIN, name
