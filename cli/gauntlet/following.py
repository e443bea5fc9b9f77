"""Showing a gauntlet while it is played.

Imports inside functions: a command imports what it runs when it runs, so `ladder --help` and completion stay fast.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from cli.context import Context
from ladder.ids import GauntletId

if TYPE_CHECKING:
    from ladder.gauntlets.comparing import ComparisonReport
    from ladder.gauntlets.report import Report

WATCH_EVERY_S = 0.5


def follow(context: Context, gauntlet_id: GauntletId, *, as_json: bool, worse_only: bool = False) -> int:
    """Show how a gauntlet goes on until it has ended, then its result as `print_result` does, which is returned."""
    from rich.live import Live

    from cli.gauntlet.printing import picture, print_result

    quiet = as_json or not context.err.is_terminal
    with Live(console=context.err, auto_refresh=False, transient=True) as live:
        while (report := read_report(context, gauntlet_id)).gauntlet.state == "running":
            if not quiet:
                live.update(picture(report), refresh=True)
            time.sleep(WATCH_EVERY_S)
    return print_result(context, report, as_json=as_json, worse_only=worse_only)


def read_report(context: Context, gauntlet_id: GauntletId) -> Report | ComparisonReport:
    """Read a gauntlet. Raises UnknownName."""
    from ladder.views import gauntlets

    return context.read(gauntlets.read_report, gauntlet_id)
