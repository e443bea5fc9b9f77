"""Numbers that mean the same to all who ask: of rows, moments, pairs, battles, and the seeds that are drawn."""

from datetime import datetime

from engine.errors import UsageFault

MOST_ROWS = 1_000_000
FIRST_YEAR, LAST_YEAR = 2000, 2999
"""Of moments: every clock and every zone can show those near them too."""
DRAWN_SEEDS = range(100_000, 1_000_000)
"""A seed that nobody has named has six digits: short enough to be typed again and spoken of. Every game takes it."""

MOST_PAIRS = 1_000_000
"""Of a gauntlet, for each opponent."""
MOST_BATTLES = 1000
"""That are asked for at once: of two versions, or of each in a last series."""
TOP, LARGEST_TOP = 10, 100
"""How many of a board play a last series, where nobody says it, and at most."""


def require_limit(limit: int | None) -> None:
    """Raise UsageFault for a number of rows that cannot be asked for. None: all there are."""
    if limit is not None and not 1 <= limit <= MOST_ROWS:
        raise UsageFault(f"1 to {MOST_ROWS:,} rows can be asked for, not {limit}")


def require_moment(moment: datetime) -> None:
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        years = f"{FIRST_YEAR} to {LAST_YEAR}"
        raise UsageFault(f"the year {moment.year} is too far away: name a moment in the years {years}")
