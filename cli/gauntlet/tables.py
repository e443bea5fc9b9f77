"""How a gauntlet looks in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from cli.terminal.table import FittingTable
from ladder.gauntlets.gauntlets import Gauntlet
from ladder.gauntlets.rendering.sentences import final_lines
from ladder.gauntlets.rendering.table import (
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
from ladder.gauntlets.report import Report

VERDICT_STYLES = {"passed": "green", "failed": "red", "undecided": "yellow"}


def broken(head: str) -> str:
    """Write a column's head in two lines where it has several words, so that the column can be narrow."""
    return head.replace(" ", "\n", 1)


def opponents_table(report: Report) -> FittingTable:
    """Draw how the candidate did against each opponent, and against all."""
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
    """Return the same with the verdict in its colour."""
    verdict, *others = final_lines(report)
    return [Text(verdict, style=VERDICT_STYLES.get(report.gauntlet.verdict or "", "")), *others]


def gauntlets_table(gauntlets: Sequence[Gauntlet]) -> FittingTable:
    """Draw a list of gauntlets."""
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
