"""What all routes are asked, and what they answer with.

So no row that stays where it is comes twice or is left out, however many come and go. A cursor is text for programs to
hand back; that of another list is refused. Boards have cursors of their own, which stand in their rows.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

from fastapi import Path, Query
from starlette.responses import Response

from engine.errors import UsageFault
from ladder.ids import LARGEST_ID
from ladder.views.encoding import to_json
from ladder.web.rendering import IS_SERVED

Row = TypeVar("Row")
MOST_CHARS = 800
MOST_ITEMS = 500
MOST_NAME_CHARS = 100
"""Of a name that is asked for; those that there are have fewer."""
Limit = Annotated[int, Query(ge=1, le=MOST_ITEMS, description="How many items at most.")]
Cursor = Annotated[
    str | None, Query(max_length=MOST_CHARS, description="Where to go on: the `next` of the answer before.")
]
GameName = Annotated[str, Path(max_length=MOST_NAME_CHARS, description="A game, as in ocean-of-code.")]
LeagueName = Annotated[str, Path(max_length=MOST_NAME_CHARS, description="A league of the game, as in wood-1.")]
BotName = Annotated[str, Path(max_length=MOST_NAME_CHARS, description="A bot, or a version of it, as in kraken@v3.")]
Number = Annotated[int, Path(ge=1, le=LARGEST_ID, description="The number of the match, gauntlet or season.")]
Seat = Annotated[int, Path(ge=0, le=7, description="Which player, counted from 0.")]


def written(list_name: str, *key: int | str) -> str:
    """Return the cursor behind a row of a list. `list_name`: names the list; `key`: by which it is ordered."""
    return urlsafe_b64encode(json.dumps([list_name, *key]).encode()).decode().rstrip("=")


def read(cursor: str | None, list_name: str, *kinds: type) -> Any:
    """Return the key that a cursor of that list holds, None without a cursor. Raises UsageFault for any other text."""
    if cursor is None:
        return None
    try:
        values = json.loads(urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4)))
    except (ValueError, RecursionError):
        values = None
    if (
        not isinstance(values, list)
        or values[:1] != [list_name]
        or [*map(type, values[1:])] != [*kinds]
        or not all(abs(part) <= LARGEST_ID if isinstance(part, int) else str(part).isprintable() for part in values[1:])
    ):
        raise misplaced(list_name)
    return tuple(values[1:])


def misplaced(list_name: str) -> UsageFault:
    return UsageFault(f"this cursor is of no place in the {list_name}: take the `next` of the answer before")


def part(
    rows: Sequence[Row], list_name: str, key: Callable[[Row], tuple[int | str, ...]], cursor: str | None, limit: int
) -> tuple[Sequence[Row], str | None]:
    """Return a page of a list that is read whole, and the cursor behind it. `rows`: in the order of their keys."""
    if not rows:
        return rows, None
    after = read(cursor, list_name, *map(type, key(rows[0])))
    remaining = [row for row in rows if after is None or key(row) > after]
    return remaining[:limit], written(list_name, *key(remaining[limit - 1])) if len(remaining) > limit else None


def json_answer(value: object) -> Response:
    """Return a view as JSON, as the command's `--json` prints it; what is private is left out where it is empty."""
    return Response(to_json(value, compact=True, spare=IS_SERVED.get()), media_type="application/json")


def items(rows: Sequence[object], next_cursor: str | None) -> Response:
    """Return some rows of a list. `next_cursor`: from which it goes on; None at its end."""
    return json_answer({"items": rows, "next": next_cursor})


def first_items(rows: Sequence[Row], list_name: str, key: Callable[[Row], int | str], limit: int) -> Response:
    """Return the first rows of a list, of which one more than `limit` was read if there is one."""
    return items(rows[:limit], written(list_name, key(rows[limit - 1])) if len(rows) > limit else None)


def plain_text(text: str) -> Response:
    return Response(text, media_type="text/plain; charset=utf-8")
