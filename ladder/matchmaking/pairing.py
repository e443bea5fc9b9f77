"""What matchmaking wants to know: how each league pairs, who has how many battles waiting, who has met whom."""

from __future__ import annotations

import logging
from collections.abc import Collection
from functools import cache

from ladder.choices import Promotion
from ladder.database.connection import Connection
from ladder.ids import LeagueId, VersionId
from ladder.matchmaking.matchmaker import Scheme

LOG = logging.getLogger(__name__)


def schemes(connection: Connection, games: Collection[str]) -> dict[LeagueId, Scheme]:
    """Return how leagues of `games`, those playable here, pair, by id; not those that nobody may play."""
    rows = connection.execute(
        """
        SELECT game, id, matchmaking, battles, placement_battles, near_ranks, beta,
               coalesce(draw_probability, game_draw_probability),
               CASE promotion WHEN %(boss_wins)s THEN boss_wins ELSE 0 END,
               players, player_weights, seat_orders, battle_matches, coalesce(own_bots_meet, NOT has_accounts())
        FROM leagues
        WHERE NOT lacks_trust(trusted, present_edition(id))
        """,
        {"boss_wins": Promotion.BOSS_WINS},
    )
    found: dict[LeagueId, Scheme] = {}
    for name, league_id, *columns in rows:
        if name not in games:
            warn_of_unknown(name)
            continue
        found[league_id] = Scheme(*columns)
    return found


@cache
def warn_of_unknown(game: str) -> None:
    LOG.warning("%s is a game that is not known here, so no matches are made in its leagues", game)


def waiting_shares(connection: Connection) -> dict[str, int]:
    return dict(
        connection.execute(
            """
            SELECT players.name, count(DISTINCT pair_id)::int
            FROM matches
            JOIN versions ON versions.id = matches.made_for
            JOIN bots ON bots.id = versions.bot_id
            JOIN players ON players.id = bots.player_id
            WHERE is_waiting(matches.state)
            GROUP BY players.name
            """
        ).fetchall()
    )


def met(connection: Connection, version_id: VersionId) -> dict[VersionId, int]:
    """Return in how many rated matches a version meets each other. Seats differ, so indexes are enough."""
    return dict(
        connection.execute(
            """
            SELECT other.version_id, count(*)::int
            FROM seats AS own
            JOIN seats AS other ON other.match_id = own.match_id AND other.version_id <> own.version_id
                AND other.params = '{}'
            JOIN matches ON matches.id = own.match_id
            WHERE own.version_id = %s AND matches.state <> 'void' AND matches.rates
            GROUP BY other.version_id
            """,
            [version_id],
        ).fetchall()
    )
