"""What is printed of a gauntlet: how it goes, its result, and the exit status of that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group

from cli.gauntlet.results import STATUS
from cli.gauntlet.tables import coloured_lines, opponents_table
from cli.gauntlet.vary import compared_table, print_stored
from ladder.gauntlets.rendering.comparisons import ComparisonReport, progress_line
from ladder.gauntlets.rendering.sentences import progress_lines, worse_lines
from ladder.views.gauntlets import in_detail

if TYPE_CHECKING:
    from rich.console import RenderableType

    from cli.context import Context
    from ladder.gauntlets.report import Report


def picture(report: Report | ComparisonReport) -> RenderableType:
    """Draw how a gauntlet goes."""
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
