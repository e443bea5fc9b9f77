"""`ladder game`: the games, their rules and maps, and whether our referees do what the official ones did."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this
from cli.exit_status import ExitStatus
from cli.options.files import file_argument
from cli.options.names import game_argument, league_option
from cli.options.numbers import MOST_JOBS, seed_number

if TYPE_CHECKING:
    from engine.games.golden import Record

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="The games: rules, maps, recorded matches.\n\nExample: ladder game show ocean-of-code",
)

RECORDS_AT_ONCE = 20
"""Recorded matches that one process gets at a time."""
OfGame = Annotated[str, game_argument()]
OfLeague = Annotated[str | None, league_option("Whose rules. [default: the highest league's]")]


@app.command("list")
def list_games(
    typer_context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Print rows as JSON.")] = False,
) -> None:
    """List the games and their leagues.

    Example: ladder game list --json
    """
    from engine.games import GAMES
    from ladder.views.games import listed

    context = this(typer_context)
    if as_json:
        context.show_json(listed(GAMES.values()))
        return
    for game in GAMES.values():
        context.show(f"{game.name}: {game.title}; {', '.join(league.title for league in game.leagues)}")


@app.command("show")
def show_game(typer_context: typer.Context, game: OfGame, league: OfLeague = None) -> None:
    """Show a game's rules.

    They are told as the players of that league need them.

    Example: ladder game show ocean-of-code --league wood-2
    """
    from rich.markdown import Markdown

    from engine.games import find_game

    found = find_game(game)
    statement = found.statement(level_of(game, league))
    context = this(typer_context)
    context.show(Markdown(statement) if context.out.is_terminal else statement)


@app.command("map")
def show_map(
    typer_context: typer.Context,
    game: OfGame,
    seed: Annotated[
        int, typer.Option("--seed", "-s", callback=seed_number, help="A signed 64-bit number.", show_default=False)
    ],
    league: OfLeague = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as golden records hold it.")] = False,
) -> None:
    """Show the map that a seed gives.

    The same map as on CodinGame for the same seed.

    Example: ladder game map ocean-of-code --seed 1337
    """
    from cli.options.seeds import checked_seed
    from engine.games import find_game
    from ladder.views.games import GameMap

    found, level, checked = find_game(game), level_of(game, league), checked_seed(seed)
    context = this(typer_context)
    if as_json:
        context.show_json(GameMap(found.name, checked, found.map_facts(checked, level)))
    else:
        typer.echo("\n".join(found.draw_map(checked, level)))


def level_of(game: str, league: str | None) -> int:
    """Return the rules level of a game's league, or of its highest. Raises UnknownName."""
    from engine.games import find_game

    found = find_game(game)
    return (found.leagues[-1] if league is None else found.league(league)).rules_level


@dataclass(slots=True)
class Verified:
    """What came of one file: how many matches and maps, how many identical, and the first difference of each other."""

    matches: int = 0
    maps: int = 0
    differences: list[str] = field(default_factory=list[str])


@app.command()
def verify(
    typer_context: typer.Context,
    files: Annotated[list[Path], file_argument("Golden files, plain or gzip.")],
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, max=MOST_JOBS, help="Processes; 0 is one per core.")] = 0,
) -> int:
    """Play recorded matches against our referees.

    Reports how many are identical and, for each that is not, the first difference: the ask's number, the seat, what
    was expected and what came. Exit status 1 if any differs. A file that cannot be read is told, and the others are
    still checked; exit status 2 then.

    Example: ladder game verify shared/golden/*/*.jsonl.gz
    """
    from engine.errors import UsageFault

    context = this(typer_context)
    unreadable: list[UsageFault] = []
    total: Counter[str] = Counter()
    for path in files:
        try:
            found = verify_file(context, path, jobs or len(os.sched_getaffinity(0)))
        except UsageFault as fault:
            context.say(f"ladder: {fault}")
            unreadable.append(fault)
            continue
        total.update(matches=found.matches, maps=found.maps, different=len(found.differences))
        for difference in found.differences:
            context.show(f"{path}: {difference}")
    whole = total["matches"] + total["maps"]
    maps = f" and {total['maps']} maps" if total["maps"] else ""
    context.show(f"{total['matches']} matches{maps}, {whole - total['different']} identical")
    if unreadable:
        return ExitStatus.USAGE
    return ExitStatus.FAILED if total["different"] else ExitStatus.OK


def verify_file(context: Context, path: Path, jobs: int) -> Verified:
    """Verify one file in so many processes, with progress on a terminal. Raises UsageFault where it cannot be read."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from engine.games.golden import MapRecord, read_records
    from engine.parallel import in_processes

    found = Verified()
    records = list(read_records(path))
    batches = list(in_batches(records))
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=context.err, transient=True, disable=not context.err.is_terminal)
    with bar, closing(in_processes(differences_in, batches, jobs)) as results:
        for lines in bar.track(results, total=len(batches), description=path.name):
            found.differences += lines
    found.maps = sum(isinstance(record, MapRecord) for record in records)
    found.matches = len(records) - found.maps
    return found


def in_batches(records: Sequence[Record]) -> Iterator[list[tuple[int, Record]]]:
    """Give the records with their line numbers, some at a time."""
    numbered = iter(enumerate(records, 1))
    while batch := list(islice(numbered, RECORDS_AT_ONCE)):
        yield batch


def differences_in(batch: list[tuple[int, Record]]) -> list[str]:
    """Play recorded matches and return a sentence for each that differs."""
    from engine.errors import UnknownName

    sentences = []
    for number, record in batch:
        try:
            difference = difference_of(record)
        except UnknownName as error:
            difference = str(error)
        if difference is not None:
            sentences.append(f"line {number}: {difference}")
    return sentences


def difference_of(record: Record) -> str | None:
    """Return how our game differs from a record, or None. Raises UnknownName for a game that we do not have."""
    from engine.games import find_game
    from engine.games.golden import MapRecord, first_difference, map_difference

    game = find_game(record.game)
    if isinstance(record, MapRecord):
        difference = map_difference(record, game.map_facts(record.seed, game.leagues[-1].rules_level))
    else:
        difference = first_difference(record, game)
    return None if difference is None else str(difference)
