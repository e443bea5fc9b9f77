"""What an export holds is all that the schema holds, and stays so when the schema grows."""

import re
from pathlib import Path

import pytest

from engine.errors import UsageFault
from ladder.database.connection import Pool
from ladder.transfer.importing import old_place, read_manifest, sources
from ladder.transfer.manifest import TABLES, TABLES_LEFT_OUT, Form, TablePart, form_of
from tests.ladder.arena import rows_of, within

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
