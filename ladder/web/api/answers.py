"""What all routes answer with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import Query
from starlette.responses import Response

from ladder.views.plain import to_json

MOST_ITEMS = 500
Limit = Annotated[int, Query(ge=1, le=MOST_ITEMS, description="How many items at most.")]


def json_answer(value: object) -> Response:
    """Return a view as JSON, as the command's `--json` prints it."""
    return Response(to_json(value, compact=True), media_type="application/json")


def items(rows: Sequence[object], next_cursor: str | None) -> Response:
    """Return some rows of a list. `next_cursor`: from which it goes on; None at its end."""
    return json_answer({"items": rows, "next": next_cursor})
