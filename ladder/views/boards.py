"""The leaderboards, whole or page by page; the highest league comes first. And whether they are frozen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from engine.errors import UsageFault
from ladder.database.connection import Connection
from ladder.leagues import leagues
from ladder.leagues.leagues import League
from ladder.ratings import frozen, standings
from ladder.ratings.standings import BoardCursor, Standing
from ladder.row_limits import require_limit
from ladder.sight import sees_everything


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One line of a board. `cursor`: the place after it, from which `ladder board --after` goes on.

    `caution`: see `League.caution`.
    """

    MERGED: ClassVar = ("standing",)

    game: str
    league: str
    rank: int
    version: str
    standing: Standing
    cursor: str
    caution: str | None = None


@dataclass(frozen=True, slots=True)
class Frozen:
    """Boards are frozen since a moment. `is_true`: whether the reader sees them as they are all the same."""

    since: datetime
    is_true: bool

    @property
    def meaning(self) -> str:
        """Say what that means for the reader."""
        if self.is_true:
            return "this is how it stands now, which only operators see; all others see how it stood then"
        return "this is how it stood then; what was played later shows when an operator thaws the boards"


@dataclass(frozen=True, slots=True)
class Page:
    """Some rows of a league's board. `more`: how many rows come after the last; `frozen`: None where it is not."""

    league: League
    rows: list[BoardRow]
    more: int = 0
    frozen: Frozen | None = None

    @property
    def has_players(self) -> bool:
        """Say whether somebody else than the league's boss is on the board, as far as the page shows."""
        return self.more > 0 or any(not row.standing.is_boss for row in self.rows)


def frozen_since(connection: Connection, game: str) -> Frozen | None:
    """Return since when the boards of a game are frozen; None where they are not."""
    found = frozen.find(connection, game)
    if found is None or not found.has_begun:
        return None
    return Frozen(found.frozen_from, sees_everything(connection))


def board_rows(league: League, board: Sequence[Standing], first_rank: int = 1) -> list[BoardRow]:
    """Return the lines of a league's board, or of a part of it that begins with that rank."""
    return [
        BoardRow(league.game, league.name, rank, standing.name, standing, standing.mark(rank).text, league.caution)
        for rank, standing in enumerate(board, first_rank)
    ]


def read_pages(
    connection: Connection,
    game: str | None = None,
    league: str | None = None,
    after: BoardCursor | None = None,
    limit: int | None = None,
) -> list[Page]:
    """Read the boards that are asked for, of each at most `limit` rows; without a league only those with rows.

    Raises UnknownName for a game or league, and UsageFault where a mark is not for one board, or several games have
    such a league and none is named.
    """
    check_choice(league, after)
    require_limit(limit)
    pages = [read_page(connection, found, after, limit) for found in wanted_leagues(connection, game, league)]
    return [page for page in pages if page.rows or league is not None]


def check_choice(league: str | None, after: BoardCursor | None) -> None:
    """Raise UsageFault for a mark where no league is named."""
    if after is not None and league is None:
        raise UsageFault("--after goes on with one board: say which with --game and --league")


def wanted_leagues(connection: Connection, game: str | None, league: str | None) -> list[League]:
    """Return the leagues that are asked for, the highest first. Raises UnknownName and UsageFault."""
    if game is not None:
        leagues.check_game(connection, game)
    if league is not None:
        return [leagues.find_league_in(connection, game, league)]
    return leagues.leagues(connection, game)[::-1]


def read_page(connection: Connection, league: League, after: BoardCursor | None, limit: int | None) -> Page:
    """Read one board, or a part of it. Raises UsageFault for a place on another one."""
    begin = after or standings.TOP
    check_place(connection, league, after)
    rows = standings.board(connection, league.id, begin, limit)
    is_cut = limit is not None and len(rows) == limit
    more = standings.count_after(connection, league.id, rows[-1].mark(begin.rank + len(rows))) if is_cut else 0
    return Page(league, board_rows(league, rows, begin.rank + 1), more, frozen_since(connection, league.game))


def check_place(connection: Connection, league: League, after: BoardCursor | None) -> None:
    """Raise UsageFault for a place on another board, where no version of this one was ever."""
    if after is not None and not standings.has_stayed(connection, after.version_id, league.id):
        raise UsageFault(f"{after.text} is a place on another board than that of {league.title} of {league.game}")
