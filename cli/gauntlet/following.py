"""Showing a gauntlet while it is played, and its result.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from cli.context import Context
from cli.database_to_read import database_to_read
from cli.exit_status import ExitStatus
from ladder.ids import GauntletId

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ladder.gauntlets.report import Report

WATCH_EVERY_S = 0.5
STATUS = {"passed": ExitStatus.OK, "failed": ExitStatus.FAILED, "undecided": ExitStatus.UNDECIDED}


def follow(context: Context, gauntlet_id: GauntletId, *, as_json: bool, worse_only: bool = False) -> int:
    """Show how a gauntlet goes on until it has ended, then its result as `print_result` does, which is returned."""
    from rich.live import Live

    quiet = as_json or not context.err.is_terminal
    with Live(console=context.err, auto_refresh=False, transient=True) as live:
        while (report := read_report(context, gauntlet_id)).gauntlet.state == "running":
            if not quiet:
                live.update(picture(report), refresh=True)
            time.sleep(WATCH_EVERY_S)
    return print_result(context, report, as_json=as_json, worse_only=worse_only)


def read_report(context: Context, gauntlet_id: GauntletId) -> Report:
    """Read a gauntlet. Raises UnknownName."""
    from ladder.views import gauntlets

    with database_to_read(context) as connection:
        return gauntlets.read_report(connection, gauntlet_id)


def picture(report: Report) -> RenderableType:
    """Draw how a gauntlet goes."""
    from rich.console import Group

    from cli.gauntlet.tables import opponents_table, progress_lines

    return Group(opponents_table(report), *progress_lines(report))


def print_result(context: Context, report: Report, *, as_json: bool, worse_only: bool = False) -> int:
    """Print a gauntlet and return the exit status of its verdict; one that was stopped is undecided.

    `worse_only`: print only where the candidate lost and the version that it is compared with did not.
    """
    from cli.gauntlet.tables import coloured_lines, opponents_table, progress_lines, worse_lines
    from ladder.views.gauntlets import in_detail

    if as_json:
        context.show_json(in_detail(report))
    elif worse_only:
        context.show(*worse_lines(report))
    else:
        running = report.gauntlet.state == "running"
        context.show(opponents_table(report), *(progress_lines(report) if running else coloured_lines(report)))
    return STATUS[report.gauntlet.verdict or "undecided"]
