"""Making a ladder of an export, in one transaction: all of it or nothing.

How this works. A ladder that was only set up has the leagues and bosses of its games; they make room. Rows go in table
by table, in an order in which each refers only to rows before it, with the ids they had; so the database's own
constraints check that everything fits together, and each file has to be as its manifest says, to the last byte.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import tarfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, TypeAlias

import psycopg
from psycopg.sql import SQL, Identifier
from psycopg.types.json import Jsonb

from engine.errors import ArenaError, UsageFault
from engine.immutable import immutable
from engine.text import listed, shortened
from engine.toolchains.bot_folder import source_hash
from engine.toolchains.source import goes_by_link
from ladder.bots.sources import source_in
from ladder.database import tallies
from ladder.database.connection import Connection, first_line, first_value, one
from ladder.matches.match_rows import packed_text
from ladder.names import HOUSE
from ladder.transfer.manifest import (
    FRESH,
    NAME,
    REFERRING,
    SOURCES,
    TABLES,
    ExportTable,
    Form,
    Manifest,
    TablePart,
    form_of,
    read,
)

ROWS_AT_ONCE = 20_000
"""The database remembers for each row of a statement what is still to be checked."""
MOST_LINE_BYTES = 256 * 1024**2
MOST_MANIFEST_BYTES = 10 * 1024**2
MOST_SOURCE_BYTES = 100 * 1024**2
SOURCE_NAME = re.compile(r"([0-9a-f]{64})(\.tar\.gz)?")
Rows = Iterator[Sequence[Any]]


def import_all(connection: Connection, place: Path, begin: Callable[[int], Callable[[], None]]) -> Manifest:
    """Make the ladder that an export holds, and return what that says of itself.

    `begin`: is called with the number of rows when that is known; what it returns is called for each. Raises UsageFault
    where there is no whole export of this program or an older one, or the ladder has players or matches already.
    """
    with old_place(place) as origin:
        manifest = read_manifest(origin, str(place), form_of(connection))
        make_room(connection)
        on_row = begin(manifest.rows)
        for table in TABLES:
            part = manifest.tables.get(table.name)
            former = table.formerly
            if part is not None:
                with damage_reported(f"{place}, {table.name}"):
                    rows = sources(origin, part) if table is SOURCES else lines(origin, table.name, part)
                    fill(connection, table, part.columns, rows, on_row)
            elif former is not None and (part := manifest.tables.get(former.name)) is not None:
                with damage_reported(f"{place}, {former.name}"):
                    columns = [former.columns[column] for column in part.columns] + list(former.also)
                    old = ([*row, *former.also.values()] for row in lines(origin, former.name, part))
                    fill(connection, table, columns, old, on_row)
        with damage_reported(str(place)):
            connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
            standings = manifest.tables.get("standings")
            if standings is not None and "places" not in standings.columns:  # the program of then did not count them
                connection.execute("SELECT count_places()")
        for name, number in manifest.next.items():
            connection.execute(SQL("ALTER SEQUENCE {} RESTART WITH {}").format(Identifier(name), number))
        tallies.count_what_came(connection)
        connection.execute("ANALYZE")
    return manifest


def read_manifest(origin: Origin, place: str, form: Form) -> Manifest:
    with damage_reported(place):
        content = whole_content(origin, NAME, MOST_MANIFEST_BYTES)
    if not content:
        raise UsageFault(f"{place} is not an export of a ladder: it has no {NAME}")
    return read(content, place, form)


@contextmanager
def damage_reported(where: str) -> Iterator[None]:
    try:
        yield
    except (psycopg.DataError, psycopg.IntegrityError, psycopg.ProgrammingError) as error:
        raise UsageFault(f"{where} cannot be imported: {first_line(error)}; nothing is changed") from error
    except (ValueError, RecursionError, LookupError) as error:
        raise UsageFault(f"{where} cannot be imported: {error}; nothing is changed") from error


def make_room(connection: Connection) -> None:
    """Remove the leagues and bosses of a ladder that was only set up. Raises UsageFault for any other ladder."""
    every = SQL(", ").join(Identifier(table.name) for table in TABLES)
    connection.execute(SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(every))
    used = [table.name for table in TABLES if table.name not in FRESH and has_rows(connection, table.name)]
    others = "SELECT EXISTS (SELECT FROM bots JOIN players ON players.id = player_id WHERE players.name <> %(house)s)"
    if one(connection, others, {"house": HOUSE})[0]:
        used.insert(0, "bots of players")
    used += [name for name in REFERRING if has_rows(connection, name)]
    if used:
        rows = listed([name.replace("_", " ") for name in used])
        how = "import into a new one, as after `LADDER_HOME=FOLDER ladder up`"
        raise UsageFault(f"this ladder has {rows} already: {how}")
    connection.execute(SQL("TRUNCATE {}, {}").format(every, SQL(", ").join(map(Identifier, REFERRING))))


def has_rows(connection: Connection, table: str) -> bool:
    return bool(first_value(connection, SQL("SELECT EXISTS (SELECT FROM {})").format(Identifier(table))))


def lines(origin: Origin, table: str, part: TablePart) -> Rows:
    """Give the rows of a table's file. Raises ValueError at one that is not a row, and where the file is not whole."""
    name = f"{table}.jsonl"
    file = origin.open(name)
    if file is None:
        raise ValueError(f"{name} is missing")
    digest, count, columns = hashlib.sha256(), 0, set(part.columns)
    with file:
        while line := file.readline(MOST_LINE_BYTES):
            digest.update(line)
            count += 1
            try:
                row = json.loads(line)
            except ValueError as error:
                raise ValueError(f"line {count} of {name} is not JSON") from error
            if not isinstance(row, dict) or set(row) != columns:
                raise ValueError(f"line {count} of {name} is not an object with the columns of {table}")
            yield [row[column] for column in part.columns]
    if count != part.rows or digest.hexdigest() != part.sha256:
        raise ValueError(f"{name} is not as it was written: {count} of {part.rows} lines, or other ones")


def sources(origin: Origin, part: TablePart) -> Rows:
    """Give the rows of the sources. Raises ValueError where one is not that which its name says, or one is missing."""
    names = origin.names(SOURCES.name)
    if len(names) != part.rows:
        raise ValueError(f"there are {len(names)} files of {part.rows}")
    for name in names:
        parts = SOURCE_NAME.fullmatch(name)
        content = whole_content(origin, f"{SOURCES.name}/{name}", MOST_SOURCE_BYTES)
        if parts is None or content is None:
            raise ValueError(f"{name} is not a name of a source")
        text, tree = (None, content) if parts[2] else (content.decode(), None)
        try:
            is_sound = source_hash(source_in(text, tree)) == parts[1]
        except ArenaError as error:
            raise ValueError(str(error)) from error
        if not is_sound:
            raise ValueError(f"{name} is not as it was written")
        values = {"hash": parts[1], "content": text, "tree": tree}
        yield [values[column] for column in part.columns]


def fill(
    connection: Connection, table: ExportTable, columns: Sequence[str], rows: Rows, on_row: Callable[[], None]
) -> None:
    reads = readers(connection, table, columns)
    copy_in = SQL("COPY {} ({}) FROM STDIN").format(Identifier(table.name), SQL(", ").join(map(Identifier, columns)))
    for first in rows:
        with connection.cursor().copy(copy_in) as copy:
            for row in chain([first], islice(rows, ROWS_AT_ONCE - 1)):
                copy.write_row([value if read is None else read(value) for read, value in zip(reads, row, strict=True)])
                on_row()


def readers(connection: Connection, table: ExportTable, columns: Sequence[str]) -> list[Callable[[Any], Any] | None]:
    if table is SOURCES:
        return [None] * len(columns)
    query = "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
    types: dict[str, str] = dict(connection.execute(query, [table.name]).fetchall())
    return [
        partial(of_text, packed_text) if column in table.packed else OF_JSON.get(types[column]) for column in columns
    ]


def of_text(read: Callable[[str], bytes], value: object) -> bytes | None:
    if isinstance(value, str):
        return read(value)
    if value is None:
        return None
    raise ValueError(f"{shortened(str(value))} stands where a text has to")


OF_JSON: dict[str, Callable[[Any], Any]] = {
    "bytea": partial(of_text, partial(base64.b64decode, validate=True)),
    "jsonb": lambda value: None if value is None else Jsonb(value),
}
"""By a column's type."""


@immutable
class FolderOrigin:
    """A folder that is read."""

    folder: Path

    def open(self, name: str) -> IO[bytes] | None:
        path = self._inside(name)
        return path.open("rb") if path.is_file() else None

    def names(self, folder: str) -> list[str]:
        inside = self._inside(folder)
        return sorted(path.name for path in inside.iterdir()) if inside.is_dir() else []

    def _inside(self, name: str) -> Path:
        if goes_by_link(self.folder, name):
            raise ValueError(f"{name} is a link or is behind one, and an export has none")
        return self.folder / name


class TarOrigin:
    """A tar file that is read where it is: nothing of it is laid out on the disk."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self._members = {member.name.removeprefix("./"): member for member in tar if member.isfile()}

    def open(self, name: str) -> IO[bytes] | None:
        member = self._members.get(name)
        return None if member is None else self._tar.extractfile(member)

    def names(self, folder: str) -> list[str]:
        begin = f"{folder}/"
        return sorted(name.removeprefix(begin) for name in self._members if name.startswith(begin))


Origin: TypeAlias = FolderOrigin | TarOrigin


@contextmanager
def old_place(place: Path) -> Iterator[Origin]:
    """Open a place for reading. Raises UsageFault where nothing is there, or nothing that can be read."""
    try:
        if place.is_dir():
            yield FolderOrigin(place)
        else:
            with tarfile.open(place, "r:") as tar:
                yield TarOrigin(tar)
    except (tarfile.TarError, EOFError) as error:
        raise UsageFault(f"{place} is neither a folder nor a whole tar file, so no export of a ladder") from error
    except OSError as error:
        raise UsageFault(f"cannot read {place}: {error.strerror or error}") from error


def whole_content(origin: Origin, name: str, most_bytes: int) -> bytes | None:
    """Return all of a file, None where there is none. Raises ValueError where it is larger than that."""
    with origin.open(name) or io.BytesIO() as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise ValueError(f"{name} has more than {most_bytes:,} bytes")
    return content
