"""How a league's finished matches that rate have ended, added up by who met whom."""

from __future__ import annotations

from ladder.database.connection import Connection
from ladder.ids import LeagueId, VersionId


def results(connection: Connection, league_id: LeagueId) -> list[tuple[VersionId, VersionId, int, int, int]]:
    """Return rows of two versions, the first one's half points (2, 1 or 0), players, and how often that was.

    The first one has the lower seat, in a match of that many players. A match of more than two counts for each two of
    its players, by their places. Left out are a finished match of two whose seats disagree on who won, and the seats
    without a place of a larger one; `ladder rating verify` reports them.
    """
    return connection.execute(
        """
        SELECT first.version_id, second.version_id, met.half_points, matches.players, count(*)
        FROM matches
        JOIN seats AS first ON first.match_id = matches.id
        JOIN seats AS second ON second.match_id = matches.id AND second.seat > first.seat
        CROSS JOIN LATERAL (
            SELECT CASE WHEN matches.players > 2 THEN (1 + sign(second.place - first.place))::int
                        WHEN (first.result, second.result) = ('win', 'loss') THEN 2
                        WHEN (first.result, second.result) = ('draw', 'draw') THEN 1
                        WHEN (first.result, second.result) = ('loss', 'win') THEN 0 END AS half_points) AS met
        WHERE matches.league_id = %s AND matches.state = 'finished' AND matches.rates AND met.half_points IS NOT NULL
          AND is_on_boards(matches.league_id, matches.finished_at)
        GROUP BY first.version_id, second.version_id, met.half_points, matches.players
        """,
        [league_id],
    ).fetchall()
