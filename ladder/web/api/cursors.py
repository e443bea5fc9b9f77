"""Where a list goes on: a cursor names the list and the last row of a page, by what it is ordered by.

So no row that stays where it is comes twice or is left out, however many come and go. A cursor is text for
programs to hand back; that of another list is refused. Boards have cursors of their own, which stand in their rows.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from engine.errors import UsageFault
from ladder.ids import LARGEST_ID

Row = TypeVar("Row")
MOST_CHARS = 800


def written(of: str, *key: int | str) -> str:
    """Return the cursor behind a row of a list. `of`: names the list; `key`: by which it is ordered."""
    return urlsafe_b64encode(json.dumps([of, *key]).encode()).decode().rstrip("=")


def read(cursor: str | None, of: str, *kinds: type) -> Any:
    """Return the key that a cursor of that list holds, None without a cursor. Raises UsageFault for any other text."""
    if cursor is None:
        return None
    try:
        found = json.loads(urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or found[:1] != [of] or not fits(found[1:], kinds):
        raise misplaced(of)
    return tuple(found[1:])


def misplaced(of: str) -> UsageFault:
    """Return the refusal of a cursor that is none of a list."""
    return UsageFault(f"this cursor is of no place in the {of}: take the `next` of the answer before")


def fits(key: Sequence[object], kinds: Sequence[type]) -> bool:
    """Say whether a key has those kinds of values, and each is one that the database takes."""
    return [type(one) for one in key] == [*kinds] and all(is_sane(one) for one in key)


def is_sane(value: object) -> bool:
    return -LARGEST_ID <= value <= LARGEST_ID if isinstance(value, int) else str(value).isprintable()


def part(
    rows: Sequence[Row], of: str, key: Callable[[Row], tuple[int | str, ...]], cursor: str | None, limit: int
) -> tuple[Sequence[Row], str | None]:
    """Return a page of a list that is read whole, and the cursor behind it. `rows`: in the order of their keys."""
    if not rows:
        return rows, None
    after = read(cursor, of, *map(type, key(rows[0])))
    left = [row for row in rows if after is None or key(row) > after]
    return left[:limit], written(of, *key(left[limit - 1])) if len(left) > limit else None
