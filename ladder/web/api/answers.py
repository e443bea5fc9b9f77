"""What all routes are asked, and what they answer with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Path, Query
from starlette.responses import Response

from ladder.ids import LARGEST_ID
from ladder.views.plain import to_json
from ladder.web.api import cursors
from ladder.web.shown import IS_SERVED

MOST_ITEMS = 500
MOST_NAME_CHARS = 100
"""Of a name that is asked for; those that there are have fewer."""

Limit = Annotated[int, Query(ge=1, le=MOST_ITEMS, description="How many items at most.")]
Cursor = Annotated[
    str | None,
    Query(max_length=cursors.MOST_CHARS, description="Where to go on: the `next` of the answer before."),
]
GameName = Annotated[str, Path(max_length=MOST_NAME_CHARS, description="A game, as in ocean-of-code.")]
LeagueName = Annotated[str, Path(max_length=MOST_NAME_CHARS, description="A league of the game, as in wood-1.")]
BotName = Annotated[str, Path(max_length=MOST_NAME_CHARS, description="A bot, or a version of it, as in kraken@v3.")]
InLeague = Annotated[str | None, Query(max_length=MOST_NAME_CHARS, description="Only this league.")]
Number = Annotated[int, Path(ge=1, le=LARGEST_ID, description="The number of the match, gauntlet or season.")]
Seat = Annotated[int, Path(ge=0, le=7, description="Which player, counted from 0.")]


def json_answer(value: object) -> Response:
    """Return a view as JSON, as the command's `--json` prints it; what is private is left out where it is empty."""
    return Response(to_json(value, compact=True, spare=IS_SERVED.get()), media_type="application/json")


def items(rows: Sequence[object], next_cursor: str | None) -> Response:
    """Return some rows of a list. `next_cursor`: from which it goes on; None at its end."""
    return json_answer({"items": rows, "next": next_cursor})


def plain_text(text: str) -> Response:
    """Return a text as it is, whatever it holds."""
    return Response(text, media_type="text/plain; charset=utf-8")
