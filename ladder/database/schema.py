"""Whether the database's schema and this program fit together.

Migration 1 is `schema.sql`. Until the first release it is edited in place and shows the whole schema on one page. From
then on it never changes, and what changes comes as files `migrations/0002_NAME.sql` and following, each of them fixed
as soon as it is released; `released.sha256` has the fingerprints. So the highest number says what a database has and
what a program needs, and the fingerprint of migration 1 says that the two have the same beginning.

An upgrade does not stop the program of the release before, nor does going back to it: a migration that only adds what
that one does not miss begins with the line `-- oldest program: 4`, the highest number that a program must know at least
to work on. Without that line it is the migration's own number. What is to go from the schema goes a release after the
programs that use it.
"""

import hashlib
import os
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any, LiteralString

from ladder.errors import SchemaBehind, SchemaUnknown
from ladder.settings import POOLED_URL

PAGE = Path(__file__).with_name("schema.sql")
LATER = Path(__file__).with_name("migrations")
OTHER_BEGINNING = (
    "the database is of a Ladder from before the first release: write it into files with `ladder export` of the "
    "program that made it, and make a new ladder of them with `ladder import` of this one"
)


@cache
def needed() -> int:
    return max((int(path.name[:4]) for path in LATER.glob("*.sql")), default=1)


def fingerprint(sql: str) -> str:
    return hashlib.sha256(sql.encode()).hexdigest()


@cache
def beginning() -> str:
    return fingerprint(PAGE.read_text("utf-8"))


def require(latest: int, first: str | None, oldest: int | None) -> None:
    """Raise SchemaBehind, SchemaUnknown for what is not a schema of this program.

    `latest`: its migration's number, 0 for none; `first`: the fingerprint of migration 1; `oldest`: the number of the
    oldest program that may use it.
    """
    require_known(latest, first, oldest)
    if latest < needed():
        remedy = (
            "run `ladder db migrate`"
            if os.environ.get(POOLED_URL)
            else "`ladder down` and then `ladder up` bring it up to date"
        )
        raise SchemaBehind(f"the database has schema {latest}, this program needs {needed()}: {remedy}")


def require_known(latest: int, first: str | None, oldest: int | None) -> None:
    """Raise SchemaUnknown for a database of another beginning or a newer program: this one could only damage it."""
    if first not in (None, beginning()):
        raise SchemaUnknown(OTHER_BEGINNING)
    if latest > needed() and (oldest is None or oldest > needed()):
        raise SchemaUnknown(
            f"the database has schema {latest}, this program knows {needed()} at most: update Ladder on this machine"
        )


def names_of_fields(row: Any) -> tuple[LiteralString, ...]:
    """Return the names of the fields of a row's class, for a statement in which they are names of columns."""
    names: tuple[Any, ...] = tuple(field.name for field in fields(row))
    return names
