"""`ladder match input` and `ladder match compare`: what a seat was sent, and where two matches part."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from rich.text import Text

from cli.answer import Answer, Found, option
from cli.context import Context
from cli.match import view
from cli.options.files import ForceOption, check_free, file_option, force_option, output_option, write_file
from cli.options.matches import MatchArgument, MatchName, match_argument, watched
from cli.options.numbers import MOST_TURNS
from cli.terminal.words import quoted
from engine.text import counted, shortened
from ladder.views.turns.watched_match import ComparedMatches, compare


def compared_text(comparison: ComparedMatches) -> Text:
    matches = zip(
        comparison.names, comparison.players, comparison.scores, comparison.endings, comparison.turns, strict=True
    )
    lines = [
        f"{name}: {' - '.join(players)}  {':'.join(map(str, scores))} ({ended}, {counted(turns, 'turn')})"
        for name, players, scores, ended, turns in matches
    ]
    parting = comparison.parting
    if parting is None:
        return Text("\n".join([*lines, "both went the same way"]))
    lines.append(
        f"turn {parting.turn} is the first that differs; seat {parting.seat} said (its turn {parting.own_turn})"
    )
    width = max(map(len, comparison.names))
    for name, line in zip(comparison.names, parting.lines, strict=True):
        lines.append(f"  in {name:{width}}: {'nothing' if line is None else shortened(line)}")
    return Text("\n".join(lines))


def print_input(
    context: Context,
    match: MatchArgument,
    seat: Annotated[int, option("--seat", "Which seat, from 0 on.", min=0, max=7)],
    to: Annotated[
        int | None,
        option("--to", "Up to this turn of the match. [default: its end]", metavar="TURN", min=1, max=MOST_TURNS),
    ] = None,
    output: Annotated[Path | None, output_option("Write it into this new file.")] = None,
    force: ForceOption = False,
) -> None:
    """Print exactly what a seat was sent, so that a bot sees it again under a debugger.

    Turns are counted as `ladder match show --turns` counts them. A file that exists already is left as it is, with exit
    status 3, but for --force. So ends a match of which nothing was recorded, or that was played by other rules than
    today's; an unknown match, seat or turn ends with 2.

    Example: ladder match input 17 --seat 0 --to 42 -o in.txt && ./kraken < in.txt

    Example: ladder match input play:1 --seat 0
    """
    text = watched(context, match).input_of(seat, to)
    if output is None:
        sys.stdout.write(text)
        return
    write_file(output, text.encode(), over=force)
    context.say(f"{output} holds {counted(text.count(chr(10)), 'line')} that seat {seat} was sent")


def compare_matches(
    context: Context,
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
    if html is not None:
        check_free(html, over=force)
    both = watched(context, first), watched(context, second)
    comparison = compare(*both)
    if html is not None:
        view.command.write_page(context, html, *both, over=force)
    return Answer(comparison, lambda: quoted(compared_text(comparison)))
