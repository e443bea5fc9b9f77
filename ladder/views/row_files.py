"""Rows into a file that grows while they come: as JSON lines, as CSV, or as Parquet by the package pyarrow.

Imports inside functions: pyarrow is installed only where somebody wants Parquet.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import Any, TypeAlias

from engine.errors import MissingTool
from ladder.views.plain import to_json

CSV, PARQUET = ".csv", ".parquet"
ROWS_AT_ONCE = 20_000
"""Of a Parquet file: so many are kept in memory, and stand in a group of their own."""

Columns: TypeAlias = Mapping[str, type]
"""The names of columns, in their order, and what they hold: int, float or str. Any of them may hold None."""
Write: TypeAlias = Callable[[Sequence[Mapping[str, Any]]], None]


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
