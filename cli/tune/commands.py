"""`ladder tune show | list | stop | resume`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from cli.answer import Answer, Done, Found, Rows, listing
from cli.context import this
from cli.exit_status import ExitStatus
from cli.gauntlet.commands import OperatorOption, PlayerOption
from cli.options.names import operator_if
from cli.options.numbers import LimitOption
from cli.terminal.table import NAME, WORDS, Column, Columns, table_of
from cli.terminal.words import moment_text
from cli.tune.local import resume_local
from cli.tune.printing import announced_at_interrupt, answer_of, follow
from engine.errors import UsageFault
from ladder import actions, views
from ladder.ids import LARGEST_ID, GauntletId
from ladder.tuning.local import load
from ladder.views.tunes import TuneInList

TUNES: Columns[TuneInList] = (
    Column("id", lambda one: one.id),
    Column("bot", lambda one: one.bot, NAME),
    Column("parameters", lambda one: " ".join(one.ranges), NAME),
    Column("against", lambda one: ", ".join(one.against) or "itself", NAME, leaves=2),
    Column("pairs", lambda one: one.pairs, leaves=3),
    Column("state", lambda one: one.state, WORDS),
    Column("begun", lambda one: moment_text(one.created_at), WORDS, leaves=1),
)

TuneArgument = Annotated[
    str,
    typer.Argument(
        metavar="TUNE", help="The tune's number, or the file of one that was played here.", show_default=False
    ),
]


def numbered(tune: str) -> GauntletId | None:
    """Return a tune's number; None for a file."""
    if not (tune.isascii() and tune.isdecimal()):
        return None
    if not 1 <= int(tune) <= LARGEST_ID:
        raise UsageFault(f"there is no tune {tune}: numbers begin at 1")
    return GauntletId(int(tune))


def show_tune(
    typer_context: typer.Context,
    tune: TuneArgument,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Follow it to its end.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> Found:
    """Show a tune: each value with its uncertainty, the gain to be expected, what else was found.

    Example: ladder tune show 12

    Example: ladder tune show kraken.tune.json
    """
    context = this(typer_context)
    number = numbered(tune)
    if number is None:
        run = load(Path(tune))
        return replace(answer_of(run.report(run.state)), status=ExitStatus.OK)
    report = context.read(views.tunes.read_report, number)
    if watch:
        with announced_at_interrupt(context, number):
            return answer_of(follow(context, number, as_json=as_json))
    return replace(answer_of(report), status=ExitStatus.OK)


def list_tunes(typer_context: typer.Context, limit: LimitOption = 20) -> Rows:
    """List the latest tunes that workers play.

    Example: ladder tune list
    """
    found = this(typer_context).read(views.tunes.latest, limit)
    return listing(found, lambda: table_of(TUNES, found), "there is no tune yet: begin one with `ladder tune run`")


def stop_tune(
    typer_context: typer.Context,
    tune: TuneArgument,
    player: PlayerOption = None,
    operator: OperatorOption = False,
) -> Done:
    """Stop a tune that runs. What it has found stays, and it can be resumed.

    Somebody else's is refused with exit status 3, unless with --operator, which `ladder deeds` shows.

    Example: ladder tune stop 12
    """
    number = numbered(tune)
    if number is None:
        raise UsageFault(f"{tune} is no number of a tune: one that is played here ends by Ctrl-C")
    done = this(typer_context).act(actions.tunes.stop, operator_if(operator, player), number)
    return Answer(done, f"tune {number} is stopped; `ladder tune resume {number}` lets it go on")


def resume_tune(
    typer_context: typer.Context,
    tune: TuneArgument,
    player: PlayerOption = None,
    operator: OperatorOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> Done:
    """Let a tune go on from where it was: a stopped one by the ladder's workers, that of a file here.

    Somebody else's is refused with exit status 3, unless with --operator, which `ladder deeds` shows.

    Example: ladder tune resume 12

    Example: ladder tune resume kraken.tune.json
    """
    context, number = this(typer_context), numbered(tune)
    if number is None:
        return resume_local(context, Path(tune), as_json=as_json)
    done = context.act(actions.tunes.resume, operator_if(operator, player), number)
    return Answer(done, f"tune {number} goes on; `ladder tune show {number} --watch` follows it")
