"""`ladder game verify`: whether our referees do what golden records hold.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this
from cli.exit_status import ExitStatus
from cli.options.files import file_argument
from cli.options.names import SandboxOption, league_option
from cli.options.numbers import MOST_JOBS, seed_number
from engine.errors import UsageFault
from engine.series import opened

if TYPE_CHECKING:
    from engine.game import Game, Games
    from engine.games.golden import Record

RECORDS_AT_ONCE = 20
"""Recorded matches that one process gets at a time."""


@dataclass(slots=True)
class Verified:
    """What came of one file: how many matches and maps, how many identical, and the first difference of each other."""

    matches: int = 0
    maps: int = 0
    differences: list[str] = field(default_factory=list[str])


def verify(
    typer_context: typer.Context,
    files: Annotated[
        list[Path],
        file_argument("Golden files, plain or gzip. After a game's name: files of other programs."),
    ],
    seed: Annotated[
        int | None,
        typer.Option("--seed", "-s", callback=seed_number, help="Of a log, which does not say it.", show_default=False),
    ] = None,
    league: Annotated[
        str | None, league_option("Whose rules count for such files, which do not say it. [default: the highest]")
    ] = None,
    as_game: Annotated[
        str | None,
        typer.Option(
            "--as",
            help="Golden records of this game, too, are put to the game that is named.",
            metavar="GAME",
            show_default=False,
        ),
    ] = None,
    sandbox: SandboxOption = None,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=0, max=MOST_JOBS, help="Processes; 0 is one per core.")] = 0,
) -> int:
    """Play recorded matches against our referees.

    Files of both forms, and of any game that `ladder game list` shows.

    Reports how many are identical and, for each that is not, the first difference: the ask's number, the seat, what
    was expected and what came. Exit status 1 if any differs. A file that cannot be read is named, and the others are
    still checked; exit status 2 then.

    After the name of a game whose referee is a program, or its folder, come files of one match each, as other programs
    write them: the JSON of the SDK's runner, and logs that cg-brutaltester writes with -l, which need --seed. A fresh
    referee is given their answers. Such files hold no questions, or only their lines. What they hold is compared: the
    seats that are asked, words for people, lines, scores or places.

    Example: ladder game verify shared/golden/*/*.jsonl.gz

    Golden records of any game, in files whose names end in .jsonl or .jsonl.gz, may come after its name or folder too:
    then that game is verified, and records that name another one are refused without --as.

    Example: ladder game verify olymbits match.json

    Example: ladder game verify tron logs/game1.log --seed 42
    """
    context = this(typer_context)
    named: Game | None = None
    if len(files) > 1 and names_game(context, files[0]):
        from cli.game.foreign import game_named, verify_foreign

        named, files = game_named(context, files[0]), files[1:]
        if not (as_game or all(is_golden(file) for file in files)):
            return verify_foreign(context, named, files, seed, league, sandbox)
        context.know_game(named)
    if as_game and named is None:
        raise UsageFault("--as goes with golden records, after the name or folder of the game that is verified")
    if seed is not None:
        raise UsageFault("--seed goes with a log of cg-brutaltester, after the name of its game")
    if league is not None:
        raise UsageFault("--league goes with files of other programs, after the name of their game")
    return verify_golden(context, files, named, as_game, jobs or len(os.sched_getaffinity(0)), sandbox)


def verify_golden(
    context: Context, files: Sequence[Path], named: Game | None, as_game: str | None, jobs: int, tier: str | None
) -> int:
    """Verify files of golden records, and print what came of it; return the exit status. See `verify_file`."""
    unreadable = 0
    total: Counter[str] = Counter()
    for path in files:
        try:
            found = verify_file(context, path, named, as_game, jobs, tier)
        except UsageFault as fault:
            context.say(f"ladder: {fault}")
            unreadable += 1
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


def names_game(context: Context, word: Path) -> bool:
    """Say whether a word is a game or the folder of one, and no file of records; a file may be called as a game is."""
    return word.is_dir() or str(word) in context.games


def is_golden(path: Path) -> bool:
    return path.name.endswith((".jsonl", ".jsonl.gz"))


def verify_file(
    context: Context, path: Path, named: Game | None, as_game: str | None, jobs: int, tier: str | None
) -> Verified:
    """Verify one file in `jobs` processes, with progress on a terminal.

    `named`: the game that is verified; None: the one that each record names. `as_game`: a further game whose records
    are put to it. `tier`: of the sandbox of referee programs, which are all started by this process. Raises UsageFault
    if the file cannot be read, or has records of another game.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from engine.games.golden import MapRecord, numbered_records
    from engine.parallel import in_processes

    found = Verified()
    records = list(numbered_records(path))
    if named is not None:
        records = [(at, record_of(named, record, as_game, f"{path}, line {at}")) for at, record in records]
    batches = list(in_batches(records))
    by_rules = {game.name for game in context.games.here if game.program is None}
    jobs = jobs if all(record.game in by_rules for _, record in records) else 1
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=context.err, transient=True, disable=not context.err.is_terminal)
    with bar, closing(in_processes(partial(differences_in, context.games, tier), batches, jobs)) as results:
        for lines in bar.track(results, total=len(batches), description=path.name):
            found.differences += lines
    found.maps = sum(isinstance(record, MapRecord) for _, record in records)
    found.matches = len(records) - found.maps
    return found


def record_of(game: Game, record: Record, as_game: str | None, where: str) -> Record:
    """Return a record as one of the game that is verified. Raises UsageFault where it names another one."""
    if record.game not in {game.name, as_game} and as_game != game.name:
        raise UsageFault(
            f"{where}: this is a record of {record.game}, and {game.name} was to be verified; "
            f"--as {record.game} puts it to {game.name} all the same"
        )
    return replace(record, game=game.name)


def in_batches(numbered: Sequence[tuple[int, Record]]) -> Iterator[list[tuple[int, Record]]]:
    rest = iter(numbered)
    while batch := list(islice(rest, RECORDS_AT_ONCE)):
        yield batch


def differences_in(games: Games, tier: str | None, batch: list[tuple[int, Record]]) -> list[str]:
    """Play recorded matches and return a sentence for each that differs."""
    sentences = []
    for number, record in batch:
        try:
            difference = difference_of(games, record, tier)
        except UsageFault as error:
            difference = str(error)
        if difference is not None:
            sentences.append(f"line {number}: {difference}")
    return sentences


def difference_of(games: Games, record: Record, tier: str | None) -> str | None:
    """Return how our game differs from a record, or None. Raises UnknownName, GameFault; UsageFault without maps."""
    from engine.games.golden import MapRecord, first_difference, map_difference

    game = games.find(record.game)
    if isinstance(record, MapRecord):
        difference = map_difference(record, game.maps_or_refuse().facts(record.seed, game.leagues[-1].rules_level))
    elif game.program:
        from engine.records.repeat_match import record_difference

        difference = record_difference(record, game, opened(tier))
    else:
        difference = first_difference(record, game)
    return None if difference is None else str(difference)
