"""A long league moves in: what the database reads for it grows with its matches, and not with their square."""

import pytest

from ladder.database.connection import Connection, Pool, one, transaction
from ladder.imports.league_import import ImportOrder, import_league
from ladder.ratings.replay import rate_again, verify
from tests.foreign import a_long_league
from tests.ladder.arena import GAME, league_named

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
