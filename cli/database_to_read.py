"""The ladder's database to read from, whether its services run or not.

Imports inside functions: commands that read no database start without the libraries for one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from engine.errors import Unavailable

if TYPE_CHECKING:
    from cli.context import Context
    from ladder.database.connection import Connection


def can_be_read(context: Context) -> bool:
    """Say whether there is a database, named or this home's. Raises UsageFault where only the queue is named."""
    if context.settings.database_url:
        return True
    context.require_both_or_neither()
    if context.services is not None:
        return True
    from workers.embedded.postgres_alone import has_data

    return has_data(context.home)


@contextmanager
def address_to_read(context: Context) -> Iterator[str]:
    """Give the database's address, PostgreSQL started if need be. Raises Unavailable, UsageFault, Refused."""
    context.require_here()
    there_is_one = can_be_read(context)
    if answers(context):
        yield context.database_url
        return
    if not there_is_one:
        raise Unavailable(
            f"there is no ladder in {context.home.folder} yet: start one with `ladder up`, or name yours in "
            "LADDER_DATABASE_URL"
        )
    from workers.embedded.postgres_alone import database_alone

    with database_alone(context.home) as url:
        yield url


@contextmanager
def database_to_read(context: Context) -> Iterator[Connection]:
    """Open one transaction that sees one moment. Raises as `address_to_read`, Unavailable for an earlier Ladder's."""
    from ladder.database.connection import connect

    with address_to_read(context) as url, connect(url, snapshot=True) as connection:
        if not answers(context):
            check_schema(connection)
        yield connection


def answers(context: Context) -> bool:
    return bool(context.settings.database_url or (context.services and context.services.database_url))


def check_schema(connection: Connection) -> None:
    """Raise Refused for a database whose past is not this program's. That it is of another time was seen before."""
    from ladder.database.migrate import applied

    applied(connection)
