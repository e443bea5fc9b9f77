"""How a league's finished matches that rate have ended, added up by who met whom."""

from __future__ import annotations

from ladder.database.connection import Connection
from ladder.ids import LeagueId, VersionId


def results(connection: Connection, league_id: LeagueId) -> list[tuple[VersionId, VersionId, int, int]]:
    """Return rows of seat 0's version, seat 1's version, seat 0's half points (2, 1 or 0) and how often that was.

    A finished match whose seats disagree on who won is left out; `ladder rating verify` reports it.
    """
    return connection.execute(
        """
        SELECT first.version_id, second.version_id,
               CASE first.result WHEN 'win' THEN 2 WHEN 'draw' THEN 1 ELSE 0 END, count(*)
        FROM matches
        JOIN seats AS first ON first.match_id = matches.id AND first.seat = 0
        JOIN seats AS second ON second.match_id = matches.id AND second.seat = 1
        WHERE matches.league_id = %s AND matches.state = 'finished' AND matches.rates
          AND (first.result, second.result) IN (('win', 'loss'), ('draw', 'draw'), ('loss', 'win'))
        GROUP BY first.version_id, second.version_id, first.result
        """,
        [league_id],
    ).fetchall()
