"""Boards as tables, and the cells that all tables of rated versions share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from cli.terminal.table import FittingTable
from engine.text import counted
from ladder.leagues.leagues import League
from ladder.ratings.counts import Record

if TYPE_CHECKING:
    from ladder.views.boards import BoardRow

TIMEOUTS, LIVE_RANK, LIVE_SCORE = "time-\nouts", "live\nrank", "live\nscore"
"""Heads of columns that can be written in two lines."""
LEAVING = ("player", "faults", TIMEOUTS, "sigma", "mu", "w/d/l", "matches")
"""What boards give up in narrow terminals, in that order: never what they rank by."""


def board_table(league: League, rows: Sequence[BoardRow], own: str = "", remark: str = "") -> FittingTable:
    """Draw a league's board, or a part of it. `own`: the player whose rows stand out; `remark`: a line below it."""
    return FittingTable(
        ("rank", "version", "player", "score", "mu", "sigma", "matches", "w/d/l", TIMEOUTS, "faults"),
        [board_cells(row, own) for row in rows],
        names=("version", "player"),
        leaving=LEAVING,
        title=f"{league.title} ({league.game})",
        legend="\n".join(filter(None, [waiting_text(rows), remark, league.caution])),
    )


def board_cells(line: BoardRow, own: str = "") -> tuple[str | Text, ...]:
    """Return the cells of a line of a board. `own`: see `board_table`."""
    row = line.standing
    return (
        str(line.rank),
        version_text(line.version, "boss" if row.is_boss else "rival" if row.is_rival else "", own=row.player == own),
        row.player,
        f"{row.score:z.2f}",
        f"{row.mu:z.2f}",
        f"{row.sigma:.2f}",
        *record_cells(row.record, row.waiting),
    )


def record_cells(record: Record, waiting: int = 0) -> tuple[str, str, str, str]:
    """Return the cells of a record: matches, w/d/l, time-outs and faults. `waiting`: matches still to be played."""
    return (
        f"{record.matches} +{waiting}" if waiting else str(record.matches),
        record.won_drawn_lost,
        str(record.timeouts),
        str(record.faults),
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
