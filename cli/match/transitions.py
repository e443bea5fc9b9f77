"""`ladder match transitions`: each turn of matches as what was before, what was said, and what came of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

from cli import match
from cli.context import Context
from cli.match.listing import Picked, picking
from cli.options.files import ForceOption, check_free, new_file, output_option
from cli.options.matches import MatchesArgument
from cli.options.numbers import LimitOption
from cli.terminal.steps import bar
from engine.errors import Refused
from engine.text import counted
from ladder.views.encoding import CSV, PARQUET, require_parquet, row_file
from ladder.views.turns.transitions import COLUMNS, Transition, in_cells, transitions


@picking()
def write_transitions(
    context: Context,
    picked: Picked,
    matches: MatchesArgument = None,
    output: Annotated[
        Path | None,
        output_option(
            "Write them into this new file: lines of JSON, or a table where its name ends in .csv or .parquet."
        ),
    ] = None,
    force: ForceOption = False,
    limit: LimitOption = 20,
) -> None:
    """Print each turn of matches as a line of JSON: the state before, the orders, and the state after.

    A line has match, game, league, rules_level, seed, turn and the seat that moved; sent, for each seat the lines that
    it was sent; orders, what it said; fault, by which it lost then, or null; and the states before and after, both
    sides of them, with the setup that never changes: as `ladder match view --json` has them. `ladder game simcheck`
    puts such lines to your own simulation; docs/transitions.md describes all.

    Matches are named, or picked by the options of `ladder match list`; a file of the official site is led again. A
    match whose states are not known, as of a game whose referee is a program, is refused with exit status 3; among
    several it is left out, and it is said why. Ctrl-C leaves no half a file. Parquet needs the package pyarrow.

    Example: ladder match transitions --bot kraken --limit 100 -o kraken.ndjson

    Example: ladder match transitions play:1 | head -n 1

    Example: ladder match transitions battle.json -o battle.parquet
    """
    kind = "" if output is None else output.suffix.lower()
    if kind == PARQUET:
        require_parquet()
    if output is not None:
        check_free(output, over=force)
    found = match.choice.chosen(context, matches or (), picked, limit)
    if output is None:
        for of_match in each_with_states(context, found):
            sys.stdout.writelines(one.line() for one in of_match)
        return
    turns = 0
    with new_file(output, over=force) as place, row_file(place, COLUMNS, kind) as write:
        for of_match in each_with_states(context, found):
            write([in_cells(one) if kind in {CSV, PARQUET} else one.values() for one in of_match])
            turns += len(of_match)
    context.say(f"{output} holds {counted(turns, 'transition')}")


def each_with_states(context: Context, matches: Sequence[match.choice.Chosen]) -> Iterator[list[Transition]]:
    """Yield each match's transitions; of several, one without states is named and left out. Raises Refused for none."""
    done = 0
    with bar(context.err) as progress:
        task = progress.add_task("leading again", total=len(matches))
        for watched in match.choice.each_read(context, matches):
            try:
                of_match = list(transitions(watched))
            except Refused as error:
                if len(matches) == 1:
                    raise
                context.say(f"left out: {error}")
                continue
            finally:
                progress.advance(task)
            yield of_match
            done += 1
    if not done:
        raise Refused("no match fits that has states: `ladder match list` takes the same options")
