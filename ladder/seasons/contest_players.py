"""Who takes part in the contest that a season is."""

from __future__ import annotations

from collections.abc import Sequence

from ladder.database.connection import Connection, one


def add(connection: Connection, game: str, season: int, players: Sequence[str]) -> None:
    """Let players take part in the contest that a season is, besides those who do."""
    connection.execute(
        """
        INSERT INTO contest_players (game, season, player_id)
        SELECT %s, %s, id FROM players WHERE lower(name) = ANY(%s)
        ON CONFLICT DO NOTHING
        """,
        [game, season, [name.lower() for name in players]],
    )


def are_listed(connection: Connection, game: str, season: int) -> bool:
    """Say whether players were listed for a season."""
    query = "SELECT EXISTS (SELECT FROM contest_players WHERE game = %(game)s AND season = %(season)s)"
    return bool(one(connection, query, {"game": game, "season": season})[0])
