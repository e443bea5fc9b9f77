"""How a settled board looks in a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from ladder.settled_board import SettledLine
from ladder.storage.leagues import League


def settled_table(league: League, lines: Sequence[SettledLine]) -> Table:
    """Draw a league's board by all its matches at once; with a column for the group if there are several."""
    table = Table(title=f"{league.title} ({league.game}), settled", title_justify="left")
    grouped = group_count(lines) > 1
    columns = ("rank", "95 %", "version", "Elo", "±", "matches", "live rank", "live score")
    for name in ("group", *columns) if grouped else columns:
        table.add_column(name, justify="left" if name == "version" else "right", no_wrap=name == "version")
    for line in lines:
        cells = (
            str(line.rank),
            f"{line.rank_low}-{line.rank_high}",
            Text(line.version, style="bold"),
            f"{line.strength:+.0f}",
            f"{line.error:.0f}",
            str(line.matches),
            str(line.live_rank),
            f"{line.score:.2f}",
        )
        table.add_row(*((str(line.group), *cells) if grouped else cells))
    return table


def group_count(lines: Sequence[SettledLine]) -> int:
    """Return in how many groups a board's versions are."""
    return max((line.group for line in lines), default=0)
