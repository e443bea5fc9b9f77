"""How a settled board looks in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from cli.board_table import LIVE_RANK, LIVE_SCORE, version_text
from cli.terminal.table import FittingTable
from ladder.statistics.elo import elo_text

if TYPE_CHECKING:
    from ladder.ratings.standings import SettledLine
    from ladder.views.ratings import SettledBoard

HEADS = ("rank", "95 %", "version", "Elo", "±", "matches", LIVE_RANK, LIVE_SCORE)


def settled_table(board: SettledBoard) -> FittingTable:
    """Draw a league's board by all its matches at once; with a column for the group if there are several."""
    grouped = group_count(board) > 1
    lines = [row.line for row in board.rows]
    return FittingTable(
        (*(("group",) if grouped else ()), *HEADS),
        [((str(line.group),) if grouped else ()) + settled_cells(line) for line in lines],
        names=("version",),
        leaving=(LIVE_SCORE, LIVE_RANK, "±", "matches", "95 %"),
        title=f"{board.league.title} ({board.league.game}), settled",
    )


def settled_cells(line: SettledLine) -> tuple[str | Text, ...]:
    """Return the cells of a line of a settled board, but for the group."""
    return (
        str(line.rank),
        f"{line.rank_low}-{line.rank_high}",
        version_text(line.version),
        elo_text(line.strength),
        f"{line.error:.0f}",
        str(line.matches),
        str(line.live_rank),
        f"{line.score:z.2f}",
    )


def group_count(board: SettledBoard) -> int:
    """Return in how many groups a board's versions are."""
    return max((row.line.group for row in board.rows), default=0)
