"""A ladder whose database this machine reaches: views and actions are called here.

Imports inside functions: the library of the database is imported when the first view is read.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

import ladder
from cli.database_to_read import database_to_read

if TYPE_CHECKING:
    from cli.context import Context
    from ladder.access import Actor
    from ladder.database.connection import Connection, Pool

P = ParamSpec("P")
T = TypeVar("T")


class Direct:
    """The ladder of the database that a command's context names."""

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
        with opened_pool(self._context.database_url) as pool, ladder.audit.written_down(actor, pool):
            return action(actor, pool, *args, **kwargs)


@contextmanager
def opened_pool(database_url: str) -> Iterator[Pool]:
    from ladder.database.connection import connect, open_pool

    logging.getLogger("psycopg").addHandler(logging.NullHandler())  # our own sentence says what it would
    with connect(database_url):
        pass  # says at once, and with the reason, where no database answers; a pool tries again for some seconds
    pool = open_pool(database_url)
    try:
        yield pool
    finally:
        pool.close()
