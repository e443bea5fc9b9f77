"""Bringing the schema up to date: `schema.sql` and what came after it, each applied once, in order."""

import re
import time

from psycopg.sql import SQL

from engine.errors import Refused
from engine.immutable import immutable
from engine.machine import patience_s
from ladder.database import schema
from ladder.database.connection import SCHEMA_FOUND, Connection, connect, one
from ladder.database.session import session_url
from ladder.errors import TablesInUse

MIGRATION_LOCK = 7_301_001
LOCK_LIMIT_S, PAUSE_S, PATIENCE_S = 2, 3, 60


@immutable
class Migration:
    """One file of SQL: `schema.sql`, which is number 1, or one of `migrations/` with the number that its name says."""

    number: int
    name: str
    sql: str

    @property
    def fingerprint(self) -> str:
        return schema.fingerprint(self.sql)

    @property
    def oldest_program(self) -> int:
        """Return the number of the oldest program that works on after it."""
        line = re.match(r"-- oldest program: (\d+)\n", self.sql)
        return int(line[1]) if line else self.number


def migrations() -> list[Migration]:
    later = sorted(schema.LATER.glob("*.sql"))
    return [
        Migration(1, schema.PAGE.stem, schema.PAGE.read_text("utf-8")),
        *(Migration(int(path.name[:4]), path.name[5:-4], path.read_text("utf-8")) for path in later),
    ]


def migrate(database_url: str) -> list[Migration]:
    """Bring the schema up to date, whole or not at all; return what was applied.

    It waits for tables at most LOCK_LIMIT_S at a time, as others wait behind it. Raises TablesInUse, Refused for a
    foreign past.
    """
    last = time.monotonic() + patience_s(PATIENCE_S)
    while True:
        try:
            return migrate_at_once(database_url)
        except TablesInUse:
            if time.monotonic() > last:
                raise
        time.sleep(PAUSE_S)


def migrate_at_once(database_url: str) -> list[Migration]:
    with connect(session_url(database_url), any_schema=True) as connection:
        connection.execute("SELECT set_config('lock_timeout', %s, true)", [f"{LOCK_LIMIT_S}s"])
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [MIGRATION_LOCK])
        query = """
            CREATE TABLE IF NOT EXISTS migrations (
                number       int PRIMARY KEY,
                name         text NOT NULL,
                fingerprint  text NOT NULL,
                applied_at   timestamptz NOT NULL DEFAULT now(),
                oldest_program int NOT NULL)  -- the highest number that a program must know to work on afterwards
            """
        connection.execute(query)
        history = applied(connection)
        todo = [migration for migration in migrations() if migration.number not in history]
        for migration in todo:
            connection.execute(migration.sql.encode())  # From our own files, never from a person.
            connection.execute(
                "INSERT INTO migrations (number, name, fingerprint, oldest_program) VALUES (%s, %s, %s, %s)",
                [migration.number, migration.name, migration.fingerprint, migration.oldest_program],
            )
        return todo


def applied(connection: Connection) -> dict[int, str]:
    """Return the fingerprints of what a database was migrated by. Raises as `check_history` does."""
    history: dict[int, str] = dict(connection.execute("SELECT number, fingerprint FROM migrations").fetchall())
    *_, oldest = one(connection, SQL("SELECT {}").format(SCHEMA_FOUND), {})
    check_history(history, oldest)
    return history


def check_history(history: dict[int, str], oldest: int | None = None) -> None:
    """Raise SchemaUnknown for a newer database or one of another beginning, Refused for another past.

    `oldest`: the number of the oldest program that may use it; None: a newer one may not be used.
    """
    schema.require_known(max(history, default=0), history.get(1), oldest)
    ours = {migration.number: migration for migration in migrations()}
    for number, fingerprint in history.items():
        if number > schema.needed():
            continue
        if number not in ours:
            raise Refused(f"the database has migration {number}, which this version of Ladder does not know")
        if ours[number].fingerprint != fingerprint:
            raise Refused(f"migration {number} ({ours[number].name}) is not the one that this database was made with")
