"""`ladder match transitions`: each turn of matches as what was before, what was said, and what came of it.

How this works. Matches are taken one after the other: named ones, those that options pick, those of a file. What a word
names is found out first, so that a wrong one is refused before anything is written. Then one match after the other is
read, or led again, as it is asked for: none of them stays in memory. Matches of this machine's database are all read in
one transaction.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from cli.context import Context, this
from cli.match.listing import MatchOptions, Picked
from cli.match.official import as_kept, league_title, saved_values
from cli.options.files import ForceOption, check_free, new_file, output_option
from cli.options.matches import MatchesArgument, read_match_name, store_of, store_with
from cli.options.numbers import LimitOption
from cli.terminal.steps import bar
from engine import records
from engine.errors import Refused, UsageFault
from engine.series import opened
from engine.text import counted
from ladder import views
from ladder.choices import MatchState
from ladder.ids import MatchId
from ladder.matches.local_matches import LocalName
from ladder.views.encoding import CSV, PARQUET, require_parquet, row_file
from ladder.views.turns.transitions import COLUMNS, Transition, in_cells, transitions
from ladder.views.turns.watched_match import WatchedMatch


def write_transitions(
    typer_context: typer.Context,
    options: MatchOptions,
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
    context = this(typer_context)
    meant = choose_matches(context, matches or (), options.pick(typer_context), limit)
    if output is None:
        for of_match in each_with_states(context, meant):
            sys.stdout.writelines(transition.line() for transition in of_match)
        return
    turns = 0
    with new_file(output, over=force) as place, row_file(place, COLUMNS, kind) as write:
        for of_match in each_with_states(context, meant):
            write([in_cells(transition) if kind in {CSV, PARQUET} else transition.values() for transition in of_match])
            turns += len(of_match)
    context.say(f"{output} holds {counted(turns, 'transition')}")


def each_with_states(context: Context, matches: Sequence[Chosen]) -> Iterator[list[Transition]]:
    """Yield each match's transitions; of several, one that cannot be read or has no states is named and left out.

    Raises Refused where none is left; of one match alone what keeps it from that: Refused, UsageFault.
    """
    yielded = 0
    with bar(context.err) as progress:
        for read in progress.track(matches, description="leading again"):
            try:
                of_match = list(transitions(read()))
            except (Refused, UsageFault) as error:
                if len(matches) == 1:
                    raise
                context.say(f"left out: {error}")
                continue
            yield of_match
            yielded += 1
    if not yielded:
        raise Refused("no match fits that has states: `ladder match list` takes the same options")


Chosen: TypeAlias = Callable[[], WatchedMatch]
"""Reads or leads a match when it is called. Raises Refused, UsageFault."""


def choose_matches(context: Context, words: Sequence[str], picked: Picked, limit: int) -> list[Chosen]:
    """Return at most `limit` matches that words name, or else options pick. Raises UsageFault, Refused and others."""
    if words:
        if picked.typed:
            match = shlex.quote(words[0])
            raise UsageFault(
                f"{match} and {picked.typed[0]} cannot be used together: name matches, or let options pick"
            )
        return [match for word in words for match in matches_of_word(context, word)]
    options = picked.options
    if options.kept is not None:
        store = store_of(context, options.kept)
        names = [match.row.id for match in views.turns.local.list_local(store, limit, options.fits).matches]
        return [partial(read_local, context, LocalName(int(name.partition(":")[2]), store.kind)) for name in names]
    if options.request is not None:
        rows = context.read(views.requests.matches_of, options.request, limit).matches
    else:
        rows = context.read(views.matches.latest, limit, options.bot, options.game, picked.wanted).matches
    return [partial(read_stored, context, row.match.id) for row in rows if row.match.state == MatchState.FINISHED]


def matches_of_word(context: Context, word: str) -> Iterator[Chosen]:
    path = Path(word)
    try:
        name = read_match_name(word).words
    except UsageFault:
        if not path.exists():
            raise
        try:
            values = saved_values(str(path))
        except UsageFault as fault:
            raise UsageFault(f"{path}: {fault}") from fault
        yield from (partial(lead_again, context, file, value) for file, value in values.items())
        return
    yield partial(read_local, context, name) if isinstance(name, LocalName) else partial(read_stored, context, name)


def read_local(context: Context, name: LocalName) -> WatchedMatch:
    return views.turns.watched_match.watch_local(store_with(context, name), context.games, name, has_views=False)


def read_stored(context: Context, match_id: MatchId) -> WatchedMatch:
    if context.server is not None:
        return context.read(views.turns.match.watch_match, context.games, match_id)
    return views.turns.match.watch_match(context.reading, context.games, match_id, has_views=False)


def lead_again(context: Context, file: str, value: Any) -> WatchedMatch:
    try:
        match = records.official_file.official_match(value)
        levels = dict.fromkeys(context.games.names)
        tried = records.official_file.attempts(match, context.games.all, levels, partial(opened, None))
    except UsageFault as error:
        raise UsageFault(f"{file}: {error}") from error
    best = tried[-1] if tried else None
    if best is None or best.result is None:
        raise UsageFault(f"{file}: {best.why if best else f'no game here is for {len(match.players)} players'}")
    local_match = as_kept(match, best.result, league_title(best, None), None)
    return views.turns.watched_match.watched(local_match, file, context.games, has_views=False)
