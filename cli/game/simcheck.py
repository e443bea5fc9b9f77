"""`ladder game simcheck`: somebody's own simulation of a game beside its referee."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Annotated

from rich.text import Text

from cli import match
from cli.answer import Answer, ExitStatus, Found, argument, option
from cli.context import Context
from cli.game.records import results_of
from cli.match.listing import Picked, picking
from cli.match.view.command import scene_of, state_lines
from cli.options.folder_defaults import needed_game
from cli.options.matches import MatchesArgument, store_of
from cli.options.names import SandboxOption
from cli.options.numbers import MOST_MATCHES, checked_seed, jobs_option, seed_option
from cli.terminal.steps import bar
from cli.terminal.table import WORDS, Column, Columns, FittingTable, table_of
from cli.terminal.words import quoted
from engine.bot.clock import TimeRule
from engine.conformance.kit import fixtures
from engine.conformance.simulator import StateComparison, field_of
from engine.errors import Refused, UsageFault
from engine.text import counted, shortened
from ladder import views
from ladder.matches.local_matches import Circumstances, LocalMatch, local_match, read_local_name
from ladder.views.encoding import to_json
from ladder.views.turns.transitions import Transition, read_transitions, transitions
from ladder.views.turns.watched_match import watched

FREE_BESIDE = frozenset({"--game"})
"""An option that says of which game matches are played here, and so does not pick matches that were played before."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The transitions of a match. `played`: the match where it was just played and is kept nowhere."""

    transitions: Sequence[Transition]
    played: LocalMatch | None = None


@picking()
def check_simulation(
    context: Context,
    simulator: Annotated[
        str, argument('The command that runs your simulation, as one word: ./sim, or "python3 sim.py".')
    ],
    picked: Picked,
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
    command = command_of(simulator)
    wanted = [field_of(name.strip()) for some in fields or () for name in some.split(",")]
    comparison = StateComparison(wanted)
    found = views.turns.transitions.SimulationCheck()
    shown: list[Text] = []
    for batch in batches(context, words or (), picked, number, seed, jobs, sandbox):
        first = found.take(command, batch.transitions, comparison)
        if first is not None and found.first is not None:
            if batch.played is not None:
                name = kept(context, batch.played)
                found.first, first = replace(found.first, match=name), replace(first, match=name)
            shown = difference_lines(context, first, found.first)
    comparison.require_all_found()
    status = ExitStatus.FAILED if found.differ or not found.compared else ExitStatus.OK
    return Answer(found, lambda: parts_of(found, shown), status=status)


def command_of(simulator: str) -> list[str]:
    if Path(simulator).exists():
        return [str(Path(simulator).absolute())]
    try:
        words = shlex.split(simulator)
    except ValueError as error:
        raise UsageFault(f"{shortened(simulator)} is not a command: {error}") from error
    if not words:
        raise UsageFault("name the command that runs your simulation")
    return words


def batches(
    context: Context, words: Sequence[str], picked: Picked, number: int, seed: int | None, jobs: int, tier: str | None
) -> Iterator[Batch]:
    if not words and not set(picked.typed) - FREE_BESIDE:
        yield from played_now(context, needed_game(context.games, picked.game), number, seed, jobs, tier)
        return
    if seed is not None:
        raise UsageFault(
            "--seed is for matches that are played now: leave it out, or leave out which matches are meant"
        )
    files = list(dict.fromkeys(word for word in words if is_of_transitions(Path(word))))
    for name in files:
        with Path(name).open(encoding="utf-8", errors="replace") as file:
            for _, turns in groupby(read_transitions(name, file), key=lambda one: one.match):
                yield Batch(list(turns))
    others = [word for word in words if word not in files]
    if others or not files:
        for of_match in match.transitions.each_with_states(
            context, match.choice.chosen(context, others, picked, number)
        ):
            yield Batch(of_match)


def is_of_transitions(path: Path) -> bool:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            first = file.readline()
    except OSError:
        return False
    return '"before":' in first and '"after":' in first


def played_now(
    context: Context, name: str, number: int, seed: int | None, jobs: int, tier: str | None
) -> Iterator[Batch]:
    found = context.games.find(name)
    if found.pictures() is None:
        raise Refused(f"{found.name} does not say how both sides are, so a simulation of it cannot be checked")
    series = fixtures(found, [], number, checked_seed(seed))
    leagues = {league.rules_level: league.title for league in reversed(found.leagues)}
    results = results_of(context, series, jobs, tier)
    with bar(context.err) as progress:
        for one, result in progress.track(zip(series, results, strict=True), total=number, description="playing"):
            players = tuple(path.stem for path in one.bots)
            around = Circumstances(leagues[one.spec.rules_level], players, None, TimeRule(), 0, datetime.now(UTC))
            kept_match = local_match(result, around)
            of_seed = watched(kept_match, f"seed {one.spec.seed}", context.games, has_views=False)
            yield Batch(list(transitions(of_seed)), kept_match)


def kept(context: Context, match: LocalMatch) -> str:
    context.home.make(context.home.played)
    store = store_of(context)
    return store.name_of(store.keep(match))


def difference_lines(
    context: Context, transition: Transition, first: views.turns.transitions.FirstDifference
) -> list[Text]:
    is_coloured = context.out.color_system is not None and not context.out.no_color
    said = shortened(transition.orders or "")
    return [
        Text(f"first difference: {transition.words}, in which seat {transition.seat} said: {said}"),
        Text(f"  {first.field}: expected {value_text(first.expected)}, got {value_text(first.got)}"),
        Text(),
        *state_lines(scene_of(context, transition.scene()), 1, is_coloured=is_coloured),
        *([Text(f"`ladder match view {first.match} --turn {first.turn}` shows all of it")] if is_kept(first) else []),
    ]


def is_kept(first: views.turns.transitions.FirstDifference) -> bool:
    return isinstance(first.match, int) or read_local_name(first.match) is not None


def value_text(value: object) -> str:
    return shortened(to_json(value, compact=True).rstrip())


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A field and in how many transitions it differs."""

    name: str
    times: int


COLUMNS: Columns[FieldRow] = (Column("field", lambda row: row.name, WORDS), Column("differs in", lambda row: row.times))


def parts_of(found: views.turns.transitions.SimulationCheck, shown: Sequence[Text]) -> Iterator[Text | FittingTable]:
    matches = counted(found.matches, "match", "matches")
    words = [
        f"{counted(found.compared, 'transition')} of {matches}: {found.agree} agree, {found.differ} differ",
        *([f"{found.unanswered} not answered"] if found.unanswered else []),
        *([f"{found.left_out} left out, in which a seat lost by a fault"] if found.left_out else []),
    ]
    yield quoted("; ".join(words))
    if found.fields:
        yield table_of(COLUMNS, [FieldRow(name, times) for name, times in found.fields.most_common()])
    if shown:
        yield quoted(Text("\n").join(shown))
