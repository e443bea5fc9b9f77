"""How many rows of a list or board can be asked for at once, by whichever way somebody asks."""

from __future__ import annotations

from engine.errors import UsageFault

MOST_ROWS = 1_000_000


def require_limit(limit: int | None) -> None:
    """Raise UsageFault for a number of rows that cannot be asked for. None: all there are."""
    if limit is not None and not 1 <= limit <= MOST_ROWS:
        raise UsageFault(f"1 to {MOST_ROWS:,} rows can be asked for, not {limit}")
