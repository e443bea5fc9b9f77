"""What is printed of a gauntlet: how it goes, its result, and the exit status of that.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group

from cli.exit_status import ExitStatus
from cli.gauntlet.tables import coloured_lines, opponents_table
from cli.gauntlet.vary import compared_table, print_stored
from ladder.gauntlets.shown.comparisons import ComparisonReport, progress_line
from ladder.gauntlets.shown.sentences import progress_lines, worse_lines
from ladder.views.gauntlets import in_detail

if TYPE_CHECKING:
    from rich.console import RenderableType

    from cli.context import Context
    from ladder.gauntlets.gauntlets import Gauntlet
    from ladder.gauntlets.report import Report
    from ladder.views.gauntlets import Result


STATUS = {"passed": ExitStatus.OK, "failed": ExitStatus.FAILED, "undecided": ExitStatus.UNDECIDED}


def result_text(result: Result) -> str:
    """Show one gauntlet and, if it holds a version back, what becomes of that version."""
    text = f"{result.version}, gauntlet {result.gauntlet}, {result.conclusion}"
    return f"{text}; {waiting_text(result)}" if result.holds_back else text


def waiting_text(result: Result) -> str:
    """Say what becomes of a version that is held back."""
    if result.state == "running":
        return "it comes onto the board when it has passed"
    if result.verdict == "passed":
        return "it comes onto the board at once"
    return f"it is not on the board; to override: `ladder bot activate {result.version}`"


def print_held(context: Context, gauntlet: Gauntlet) -> int:
    """Say why a version stays off the board and who plays in its place. Returns the exit status of the verdict."""
    from ladder.views.gauntlets import held_back

    found = context.watch(held_back, gauntlet)
    context.show(result_text(found.result))
    if found.plays_on is not None:
        context.show(f"{found.plays_on} plays on")
    return STATUS[gauntlet.verdict or "undecided"]


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
