"""Where versions stand on boards that rank by the settled fit: written down with their standings.

How this works. The fit is that of `ladder.statistics.davidson`, of all matches of the league. A version that lacks
battles has what its predecessor's says of it, so that it stands near its place from the first match on; one that has
had its battles stands by its own matches alone, so at the end of the battles no predecessor decides anything. The
interval of a rank comes from rankings drawn by the fit's own uncertainty, others' included. A version of which no match
and no predecessor says anything stands below all others, by its score.

A fit is due when something has happened since the last, in a large league when a share of its matches is new. It takes
no locks while it is computed; then the standings are locked in the order in which recordings lock theirs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import astuple

import numpy as np

from ladder.database.connection import Connection
from ladder.ids import LeagueId, VersionId
from ladder.ratings.settled_board import predecessors, results, weight_of_pair
from ladder.ratings.standings import SettledRank, Standing
from ladder.statistics.davidson import NO_PREDECESSOR, pairs_of, settle

UNKNOWN = (None,) * 4


def refresh(
    connection: Connection, league_id: LeagueId, board: Sequence[Standing], at_end: Collection[VersionId]
) -> None:
    """Fit a league's matches and write down where its versions stand. `at_end`: those that had their battles."""
    found = settled_ranks(connection, league_id, [row.version_id for row in board], at_end)
    connection.execute(
        """
        SELECT FROM standings WHERE league_id = %s AND version_id = ANY(%s)
        ORDER BY version_id FOR NO KEY UPDATE
        """,
        [league_id, [row.version_id for row in board]],
    )
    connection.cursor().executemany(
        """
        UPDATE standings SET strength = %s, error = %s, rank_low = %s, rank_high = %s, fitted = %s
        WHERE version_id = %s AND league_id = %s
        """,
        [
            (
                *(astuple(found[row.version_id]) if row.version_id in found else UNKNOWN),
                row.record.matches,
                row.version_id,
                league_id,
            )
            for row in board
        ],
    )


def settled_ranks(
    connection: Connection, league_id: LeagueId, on_board: Sequence[VersionId], at_end: Collection[VersionId]
) -> dict[VersionId, SettledRank]:
    """Return where the versions on a board stand, of those that something is known of; strengths are 0 on average."""
    rows = results(connection, league_id)
    if not rows:
        return {}
    first, second, half_points, players, times = np.array(rows, dtype=np.int64).T
    version_ids = np.unique(np.concatenate([first, second, on_board]))
    before = predecessors(connection, version_ids)
    before[np.isin(version_ids, list(at_end))] = NO_PREDECESSOR
    known = np.isin(version_ids, np.concatenate([first, second]))
    for version in np.flatnonzero(before != NO_PREDECESSOR):  # a predecessor has a lower number
        known[version] |= known[before[version]]
    lower, upper = np.searchsorted(version_ids, first), np.searchsorted(version_ids, second)
    pairs = pairs_of(lower, upper, half_points, times * weight_of_pair(players))
    listed = known & np.isin(version_ids, on_board)
    found = settle(pairs, len(version_ids), listed, before, together=True)
    mean = sum(one.strength for one in found) / max(len(found), 1)
    return {
        VersionId(int(version_ids[one.version])): SettledRank(
            one.strength - mean, one.error, one.rank_low, one.rank_high
        )
        for one in found
    }
