"""The players of a contest as files: the list that names them, and the links that let them in."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from pathlib import Path

from engine.errors import Refused, UsageFault

HEADS = frozenset({"name", "player"})
"""What the column with the names is called; without a line of heads it is the first one."""


def names_in(path: Path) -> list[str]:
    """Read the names of players. Raises UsageFault for a file that cannot be read, or has no name."""
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise UsageFault(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageFault(f"cannot read {path}: it is not UTF-8") from error
    rows = [[cell.strip() for cell in row] for row in csv.reader(io.StringIO(text))]
    rows = [row for row in rows if any(row)]
    heads = [cell.lower() for cell in rows[0]] if rows else []
    place = next((place for place, head in enumerate(heads) if head in HEADS), None)
    names = [row[place or 0] if len(row) > (place or 0) else "" for row in rows[0 if place is None else 1 :]]
    if not names:
        raise UsageFault(f"{path} names no player: it is CSV with a name in each line")
    if "" in names:
        raise UsageFault(f"a line of {path} has no name")
    return names


def write_links(path: Path, links: Iterable[tuple[str, str]]) -> None:
    """Write players and their links into a new file that only this account reads. Raises Refused, UsageFault."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["player", "link"])
    writer.writerows(links)
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text.getvalue())
    except FileExistsError as error:
        raise Refused(f"{path} exists already, and may hold links of others: name a new file with --links") from error
    except OSError as error:
        raise UsageFault(f"cannot write {path}: {error.strerror}") from error
