"""A league's board by all its matches at once, beside the live one. Nothing is written.

Versions that have left the board still say something about those they met, so their matches count; ranks are of the
versions on the board, as on the live one. See ladder.statistics.davidson.

A match of more than two players is a match of each two of them. These results share the luck of those who played, so
together they say less than as many matches of two; see `weight_of_pair`.
"""

from __future__ import annotations

import numpy as np

from ladder.database.connection import Connection
from ladder.ids import LeagueId, VersionId
from ladder.leagues.leagues import League
from ladder.ratings import standings
from ladder.ratings.standings import SettledLine, live_order
from ladder.statistics.davidson import NO_PREDECESSOR, Floats, Ints, pairs_of, settle


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


def settled_board(connection: Connection, league: League, *, inherits: bool = False) -> list[SettledLine]:
    """Return a board's versions with matches, by groups, strongest first. `inherits`: predecessors' count too."""
    rows = results(connection, league.id)
    if not rows:
        return []
    first, second, half_points, players, times = np.array(rows, dtype=np.int64).T
    version_ids, places = np.unique(np.concatenate([first, second]), return_inverse=True)
    live = {
        row.version_id: (rank, row) for rank, row in enumerate(live_order(standings.board(connection, league.id)), 1)
    }
    pairs = pairs_of(places[: len(rows)], places[len(rows) :], half_points, times * weight_of_pair(players))
    matches = np.bincount(places, np.tile(times / (players - 1), 2))
    lines: list[SettledLine] = []
    before = predecessors(connection, version_ids) if inherits else None
    for found in settle(pairs, len(version_ids), np.isin(version_ids, list(live)), before):
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


def predecessors(connection: Connection, version_ids: Ints) -> Ints:
    """Return the place of each version's predecessor: the latest before it of its bot that is there too."""
    rows = connection.execute(
        """
        SELECT id, lag(id) OVER (PARTITION BY bot_id ORDER BY id) FROM versions WHERE id = ANY(%s) ORDER BY id
        """,
        [version_ids.tolist()],
    ).fetchall()
    places = {version_id: place for place, (version_id, _) in enumerate(rows)}
    return np.array([NO_PREDECESSOR if before is None else places[before] for _, before in rows], dtype=np.int64)


def weight_of_pair(players: Ints) -> Floats:
    """Return for how much of a match of two each two players of a match count.

    Two results of one player against equals, all with luck of their own, correlate by a third (the chance that one
    number is the largest of three). So the n - 1 results of a match of n say as much as 3 (n - 1) / (n + 1) others.
    """
    return 3 / (players + 1)
