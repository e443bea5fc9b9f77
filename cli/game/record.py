"""`ladder game record`: matches between a game's bots, written down as golden records.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.context import Context, this
from cli.game.foreign import game_named
from cli.options.files import file_option
from cli.options.names import SandboxOption, game_argument
from cli.options.numbers import MOST_JOBS, MOST_MATCHES, checked_seed, seed_number
from engine.bot.conditions import OFFICIAL
from engine.errors import HostBusy, UsageFault
from engine.series import Played, PlaySettings, Task, Unplayed, build_file, in_order, jobs_or_all_cores

if TYPE_CHECKING:
    from engine.conformance.recording import Fixture
    from engine.games.golden import MatchRecord
    from engine.match import MatchResult


def record_matches(
    typer_context: typer.Context,
    game: Annotated[str, game_argument("The game's name, or its folder.")],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="The file that is written; one of that name is replaced.", show_default=False
        ),
    ],
    matches: Annotated[int, typer.Option("--matches", "-n", min=1, max=MOST_MATCHES, help="How many.")] = 20,
    bots: Annotated[
        list[Path] | None, file_option("--bot", "A source that plays; can be given again. [default: the bosses]")
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", "-s", callback=seed_number, help="The first match's seed; each next is one higher.")
    ] = 1,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=0, max=MOST_JOBS, help="Matches at once; 0 is one per core.")
    ] = 0,
    sandbox: SandboxOption = None,
) -> None:
    """Play matches and write them down as golden records.

    Every question and answer has a line of its own, so a change of the rules shows in a comparison of two files. All
    rules levels and numbers of players take turns, and all orders of bots; each answer may take 10 s, so that a busy
    machine changes nothing.
    `ladder game verify` plays such a file against the referee.

    Example: ladder game record tic-tac-toe --matches 20 -o golden.jsonl

    Example: ladder game record ./tron-game --bot a.py --bot b.py -o golden.jsonl
    """
    from engine.conformance.recording import fixtures
    from engine.games.golden import open_lines

    context = this(typer_context)
    found = game_named(context, Path(game))
    found.require_lines("a golden record")
    found.require_repeatable("a golden record")
    series = fixtures(found, bots or [], matches, checked_seed(seed))
    lines = [line for record in records_of(context, series, jobs, sandbox) for line in open_lines(record)]
    try:
        output.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    except OSError as error:
        raise UsageFault(f"cannot write {output}: {error.strerror}") from error
    context.show(f"{output}: {matches} matches")


def records_of(context: Context, series: Sequence[Fixture], jobs: int, tier: str | None) -> Iterator[MatchRecord]:
    """Play matches and give their records in order. Raises HostBusy where one cannot be played."""
    from engine.conformance.recording import recorded

    files = dict.fromkeys(path for fixture in series for path in fixture.bots)
    programs = {path: build_file(path, context.settings.source_chars, tier) for path in files}
    tasks = [Task(one.spec, tuple(programs[bot] for bot in one.bots)) for one in series]
    for number, played in enumerate(in_order(tasks, PlaySettings(OFFICIAL, jobs_or_all_cores(jobs), tier)), 1):
        yield recorded(result_or_fault(played), str(number))


def result_or_fault(played: Played) -> MatchResult:
    """Return the result of a match. Raises HostBusy where it could not be played."""
    if isinstance(played.result, Unplayed):
        raise HostBusy(f"a match could not be played: {played.result.why}")
    return played.result
