"""`ladder case`: positions in which a bot must not answer as it did when it lost, tried in seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import cli
from cli import play
from cli.answer import Done, Found, Rows
from cli.context import Context
from cli.options.files import force_option
from cli.options.here import required_source
from cli.options.matches import MatchArgument, watched
from cli.options.names import SandboxOption
from cli.options.numbers import MOST_TURNS, jobs_option
from cli.program.parameters import argument, option
from engine.toolchains.source import CASES

FolderOption = Annotated[
    Path | None, option("--cases", f"The folder of the cases. [default: {CASES} in the bot's folder, or here]")
]


def add_case(
    context: Context,
    match: MatchArgument,
    turn: Annotated[int, option("--turn", "The turn of the match.", min=1, max=MOST_TURNS)],
    expect: Annotated[
        list[str] | None,
        option(
            "--expect",
            "Words with which an order of the answer has to begin, or a /pattern/; 'not ' before it: must not. "
            "[default: another answer]",
        ),
    ] = None,
    judge: Annotated[str | None, option("--judge", "A command that judges the answer, in place of --expect.")] = None,
    note: Annotated[str, option("--note", "What it is about.")] = "",
    folder: FolderOption = None,
    force: Annotated[bool, force_option("a case that exists", "write over it")] = False,
) -> Done:
    """Keep a position of a match, so that no later version answers there as this one did.

    The file has all that the seat was sent up to that turn, so it can be kept with the bot's source. Turns are counted
    as `ladder match show --turns` counts them; whose turn it is, is asked. A judge is started for each answer in the
    folder of the cases, reads JSON from standard input (sent, said, answer), and ends with 0 where the answer holds, or
    with 1.

    Example: ladder case add 173 --turn 41 --expect "not SURFACE"

    Example: ladder case add official:12 --turn 41 --expect "/TORPEDO [0-4] /" --expect "not MOVE N"

    Example: ladder case add play:1 --turn 17 --judge ./judge.py
    """
    found = watched(context, match)
    context.games.find(found.game).require_lines("a case")
    into = cli.cases.cases_folder(folder)
    return cli.cases.keep(found, turn, into, expect or (), judge, note, over=force)


def list_cases(folder: FolderOption = None) -> Rows:
    """List the cases that are kept.

    Example: ladder case list
    """
    return cli.cases.kept(cli.cases.cases_folder(folder))


def run_cases(
    context: Context,
    bot: Annotated[
        str | None,
        argument("A source, folder or program, or a version as in kraken@v8. [default: the folder's source]"),
    ] = None,
    folder: FolderOption = None,
    jobs: Annotated[int, jobs_option("Cases at once")] = 0,
    sandbox: SandboxOption = None,
) -> Found:
    """Ask a bot in all positions that are kept, in the sandbox and with the time that it had.

    It is sent what its seat was sent in the match; what it answers on the way does not count. Exit status 1 where an
    answer is not as it has to be. No services have to run.

    Example: ladder case run

    Example: ladder case run kraken.py --json
    """
    own = required_source(bot)
    game, found = cli.cases.cases_to_ask(cli.cases.cases_folder(folder))
    (entrant,) = play.series.entrants(context, context.games.find(game), [own])
    return cli.cases.ask_in_cases(context, found, entrant.program(sandbox), jobs, sandbox)
