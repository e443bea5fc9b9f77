"""What matchmaking wants to know: how each league pairs, who has how many battles waiting, who has met whom."""

from __future__ import annotations

from engine.games import find_game
from ladder.database import Connection
from ladder.matchmaking import Scheme


def schemes(connection: Connection) -> dict[int, Scheme]:
    """Return how each league pairs, by the league's id."""
    rows = connection.execute(
        """
        SELECT id, game, matchmaking, battles, placement_battles, near_ranks, beta, draw_probability,
               CASE promotion WHEN 'boss_wins' THEN boss_wins ELSE 0 END
        FROM leagues
        """
    )
    return {
        league_id: Scheme(
            matchmaking,
            battles,
            placement_battles,
            near_ranks,
            beta,
            find_game(game).draw_probability if draw_probability is None else draw_probability,
            boss_wins,
        )
        for league_id, game, matchmaking, battles, placement_battles, near_ranks, beta, draw_probability, boss_wins in (
            rows
        )
    }


def waiting_shares(connection: Connection) -> dict[str, int]:
    """Return how many battles that were made for each player's versions wait or are being played."""
    return dict(
        connection.execute(
            """
            SELECT players.name, count(DISTINCT pair_id)::int
            FROM matches
            JOIN versions ON versions.id = matches.made_for
            JOIN bots ON bots.id = versions.bot_id
            JOIN players ON players.id = bots.player_id
            WHERE matches.state IN ('queued', 'running')
            GROUP BY players.name
            """
        ).fetchall()
    )


def met(connection: Connection, version_id: int) -> dict[int, int]:
    """Return in how many matches of the ladder a version has met, or is to meet, each other."""
    return dict(
        connection.execute(
            """
            SELECT other.version_id, count(*)::int
            FROM seats AS own
            JOIN seats AS other ON other.match_id = own.match_id AND other.seat <> own.seat
            JOIN matches ON matches.id = own.match_id
            WHERE own.version_id = %s AND matches.state <> 'void' AND matches.gauntlet_id IS NULL
            GROUP BY other.version_id
            """,
            [version_id],
        ).fetchall()
    )
