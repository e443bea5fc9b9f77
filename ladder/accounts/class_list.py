"""Names of players in a table that somebody wrote: CSV with a name in each line. Pure."""

from __future__ import annotations

import csv
import io

from engine.errors import UsageFault

HEADS = frozenset({"name", "player"})
"""What the column with the names is called; without a line of heads it is the first one."""


def names_in(text: str) -> list[str]:
    """Return the names in a table, in its order. Raises UsageFault where there is none, or a line has none."""
    rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text.removeprefix("\ufeff")))]
    rows = [row for row in rows if any(row)]
    heads = [cell.lower() for cell in rows[0]] if rows else []
    place = next((place for place, head in enumerate(heads) if head in HEADS), None)
    names = [("", *row)[(place or 0) + 1] if len(row) > (place or 0) else "" for row in rows[place is not None :]]
    if not names:
        raise UsageFault("it names no player: it is to be CSV with a name in each line")
    if "" in names:
        raise UsageFault("a line of it has no name")
    return names
