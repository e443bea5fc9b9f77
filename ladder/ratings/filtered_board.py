"""A board as it would be if only some matches had been played. Nothing is written.

How this works. The finished matches that a filter picks are replayed in the ledger's order, with everybody beginning
fresh under the league's present settings; see ladder.ratings.rerate and ladder.matches.filters. Versions that have left
the board still say something about those they met, so their matches count; listed and ranked are those on the board, as
on the live one.

Versions that have left the board still say something about those they met, so their matches count; ranks are of the
versions on the board, as on the live one. See ladder.statistics.davidson.

A match of more than two players is a match of each two of them. These results share the luck of those who played, so
together they say less than as many matches of two; see `weight_of_pair`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ladder.database.connection import Connection
from ladder.ids import LeagueId, VersionId
from ladder.leagues.leagues import League
from ladder.matches.filters import Filter, as_sql, check_names
from ladder.ratings import ledger, standings
from ladder.ratings.counts import Record
from ladder.ratings.models import score
from ladder.ratings.rerate import Replay
from ladder.ratings.standings import SettledLine, Standing
from ladder.statistics.davidson import Floats, Ints, pairs_of, settle


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


@dataclass(frozen=True, slots=True)
class BoardLine:
    """One version on such a board. `live_score`: what it stands at by all its matches."""

    MERGED: ClassVar = ("record",)

    rank: int
    version: str
    score: float
    mu: float
    sigma: float
    record: Record
    live_score: float


def board_of(
    connection: Connection, league: League, wanted: Filter, on_match: Callable[[], None] = lambda: None
) -> list[BoardLine]:
    """Return the versions on a league's board now that played in the wanted matches, best score first.

    Raises FilterFault for a filter that names an unknown league or bot.
    """
    check_names(connection, wanted)
    where, values = as_sql(wanted)
    replay = Replay(ledger.rating_settings(connection, league.id))
    for match in ledger.played_in_order(connection, league.id, where, values):
        if match.is_sound:
            replay.rate(match)
            replay.count(match)
        on_match()
    live = {row.version_id: row for row in standings.board(connection, league.id)}
    records = replay.records()
    scores = {version_id: score(replay.settings, replay.rating_of(version_id)) for version_id in records}
    in_order = sorted(scores.keys() & live.keys(), key=lambda version_id: (-scores[version_id], version_id))
    return [
        board_line(rank, replay, live[version_id], records[version_id].for_players(league.players), scores[version_id])
        for rank, version_id in enumerate(in_order, 1)
    ]


def board_line(rank: int, replay: Replay, standing: Standing, record: Record, own_score: float) -> BoardLine:
    """Make one line."""
    rating = replay.rating_of(standing.version_id)
    return BoardLine(
        rank,
        standing.name,
        own_score,
        rating.mu,
        rating.sigma,
        record,
        standing.score,
    )
