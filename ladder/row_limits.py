"""How many rows of a list or board can be asked for at once, and which moments can be named, whoever asks and how."""

from __future__ import annotations

from datetime import datetime

from engine.errors import UsageFault

MOST_ROWS = 1_000_000
FIRST_YEAR, LAST_YEAR = 2000, 2999
"""Of moments: every clock and every zone can show those near them too."""


def require_limit(limit: int | None) -> None:
    """Raise UsageFault for a number of rows that cannot be asked for. None: all there are."""
    if limit is not None and not 1 <= limit <= MOST_ROWS:
        raise UsageFault(f"1 to {MOST_ROWS:,} rows can be asked for, not {limit}")


def require_moment(moment: datetime) -> None:
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        years = f"{FIRST_YEAR} to {LAST_YEAR}"
        raise UsageFault(f"the year {moment.year} is too far away: name a moment in the years {years}")
