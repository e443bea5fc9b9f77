"""How ratings stood some time ago.

How this works. The ledger has no times: its matches have. Its lines stand in the order in which they were recorded, so
the last line before a moment is found by halving, in some thirty steps, however long the ledger is.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from ladder.database.connection import Connection, one
from ladder.ids import LeagueId, VersionId
from ladder.ratings.models import Rating


def place_before(connection: Connection, league_id: LeagueId, age: timedelta) -> int:
    """Return the place in the ledger after which all lines of a league are younger than that."""
    row = one(
        connection,
        """
        WITH RECURSIVE halves (low, high) AS (
            SELECT 0::bigint, coalesce(max(sequence), 0) FROM ledger WHERE league_id = %(league_id)s
            UNION ALL
            SELECT CASE WHEN is_old THEN middle ELSE low END, CASE WHEN is_old THEN high ELSE middle - 1 END
            FROM (SELECT low, high, (low + high + 1) / 2 AS middle FROM halves WHERE low < high) AS half
            CROSS JOIN LATERAL (
                SELECT coalesce((
                    SELECT finished_at < now() - %(age)s
                    FROM (SELECT match_id FROM ledger
                          WHERE league_id = %(league_id)s AND sequence <= middle
                          ORDER BY sequence DESC LIMIT 1) AS last
                    JOIN matches ON matches.id = match_id), true) AS is_old) AS found)
        SELECT low FROM halves WHERE low = high
        """,
        {"league_id": league_id, "age": age},
    )
    return int(row[0])


def ratings_at(
    connection: Connection, league_id: LeagueId, version_ids: Sequence[VersionId], place: int
) -> dict[VersionId, Rating]:
    """Return how versions were rated in a league at a place in the ledger; only those that were rated there since.

    Of one that came to the league since it is the rating with which it came.
    """
    rows = connection.execute(
        """
        SELECT wanted.version_id, mu_before, sigma_before
        FROM unnest(%(version_ids)s::bigint[]) AS wanted (version_id)
        CROSS JOIN LATERAL (
            SELECT mu_before, sigma_before FROM ledger
            WHERE ledger.version_id = wanted.version_id AND sequence > %(place)s AND league_id = %(league_id)s
            ORDER BY sequence LIMIT 1) AS first
        """,
        {"version_ids": list(version_ids), "place": place, "league_id": league_id},
    )
    return {version_id: Rating(mu, sigma) for version_id, mu, sigma in rows}
