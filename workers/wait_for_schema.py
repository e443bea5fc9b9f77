"""Waiting for a database that has an older schema than this program, as after an upgrade."""

import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from ladder.database.connection import connect
from ladder.database.session import session_url
from ladder.errors import DatabaseDown, SchemaBehind
from ladder.health import SignOfLife

LOOK_EVERY_S = 2.0

Found = TypeVar("Found")


def once_migrated(attempt: Callable[[], Found], waiting: Callable[[], object] = bool) -> Found:
    """Return what the attempt gives. While it raises SchemaBehind, say so once, call `waiting` and try again."""
    is_told = False
    while True:
        try:
            return attempt()
        except SchemaBehind as behind:
            if not is_told:
                sys.stderr.write(f"ladder: waiting, as {behind}\n")
                sys.stderr.flush()
            is_told = True
        waiting()
        time.sleep(LOOK_EVERY_S)


def wait_until_migrated(database_url: str, sign: SignOfLife) -> None:

    def look() -> None:
        with connect(session_url(database_url)):
            pass

    with suppress(DatabaseDown):
        once_migrated(look, lambda: sign.renew("it waits until the database is migrated"))
