"""`ladder bot source` and `ladder bot diff`: what versions were built from."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from cli.answer import Answer, Found, Remark
from cli.context import this
from cli.options.files import ForceOption, write_file
from cli.options.names import bot_argument, game_option, version_argument
from cli.terminal.words import quoted
from engine.errors import Refused, UsageFault
from engine.text import counted
from engine.toolchains.params import params_text
from engine.toolchains.source import Tree, lay_out
from ladder import views
from ladder.names import read_name, read_second

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ladder.views.bots import SourceDiff, SourceInDetail

STYLES = {"---": "bold", "+++": "bold", "@": "cyan", "+": "green", "-": "red"}
"""By how a line of a diff begins; the first that fits counts."""


def show_source(
    typer_context: typer.Context,
    version: Annotated[str, bot_argument("Which version, as in kraken@v3, or a bot: what plays for it.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write it into this new file, or folder.", readable=False),
    ] = None,
    game: Annotated[str | None, game_option("Its game, if several have a bot of that name.")] = None,
    force: ForceOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON, with its language and note.")] = False,
) -> None:
    """Print a version's source, or get it back into a file.

    It is what was submitted, byte for byte; of a bot of many files their names are printed. A file that exists already
    is left as it is, with exit status 3, but for --force; and so is a folder, always.

    Example: ladder bot source kraken@v3 -o kraken-v3.cpp
    """
    context = this(typer_context)
    named = read_name(version)
    found = context.read(views.bots.read_source, named, game)
    if output is not None:
        write_source(output, found, over=force)
        context.say(f"{output} holds the source of {found.version} ({found.language})")
    elif as_json:
        context.show_json(found)
    elif found.files:
        context.say(f"{found.version} has {counted(len(found.files), 'file')}; -o FOLDER writes them into a new folder")
        context.show(quoted("\n".join(found.files)))
    elif context.out.is_terminal:
        context.show(found.text.removesuffix("\n"))
    else:
        sys.stdout.write(found.text)


def write_source(path: Path, found: SourceInDetail, *, over: bool) -> None:
    """Write a source into a file, or many files into a new folder. `over`: a file may exist already.

    Raises Refused where it exists and must not, UsageFault where it cannot be written.
    """
    if not isinstance(found.source, Tree):
        write_file(path, found.text.encode(), over=over)
        return
    try:
        lay_out(path, found.source.files)
    except FileExistsError as error:
        raise Refused(f"{path} exists already, and nothing in it is written over: name a new folder") from error
    except OSError as error:
        raise UsageFault(f"cannot write {path}: {error.strerror}") from error


def show_diff(
    typer_context: typer.Context,
    first: Annotated[str, version_argument("A version, as in kraken@v3.")],
    second: Annotated[
        str, typer.Argument(help="Another one: v4 of the same bot, or as in orca@v1.", show_default=False)
    ],
    game: Annotated[str | None, game_option("Their game, if several have bots of these names.")] = None,
) -> Found:
    """Show what differs between the sources of two versions.

    Lines that begin with - are only in the first one, lines that begin with + only in the second one.

    Example: ladder bot diff kraken@v3 v4
    """
    context = this(typer_context)
    one = read_name(first)
    other = read_second(second, one)
    found = context.read(views.bots.compared, one, other, game)
    return Answer(found, lambda: diff_parts(found))


def diff_parts(found: SourceDiff) -> Iterator[Text | Remark]:
    """Show a diff, in colour where there is any; say so where no line differs."""
    if found.same:
        yield Remark(f"{found.first} and {found.second} have the same source")
    elif not found.lines:
        yield Remark(f"the sources of {found.first} and {found.second} differ only in how their lines end")
    else:
        yield diff_text(found.lines)
    first, second = map(params_text, found.params)
    if first != second:
        yield Remark(f"their parameters differ: {found.first} has {first or 'none'}, {found.second} {second or 'none'}")


def diff_text(lines: list[str]) -> Text:
    return Text("\n").join(
        Text(line, style=next((style for begin, style in STYLES.items() if line.startswith(begin)), ""))
        for line in lines
    )
