"""The schema: its history and words, what moves out and in, and what people read when the database is away."""

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

import psycopg
import pytest

from engine.bot.clock import Clock, Policy
from engine.conversation import Verdict
from engine.errors import Refused, UsageFault
from engine.sandbox.choice import TIERS
from ladder import choices
from ladder.choices import Matchmaking, Promotion, RankedBy, RatingSystem, ScoreFormula
from ladder.database import schema
from ladder.database.connection import Connection, Pool, connect, one, open_pool, transaction
from ladder.database.migrate import migrate, migrations
from ladder.errors import DatabaseDown, SchemaBehind, SchemaUnknown, TablesInUse
from ladder.flows.games import prepare
from ladder.imports.league_import import ImportOrder, import_league
from ladder.leagues.settings import SETTINGS
from ladder.matchmaking.matchmaker import OPPONENTS
from ladder.promotions import rules
from ladder.ratings.models import SCORE_FORMULAS, SYSTEMS
from ladder.ratings.replay import rate_again, verify
from ladder.transfer.importing import old_place, read_manifest, sources
from ladder.transfer.manifest import TABLES, TABLES_LEFT_OUT, Form, TablePart, form_of
from tests.catalogue import GAMES
from tests.foreign import a_long_league
from tests.ladder.arena import GAME, league_named, rows_of, within


def test_every_migration_is_written_down(database_url: str) -> None:
    assert [migration.number for migration in migrations()] == list(range(1, len(migrations()) + 1))
    with connect(database_url) as connection:
        rows = connection.execute("SELECT number, name, fingerprint FROM migrations ORDER BY number").fetchall()
        assert rows == [(found.number, found.name, found.fingerprint) for found in migrations()]


def test_leagues_and_bosses_are_prepared_once(database_url: str) -> None:
    with connect(database_url) as connection:
        assert prepare(connection, GAMES) == [], "the database was made with them"
        bosses = connection.execute("SELECT count(*) FROM bots WHERE boss_of IS NOT NULL").fetchone()
        found = connection.execute("SELECT params FROM versions WHERE params <> '{}' ORDER BY id")
        params = [own for (own,) in found]
        leagues = connection.execute("SELECT count(*) FROM leagues").fetchone()
    known = [league for game in GAMES.all for league in game.leagues]
    assert bosses == (sum(league.boss is not None for league in known),)
    assert params == [dict(league.boss_params) for league in known if league.boss_params]
    assert leagues == (len(known),)


def test_a_database_of_a_newer_ladder_is_refused(database_url: str) -> None:
    with connect(database_url) as connection:
        connection.execute(
            "INSERT INTO migrations (number, name, fingerprint, oldest_program) VALUES (999, 'future', 'x', 999)"
        )
    with pytest.raises(SchemaUnknown, match=r"the database has schema 999, .* update Ladder"):
        migrate(database_url)


@pytest.fixture
def later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "0002_notes.sql").write_text("CREATE TABLE notes (words text NOT NULL);")
    monkeypatch.setattr(schema, "LATER", tmp_path)
    schema.needed.cache_clear()
    yield tmp_path
    schema.needed.cache_clear()


def test_what_comes_after_the_schema_is_applied_once_and_in_order(database_url: str, later: Path) -> None:
    (later / "0010_titles.sql").write_text("ALTER TABLE notes RENAME COLUMN words TO title;")
    schema.needed.cache_clear()
    with pytest.raises(SchemaBehind, match=r"has schema 1, this program needs 10: "), connect(database_url):
        pass
    assert [(done.number, done.name) for done in migrate(database_url)] == [(2, "notes"), (10, "titles")]
    assert migrate(database_url) == []
    with connect(database_url) as connection:
        connection.execute("INSERT INTO notes (title) VALUES ('a note')")


def test_a_database_that_a_changed_program_has_migrated_is_refused(database_url: str, later: Path) -> None:
    migrate(database_url)
    (later / "0002_notes.sql").write_text("CREATE TABLE notes (words text);")
    with pytest.raises(Refused, match=r"migration 2 \(notes\) is not the one that this database was made with"):
        migrate(database_url)


def test_a_migration_that_fails_changes_nothing(database_url: str, later: Path) -> None:
    (later / "0003_oh.sql").write_text("ALTER TABLE nothing ADD COLUMN here int;")
    with pytest.raises(SchemaBehind):
        migrate(database_url)
    with connect(database_url, any_schema=True) as connection:
        assert connection.execute("SELECT max(number), to_regclass('notes') FROM migrations").fetchone() == (1, None)


def test_the_program_of_the_release_before_works_on_after_one_that_only_adds(database_url: str, later: Path) -> None:
    (later / "0002_notes.sql").write_text("-- oldest program: 1\nCREATE TABLE notes (words text NOT NULL);")
    migrate(database_url)
    (later / "0002_notes.sql").unlink()
    schema.needed.cache_clear()
    with connect(database_url) as connection:
        assert connection.execute("SELECT count(*) FROM notes").fetchone() == (0,)
    assert migrate(database_url) == [], "a rollback of the image migrates too"


def test_the_program_of_the_release_before_refuses_what_later_ones_took_from_it(database_url: str, later: Path) -> None:
    (later / "0003_titles.sql").write_text("-- oldest program: 1\nALTER TABLE notes ADD COLUMN title text;")
    schema.needed.cache_clear()
    migrate(database_url)
    for file in later.iterdir():
        file.unlink()
    schema.needed.cache_clear()
    with pytest.raises(SchemaUnknown, match="the database has schema 3, this program knows 1 at most"):
        migrate(database_url)


def test_a_migration_does_not_let_workers_wait_behind_a_backup(
    database_url: str, later: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever wants a table that somebody waits for whole, waits behind him."""
    monkeypatch.setattr("ladder.database.migrate.PATIENCE_S", 0)
    (later / "0002_notes.sql").write_text("ALTER TABLE workers ADD COLUMN notes text;")
    with connect(database_url, any_schema=True) as backup:
        backup.execute("SELECT count(*) FROM workers")
        with pytest.raises(TablesInUse, match="as a backup that runs does; nothing is changed"):
            migrate(database_url)
    assert [done.number for done in migrate(database_url)] == [2]


def changed_since_release(folder: Path) -> list[str]:
    lines = (folder / "released.sha256").read_text("utf-8").splitlines()
    released = [line.split(maxsplit=1) for line in lines if not line.startswith("#")]
    return [name for found, name in released if found != sha256((folder / name).read_bytes()).hexdigest()]


def test_a_migration_that_was_released_never_changes(tmp_path: Path) -> None:
    assert changed_since_release(schema.PAGE.parent) == []
    page = tmp_path / schema.PAGE.name
    page.write_bytes(schema.PAGE.read_bytes())
    (tmp_path / "released.sha256").write_text(f"# released\n{sha256(page.read_bytes()).hexdigest()}  {page.name}\n")
    assert changed_since_release(tmp_path) == []
    page.write_bytes(page.read_bytes() + b"\n")
    assert changed_since_release(tmp_path) == [page.name]


def test_a_database_that_does_not_answer_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(DatabaseDown, match="does not answer"), connect(f"postgresql://ladder@/ladder?host={tmp_path}"):
        pass


def test_a_database_that_goes_away_in_the_middle_is_the_same_sentence(database_url: str) -> None:
    pool = open_pool(database_url, most=1)
    with pytest.raises(DatabaseDown, match="does not answer"), transaction(pool) as connection:
        with psycopg.connect(database_url, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", [connection.info.backend_pid])
        connection.execute("SELECT 1")
    with transaction(pool) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    pool.close()


def test_how_values_look_does_not_depend_on_the_terminal(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    query = """
        SELECT timestamptz '2026-11-26 12:00Z', interval '1 day 3 hours', 0.1::float8 + 0.2, 'ł', count(*) FROM leagues
    """
    wanted = (datetime(2026, 11, 26, 12, tzinfo=UTC), timedelta(days=1, hours=3), 0.1 + 0.2, "ł")
    for variable, value in {
        "PGDATESTYLE": "SQL, DMY",
        "PGOPTIONS": "-c datestyle=German -c intervalstyle=iso_8601 -c search_path=nowhere -c extra_float_digits=-6",
        "PGCLIENTENCODING": "LATIN1",
    }.items():
        with monkeypatch.context() as terminal:
            terminal.setenv(variable, value)
            with connect(database_url) as connection:
                assert connection.execute(query).fetchall()[0][:4] == wanted, variable
            with closing(open_pool(database_url)) as pool, transaction(pool) as connection:
                assert connection.execute(query).fetchall()[0][:4] == wanted, variable


def test_only_an_address_says_where_other_tables_are_found(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGOPTIONS", "-c search_path=nowhere -c work_mem=5MB")
    for address, path in (
        (database_url, '"$user",public'),
        (f"{database_url}&options=-csearch_path%3Dpublic", "public"),
    ):
        with connect(address) as connection:
            assert connection.execute("SHOW search_path").fetchone() == (path,)
            assert connection.execute("SHOW work_mem").fetchone() == ("5MB",)


IN_THE_SCHEMA: dict[tuple[str, str], type[StrEnum]] = {
    ("versions", "state"): choices.VersionState,
    ("matches", "state"): choices.MatchState,
    ("gauntlets", "state"): choices.GauntletState,
    ("gauntlets", "verdict"): choices.GauntletVerdict,
    ("leagues", "promotion"): Promotion,
    ("leagues", "matchmaking"): Matchmaking,
    ("leagues", "ranked_by"): RankedBy,
    ("leagues", "rating_system"): RatingSystem,
    ("leagues", "score_formula"): ScoreFormula,
    ("leagues", "time_policy"): Policy,
    ("leagues", "clock"): Clock,
    ("matches", "time_policy"): Policy,
    ("matches", "clock"): Clock,
    ("moves", "kind"): choices.MoveKind,
    ("hooks", "form"): choices.NoticeForm,
    ("hooks", "events"): choices.NoticeEvent,
    ("seats", "verdict"): Verdict,
}
WORDS = r"\({column} (?:= ANY \(ARRAY\[(.*?)\]\)|<@ '{{(.*?)}}'::text\[\])\)"


def words_in_schema(pool: Pool, table: str, column: str) -> set[str]:
    rows = rows_of(
        pool,
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = %s::regclass AND contype = 'c'",
        table,
    )
    found = [match for (row,) in rows if (match := re.search(WORDS.format(column=column), row))]
    assert len(found) == 1, f"{table}.{column} has {len(found)} lists of words"
    alone, of_many = found[0].groups()
    return set(of_many.split(",") if of_many else re.findall(r"'([^']*)'::text", alone))


def test_the_schema_lets_exactly_the_known_words_through(pool: Pool) -> None:
    for (table, column), words in IN_THE_SCHEMA.items():
        assert words_in_schema(pool, table, column) == {word.value for word in words}, (table, column)


def test_every_list_of_words_is_compared_with_the_schema() -> None:
    listed = {
        value
        for value in vars(choices).values()
        if isinstance(value, type) and issubclass(value, StrEnum) and value not in {StrEnum, choices.ExplainedChoice}
    }
    assert listed <= set(IN_THE_SCHEMA.values())


def test_a_match_waits_in_every_state_but_those_of_its_end(pool: Pool) -> None:
    rows = rows_of(pool, "SELECT one FROM unnest(%s::text[]) AS one WHERE is_waiting(one)", list(choices.MatchState))
    assert {state for (state,) in rows} == set(choices.MatchState) - {"finished", "void"}


def test_what_waits_is_found_by_an_index(pool: Pool) -> None:
    with transaction(pool) as connection:
        connection.execute("SET LOCAL enable_seqscan = off")
        plan = connection.execute("EXPLAIN SELECT id FROM matches WHERE is_waiting(state)").fetchall()
    assert "matches_waiting" in str(plan)


def test_something_is_registered_for_each_word() -> None:
    assert set(SYSTEMS) == set(RatingSystem)
    assert set(SCORE_FORMULAS) == set(ScoreFormula)
    assert set(OPPONENTS) - {"random"} == set(Matchmaking), "`random` is for simulations alone"
    assert set(rules.EARNED) == set(Promotion)


def test_the_help_of_a_setting_explains_each_of_its_words() -> None:
    for setting, words in (
        ("promotion", Promotion),
        ("matchmaking", Matchmaking),
        ("rating_system", RatingSystem),
        ("score_formula", ScoreFormula),
    ):
        about = SETTINGS[setting].about
        assert all(f"{word.value}: {word.about}" in about for word in words), setting
        assert all(SETTINGS[setting].takes(word.value) for word in words)


def test_every_tier_of_the_sandbox_can_be_named_on_the_command_line() -> None:
    from cli.options.names import sandboxes

    assert set(sandboxes("")) == {"auto", *TIERS}


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


def test_each_table_and_column_of_the_schema_is_exported_or_left_out_for_a_reason(pool: Pool) -> None:
    """Whoever adds a table adds it to `ladder/transfer/manifest.py`, and renews docs/export.md.

    A new column is exported by itself, but not one that is named like what lets somebody in.
    """
    columns = within(pool, form_of).columns
    listed = {table.name: {*columns[table.name], *table.left_out} for table in TABLES}
    found = columns_in_schema(pool)
    assert {name: columns for name, columns in found.items() if name not in TABLES_LEFT_OUT} == listed
    assert set(TABLES_LEFT_OUT) <= set(found)


def test_no_secret_is_exported(pool: Pool) -> None:
    columns = within(pool, form_of).columns
    named = [(table, column) for table in columns for column in columns[table] if SECRET.search(column)]
    assert named == [("versions", "source_hash")]


def test_each_table_stands_after_those_that_it_refers_to(pool: Pool) -> None:
    refers = rows_of(
        pool, "SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint WHERE contype = 'f'"
    )
    place = {str(table.name): number for number, table in enumerate(TABLES)}
    assert not [(one, other) for one, other in refers if one in place and place.get(other, 0) > place[one]]


def test_the_next_numbers_of_all_sequences_are_kept(pool: Pool) -> None:
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
