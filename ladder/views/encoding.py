"""Any view as plain values, for JSON, CSV, pages and routes alike; and rows as files of JSON lines, CSV or Parquet.

How this works. A frozen dataclass becomes an object of its fields, in their order. A field that its class names in
`MERGED` gives its own keys to the object around it, one that it names in `HIDDEN` is left out, and properties that it
names in `SHOWN` follow. A field may end in an underscore, as `for_` does, where Python needs the word itself. Moments
become ISO 8601, enums their values, games their names. A file of rows grows while they come.

Imports inside functions: nearly no command writes so much JSON that orjson is worth its start, and pyarrow is installed
only where somebody wants Parquet.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import Any, TypeAlias

from engine.errors import MissingTool
from engine.game import Game

MERGED = "MERGED"
HIDDEN = "HIDDEN"
SHOWN = "SHOWN"
PRIVATE = "PRIVATE"
"""A class's names of fields that not everybody sees of a served ladder: `PRIVATE: ClassVar = ("stderr",)`. They are
empty for others (see `ladder.visibility`), and there JSON leaves out those that are empty: so it does not show which.
"""
IF_ANY = "IF_ANY"
DELETE = "\x7f"
"""The one sign of ASCII that steers a terminal and that JSON allows as it is."""
CSV, PARQUET = ".csv", ".parquet"
ROWS_AT_ONCE = 20_000
"""Of a Parquet file: so many are kept in memory, and stand in a group of their own."""
Columns: TypeAlias = Mapping[str, type]
"""The names of columns, in their order, and what they hold: int, float or str. Any of them may hold None."""
Write: TypeAlias = Callable[[Sequence[Mapping[str, Any]]], None]


def plain(value: object, *, spare: bool = False) -> Any:
    """Return a value as JSON knows it. `spare`: without private fields that are empty. Raises TypeError for no data."""
    if value is None or (isinstance(value, (bool, int, float, str)) and not isinstance(value, Enum)):
        return value
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, Game):
        return value.name
    if isinstance(value, datetime):
        return value.isoformat()
    if is_dataclass(value) and not isinstance(value, type):
        return plain_object(value, spare=spare)
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item, spare=spare) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [plain(item, spare=spare) for item in value]
    raise TypeError(f"{type(value).__name__} is not data")


def plain_object(view: Any, *, spare: bool = False) -> dict[str, Any]:
    members: dict[str, Any] = {}
    hidden = getattr(view, HIDDEN, ())
    spared = (*getattr(view, IF_ANY, ()), *(getattr(view, PRIVATE, ()) if spare else ()))
    for name in [field.name for field in fields(view) if field.name not in hidden]:
        if name in spared and not getattr(view, name):
            continue
        inner = plain(getattr(view, name), spare=spare)
        members |= inner if name in getattr(view, MERGED, ()) else {name.rstrip("_"): inner}
    return members | {name: plain(getattr(view, name), spare=spare) for name in getattr(view, SHOWN, ())}


def to_json(value: object, *, compact: bool = False, spare: bool = False) -> str:
    """Write any view as JSON, with a line end. `compact`: in one line of ASCII. `spare`: see `plain`.

    That is by orjson, which takes a tenth of the time. It escapes no signs beyond ASCII, which could steer a terminal,
    and refuses half a surrogate pair: that json does.
    """
    if not compact:
        return json.dumps(plain(value, spare=spare), indent=2) + "\n"
    import orjson

    to_plain = partial(plain, spare=spare)
    options = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_APPEND_NEWLINE
    with suppress(orjson.JSONEncodeError):
        text = orjson.dumps(value, default=to_plain, option=options).decode()
        if text.isascii() and DELETE not in text:
            return text
    return json.dumps(value, default=to_plain, separators=(",", ":")) + "\n"


def to_csv(rows: Iterable[object]) -> str:
    """Write views of one kind as CSV with a heading, "" where there are none. Numbers become `12 7 3`."""
    objects = [{name: in_a_cell(value) for name, value in plain(row).items()} for row in rows]
    heads = list(dict.fromkeys(chain(*objects)))
    return csv_text([heads, *([row.get(name) for name in heads] for row in objects)]) if objects else ""


def in_a_cell(value: Any) -> Any:
    """Return a plain value as CSV holds it: of some numbers nothing that a spreadsheet takes for a date."""
    is_numbers = isinstance(value, list) and value and all(isinstance(number, int) for number in value)
    return " ".join(map(str, value)) if is_numbers else value


def require_parquet() -> None:
    """Raises MissingTool, with how to install it, where this machine cannot write Parquet."""
    if find_spec("pyarrow") is None:
        setup = Path(__file__).parents[2] / "deploy" / "setup.sh"
        how = f"sh {quote(str(setup))} parquet" if setup.exists() else "pip install 'ladder-arena[parquet]'"
        raise MissingTool(f"Parquet needs the package pyarrow, which is not installed: {how}")


@contextmanager
def row_file(place: Path, columns: Columns, kind: str) -> Iterator[Write]:
    """Let the block write rows. `kind`: CSV, PARQUET, or anything else for a line of JSON each. Raises OSError."""
    if kind == PARQUET:
        with parquet_file(place, columns) as write:
            yield write
        return
    with place.open("w", encoding="utf-8", errors="replace", newline="") as file:
        if kind == CSV:
            file.write(csv_text([list(columns)]))
            yield lambda rows: file.writelines([csv_text([row[name] for name in columns] for row in rows)])
        else:
            yield lambda rows: file.writelines(to_json(row, compact=True) for row in rows)


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


@contextmanager
def parquet_file(place: Path, columns: Columns) -> Iterator[Write]:
    """Raises MissingTool."""
    require_parquet()
    import pyarrow.parquet

    kinds = {int: pyarrow.int64(), float: pyarrow.float64(), str: pyarrow.string()}
    schema = pyarrow.schema([(name, kinds[kind]) for name, kind in columns.items()])
    waiting: list[Mapping[str, Any]] = []
    with pyarrow.parquet.ParquetWriter(str(place), schema, compression="zstd") as writer:

        def flush() -> None:
            writer.write_table(pyarrow.Table.from_pylist(waiting, schema=schema))
            waiting.clear()

        def write(rows: Sequence[Mapping[str, Any]]) -> None:
            waiting.extend(rows)
            if len(waiting) >= ROWS_AT_ONCE:
                flush()

        yield write
        if waiting:
            flush()
