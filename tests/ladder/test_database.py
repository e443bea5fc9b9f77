"""The schema's history, and what people read when the database is away."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from engine.errors import Refused
from ladder.audit import concerning_others
from ladder.database.connection import Connection, connect, open_pool, transaction
from ladder.database.migrate import migrate, migrations
from ladder.errors import DatabaseDown, SchemaAhead
from ladder.flows.installation import prepare
from ladder.ids import MatchId
from ladder.leagues import leagues
from ladder.matches import match_rows
from ladder.ratings import standings
from tests.bench.full_ladder import GAME, LEAGUE
from tests.catalogue import GAMES
from tests.old_schema import BEFORE_ACCOUNTS, fill_old, take_back


def test_migrating_an_up_to_date_database_does_nothing(database_url: str) -> None:
    assert migrate(database_url) == []


def test_every_migration_is_written_down(database_url: str) -> None:
    with connect(database_url) as connection:
        rows = connection.execute("SELECT number, name, fingerprint FROM migrations ORDER BY number").fetchall()
    assert rows == [(found.number, found.name, found.fingerprint) for found in migrations()]


def test_migrations_are_numbered_without_gaps() -> None:
    assert [migration.number for migration in migrations()] == list(range(1, len(migrations()) + 1))


def test_a_database_of_a_newer_ladder_is_refused(database_url: str) -> None:
    with connect(database_url) as connection:
        connection.execute("INSERT INTO migrations (number, name, fingerprint) VALUES (999, 'future', 'x')")
    with pytest.raises(SchemaAhead, match=r"the database has schema 999, .* update Ladder"):
        migrate(database_url)


def test_a_database_with_another_past_is_refused(database_url: str) -> None:
    with connect(database_url) as connection:
        connection.execute("UPDATE migrations SET fingerprint = 'x' WHERE number = 1")
    with pytest.raises(Refused, match="migration 1"):
        migrate(database_url)


OLD_MATCH = """
INSERT INTO players (name) VALUES ('kim');
INSERT INTO leagues (game, name, title, position, rules_level, battles, longest_s)
    VALUES ('ocean-of-code', 'wood-2', 'Wood 2', 1, 1, 30, 60);
INSERT INTO bots (game, name, player_id, league_id) VALUES ('ocean-of-code', 'kraken', 1, 1);
INSERT INTO sources (hash, content) VALUES (repeat('a', 64), 'a'), (repeat('b', 64), 'b');
INSERT INTO versions (bot_id, number, source_hash, language)
    VALUES (1, 1, repeat('a', 64), 'python'), (1, 2, repeat('b', 64), 'python');
INSERT INTO matches (league_id, pair_id, seed, state, record)
    VALUES (1, 1, -5, 'finished', ''), (1, 1, -5, 'queued', NULL);
INSERT INTO seats (match_id, seat, version_id, score, result, verdict)
    VALUES (1, 0, 1, 1, 'win', 'ok'), (1, 1, 2, 0, 'loss', 'timeout');
INSERT INTO seats (match_id, seat, version_id) VALUES (2, 0, 2), (2, 1, 1);
"""


def test_matches_of_before_the_fair_clock_are_kept_as_judged_by_wall_time(database_url: str) -> None:
    with connect(database_url) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
        for old in migrations()[:2]:
            connection.execute(old.sql.encode())
        connection.execute(OLD_MATCH)
        connection.execute("CREATE TABLE migrations (number int PRIMARY KEY, name text, fingerprint text)")
        for old in migrations()[:2]:
            connection.execute("INSERT INTO migrations VALUES (%s, %s, %s)", [old.number, old.name, old.fingerprint])
    assert [migration.number for migration in migrate(database_url)] == [
        migration.number for migration in migrations()[2:]
    ]
    with connect(database_url) as connection:
        finished, queued = (match_rows.find_match(connection, MatchId(match_id)) for match_id in (1, 2))
        seats = match_rows.seats_of(connection, [MatchId(1)])
    assert finished is not None
    assert queued is not None
    assert (finished.sandbox, finished.time_policy, finished.clock) == ("", "strict", "wall")
    assert (queued.time_policy, queued.clock) == (None, None)
    assert [seat.overruns for seat in seats] == [0, 1]


def test_a_ladder_of_before_accounts_is_migrated_with_everything_as_it_was(database_url: str) -> None:
    with connect(database_url, autocommit=True, any_schema=True) as connection:
        take_back(connection, BEFORE_ACCOUNTS)
        fill_old(connection, versions=50, matches=200)
        connection.execute("INSERT INTO deeds (done_by, deed, about) VALUES ('olga', 'match void', 'match 3')")
        deeds = connection.execute("SELECT done_at, done_by, deed, about FROM deeds").fetchall()
        columns = {table: names for table, names in columns_of(connection).items() if table != "deeds"}
        before = {table: rows_of(connection, table, names) for table, names in columns.items()}
    assert migrate(database_url)[0].number == BEFORE_ACCOUNTS + 1
    with connect(database_url) as connection:
        assert {table: rows_of(connection, table, names) for table, names in columns.items()} == before
        league = leagues.find_league(connection, GAME, LEAGUE)
        assert len(standings.board(connection, league.id)) == 50
        assert deeds == [(one.done_at, one.done_by, one.deed, one.about) for one in concerning_others(connection, 10)]


def columns_of(connection: Connection) -> dict[str, list[str]]:
    """Return the names of the columns of each table."""
    query = """
        SELECT table_name::text, array_agg(column_name::text ORDER BY column_name) FROM information_schema.columns
        WHERE table_schema = 'public' AND table_name <> 'migrations' GROUP BY table_name
        """
    return dict(connection.execute(query).fetchall())


def rows_of(connection: Connection, table: str, names: Sequence[str]) -> list[tuple[object, ...]]:
    """Return what is in these columns of a table, in some order that is always the same."""
    columns = SQL(", ").join(map(Identifier, names))
    query = SQL("SELECT {columns} FROM {table} AS found ORDER BY found::text").format(
        columns=columns, table=Identifier(table)
    )
    return connection.execute(query).fetchall()


def test_leagues_and_bosses_are_prepared_once(database_url: str) -> None:
    with connect(database_url) as connection:
        assert prepare(connection, GAMES) == [], "the database was made with them"
        bosses = connection.execute("SELECT count(*) FROM bots WHERE boss_of IS NOT NULL").fetchone()
        leagues = connection.execute("SELECT count(*) FROM leagues").fetchone()
    known = [league for game in GAMES.all for league in game.leagues]
    assert bosses == (sum(league.boss is not None for league in known),)
    assert leagues == (len(known),)


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


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PGDATESTYLE", "SQL, DMY"),
        ("PGOPTIONS", "-c datestyle=German -c intervalstyle=iso_8601 -c search_path=nowhere -c extra_float_digits=-6"),
        ("PGCLIENTENCODING", "LATIN1"),
    ],
)
def test_how_values_look_does_not_depend_on_whose_terminal_it_is(
    database_url: str, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    query = """
        SELECT timestamptz '2026-11-26 12:00Z', interval '1 day 3 hours', 0.1::float8 + 0.2, 'ł', count(*) FROM leagues
    """
    wanted = (datetime(2026, 11, 26, 12, tzinfo=UTC), timedelta(days=1, hours=3), 0.1 + 0.2, "ł")
    with connect(database_url) as connection:
        assert connection.execute(query).fetchall()[0][:4] == wanted
    with closing(open_pool(database_url)) as pool, transaction(pool) as connection:
        assert connection.execute(query).fetchall()[0][:4] == wanted


def test_only_an_address_says_where_else_tables_are_looked_for(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGOPTIONS", "-c search_path=nowhere -c work_mem=5MB")
    for address, path in (
        (database_url, '"$user",public'),
        (f"{database_url}&options=-csearch_path%3Dpublic", "public"),
    ):
        with connect(address) as connection:
            assert connection.execute("SHOW search_path").fetchone() == (path,)
            assert connection.execute("SHOW work_mem").fetchone() == ("5MB",)
