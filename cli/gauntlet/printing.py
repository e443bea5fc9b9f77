"""What is printed of a gauntlet: how it goes, its result, and the exit status of that."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from cli.exit_status import ExitStatus
from cli.gauntlet.results import STATUS
from cli.terminal.table import FittingTable
from cli.terminal.words import quoted
from ladder.choices import GauntletState
from ladder.gauntlets.gauntlets import Gauntlet
from ladder.gauntlets.report import Report
from ladder.gauntlets.shown import comparisons
from ladder.gauntlets.shown.comparisons import ComparisonReport, progress_line
from ladder.gauntlets.shown.sentences import final_lines, progress_lines, worse_lines
from ladder.gauntlets.shown.table import (
    against_text,
    cells,
    columns,
    is_marked,
    meanings,
    question,
    rows_of,
    state_of,
    title,
)
from ladder.gauntlets.variants import Comparison, conclusion
from ladder.views.gauntlets import comparison_in_detail, in_detail

if TYPE_CHECKING:
    from rich.console import RenderableType

    from cli.context import Context


VERDICT_STYLES = {"passed": "green", "failed": "red", "undecided": "yellow"}


def broken(head: str) -> str:
    return head.replace(" ", "\n", 1)


def opponents_table(report: Report) -> FittingTable:
    seats = (f"as\nplayer {seat}" for seat in range(report.gauntlet.players))
    return FittingTable(
        heads=tuple(map(broken, columns(report))),
        rows=[cells(row, is_marked=is_marked(report, row)) for row in rows_of(report)],
        names={"opponent"},
        leaving=("even", "pair\nratio", "worst\nto best", "LOS", *seats),
        title=title(report.gauntlet),
        words={"remark"},
        meanings={broken(head): meaning for head, meaning in meanings(report.gauntlet.players).items()},
    )


def coloured_lines(report: Report) -> list[str | Text]:
    verdict, *others = final_lines(report)
    return [Text(verdict, style=VERDICT_STYLES.get(report.gauntlet.verdict or "", "")), *others]


def gauntlets_table(gauntlets: Sequence[Gauntlet]) -> FittingTable:
    return FittingTable(
        heads=("id", "candidate", "against", "question", "state", "verdict", "begun"),
        rows=[
            (
                str(one.id),
                one.candidate,
                against_text(one),
                question(one),
                state_of(one),
                Text(one.verdict or "", style=VERDICT_STYLES.get(one.verdict or "", "")),
                one.created_at.astimezone().strftime("%Y-%m-%d %H:%M"),
            )
            for one in gauntlets
        ],
        names={"candidate", "against", "question"},
        leaving=("begun", "question", "state"),
        words={"state", "verdict", "begun"},
    )


def print_comparison(context: Context, comparison: Comparison, *, as_json: bool) -> None:
    if as_json:
        context.show_json(comparison)
    else:
        context.show(compared_table(comparison), quoted(conclusion(comparison)))


def print_stored(context: Context, report: ComparisonReport, *, as_json: bool) -> int:
    if as_json:
        context.show_json(comparison_in_detail(report))
    else:
        found = report.comparison
        ending = progress_line(report) if found.state == GauntletState.RUNNING else conclusion(found)
        context.show(compared_table(found), quoted(ending))
    return ExitStatus.OK if report.gauntlet.state != GauntletState.STOPPED else ExitStatus.UNDECIDED


def compared_table(comparison: Comparison) -> FittingTable:
    return FittingTable(
        heads=list(map(broken, comparisons.COLUMNS)),
        rows=[comparisons.cells(row) for row in comparison.compared],
        names={"variant", "against"},
        leaving=("worst\nto best", "pairs"),
        title=comparisons.title(comparison),
    )


def picture(report: Report | ComparisonReport) -> RenderableType:
    if isinstance(report, ComparisonReport):
        return Group(compared_table(report.comparison), progress_line(report))
    return Group(opponents_table(report), *progress_lines(report))


def print_result(
    context: Context, report: Report | ComparisonReport, *, as_json: bool, worse_only: bool = False
) -> int:
    """Print a gauntlet and return the exit status of its verdict; one that was stopped is undecided.

    `worse_only`: print only where the candidate lost and the version that it is compared with did not.
    """
    if isinstance(report, ComparisonReport):
        return print_stored(context, report, as_json=as_json)
    if as_json:
        context.show_json(in_detail(report))
    elif worse_only:
        *lines, in_all = worse_lines(report)
        context.show_whole(*lines)
        context.show(in_all)
    else:
        running = report.gauntlet.state == "running"
        context.show(opponents_table(report), *(progress_lines(report) if running else coloured_lines(report)))
    return STATUS[report.gauntlet.verdict or "undecided"]
