"""Ratings: whether the ledger holds, what rating again has changed, and other boards than the live ones.

How this works. For a board by a filter the finished matches that it picks are replayed in the ledger's order, with
everybody beginning fresh under the league's present settings: see ladder.ratings.replay and ladder.matches.filters.
Versions that have left the board still say something about those they met, so their matches count; listed and ranked
are those on the board, as on the live one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from ladder import ratings
from ladder.database.connection import Connection
from ladder.leagues.leagues import League
from ladder.matches.filters import Filter, as_sql, check_names
from ladder.ratings import ledger, replay, standings
from ladder.ratings.counts import Record
from ladder.ratings.models import score
from ladder.ratings.replay import LedgerReport, RatingReplay, Rewritten
from ladder.ratings.standings import SettledLine
from ladder.views.boards import wanted_leagues


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
    replay = RatingReplay(ledger.rating_settings(connection, league.id))
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


Progress: TypeAlias = Callable[[Connection, Sequence[League]], AbstractContextManager[Callable[[], None]]]
"""Shows how far the leagues' matches are, or bounds them; it gives what is to be called after each of them."""


def unseen(_connection: Connection, _leagues: Sequence[League]) -> AbstractContextManager[Callable[[], None]]:
    return nullcontext(lambda: None)


Settling: TypeAlias = Callable[[Connection, Sequence[League]], AbstractContextManager[None]]


def count_matches(connection: Connection, leagues: Sequence[League]) -> int:
    return ledger.count_finished(connection, [league.id for league in leagues])


@dataclass(frozen=True, slots=True)
class VerifiedLedger:
    """What a check of the ledger has found. `clean`: whether everything fits."""

    MERGED: ClassVar = ("report",)

    clean: bool
    report: LedgerReport


def verified(
    connection: Connection, game: str | None = None, league: str | None = None, progress: Progress = unseen
) -> VerifiedLedger:
    """Check the ledger of leagues. The connection must see one snapshot. Raises UnknownName, UsageFault."""
    chosen = wanted_leagues(connection, game, league)
    with progress(connection, chosen) as on_match:
        report = replay.verify(connection, chosen, on_match)
    return VerifiedLedger(report.is_clean, report)


@dataclass(frozen=True, slots=True)
class RatedLeague:
    """What rating a league again has changed."""

    MERGED: ClassVar = ("rewritten",)

    rewritten: Rewritten
    game: str
    league: str


@dataclass(frozen=True, slots=True)
class FilteredRow:
    """A line of a board on a part of a league's matches."""

    MERGED: ClassVar = ("line",)

    game: str
    league: str
    line: BoardLine


@dataclass(frozen=True, slots=True)
class FilteredBoard:
    """A league's board as it would be if only some matches had been played."""

    league: League
    rows: list[FilteredRow]


def filtered_boards(
    connection: Connection, game: str | None, league: str | None, wanted: Filter, progress: Progress = unseen
) -> list[FilteredBoard]:
    """Return boards on the matches that a filter picks. Raises UnknownName, UsageFault, FilterFault."""
    chosen = wanted_leagues(connection, game, league)
    boards: list[FilteredBoard] = []
    with progress(connection, chosen) as on_match:
        for place in chosen:
            lines = board_of(connection, place, wanted, on_match)
            boards.append(FilteredBoard(place, [FilteredRow(place.game, place.name, line) for line in lines]))
    return boards


@dataclass(frozen=True, slots=True)
class SettledRow:
    """A line of a board by all matches at once."""

    MERGED: ClassVar = ("line",)

    game: str
    league: str
    line: SettledLine


@dataclass(frozen=True, slots=True)
class SettledBoard:
    """A league's board by all its matches at once."""

    league: League
    rows: list[SettledRow]


def settled_boards(
    connection: Connection,
    game: str | None,
    league: str | None,
    bounds: Settling = lambda *_: nullcontext(),
    *,
    inherits: bool = False,
) -> list[SettledBoard]:
    """Return boards by all matches at once; `inherits`: a predecessor's count too. Raises UnknownName, UsageFault."""
    chosen = wanted_leagues(connection, game, league)
    boards: list[SettledBoard] = []
    with bounds(connection, chosen):
        for place in chosen:
            lines = ratings.settled_fit.settled_board(connection, place, inherits=inherits)
            boards.append(SettledBoard(place, [SettledRow(place.game, place.name, line) for line in lines]))
    return boards
