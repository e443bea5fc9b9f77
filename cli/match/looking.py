"""`ladder match input` and `ladder match compare`: what a seat was sent, and where two matches part; files of a match.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.answer import Found
from cli.context import Context, this
from cli.options.files import ForceOption, check_free, file_option, force_option, write_file
from cli.options.matches import MatchArgument, MatchName, match_argument
from cli.options.numbers import MOST_TURNS
from engine.text import counted

if TYPE_CHECKING:
    from ladder.views.turns.watched import WatchedMatch


def print_input(
    typer_context: typer.Context,
    match: MatchArgument,
    seat: Annotated[int, typer.Option("--seat", min=0, max=7, help="Which seat, from 0 on.", show_default=False)],
    to: Annotated[
        int | None,
        typer.Option(
            "--to", metavar="TURN", min=1, max=MOST_TURNS, help="Up to this turn of the match. [default: its end]"
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write it into this new file.", readable=False)
    ] = None,
    force: ForceOption = False,
) -> None:
    """Print exactly what a seat was sent, so that a bot sees it again under a debugger.

    Turns are counted as `ladder match show --turns` counts them. A file that exists already is left as it is, with exit
    status 3, but for --force. So ends a match of which nothing was recorded, or that was played by other rules than
    today's; an unknown match, seat or turn ends with 2.

    Example: ladder match input 17 --seat 0 --to 42 -o in.txt && ./kraken < in.txt

    Example: ladder match input play:1 --seat 0
    """
    context = this(typer_context)
    text = watched_match(context, match).input_of(seat, to)
    if output is None:
        sys.stdout.write(text)
        return
    write_file(output, text.encode(), over=force)
    context.say(f"{output} holds {counted(text.count(chr(10)), 'line')} that seat {seat} was sent")


def compare_matches(
    typer_context: typer.Context,
    first: MatchArgument,
    second: Annotated[MatchName, match_argument("Another match on the same seed.")],
    html: Annotated[
        Path | None, file_option("--html", "Write both on one page that needs no network into this new file.")
    ] = None,
    force: Annotated[bool, force_option("--html")] = False,
) -> Found:
    """Say where two matches on one seed part: the first turn in which something else was said.

    With --html both are also on one page, side by side, and are turned together.

    Matches of other games or seeds, and unknown ones, are refused with exit status 2; those of which nothing was
    recorded with 3.

    Example: ladder match compare 17 23

    Example: ladder match compare play:2 play:1 --html both.html
    """
    from cli.match.comparing import comparison

    context = this(typer_context)
    if html is not None:
        check_free(html, over=force)
    both = watched_match(context, first), watched_match(context, second)
    return comparison(context, both, html, over=force)


def watched_match(context: Context, match: MatchName) -> WatchedMatch:
    """Read a match, turn by turn. Raises UnknownName, Refused, Unavailable."""
    from cli.match.showing import watched

    return watched(context, match)
