"""A league's board by all its matches at once, beside the live one. Nothing is written.

Versions that have left the board still say something about those they met, so their matches count; ranks are of the
versions on the board, as on the live one. See ladder.statistics.davidson.

A match of more than two players is a match of each two of them. These results share the luck of those who played, so
together they say less than as many matches of two; see `weight_of_pair`.
"""

from __future__ import annotations

import numpy as np

from ladder.database.connection import Connection
from ladder.ids import VersionId
from ladder.leagues.leagues import League
from ladder.ratings import standings
from ladder.ratings.results import results
from ladder.ratings.standings import SettledLine
from ladder.statistics.davidson import Floats, Ints, pairs_of, settle


def settled_board(connection: Connection, league: League) -> list[SettledLine]:
    """Return the versions on a league's board that have finished matches, group by group, the strongest first."""
    rows = results(connection, league.id)
    if not rows:
        return []
    first, second, half_points, players, times = np.array(rows, dtype=np.int64).T
    version_ids, places = np.unique(np.concatenate([first, second]), return_inverse=True)
    live = {row.version_id: (rank, row) for rank, row in enumerate(standings.board(connection, league.id), 1)}
    pairs = pairs_of(places[: len(rows)], places[len(rows) :], half_points, times * weight_of_pair(players))
    matches = np.bincount(places, np.tile(times / (players - 1), 2))
    lines: list[SettledLine] = []
    for found in settle(pairs, len(version_ids), np.isin(version_ids, list(live))):
        live_rank, standing = live[VersionId(int(version_ids[found.version]))]
        lines.append(
            SettledLine(
                found.group,
                found.rank,
                found.rank_low,
                found.rank_high,
                standing.name,
                found.strength,
                found.error,
                round(matches[found.version]),
                live_rank,
                standing.score,
                standing.mu,
                standing.sigma,
            )
        )
    return lines


def weight_of_pair(players: Ints) -> Floats:
    """Return for how much of a match of two each two players of a match count.

    Two results of one player against equals, all with luck of their own, correlate by a third (the chance that one
    number is the largest of three). So the n - 1 results of a match of n say as much as 3 (n - 1) / (n + 1) others.
    """
    return 3 / (players + 1)
