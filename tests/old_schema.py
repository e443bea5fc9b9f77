"""A database as an older Ladder has left it: its schema, and what that wrote down of it."""

from __future__ import annotations

from ladder.database.connection import Connection, one
from ladder.database.migrate import migrations
from ladder.ids import LeagueId
from tests.bench.full_ladder import GAME, LEAGUE, add_matches, put_on_board

BEFORE_ACCOUNTS = 45
"""The last migration of ladders without accounts."""


def take_back(connection: Connection, latest: int) -> None:
    """Leave nothing of a database but the empty tables that it had after that migration."""
    connection.execute("DROP SCHEMA public CASCADE")
    connection.execute("CREATE SCHEMA public")
    old = [migration for migration in migrations() if migration.number <= latest]
    for migration in old:
        connection.execute(migration.sql.encode())
    connection.execute("CREATE TABLE migrations (number int PRIMARY KEY, name text, fingerprint text)")
    for migration in old:
        connection.execute(
            "INSERT INTO migrations VALUES (%s, %s, %s)", [migration.number, migration.name, migration.fingerprint]
        )


def fill_old(connection: Connection, versions: int, matches: int) -> None:
    """Put a league with versions and finished matches into such a database. The connection is without transactions."""
    query = """
        INSERT INTO leagues (game, name, title, position, rules_level, battles, longest_s)
        VALUES (%(game)s, %(league)s, 'Bronze', 1, 4, 30, 60) RETURNING id
        """
    league_id = LeagueId(one(connection, query, {"game": GAME, "league": LEAGUE})[0])
    put_on_board(connection, league_id, versions)
    add_matches(connection, matches)
