"""Any view as plain values: for JSON, CSV, pages and routes alike.

How this works. A frozen dataclass becomes an object of its fields, in their order. A field that its class names in
`MERGED` gives its own keys to the object around it, one that it names in `HIDDEN` is left out, and properties that it
names in `SHOWN` follow. A field may end in an underscore, as `for_` does, where Python needs the word itself. Moments
become ISO 8601, enums their values, games their names.

Imports inside functions: nearly no command writes so much JSON that orjson is worth its start.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from typing import Any

from engine.game import Game

MERGED = "MERGED"
"""A class's names of fields whose own keys stand in the object around them: `MERGED: ClassVar = ("row",)`."""
HIDDEN = "HIDDEN"
"""A class's names of fields that are for sentences alone: `HIDDEN: ClassVar = ("was_there",)`."""
SHOWN = "SHOWN"
"""A class's names of properties that are shown besides its fields: `SHOWN: ClassVar = ("pairs", "score")`."""

DELETE = "\x7f"
"""The one sign of ASCII that steers a terminal and that JSON allows as it is."""


def plain(value: object) -> Any:
    """Return a value as JSON knows it. Raises TypeError for what is no data."""
    if value is None or (isinstance(value, (bool, int, float, str)) and not isinstance(value, Enum)):
        return value
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, Game):
        return value.name
    if isinstance(value, datetime):
        return value.isoformat()
    if is_dataclass(value) and not isinstance(value, type):
        return plain_object(value)
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(one) for key, one in value.items()}
    if isinstance(value, Iterable):
        return [plain(one) for one in value]
    raise TypeError(f"{type(value).__name__} is no data")


def plain_object(view: Any) -> dict[str, Any]:
    """Return a dataclass as an object."""
    found: dict[str, Any] = {}
    hidden = getattr(view, HIDDEN, ())
    for name in [one.name for one in fields(view) if one.name not in hidden]:
        inner = plain(getattr(view, name))
        found |= inner if name in getattr(view, MERGED, ()) else {name.rstrip("_"): inner}
    return found | {name: plain(getattr(view, name)) for name in getattr(view, SHOWN, ())}


def to_json(value: object, *, compact: bool = False) -> str:
    """Write any view as JSON, with a line end. `compact`: in one line, which suits what is for programs alone."""
    return compact_json(value) if compact else json.dumps(plain(value), indent=2) + "\n"


def compact_json(value: object) -> str:
    """Write any view as JSON in one line of ASCII, with a line end.

    A match of 600 turns is half a megabyte, of which orjson makes text in a tenth of the usual time. It escapes no
    signs beyond ASCII, which could steer a terminal, and refuses half a surrogate pair: both are for json.
    """
    import orjson

    options = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_APPEND_NEWLINE
    with suppress(orjson.JSONEncodeError):
        text = orjson.dumps(value, default=plain, option=options).decode()
        if text.isascii() and DELETE not in text:
            return text
    return json.dumps(value, default=plain, separators=(",", ":")) + "\n"


def to_csv(rows: Iterable[object]) -> str:
    """Write views of one kind as CSV with a heading, "" where there are none."""
    objects = [plain(row) for row in rows]
    text = io.StringIO()
    if objects:
        writer = csv.DictWriter(text, list(objects[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(objects)
    return text.getvalue()
