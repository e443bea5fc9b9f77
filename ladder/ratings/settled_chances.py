"""How likely versions are above their boss by all their league's matches at once, and how well their ranks are known.

How this works. The fit is that of `ladder.ratings.settled_board`, without prior knowledge of any version. Its cost
grows with the league's matches, so the scheduler makes it where a version is due (`ladder.promotions.rules.due`), at
most once a round and league, and writes down what it says of every version whose promotion is open. All others read
what stands there. A rank is as well known as few others have a strength inside the version's own 95 % interval.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import erfc, sqrt

import numpy as np

from ladder.database.connection import Connection
from ladder.ids import LeagueId
from ladder.ratings.settled_board import results, weight_of_pair
from ladder.ratings.standings import Standing
from ladder.statistics.davidson import Floats, Ints, gaps_to, pairs_of

INTERVAL = 1.96
"""So many standard errors to both sides hold 95 %."""


def refresh(connection: Connection, league_id: LeagueId, board: Sequence[Standing], of: Sequence[Standing]) -> None:
    """Write down the chances of some versions on a board with a boss; each of them, like it, has finished matches."""
    boss = next(row for row in board if row.is_boss)
    first, second, half_points, players, times = np.array(results(connection, league_id), dtype=np.int64).T
    found = chances(
        (first, second, half_points),
        times * weight_of_pair(players),
        boss.version_id,
        [row.version_id for row in of],
        [row.version_id for row in board],
    )
    connection.cursor().executemany(
        """
        INSERT INTO settled_chances (version_id, league_id, boss_id, counted, chance, rank_span, fitted)
        VALUES (%s, %s, %s, %s, %s, %s, %s)
        ON CONFLICT (version_id, league_id) DO UPDATE
        SET boss_id = excluded.boss_id, counted = excluded.counted, chance = excluded.chance,
            rank_span = excluded.rank_span, fitted = excluded.fitted
        """,
        [
            (row.version_id, league_id, boss.version_id, row.counted, chance, span, int(times.sum()))
            for row, (chance, span) in zip(of, found, strict=True)
        ],
    )


def chances(
    matches: tuple[Ints, Ints, Ints], times: Floats | None, boss: int, of: Sequence[int], on_board: Sequence[int]
) -> list[tuple[float, float]]:
    """Return versions' chances to be above the boss, and shares of others around. `matches`: pair and half points."""
    first, second, half_points = matches
    everybody = np.unique(np.concatenate([first, second, [boss], of]))
    pairs = pairs_of(np.searchsorted(everybody, first), np.searchsorted(everybody, second), half_points, times)
    own = np.searchsorted(everybody, of)
    strengths, gaps, errors = gaps_to(pairs, len(everybody), int(np.searchsorted(everybody, boss)), own)
    listed = strengths[np.isin(everybody, on_board)]
    return [
        (
            erfc(-gap / error / sqrt(2)) / 2,
            float(((np.abs(listed - strength) <= INTERVAL * error).sum() - 1) / (len(listed) - 1)),
        )
        for strength, gap, error in zip(strengths[own], gaps, errors, strict=True)
    ]
