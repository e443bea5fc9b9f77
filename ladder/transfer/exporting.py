"""Writing a whole ladder, as it is at one moment, row by row, into a folder or tar file: no table is ever in memory.

How this works. What is written stands beside its place under another name until it is whole; then it gets its own name
in one step. An export that is interrupted before that leaves nothing. Only its owner can read it, as it holds all
sources.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeAlias

from psycopg.sql import SQL, Identifier

from engine.errors import Refused, UsageFault
from ladder.database import schema
from ladder.database.connection import Connection, first_value, one
from ladder.matches.match_rows import unpacked_text
from ladder.transfer.manifest import NAME, SOURCES, TABLES, ExportTable, Form, Manifest, TablePart, form_of

ROWS_AT_ONCE = 200
"""A row may hold some hundred thousand bytes of what a bot wrote."""
TAR = ".tar"


def export(connection: Connection, place: Path, on_row: Callable[[], None] = lambda: None) -> Manifest:
    """Write the ladder, as of one moment, into a new folder or tar file, or nothing. Raises Refused, UsageFault."""
    form = form_of(connection)
    with new_place(place) as target:
        parts = {table.name: write(connection, target, table, form, on_row) for table in TABLES}
        query = SQL("SELECT last_value + is_called::int FROM {}")
        numbers = {name: int(one(connection, query.format(Identifier(name)), {})[0]) for name in form.sequences}
        manifest = Manifest(schema.needed(), parts, numbers)
        with target(NAME) as file:
            file.write(manifest.written())
    return manifest


def count_rows(connection: Connection) -> int:
    counts = (SQL("SELECT count(*) FROM {}").format(Identifier(table.name)) for table in TABLES)
    return sum(int(first_value(connection, query) or 0) for query in counts)


def write(
    connection: Connection, target: Target, table: ExportTable, form: Form, on_row: Callable[[], None]
) -> TablePart:
    columns = form.columns[table.name]
    rows = rows_of(connection, table, form)
    digest, count = hashlib.sha256(), 0
    if table is SOURCES:
        for name, content, tree in rows:
            with target(f"{table.name}/{name}" if tree is None else f"{table.name}/{name}.tar.gz") as file:
                file.write(content.encode() if tree is None else tree)
            count += 1
            on_row()
        return TablePart(list(columns), count, "")
    with target(f"{table.name}.jsonl") as file:
        for row in rows:
            values = dict(zip(columns, map(as_json, row), strict=True))
            values |= {column: unpacked_text(row[columns.index(column)]) for column in table.packed}
            content = f"{json.dumps(values, ensure_ascii=False)}\n".encode()
            digest.update(content)
            file.write(content)
            count += 1
            on_row()
    return TablePart(list(columns), count, digest.hexdigest())


def rows_of(connection: Connection, table: ExportTable, form: Form) -> Iterator[tuple[Any, ...]]:
    columns = [
        SQL(table.written_as[column]) if column in table.written_as else Identifier(column)
        for column in form.columns[table.name]
    ]
    key = SQL(", ").join(map(Identifier, form.keys[table.name]))
    query = SQL("SELECT {} FROM {} ORDER BY {}").format(SQL(", ").join(columns), Identifier(table.name), key)
    with connection.cursor(name=f"export_{table.name}") as cursor:
        cursor.itersize = ROWS_AT_ONCE
        yield from cursor.execute(query)


def as_json(value: Any) -> Any:
    """Return a column's value as JSON holds it: moments in UTC by ISO 8601, bytes in base64."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value


Target: TypeAlias = Callable[[str], AbstractContextManager[IO[bytes]]]
"""Opens a new file of that name in what is being written."""


@contextmanager
def new_in_folder(folder: Path, name: str) -> Iterator[IO[bytes]]:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    with path.open("xb") as file:
        yield file


@contextmanager
def new_in_tar(tar: tarfile.TarFile, beside: Path, name: str) -> Iterator[IO[bytes]]:
    """A member bears no time and no owner, so equal ladders give equal files."""
    with tempfile.TemporaryFile(dir=beside) as file:
        yield file
        member = tarfile.TarInfo(name)
        member.size = file.tell()
        file.seek(0)
        tar.addfile(member, file)


@contextmanager
def new_place(place: Path) -> Iterator[Target]:
    """A tar file where its name ends like one, else a folder; nothing is left if that fails. Raises Refused."""
    if place.exists() or place.is_symlink():
        raise Refused(f"{place} exists already: name a new folder, or a new file that ends in {TAR}")
    try:
        unfinished = Path(tempfile.mkdtemp(prefix=f".{place.name}-", dir=place.absolute().parent))
    except OSError as error:
        raise UsageFault(f"cannot write {place}: {error.strerror}") from error
    try:
        if place.suffix == TAR:
            whole = unfinished / "whole"
            whole.touch(0o600)
            with tarfile.open(whole, "w") as tar:
                yield partial(new_in_tar, tar, unfinished)
        else:
            whole = unfinished
            yield partial(new_in_folder, unfinished)
        whole.rename(place)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
