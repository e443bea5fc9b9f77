"""The schema on one page and the migrations that led to it give the same database."""

# ruff: noqa: S608 - every name in these queries is ours

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from ladder.database import schema
from ladder.database.connection import Connection, connect
from ladder.database.migrate import migrate
from workers.embedded.state_file import Running

SCHEMAS = "('public', 'seen', 'frozen')"
CATALOGUE = {
    "schemas": "SELECT nspname::text, nspacl::text FROM pg_namespace WHERE nspname !~ '^pg_|information_schema'",
    "columns": f"""
        SELECT relnamespace::regnamespace::text, relname::text, relkind::text, relacl::text, relpersistence::text,
               relrowsecurity, reloptions, attname::text,
               row_number() OVER (PARTITION BY relnamespace, relname ORDER BY attnum),
               format_type(atttypid, atttypmod), attnotnull, attidentity::text, attgenerated::text, attstorage::text,
               attoptions, attacl::text, attcollation, attcompression::text,
               pg_get_expr(adbin, adrelid)
        FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
        LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE relkind IN ('r', 'v', 'm', 'p') AND relnamespace::regnamespace::text IN {SCHEMAS}""",
    "constraints": f"""
        SELECT connamespace::regnamespace::text, conrelid::regclass::text, conname::text, contype::text,
               pg_get_constraintdef(oid), condeferrable, condeferred, convalidated
        FROM pg_constraint WHERE contype <> 'n' AND connamespace::regnamespace::text IN {SCHEMAS}""",
    "indexes": f"SELECT schemaname, tablename, indexname, indexdef FROM pg_indexes WHERE schemaname IN {SCHEMAS}",
    "sequences": """
        SELECT schemaname::text, sequencename::text, data_type::text, start_value, increment_by, cycle, cache_size,
               (SELECT refobjid::regclass::text || refobjsubid FROM pg_depend
                WHERE objid = (schemaname || '.' || sequencename)::regclass AND deptype = 'i')
        FROM pg_sequences""",
    "triggers": "SELECT pg_get_triggerdef(oid), tgenabled::text FROM pg_trigger WHERE NOT tgisinternal",
    "functions": f"""
        SELECT pg_get_functiondef(oid), proacl::text, proconfig FROM pg_proc
        WHERE pronamespace::regnamespace::text IN {SCHEMAS}""",
    "views": f"SELECT schemaname, viewname, definition FROM pg_views WHERE schemaname IN {SCHEMAS}",
    "rules": f"SELECT schemaname, tablename, definition FROM pg_rules WHERE schemaname IN {SCHEMAS}",
    "types": f"""
        SELECT typnamespace::regnamespace::text, typname::text, typtype::text FROM pg_type
        WHERE typnamespace::regnamespace::text IN {SCHEMAS}""",
    "extensions": "SELECT extname::text, extversion FROM pg_extension",
    "policies": "SELECT polname::text FROM pg_policy",
    "privileges by default": "SELECT defaclrole::text, defaclacl::text FROM pg_default_acl",
}
RENAMED = {"promotions": "moves", "standing_gauntlets": "automatic_gauntlets", "deeds": "audit"}
"""Tables that were renamed, whose keys and sequences PostgreSQL still called by their first names."""


def catalogue(connection: Connection) -> dict[str, list[str]]:
    """Return all that PostgreSQL knows of the schema, each fact a line, but in which order the things were made.

    Left out are the names of constraints that say NOT NULL, which each column tells itself.
    """
    facts = {kind: sorted(map(repr, connection.execute(query.encode()))) for kind, query in CATALOGUE.items()}
    tables = (
        "SELECT table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_schema = 'public'"
    )
    facts["rows"] = [
        f"{name}: {connection.execute(f'SELECT * FROM {name}'.encode()).fetchall()}"
        for (name,) in sorted(connection.execute(tables))
        if name != "migrations"
    ]
    return facts


def with_the_names_of_today(fact: str) -> str:
    """Return a line of a catalogue as it is where tables had their names from the beginning."""
    for before, now in RENAMED.items():
        fact = re.sub(rf"\b{before}_(\w+_fkey|pkey|id_seq)\b", rf"{now}_\1", fact)
    if "matches_of_gauntlets_rate_nobody" in fact:  # it was added to tables with rows
        fact = fact.replace(" NOT VALID", "").replace("False)", "True)")
    return fact


@contextmanager
def empty_database(services: Running) -> Iterator[str]:
    """Make a database without any table, for the block."""
    name = f"empty_{os.urandom(6).hex()}"
    with psycopg.connect(services.database_url, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}".encode())
        yield services.database_url.replace("/ladder?", f"/{name}?")
        server.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


def test_the_schema_on_one_page_gives_the_database_of_all_migrations(services: Running) -> None:
    with empty_database(services) as by_migrations, empty_database(services) as by_page:
        migrate(by_migrations)
        with connect(by_migrations) as connection:
            wanted = catalogue(connection)
        with connect(by_page, any_schema=True) as connection:
            connection.execute(
                """
                CREATE TABLE migrations (
                    number       int PRIMARY KEY,
                    name         text NOT NULL,
                    fingerprint  text NOT NULL,
                    applied_at   timestamptz NOT NULL DEFAULT now())
                """
            )
            connection.execute(schema.FOLDER.with_name("schema.sql").read_bytes())
            found = catalogue(connection)
    assert all(found[kind] for kind in ("columns", "constraints", "indexes", "sequences", "triggers", "functions"))
    for kind, facts in wanted.items():
        assert sorted(map(with_the_names_of_today, facts)) == found[kind], kind
