"""The way to PostgreSQL: connections, transactions, migrations, and the one seam where driver errors become ours.

How this works. What was read at one moment is known by its snapshot. A snapshot of PostgreSQL is a list of the
transactions whose changes it shows. Whatever is committed makes the next snapshot another one; so two equal ones show
the same rows, of all tables. That holds within one life of one server, so the text also says when the server was
started. On a standby a snapshot does not list all that it needs.

Poolers. A worker lives as long as the session that holds its lock; a pooler in transaction mode lets that
session serve others, and stand when the worker is dead. To anybody who asks only once such a pooler looks as good as
PostgreSQL itself. So two connections are opened and each asks several times which of the server's processes serves it.
If the sessions are their own, each is always served by the same one, and both never by one. A pooler that has a single
session to give gives it to both; one that takes the session used last gives it to both; one that takes turns serves two
questions in a row from different sessions; and one that draws lots would have to draw the same again and again.

Imports inside functions: most commands need one connection and no pool, whose library takes a moment to import.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Generic, LiteralString, Protocol, TypeAlias, TypeVar

import psycopg
from psycopg import errors
from psycopg.abc import Params
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import TupleRow, kwargs_row, namedtuple_row
from psycopg.sql import SQL, Composed

from engine.errors import ArenaError, Refused, UsageFault
from engine.immutable import immutable
from engine.machine import patience_s
from ladder.database import schema, session
from ladder.errors import DatabaseDown, DatabaseFull, DuplicateSource, SchemaBehind, TablesInUse
from ladder.names import PLAYER
from ladder.settings import POOLED_URL, SESSION_URL, where_to_look

if TYPE_CHECKING:
    from psycopg_pool import ConnectionPool

T = TypeVar("T")


def without_nul(text: str) -> str:
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


class Within:
    """Lends an open transaction's connection, as a pool does, to one thread: each block is a part of it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        with self._connection.transaction():
            yield self._connection

    def close(self) -> None:
        """Do nothing: the connection belongs to whoever began the transaction."""


def moment_seen(connection: Connection) -> str | None:
    """Return a text that another transaction has too only if it sees the same data, less than a second away.

    So whatever follows from the data and from `now()` to the second is the same for both. None where that cannot be
    said. The connection must see one snapshot.
    """
    query = """
        SELECT CASE WHEN NOT pg_is_in_recovery()
               THEN concat_ws(' ', pg_postmaster_start_time(), pg_current_snapshot(), date_trunc('second', now())) END
        """
    moment = one(connection, query, {})[0]
    return None if moment is None else str(moment)


Connection: TypeAlias = psycopg.Connection[TupleRow]
Query: TypeAlias = LiteralString | bytes | SQL | Composed


class Pool(Protocol):
    """What lends connections, each for one transaction."""

    def connection(self) -> AbstractContextManager[Connection]: ...

    def close(self) -> None: ...


FULL_PAUSE_S = 0.05

SENTENCES: dict[str, tuple[type[ArenaError], str]] = {
    "players_name_is_plain": (UsageFault, f"a player's name is {PLAYER}"),
    "tokens_name_is_plain": (UsageFault, f"a token's name is {PLAYER}"),
    "tokens_name_is_unique": (Refused, "this player has a token of that name already; choose another name"),
    "bots_name_is_plain": (UsageFault, f"a bot's name is {PLAYER}"),
    "bots_name_is_unique": (Refused, "there is a bot of that name already; choose another name"),
    "bots_name_is_no_former_one": (
        Refused,
        "another bot had that name before, and it still leads there; choose another name",
    ),
    "versions_note_is_short": (UsageFault, "a note is at most 200 characters long"),
    "versions_source_is_new": (DuplicateSource, "this source was submitted before under this bot"),
    "bots_one_boss_per_league": (Refused, "that league has a boss already"),
}

SCHEMA_FOUND = SQL(
    """
    (SELECT coalesce(max(number), 0) FROM migrations), (SELECT fingerprint FROM migrations WHERE number = 1),
    (SELECT max((to_jsonb(migrations) ->> 'oldest_program')::int) FROM migrations)
    """
)
"""What `schema.require` takes. In a database from before the first release the last column is missing."""
NEEDS_SESSIONS = (
    f"{POOLED_URL} leads to a pooler that gives each transaction another session: let it pool by session, "
    f"or name a direct way to the same database in {SESSION_URL}"
)


@contextmanager
def our_errors() -> Iterator[None]:
    """Turn the driver's errors into ours. Every use of the database goes through here."""
    try:
        yield
    except (errors.UniqueViolation, errors.CheckViolation) as error:
        kind, sentence = SENTENCES.get(error.diag.constraint_name or "", (None, ""))
        if kind is None:
            raise
        raise kind(sentence) from error
    except errors.UndefinedTable as error:
        raise SchemaBehind("the database has no schema yet: run `ladder db migrate`") from error
    except (errors.DuplicatePreparedStatement, errors.InvalidSqlStatementName) as error:
        raise Refused(NEEDS_SESSIONS) from error
    except errors.LockNotAvailable as error:
        raise TablesInUse(
            "the schema cannot be changed while other sessions use its tables, as a backup that runs does; nothing is "
            "changed: try again when they are done"
        ) from error
    except errors.DiskFull as error:
        raise DatabaseFull("the database's disk is full; free some space and try again") from error
    except (psycopg.OperationalError, errors.IdleInTransactionSessionTimeout) as error:  # a pool's time-out is one, too
        if isinstance(error, errors.QueryCanceled):
            raise
        look = where_to_look("LADDER_DATABASE_URL")
        raise DatabaseDown(f"the database does not answer ({first_line(error)}); {look}") from error


def first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def check_address(database_url: str) -> None:
    """Raise UsageFault for a malformed address. It may hold a password, so the message does not repeat it."""
    for variable, address in ((POOLED_URL, database_url), (SESSION_URL, session.session_url(database_url))):
        try:
            conninfo_to_dict(address)
        except psycopg.ProgrammingError as error:
            raise UsageFault(
                f"{variable} cannot be read as the address of a PostgreSQL database; one looks like "
                "postgresql://USER@HOST:5432/DATABASE"
            ) from error


FULL = ("too many clients", "too many connections", "connection slots are reserved")
"""What a server says that allows no more sessions. The driver does not pass on the code that it sends with it."""


def is_full(error: psycopg.OperationalError) -> bool:
    return any(words in str(error) for words in FULL)


def open_pool(database_url: str, *, most: int = 2, wait_s: float | None = None) -> ConnectionPool[Connection]:
    """Open a pool, in which `transaction` waits up to `wait_s`. Raises UsageFault for an impossible address."""
    from psycopg_pool import ConnectionPool

    check_address(database_url)
    limit_s = patience_s(session.CONNECT_TIMEOUT_S) if wait_s is None else wait_s

    def prepare(connection: Connection) -> None:
        prepare_session(connection, pooled=session.goes_through_pooler(database_url), any_schema=True)
        connection.commit()

    pool: ConnectionPool[Connection] = ConnectionPool(
        database_url,
        min_size=1,
        max_size=most,
        open=False,
        timeout=limit_s,
        reconnect_timeout=limit_s,
        check=ConnectionPool.check_connection,
        configure=prepare,
        kwargs=session.connecting(database_url),
    )
    with our_errors():
        pool.open(wait=False)
    return pool


def limit_idleness(connection: Connection, limit_s: int, *, this_transaction: bool) -> None:
    """Let a transaction that does nothing for so long be rolled back: only this one, or all of the session."""
    query = "SELECT set_config('idle_in_transaction_session_timeout', %s, %s)"
    connection.execute(query, [f"{limit_s}s", this_transaction])


@contextmanager
def connect(
    database_url: str, *, autocommit: bool = False, snapshot: bool = False, any_schema: bool = False
) -> Iterator[Connection]:
    """Open one connection for the block: one transaction, or none with `autocommit`.

    With `snapshot` all is seen as at the first statement. Raises DatabaseDown, UsageFault; but with `any_schema`
    SchemaBehind, SchemaUnknown.
    """
    check_address(database_url)
    with our_errors():
        connection = open_once_free(database_url, any_schema=any_schema)
        connection.autocommit = autocommit
        if snapshot:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        with connection:
            yield connection


def open_session(database_url: str, application_name: str = "ladder", *, any_schema: bool = False) -> Connection:
    """Open a connection without transactions, both of whose ends notice when the other is gone; see `connect`."""
    connection: Connection = psycopg.connect(
        database_url, autocommit=True, **session.connecting(database_url, application_name)
    )
    try:
        prepare_session(connection, pooled=session.goes_through_pooler(database_url), any_schema=any_schema)
    except BaseException:
        connection.close()
        raise
    return connection


def prepare_session(connection: Connection, *, pooled: bool, any_schema: bool) -> None:
    """Make the settings of a session that is our own, and compare the schema, all in one query: each command waits."""
    of_schema = SQL("0, NULL, NULL") if any_schema else SCHEMA_FOUND
    query = SQL("SELECT {}").format(of_schema) if pooled else session.settings_of_a_session(of_schema)
    row = connection.execute(query).fetchone()
    if row is not None and not any_schema:
        schema.require(*row[:3])


def open_once_free(database_url: str, *, any_schema: bool) -> Connection:
    """Open a session; where all are taken try again for a while, as workers take them briefly."""
    began = time.monotonic()
    while True:
        try:
            return open_session(database_url, any_schema=any_schema)
        except psycopg.OperationalError as error:
            if not is_full(error) or time.monotonic() > began + patience_s(session.CONNECT_TIMEOUT_S):
                raise
        time.sleep(FULL_PAUSE_S)


@contextmanager
def transaction(pool: Pool) -> Iterator[Connection]:
    """Borrow a connection for one transaction: committed at the end of the block, rolled back by an exception."""
    with our_errors(), pool.connection() as connection:
        yield connection


@immutable
class Rows(Generic[T]):
    """What reads rows in a transaction; each is made of its columns, by their names."""

    connection: Connection
    make: Callable[..., T]

    def all(self, query: Query, values: Params | None = None) -> list[T]:
        return self.connection.cursor(row_factory=kwargs_row(self.make)).execute(query, values).fetchall()

    def first(self, query: Query, values: Params | None = None) -> T | None:
        return self.connection.cursor(row_factory=kwargs_row(self.make)).execute(query, values).fetchone()

    def one(self, query: Query, values: Params) -> T:
        """Return the row that is there. Raises LookupError."""
        row = self.first(query, values)
        if row is None:
            raise LookupError(f"no row for {values}")
        return row


def named_rows(connection: Connection, query: Query, values: Params) -> list[Any]:
    """Return named tuples, of a query's columns, for one template or feed alone: what is checked is a dataclass."""
    return list(connection.cursor(row_factory=namedtuple_row).execute(query, values))


def one(connection: Connection, query: Query, values: Params) -> TupleRow:
    row = connection.execute(query, values).fetchone()
    if row is None:
        raise LookupError(f"no row for {values}")
    return row


def first_value(connection: Connection, query: Query, values: Params | None = None) -> Any | None:
    """Return the first column of the first row; None where there is no row."""
    row = connection.execute(query, values).fetchone()
    return None if row is None else row[0]


def first_column(connection: Connection, query: Query, values: Params | None = None) -> list[Any]:
    return [row[0] for row in connection.execute(query, values)]


ROUNDS = 8


def require_own_sessions(database_url: str) -> None:
    """Raise Refused where no address leads to sessions of our own, DatabaseDown where none answers."""
    with ExitStack() as open_connections:
        first, second = (
            open_connections.enter_context(connect(session.session_url(database_url), autocommit=True, any_schema=True))
            for _ in range(2)
        )
        processes: list[set[int]] = [set(), set()]
        for _ in range(ROUNDS):
            for connection, served_by in zip((first, second), processes, strict=True):
                served_by.update(int(one(connection, "SELECT pg_backend_pid()", {})[0]) for _ in range(2))
    if any(len(served_by) > 1 for served_by in processes) or processes[0] & processes[1]:
        raise Refused(NEEDS_SESSIONS)
