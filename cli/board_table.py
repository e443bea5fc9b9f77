"""Boards as tables, and the cells that all tables of rated versions share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from cli.record_columns import TIMEOUTS, RecordColumns
from cli.terminal.table import FittingTable
from engine.text import counted
from ladder.leagues.leagues import League

if TYPE_CHECKING:
    from ladder.views.boards import BoardRow

LIVE_RANK, LIVE_SCORE = "live\nrank", "live\nscore"
"""Heads of columns that can be written in two lines."""
LEAVING_FIRST = ("player", "faults", TIMEOUTS)
"""What boards give up first in narrow terminals, in that order; they never give up what they rank by."""


def board_table(league: League, rows: Sequence[BoardRow], own: str = "", remark: str = "") -> FittingTable:
    """Draw a league's board, or a part of it. `own`: the player whose rows stand out; `remark`: a line below it."""
    columns = RecordColumns.of(row.standing.record for row in rows)
    return FittingTable(
        ("rank", "version", "player", "score", "mu", "sigma", *columns.heads),
        [board_cells(row, columns, own) for row in rows],
        names=("version", "player"),
        leaving=(*LEAVING_FIRST, *columns.leaving),
        title=f"{league.title} ({league.game})",
        meanings=columns.meanings,
        legend="\n".join(filter(None, [waiting_text(rows), remark, league.caution])),
    )


def board_cells(line: BoardRow, columns: RecordColumns, own: str = "") -> tuple[str | Text, ...]:
    """Return the cells of a line of a board. `own`: see `board_table`."""
    row = line.standing
    return (
        str(line.rank),
        version_text(line.version, "boss" if row.is_boss else "rival" if row.is_rival else "", own=row.player == own),
        row.player,
        f"{row.score:z.2f}",
        f"{row.mu:z.2f}",
        f"{row.sigma:.2f}",
        *columns.cells(row.record, row.waiting),
    )


def waiting_text(rows: Sequence[BoardRow]) -> str:
    """Say what the `+13` beside a number of matches means; "" where there is none."""
    waiting = next((line.standing.waiting for line in rows if line.standing.waiting), 0)
    return f"+{waiting}: {counted(waiting, 'match', 'matches')} still to play" if waiting else ""


def version_text(name: str, mark: str = "", *, own: bool = False) -> Text:
    """Show a version on a board. `mark`: that it is the boss, or a rival of its bot's newer version.

    `own`: whether it is this person's.
    """
    style = "dim" if mark.startswith("boss") else "bold cyan" if own else "bold"
    return Text(f"{name} ({mark})" if mark else name, style=style)
