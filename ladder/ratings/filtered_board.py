"""A board as it would be if only some matches had been played. Nothing is written.

How this works. The finished matches that a filter picks are replayed in the ledger's order, with everybody beginning
fresh under the league's present settings; see ladder.ratings.rerate and ladder.matches.filters. Versions that have
left the board still say something about those they met, so their matches count; listed and ranked are those on the
board, as on the live one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from ladder.database.connection import Connection
from ladder.leagues.leagues import League
from ladder.matches.filters import Filter, as_sql, check_names
from ladder.ratings import ledger, standings
from ladder.ratings.counts import Record
from ladder.ratings.models import score
from ladder.ratings.rerate import Replay


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
    """Best score first, of those on the board now. Raises FilterFault for an unknown league or bot."""
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
        BoardLine(
            rank,
            live[version_id].name,
            scores[version_id],
            rating.mu,
            rating.sigma,
            records[version_id].for_players(league.players),
            live[version_id].score,
        )
        for rank, version_id in enumerate(in_order, 1)
        for rating in [replay.rating_of(version_id)]
    ]
