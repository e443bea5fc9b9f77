"""What is printed of a tune: how it stands, and how it goes on."""

from __future__ import annotations

import time

from rich.console import Group, RenderableType

from cli.answer import Answer, ExitStatus, Whole
from cli.context import Context
from cli.terminal.steps import canvas
from cli.terminal.table import NAME, WORDS, Column, Columns, table_of_cells
from cli.terminal.words import moment_text, quoted
from ladder import views
from ladder.choices import GauntletState
from ladder.ids import GauntletId
from ladder.tuning.report import COLUMNS, CONFIRMING, TuneReport, cells, lines, title

WATCH_EVERY_S = 2.0

TUNES: Columns[views.tunes.TuneInList] = (
    Column("id", lambda row: row.id),
    Column("bot", lambda row: row.bot, NAME),
    Column("parameters", lambda row: " ".join(row.ranges), NAME),
    Column("against", lambda row: ", ".join(row.against) or "itself", NAME, leaves=2),
    Column("pairs", lambda row: row.pairs, leaves=3),
    Column("state", lambda row: row.state, WORDS),
    Column("begun", lambda row: moment_text(row.created_at), WORDS, leaves=1),
)


def parameters_table(report: TuneReport) -> RenderableType:
    return table_of_cells(
        heads=COLUMNS,
        rows=list(map(cells, report.parameters)),
        kinds={"parameter": NAME},
        leaving=("range", "95 %"),
        title=title(report.tune),
        meanings={"95 %": "what luck leaves open about the value"},
    )


def picture(report: TuneReport) -> RenderableType:
    return Group(parameters_table(report), *map(quoted, lines(report)))


def answer_of(report: TuneReport) -> Answer:
    """Answer with a tune; one that was stopped is undecided."""
    status = ExitStatus.UNDECIDED if report.tune.state == GauntletState.STOPPED else ExitStatus.OK
    *words, command = lines(report)
    return Answer(report, lambda: [parameters_table(report), *map(quoted, words), Whole(command)], status=status)


def follow(context: Context, number: GauntletId, *, as_json: bool) -> TuneReport:
    """Show how a tune goes on until it has ended; its remarks as soon as they are known."""
    quiet = as_json or not context.err.is_terminal
    printed = set[str]()
    with canvas(context.err) as draw:
        while True:
            report = context.follow(views.tunes.read_report, number)
            if report.tune.state not in {GauntletState.RUNNING, CONFIRMING}:
                return report
            for remark in report.remarks:
                if quiet and remark not in printed:
                    context.say(remark)
                printed.add(remark)
            if not quiet:
                draw(picture(report))
            time.sleep(WATCH_EVERY_S)
