"""The ledger of ratings: one line per match and version. The current rating is the last line."""

from __future__ import annotations

from ladder.database import Connection
from ladder.rating import Rating


def append(
    connection: Connection, match_id: int, version_id: int, league_id: int, before: Rating, after: Rating
) -> None:
    """Write one line. The caller holds the lock on the version's standing, so the sequence follows the ratings."""
    connection.execute(
        """
        INSERT INTO ledger (match_id, version_id, league_id, mu_before, sigma_before, mu_after, sigma_after)
        VALUES (%s, %s, %s, %s, %s, %s, %s)
        """,
        [match_id, version_id, league_id, before.mu, before.sigma, after.mu, after.sigma],
    )
