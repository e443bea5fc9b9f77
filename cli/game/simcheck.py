"""`ladder game simcheck`: somebody's own simulation of a game beside its referee."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from rich.console import RenderableType
from rich.text import Text

from cli import match
from cli.answer import Answer, ExitStatus, Found, argument, option
from cli.context import Context, this
from cli.game.records import results_of
from cli.match.listing import MatchOptions, Picked
from cli.match.view.command import scene_of, state_lines
from cli.options.folder_defaults import needed_game
from cli.options.matches import MatchesArgument, store_of
from cli.options.names import SandboxOption
from cli.options.numbers import MOST_MATCHES, jobs_option, seed_option, seed_or_drawn
from cli.terminal.steps import bar
from cli.terminal.table import WORDS, Column, Columns, FittingTable
from cli.terminal.words import quoted
from engine.conformance.kit import fixtures
from engine.conformance.simulator import StateComparison, field_of
from engine.errors import Refused, UsageFault
from engine.text import counted, shortened
from ladder import views
from ladder.matches.local_matches import LocalMatch, local_match, read_local_name
from ladder.views.encoding import to_json
from ladder.views.turns.transitions import Transition, read_transitions, transitions
from ladder.views.turns.watched_match import watched


def check_simulation(
    typer_context: typer.Context,
    simulator: Annotated[
        str, argument('The command that runs your simulation, as one word: ./sim, or "python3 sim.py".')
    ],
    options: MatchOptions,
    words: MatchesArgument = None,
    number: Annotated[
        int, option("--matches -n", "How many matches, or how many at most.", min=1, max=MOST_MATCHES)
    ] = 20,
    fields: Annotated[
        list[str] | None, option("--fields", "Compare only these, as in realms[].gold; with commas, or given again.")
    ] = None,
    seed: Annotated[int | None, seed_option("Of the first match that is played. [default: drawn]")] = None,
    jobs: Annotated[int, jobs_option()] = 0,
    sandbox: SandboxOption = None,
) -> Found:
    """Check your own simulation of a game against its referee, state by state.

    Your program gets lines of JSON, one for each turn: the state before, and the orders. It answers each with a line:
    the state after, or null to leave a turn out. That is compared with the referee's state, field by field: how many
    turns agree, which fields differ how often, and the first difference with a picture. docs/transitions.md has the
    form, and examples in C++ and Python. The program runs as yourself, without a sandbox.

    The game's bosses play new matches for it, or it gets matches that are named or picked, files of the official site,
    or a file that `ladder match transitions` wrote. Of new ones that is kept in which it differs first.

    Exit status 1 if anything differs, or nothing was compared; 2 where the program cannot be started, ends early,
    hangs, or prints what is not a state. A game whose states are not known is refused with 3.

    Example: ladder game simcheck ./sim --game ocean-of-code --matches 200
    Example: ladder game simcheck "python3 sim.py" --official --fields realms[].gold,realms[].income
    Example: ladder game simcheck ./sim --bot kraken --lost
    """
    context = this(typer_context)
    picked = options.pick(typer_context)
    command = command_of(simulator)
    comparison = StateComparison([field_of(name.strip()) for names in fields or () for name in names.split(",")])
    check = views.turns.transitions.SimulationCheck()
    picture: list[Text] = []
    for of_match, played in batches(context, words or (), picked, number, seed, jobs, sandbox):
        first = check.take(command, of_match, comparison)
        if first is not None and check.first is not None:
            if played is not None:
                context.home.make(context.home.played)
                store = store_of(context)
                name = store.name_of(store.keep(played))
                check.first = replace(check.first, match=name)
                first = replace(first, match=name)
            picture = difference_lines(context, first, check.first)
    comparison.require_all_found()
    status = ExitStatus.FAILED if check.differ or not check.compared else ExitStatus.OK
    return Answer(check, lambda: parts_of(check, picture), status=status)


def command_of(simulator: str) -> list[str]:
    if Path(simulator).exists():
        return [str(Path(simulator).absolute())]
    try:
        if words := shlex.split(simulator):
            return words
    except ValueError as error:
        raise UsageFault(f"{shortened(simulator)} is not a command: {error}") from error
    raise UsageFault("name the command that runs your simulation")


def batches(
    context: Context, words: Sequence[str], picked: Picked, number: int, seed: int | None, jobs: int, tier: str | None
) -> Iterator[tuple[list[Transition], LocalMatch | None]]:
    """Yield the transitions of each match, and the match where it is just played and kept nowhere."""
    if not words and not set(picked.typed) - {"--game"}:  # which says of which game matches are played here
        yield from played_now(context, needed_game(context, picked.options.game), number, seed, jobs, tier)
        return
    if seed is not None:
        raise UsageFault(
            "--seed is for matches that are played now: leave it out, or leave out which matches are meant"
        )
    files = list(dict.fromkeys(word for word in words if is_of_transitions(Path(word))))
    for name in files:
        with Path(name).open(encoding="utf-8", errors="replace") as file:
            for _, turns in groupby(read_transitions(name, file), key=lambda transition: transition.match):
                yield list(turns), None
    others = [word for word in words if word not in files]
    if others or not files:
        chosen = match.transitions.choose_matches(context, others, picked, number)
        yield from ((of_match, None) for of_match in match.transitions.each_with_states(context, chosen))


def is_of_transitions(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            first = file.readline()
    except OSError:
        return False
    return '"before":' in first and '"after":' in first


def played_now(
    context: Context, name: str, number: int, seed: int | None, jobs: int, tier: str | None
) -> Iterator[tuple[list[Transition], LocalMatch | None]]:
    game = context.games.find(name)
    if game.pictures() is None:
        raise Refused(f"{game.name} does not say how both sides are, so a simulation of it cannot be checked")
    series = fixtures(game, [], number, seed_or_drawn(seed))
    leagues = {league.rules_level: league.title for league in reversed(game.leagues)}
    results = zip(series, results_of(context, series, jobs, tier), strict=True)
    with bar(context.err) as progress:
        for (spec, bots), result in progress.track(results, total=number, description="playing"):
            players = tuple(path.stem for path in bots)
            played = local_match(result, leagues[spec.rules_level], players, None, datetime.now(UTC))
            match_of_seed = watched(played, f"seed {spec.seed}", context.games, has_views=False)
            yield list(transitions(match_of_seed)), played


def difference_lines(
    context: Context, transition: Transition, first: views.turns.transitions.FirstDifference
) -> list[Text]:
    is_coloured = context.out.color_system is not None and not context.out.no_color
    is_kept = isinstance(first.match, int) or read_local_name(first.match) is not None
    orders = shortened(transition.orders or "")
    expected, got = (shortened(to_json(value, compact=True).rstrip()) for value in (first.expected, first.got))
    return [
        Text(f"first difference: {transition.words}, in which seat {transition.seat} said: {orders}"),
        Text(f"  {first.field}: expected {expected}, got {got}"),
        Text(),
        *state_lines(scene_of(context, transition.scene()), is_coloured=is_coloured),
        *([Text(f"`ladder match view {first.match} --turn {first.turn}` shows all of it")] if is_kept else []),
    ]


FIELDS: Columns[tuple[str, int]] = (
    Column("field", lambda row: row[0], WORDS),
    Column("differs in", lambda row: row[1]),
)
"""Of each field in how many transitions it differs."""


def parts_of(check: views.turns.transitions.SimulationCheck, picture: Sequence[Text]) -> Iterator[RenderableType]:
    matches = counted(check.matches, "match", "matches")
    words = f"{counted(check.compared, 'transition')} of {matches}: {check.agree} agree, {check.differ} differ"
    words += f"; {check.unanswered} not answered" if check.unanswered else ""
    yield quoted(words + (f"; {check.left_out} left out, in which a seat lost by a fault" if check.left_out else ""))
    if check.fields:
        yield FittingTable(FIELDS, check.fields.most_common())
    if picture:
        yield quoted(Text("\n").join(picture))
