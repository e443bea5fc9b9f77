"""Bringing the schema up to date: `schema.sql` and what came after it, each applied once, in order."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import Refused
from ladder.database import schema
from ladder.database.connection import Connection, connect
from ladder.database.session import session_url

MIGRATION_LOCK = 7_301_001


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of SQL: `schema.sql`, which is number 1, or one of `migrations/` with the number that its name says."""

    number: int
    name: str
    sql: str

    @property
    def fingerprint(self) -> str:
        return schema.fingerprint(self.sql)


def migrations() -> list[Migration]:
    later = sorted(schema.LATER.glob("*.sql"))
    return [
        Migration(1, schema.PAGE.stem, schema.PAGE.read_text("utf-8")),
        *(Migration(int(path.name[:4]), path.name[5:-4], path.read_text("utf-8")) for path in later),
    ]


def migrate(database_url: str) -> list[Migration]:
    """Bring the schema up to date and return what was applied. All of it happens in one transaction, or nothing.

    Raises Refused where the database was migrated by a newer or a changed project, or made before the first release.
    """
    with connect(session_url(database_url), any_schema=True) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [MIGRATION_LOCK])
        connection.execute(
            """
            CREATE TABLE IF NOT EXISTS migrations (
                number       int PRIMARY KEY,
                name         text NOT NULL,
                fingerprint  text NOT NULL,
                applied_at   timestamptz NOT NULL DEFAULT now())
            """
        )
        done = applied(connection)
        todo = [migration for migration in migrations() if migration.number not in done]
        check_history(done)
        for migration in todo:
            connection.execute(migration.sql.encode())  # From our own files, never from a person.
            connection.execute(
                "INSERT INTO migrations (number, name, fingerprint) VALUES (%s, %s, %s)",
                [migration.number, migration.name, migration.fingerprint],
            )
        return todo


def applied(connection: Connection) -> dict[int, str]:
    return dict(connection.execute("SELECT number, fingerprint FROM migrations").fetchall())


def check_history(done: dict[int, str]) -> None:
    """Raise SchemaUnknown for a newer database or one of another beginning, Refused for another past."""
    schema.require_known(max(done, default=0), done.get(1))
    ours = {migration.number: migration for migration in migrations()}
    for number, fingerprint in done.items():
        if number not in ours:
            raise Refused(f"the database has migration {number}, which this version of Ladder does not know")
        if ours[number].fingerprint != fingerprint:
            raise Refused(f"migration {number} ({ours[number].name}) is not the one that this database was made with")
