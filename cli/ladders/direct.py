"""A ladder whose database this machine reaches: views and actions are called here, whether its services run or not."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

import ladder
import workers
from engine.errors import Unavailable
from ladder import database

if TYPE_CHECKING:
    from cli.context import Context
    from ladder.access import Actor
    from ladder.database.connection import Connection, Pool

P = ParamSpec("P")
T = TypeVar("T")


class Direct:
    def __init__(self, context: Context) -> None:
        self._context = context

    def read(self, view: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a view reads in one transaction; PostgreSQL is started for it if need be. Raises Unavailable."""
        with database_to_read(self._context) as connection:
            return view(connection, *args, **kwargs)

    def watch(self, view: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Read a view of a ladder that runs: what is watched would not change otherwise."""
        with self._context.database() as connection:
            return view(connection, *args, **kwargs)

    def known_as(self) -> str | None:
        return None

    def act(
        self, action: Callable[Concatenate[Actor, Pool, P], T], actor: Actor, *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Let somebody do something of `ladder.actions` and return what came of it. Raises what the action raises."""
        logging.getLogger("psycopg").addHandler(logging.NullHandler())  # our own sentence says what it would
        with database.connection.connect(self._context.database_url):
            pass  # says at once, and with the reason, where no database answers; a pool tries again for some seconds
        with (
            closing(database.connection.open_pool(self._context.database_url)) as pool,
            ladder.audit.written_down(actor, pool),
        ):
            return action(actor, pool, *args, **kwargs)


@contextmanager
def database_to_read(context: Context) -> Iterator[Connection]:
    """Open one transaction that sees one moment. Raises as `address_to_read`, Unavailable for an earlier Ladder's."""
    with address_to_read(context) as url, database.connection.connect(url, snapshot=True) as connection:
        if not answers(context):  # that it is of another time was seen before, not that its past is this program's
            database.migrate.applied(connection)
        yield connection


def answers(context: Context) -> bool:
    return bool(context.settings.database_url or (context.services and context.services.database_url))


def can_be_read(context: Context) -> bool:
    """Say whether there is a database, named or this home's. Raises UsageFault where only the queue is named."""
    if context.settings.database_url:
        return True
    context.require_both_or_neither()
    if context.services is not None:
        return True
    return workers.embedded.postgres.has_data(context.home)


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
    with workers.embedded.postgres.database_alone(context.home) as url:
        yield url
