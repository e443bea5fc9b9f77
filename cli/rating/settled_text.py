"""How a settled board looks in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from cli.render import LIVE_RANK, LIVE_SCORE, version_text
from cli.terminal.table import FittingTable
from ladder.leagues.leagues import League
from ladder.ratings.settled_board import SettledLine

HEADS = ("rank", "95 %", "version", "Elo", "±", "matches", LIVE_RANK, LIVE_SCORE)


def settled_table(league: League, lines: Sequence[SettledLine]) -> FittingTable:
    """Draw a league's board by all its matches at once; with a column for the group if there are several."""
    grouped = group_count(lines) > 1
    return FittingTable(
        (*(("group",) if grouped else ()), *HEADS),
        [((str(line.group),) if grouped else ()) + settled_cells(line) for line in lines],
        names=("version",),
        leaving=(LIVE_SCORE, LIVE_RANK, "±", "matches", "95 %"),
        title=f"{league.title} ({league.game}), settled",
    )


def settled_cells(line: SettledLine) -> tuple[str | Text, ...]:
    """Return the cells of a line of a settled board, but for the group."""
    return (
        str(line.rank),
        f"{line.rank_low}-{line.rank_high}",
        version_text(line.version),
        f"{line.strength:+.0f}",
        f"{line.error:.0f}",
        str(line.matches),
        str(line.live_rank),
        f"{line.score:.2f}",
    )


def group_count(lines: Sequence[SettledLine]) -> int:
    """Return in how many groups a board's versions are."""
    return max((line.group for line in lines), default=0)
