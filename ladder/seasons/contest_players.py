"""Who takes part in the contest that a season is."""

from __future__ import annotations

from collections.abc import Sequence

from ladder.database.connection import Connection


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
