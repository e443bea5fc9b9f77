"""A league's board as pages show it: with the change of a day, searched by name, and with those that have left it.

How this works. The ledger has no times: its matches have. Its lines stand in the order in which they were recorded, so
the last line before a moment is found by halving, in some thirty steps, however long the ledger is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import ClassVar

from ladder.database.connection import Connection, one
from ladder.ids import LARGEST_ID, LeagueId, VersionId
from ladder.leagues.leagues import League
from ladder.ratings import standings
from ladder.ratings.counts import most_places
from ladder.ratings.ledger import rating_settings
from ladder.ratings.models import Rating, RatingSettings, score
from ladder.ratings.standings import BoardCursor, Standing
from ladder.row_limits import require_limit
from ladder.views.boards import (
    BoardRow,
    Frozen,
    Page,
    board_rows,
    check_choice,
    check_place,
    frozen_since,
    read_page,
    wanted_leagues,
)


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


CHANGE_WITHIN = timedelta(hours=24)
MOST_FORMER = 50


@dataclass(frozen=True, slots=True)
class LiveRow:
    """A line of a board. `change`: of its score within a day; None where it played no rated match in that time."""

    MERGED: ClassVar = ("row",)

    row: BoardRow
    change: float | None


@dataclass(frozen=True, slots=True)
class LiveBoard:
    """A part of a league's board. `next`: the place where it goes on, None at its end; `more`: how many come after.

    `more` is None for a search. `ends`: the lowest mu - sigma and the highest mu + sigma of the whole board, where not
    all of it is here. `former`: versions that have left it, where they were asked for. `frozen`: None where it is not.
    """

    league: League
    rows: list[LiveRow]
    next: str | None
    more: int | None
    ends: tuple[float, ...] = ()
    former: list[Standing] = field(default_factory=list[Standing])
    frozen: Frozen | None = None

    @property
    def has_players(self) -> bool:
        return any(not line.row.standing.is_boss for line in self.rows)

    @property
    def most_places(self) -> int:
        """Return how many places its versions can take; 0 where every match has two players."""
        return most_places(standing.record for standing in self.shown)

    @property
    def shown(self) -> list[Standing]:
        """Return all standings on the page."""
        return [*(line.row.standing for line in self.rows), *self.former]


def live_board(
    connection: Connection,
    league: League,
    after: BoardCursor | None = None,
    limit: int | None = None,
    name: str = "",
    *,
    retired: bool = False,
) -> LiveBoard:
    """Read a board, or at most `limit` rows of it. `name`: only those whose bot or player has these words in its name.

    `retired`: also the latest MOST_FORMER versions that have left it. Raises UsageFault for a mark of another board.
    """
    words = name.strip().partition("@")[0]
    if words:
        found = search(connection, league, words, after, limit or LARGEST_ID - 1)
    else:
        found = read_page(connection, league, after, limit)
    is_whole = not (words or after or found.more)
    return LiveBoard(
        league,
        with_changes(connection, league, found.rows),
        found.rows[-1].cursor if found.more else None,
        None if words else found.more,
        () if is_whole else standings.ends_of_bands(connection, league.id),
        standings.former(connection, league.id, MOST_FORMER) if retired else [],
        found.frozen,
    )


def live_boards(
    connection: Connection,
    game: str | None = None,
    league: str | None = None,
    after: BoardCursor | None = None,
    limit: int | None = None,
) -> list[LiveBoard]:
    """Read the boards that are asked for; without a league those on which not only the boss plays.

    Raises as `boards.read_pages` does.
    """
    check_choice(league, after)
    require_limit(limit)
    found = [live_board(connection, one, after, limit) for one in wanted_leagues(connection, game, league)]
    return [board for board in found if board.has_players or league is not None]


def search(connection: Connection, league: League, words: str, after: BoardCursor | None, limit: int) -> Page:
    """Read the rows of a board whose names have these words; `more` is only whether there are more."""
    check_place(connection, league, after)
    ranks = standings.ranks_by_name(connection, league, words, after or standings.TOP, limit + 1)
    found = standings.board(connection, league.id, only=list(ranks)[:limit])
    rows = [row for standing in found for row in board_rows(league, [standing], ranks[standing.version_id])]
    return Page(league, rows, len(ranks) - len(rows), frozen_since(connection, league.game))


def with_changes(connection: Connection, league: League, rows: Sequence[BoardRow]) -> list[LiveRow]:
    """Add to rows how their scores have changed within a day."""
    place = place_before(connection, league.id, CHANGE_WITHIN)
    before = ratings_at(connection, league.id, [row.standing.version_id for row in rows], place)
    settings = rating_settings(connection, league.id)
    return [LiveRow(row, change(row.standing, before.get(row.standing.version_id), settings)) for row in rows]


def change(now: Standing, before: Rating | None, settings: RatingSettings) -> float | None:
    """Return by how much a score has changed since a rating; None where there is none."""
    return None if before is None else now.score - score(settings, before)
