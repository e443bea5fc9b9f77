"""The settled fit: where versions stand by all matches of their league at once, beside or in place of the live board.

How this works. The fit is that of `ladder.statistics.davidson`. A match of more than two players is a match of each two
of them. These results share the luck of those who played, so together they say less than as many matches of two; see
`weight_of_pair`.

A board beside the live one (`settled_board`): nothing is written. Versions that have left the board still say something
about those they met, so their matches count; ranks are of the versions on the board, as on the live one.

Boards that rank by the fit (`write_ranks`). A version that lacks battles has what its predecessor's says of it, so that
it stands near its place from the first match on; one that has had its battles stands by its own matches alone, so at
the end of the battles no predecessor decides anything. The interval of a rank comes from rankings drawn by the fit's
own uncertainty, others' included. A version of which no match and no predecessor says anything stands below all others,
by its score. A fit is due when something has happened since the last, in a large league when a share of its matches is
new. It takes no locks while it is computed; then the standings are locked in the order in which recordings lock theirs.

How likely versions are above their boss, and how well their ranks are known (`write_chances`): without prior knowledge
of any version. The cost grows with the league's matches, so the scheduler makes it where a version is due
(`ladder.promotions.rules.due`), at most once a round and league, and writes down what it says of every version whose
promotion is open. All others read what stands there. A rank is as well known as few others have a strength inside the
version's own 95 % interval.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict, astuple
from math import erfc, sqrt

import numpy as np

from ladder.database.connection import Connection
from ladder.ids import LeagueId, VersionId
from ladder.leagues.leagues import League
from ladder.ratings import standings
from ladder.ratings.standings import SettledLine, SettledRank, Standing, live_order
from ladder.statistics.davidson import NO_PREDECESSOR, Floats, Ints, gaps_to, pairs_of, settle

INTERVAL = 1.96
"""So many standard errors to both sides hold 95 %."""
UNKNOWN = (None,) * 4


def settled_board(connection: Connection, league: League, *, inherits: bool = False) -> list[SettledLine]:
    """Return a board's versions with matches, by groups, strongest first. `inherits`: predecessors' count too."""
    first, second, half_points, players, times = results(connection, league.id)
    if not len(times):
        return []
    version_ids, places = np.unique(np.concatenate([first, second]), return_inverse=True)
    in_order = live_order(standings.board(connection, league.id))
    live = {row.version_id: (rank, row) for rank, row in enumerate(in_order, 1)}
    pairs = pairs_of(places[: len(times)], places[len(times) :], half_points, times * weight_of_pair(players))
    matches = np.bincount(places, np.tile(times / (players - 1), 2))
    lines: list[SettledLine] = []
    before = predecessors(connection, version_ids) if inherits else None
    for ranked in settle(pairs, len(version_ids), np.isin(version_ids, list(live)), before):
        live_rank, standing = live[VersionId(int(version_ids[ranked.version]))]
        of_fit = {**asdict(ranked), "version": standing.name, "matches": round(matches[ranked.version])}
        lines.append(
            SettledLine(**of_fit, live_rank=live_rank, score=standing.score, mu=standing.mu, sigma=standing.sigma)
        )
    return lines


def write_ranks(
    connection: Connection, league_id: LeagueId, board: Sequence[Standing], at_end: Collection[VersionId]
) -> None:
    """Fit a league's matches and write down where its versions stand. `at_end`: those that had their battles."""
    ranks = settled_ranks(connection, league_id, [row.version_id for row in board], at_end)
    lock = """
        SELECT FROM standings WHERE league_id = %s AND version_id = ANY(%s)
        ORDER BY version_id FOR NO KEY UPDATE"""
    change = """
        UPDATE standings SET strength = %s, error = %s, rank_low = %s, rank_high = %s, fitted = %s
        WHERE version_id = %s AND league_id = %s"""
    connection.execute(lock, [league_id, [row.version_id for row in board]])
    fits = (astuple(ranks[row.version_id]) if row.version_id in ranks else UNKNOWN for row in board)
    rows = zip(fits, board, strict=True)
    connection.cursor().executemany(
        change, [(*fit, row.record.matches, row.version_id, league_id) for fit, row in rows]
    )


def settled_ranks(
    connection: Connection, league_id: LeagueId, on_board: Sequence[VersionId], at_end: Collection[VersionId]
) -> dict[VersionId, SettledRank]:
    """Return where the versions on a board stand, of those that something is known of; strengths are 0 on average."""
    first, second, half_points, players, times = results(connection, league_id)
    if not len(times):
        return {}
    version_ids = np.unique(np.concatenate([first, second, on_board]))
    before = predecessors(connection, version_ids)
    before[np.isin(version_ids, list(at_end))] = NO_PREDECESSOR
    is_known = np.isin(version_ids, np.concatenate([first, second]))
    for version in np.flatnonzero(before != NO_PREDECESSOR):  # a predecessor has a lower number
        is_known[version] |= is_known[before[version]]
    lower = np.searchsorted(version_ids, first)
    upper = np.searchsorted(version_ids, second)
    pairs = pairs_of(lower, upper, half_points, times * weight_of_pair(players))
    listed = is_known & np.isin(version_ids, on_board)
    ranked = settle(pairs, len(version_ids), listed, before, together=True)
    mean = sum(row.strength for row in ranked) / max(len(ranked), 1)
    ranks = (SettledRank(row.strength - mean, row.error, row.rank_low, row.rank_high) for row in ranked)
    return {VersionId(int(version_ids[row.version])): rank for row, rank in zip(ranked, ranks, strict=True)}


def write_chances(
    connection: Connection, league_id: LeagueId, board: Sequence[Standing], of: Sequence[Standing]
) -> None:
    """Write down the chances of some versions on a board with a boss; each of them, like it, has finished matches."""
    boss = next(row for row in board if row.is_boss)
    first, second, half_points, players, times = results(connection, league_id)
    concerned, on_board = ([row.version_id for row in rows] for rows in (of, board))
    weights = times * weight_of_pair(players)
    shares = chances((first, second, half_points), weights, boss.version_id, concerned, on_board)
    query = """
        INSERT INTO settled_chances (version_id, league_id, boss_id, counted, chance, rank_span, fitted)
        VALUES (%s, %s, %s, %s, %s, %s, %s)
        ON CONFLICT (version_id, league_id) DO UPDATE
        SET boss_id = excluded.boss_id, counted = excluded.counted, chance = excluded.chance,
            rank_span = excluded.rank_span, fitted = excluded.fitted"""
    counts = ((row.version_id, league_id, boss.version_id, row.counted) for row in of)
    fits = [(*counted, *share, int(times.sum())) for counted, share in zip(counts, shares, strict=True)]
    connection.cursor().executemany(query, fits)


def chances(
    matches: tuple[Ints, Ints, Ints], times: Floats | None, boss: int, of: Sequence[int], on_board: Sequence[int]
) -> list[tuple[float, float]]:
    """Return versions' chances to be above the boss, and shares of others around. `matches`: pair and half points."""
    first, second, half_points = matches
    everybody = np.unique(np.concatenate([first, second, [boss], of]))
    pairs = pairs_of(np.searchsorted(everybody, first), np.searchsorted(everybody, second), half_points, times)
    places = np.searchsorted(everybody, of)
    strengths, gaps, errors = gaps_to(pairs, len(everybody), int(np.searchsorted(everybody, boss)), places)
    listed = strengths[np.isin(everybody, on_board)]
    return [
        (
            erfc(-gap / error / sqrt(2)) / 2,
            float(((np.abs(listed - strength) <= INTERVAL * error).sum() - 1) / (len(listed) - 1)),
        )
        for strength, gap, error in zip(strengths[places], gaps, errors, strict=True)
    ]


def results(connection: Connection, league_id: LeagueId) -> Ints:
    """Return columns: two versions, the first one's half points (2, 1 or 0), players, and how often that was.

    The first one has the lower seat, in a match of that many players. A match of more than two counts for each two of
    its players, by their places. Left out are a finished match of two whose seats disagree on who won, and the seats
    without a place of a larger one; `ladder rating verify` reports them.
    """
    query = """
        SELECT first.version_id, second.version_id, met.half_points, matches.players, count(*)
        FROM matches JOIN seats AS first ON first.match_id = matches.id
        JOIN seats AS second ON second.match_id = matches.id AND second.seat > first.seat
        CROSS JOIN LATERAL (
            SELECT CASE WHEN matches.players > 2 THEN (1 + sign(second.place - first.place))::int
                        WHEN (first.result, second.result) = ('win', 'loss') THEN 2
                        WHEN (first.result, second.result) = ('draw', 'draw') THEN 1
                        WHEN (first.result, second.result) = ('loss', 'win') THEN 0 END AS half_points) AS met
        WHERE matches.league_id = %s AND matches.state = 'finished' AND matches.rates AND met.half_points IS NOT NULL
          AND is_on_boards(matches.league_id, matches.finished_at)
        GROUP BY first.version_id, second.version_id, met.half_points, matches.players"""
    return np.array(connection.execute(query, [league_id]).fetchall(), dtype=np.int64).reshape(-1, 5).T


def predecessors(connection: Connection, version_ids: Ints) -> Ints:
    """Return the place of each version's predecessor: the latest before it of its bot that is there too."""
    query = """
        SELECT id, lag(id) OVER (PARTITION BY bot_id ORDER BY id) FROM versions WHERE id = ANY(%s) ORDER BY id"""
    rows = connection.execute(query, [version_ids.tolist()]).fetchall()
    places = {version_id: place for place, (version_id, _) in enumerate(rows)}
    return np.array([NO_PREDECESSOR if before is None else places[before] for _, before in rows], dtype=np.int64)


def weight_of_pair(players: Ints) -> Floats:
    """Return for how much of a match of two each two players of a match count.

    Two results of one player against equals, all with luck of their own, correlate by a third (the chance that one
    number is the largest of three). So the n - 1 results of a match of n say as much as 3 (n - 1) / (n + 1) others.
    """
    return 3 / (players + 1)
