"""Whether the database's schema and this program fit together.

Migrations are numbered, and never changed. So the highest number says what a database has, and what a program needs.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from ladder.errors import SchemaAhead, SchemaBehind
from ladder.settings import POOLED_URL

FOLDER = Path(__file__).with_name("migrations")


@cache
def needed() -> int:
    """Return the number of this program's latest migration."""
    return max(int(path.name[:4]) for path in FOLDER.glob("*.sql"))


def require(found: int) -> None:
    """Raise SchemaBehind for a database that has to be migrated first, SchemaAhead for one of a newer program."""
    if found < needed():
        remedy = (
            "run `ladder db migrate`"
            if os.environ.get(POOLED_URL)
            else "`ladder down` and then `ladder up` bring it up to date"
        )
        raise SchemaBehind(f"the database has schema {found}, this program needs {needed()}: {remedy}")
    require_not_newer(found)


def require_not_newer(found: int) -> None:
    """Raise SchemaAhead for a database of a newer program, which this one could only damage."""
    if found > needed():
        raise SchemaAhead(
            f"the database has schema {found}, this program knows {needed()} at most: update Ladder on this machine"
        )
