"""What moves out and in: an export holds all of the schema, and an import costs no more a match for being long."""

import re
from pathlib import Path

import pytest
from ladder.transfer.places import old_place

from engine.errors import UsageFault
from ladder.database.connection import Connection, Pool, one, transaction
from ladder.imports.league_import import ImportOrder, import_league
from ladder.ratings.replay import rate_again, verify
from ladder.transfer.importing import old_place, read_manifest, sources
from ladder.transfer.manifest import TABLES, TABLES_LEFT_OUT, Form, TablePart, form_of
from tests.foreign import a_long_league
from tests.ladder.arena import GAME, league_named, rows_of, within

SECRET = re.compile("password|secret|token_|_hash")


def columns_in_schema(pool: Pool) -> dict[str, set[str]]:
    rows = rows_of(
        pool,
        """
        SELECT relname, array_agg(attname::text) FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
        WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
        GROUP BY relname
        """,
    )
    return {name: set(columns) for name, columns in rows}


def test_each_table_and_column_of_the_schema_is_exported_or_left_out_for_a_reason_and_no_secret_is(pool: Pool) -> None:
    """Whoever adds a table adds it to `ladder/transfer/manifest.py`, and renews docs/export.md.

    A new column is exported by itself, but not one that is named like what lets somebody in.
    """
    columns = within(pool, form_of).columns
    listed = {table.name: {*columns[table.name], *table.left_out} for table in TABLES}
    found = columns_in_schema(pool)
    assert {name: columns for name, columns in found.items() if name not in TABLES_LEFT_OUT} == listed
    assert set(TABLES_LEFT_OUT) <= set(found)
    named = [(table, column) for table in columns for column in columns[table] if SECRET.search(column)]
    assert named == [("versions", "source_hash")]


def test_each_table_stands_after_those_that_it_refers_to_and_next_numbers_are_kept(pool: Pool) -> None:
    refers = rows_of(
        pool, "SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint WHERE contype = 'f'"
    )
    place = {str(table.name): number for number, table in enumerate(TABLES)}
    assert not [(one, other) for one, other in refers if one in place and place.get(other, 0) > place[one]]
    found = rows_of(pool, "SELECT sequencename FROM pg_sequences WHERE schemaname = 'public'")
    kept = within(pool, form_of).sequences
    left_out = {f"{table}_id_seq" for table in ("workers", "tokens", "shares", "hooks", "notices")}
    assert {row[0] for row in found} - set(kept) == left_out
    assert sorted(kept) == sorted(set(kept))


@pytest.mark.parametrize("name", ["ladder.json", "sources", "sources/" + "a" * 64])
def test_an_export_with_a_link_in_it_is_not_read(tmp_path: Path, name: str) -> None:
    """Whoever imports may read files that the export's author may not."""
    export = tmp_path / "export"
    (export / "sources").mkdir(parents=True)
    (export / "ladder.json").write_text("{}")
    (export / "sources" / ("a" * 64)).write_text("x")
    (export / name).rename(tmp_path / "elsewhere")
    (export / name).symlink_to(tmp_path / "elsewhere")
    with (
        pytest.raises((ValueError, UsageFault), match=f"{name} is a link or is behind one"),
        old_place(export) as origin,
    ):
        read_manifest(origin, str(export), Form({}, {}, ())) if name == "ladder.json" else list(
            sources(origin, TablePart([], 1, ""))
        )


MATCHES, PLAYERS = 500, 4
MOST_ROWS_A_MATCH = 120
"""An import reads 23 rows of matches, seats and the ledger for each match of four, rating it again 33, or by another
plan 61. Without statistics it is two hundred and more."""


@pytest.mark.parametrize("others", [0, 30])
def test_each_match_of_a_long_import_costs_as_much_as_one_of_a_short_one(pool: Pool, others: int) -> None:
    """The statistics of the database may be of another league alone: then it takes this one for empty."""
    if others:
        imported(pool, "ice-and-fire", others)
        with transaction(pool) as connection:
            connection.execute("ANALYZE")
    assert imported(pool, GAME, MATCHES) < MOST_ROWS_A_MATCH * MATCHES
    league = league_named(pool, "wood-2")
    with transaction(pool) as connection:
        assert rate_again(connection, league.id).changed_lines == 0
        assert rows_read(connection) < MOST_ROWS_A_MATCH * MATCHES
    with transaction(pool) as connection:
        report = verify(connection, [league])
        assert (report.is_clean, report.lines) == (True, PLAYERS * MATCHES)
        assert rows_read(connection) < MOST_ROWS_A_MATCH * MATCHES


def imported(pool: Pool, game: str, matches: int) -> int:
    with transaction(pool) as connection:
        import_league(connection, "kim", ImportOrder(game, (PLAYERS,), a_long_league(matches, bots=20)))
        return rows_read(connection)


def rows_read(connection: Connection) -> int:
    query = """
        SELECT sum(seq_tup_read + idx_tup_fetch) FROM pg_stat_xact_user_tables
        WHERE relname IN ('matches', 'seats', 'ledger')
        """
    return int(one(connection, query, {})[0])
