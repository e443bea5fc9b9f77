"""The leaderboards, whole or page by page; the highest league comes first. And whether they are frozen.

How this works. The ledger has no times: its matches have. Its lines stand in the order in which they were recorded, so
the last line before a moment is found by halving, in some thirty steps, however long the ledger is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from datetime import datetime, timedelta
from typing import ClassVar

from engine.errors import UsageFault
from engine.immutable import immutable
from ladder.database.connection import Connection, one
from ladder.ids import LARGEST_ID, LeagueId, VersionId
from ladder.leagues import leagues
from ladder.leagues.leagues import League
from ladder.ratings import frozen, ledger, standings
from ladder.ratings.counts import most_places
from ladder.ratings.models import Rating, fresh, score
from ladder.ratings.standings import BoardCursor, Standing
from ladder.row_limits import require_limit
from ladder.visibility import sees_everything

CHANGE_WITHIN = timedelta(hours=24)
MOST_FORMER = 50
MOST_RANKED = 500
"""On boards of more versions no change of rank is worked out."""


def place_before(connection: Connection, league_id: LeagueId, age: timedelta) -> int:
    """Return the place in the ledger after which all lines of a league are younger than that."""
    query = """
        WITH RECURSIVE halves (low, high) AS (
            SELECT 0::bigint, coalesce(max(sequence), 0) FROM ledger WHERE league_id = %(league_id)s
            UNION ALL
            SELECT CASE WHEN is_old THEN middle ELSE low END, CASE WHEN is_old THEN high ELSE middle - 1 END
            FROM (SELECT low, high, (low + high + 1) / 2 AS middle FROM halves WHERE low < high) AS half
            CROSS JOIN LATERAL (
                SELECT coalesce((
                    SELECT finished_at < now() - %(age)s FROM (SELECT match_id FROM ledger
                          WHERE league_id = %(league_id)s AND sequence <= middle
                          ORDER BY sequence DESC LIMIT 1) AS last
                    JOIN matches ON matches.id = match_id), true) AS is_old) AS found)
        SELECT low FROM halves WHERE low = high
        """
    (place,) = one(connection, query, {"league_id": league_id, "age": age})
    return int(place)


def ratings_at(
    connection: Connection, league_id: LeagueId, version_ids: Sequence[VersionId], place: int
) -> dict[VersionId, Rating]:
    """Return how versions were rated at a place in the ledger; of one that came since, how it was when it came."""
    query = """
        SELECT wanted.version_id, mu_before, sigma_before
        FROM unnest(%(version_ids)s::bigint[]) AS wanted (version_id)
        CROSS JOIN LATERAL (
            SELECT mu_before, sigma_before FROM ledger
            WHERE ledger.version_id = wanted.version_id AND sequence > %(place)s AND league_id = %(league_id)s
            ORDER BY sequence LIMIT 1) AS first
        """
    rows = connection.execute(query, {"version_ids": list(version_ids), "place": place, "league_id": league_id})
    return {version_id: Rating(mu, sigma) for version_id, mu, sigma in rows}


@immutable
class LiveRow:
    """A line of a board. `change`: of its score within a day; None where it played no rated match in that time.

    `rank_change`: the places that it went up among those on the board now; None if unknown, or where it came since.
    """

    MERGED: ClassVar = ("row",)

    row: BoardRow
    change: float | None
    rank_change: int | None = None


@immutable
class LiveBoard:
    """A part of a board. `more`: rows after it; `ends`: of the whole; `has_a_day`: else changes are since each came."""

    league: League
    rows: list[LiveRow]
    next: str | None
    more: int | None
    ends: tuple[float, ...] = ()
    former: list[Standing] = field(default_factory=list[Standing])
    frozen: Frozen | None = None
    has_a_day: bool = False

    @property
    def has_changes(self) -> bool:
        return any(line.change is not None for line in self.rows)

    @property
    def has_players(self) -> bool:
        return any(not line.row.standing.is_boss for line in self.rows)

    @property
    def most_places(self) -> int:
        return most_places(standing.record for standing in self.shown)

    @property
    def shown(self) -> list[Standing]:
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
    """Read a board, at most `limit` rows of it. Raises UsageFault for a mark of another board.

    `name`: only bots or players with these words in their names. `retired`: also the MOST_FORMER that left it last.
    """
    words = name.strip().partition("@")[0]
    if words:
        found = search(connection, league, words, after, limit or LARGEST_ID - 1)
    else:
        found = read_page(connection, league, after, limit)
    is_whole = not (words or after or found.more)
    place = place_before(connection, league.id, CHANGE_WITHIN)
    rows = with_changes(connection, league, found.rows, place)
    return LiveBoard(
        league,
        rows,
        next=found.rows[-1].cursor if found.more else None,
        more=None if words else found.more,
        ends=() if is_whole else standings.ends_of_bands(connection, league.id),
        former=standings.former(connection, league.id, MOST_FORMER) if retired else [],
        frozen=found.frozen,
        has_a_day=ledger.has_lines(connection, league.id, place),
    )


def live_boards(
    connection: Connection,
    game: str | None = None,
    league: str | None = None,
    after: BoardCursor | None = None,
    limit: int | None = None,
) -> list[LiveBoard]:
    """Read boards, without a league those on which not only the boss plays. Raises as `read_pages`."""
    check_choice(league, after)
    require_limit(limit)
    found = [live_board(connection, one, after, limit) for one in wanted_leagues(connection, game, league)]
    return [board for board in found if board.has_players or league is not None]


def search(connection: Connection, league: League, words: str, after: BoardCursor | None, limit: int) -> Page:
    """Read the rows of a board whose names have these words; `more` is only whether there are more."""
    check_place(connection, league, after)
    ranks = standings.ranks_by_name(connection, league, words, after or standings.TOP, limit + 1)
    found = standings.board(connection, league.id, only=list(ranks)[:limit])
    freeze = frozen_since(connection, league.game)
    rows = [row for standing in found for row in board_rows(league, [standing], ranks[standing.version_id], freeze)]
    return Page(league, rows, len(ranks) - len(rows), freeze)


def with_changes(connection: Connection, league: League, rows: Sequence[BoardRow], place: int) -> list[LiveRow]:
    """Say of rows of a board how their scores and ranks have changed since a place in the ledger."""
    whole = {} if league.is_settled else standings.scores(connection, league.id, MOST_RANKED)
    version_ids = list(whole or [row.standing.version_id for row in rows])
    settings = ledger.rating_settings(connection, league.id)
    ratings = ratings_at(connection, league.id, version_ids, place)
    before = {version_id: score(settings, rating) for version_id, rating in ratings.items()}
    earlier = sorted(whole, key=lambda version_id: (-before.get(version_id, whole[version_id]), version_id))
    came = fresh(settings)
    ranks = {version_id: rank for rank, version_id in enumerate(earlier, 1) if ratings.get(version_id) != came}
    lines: list[LiveRow] = []
    for row in rows:
        score_before, rank_before = before.get(row.standing.version_id), ranks.get(row.standing.version_id)
        change = None if score_before is None else row.standing.score - score_before
        lines.append(LiveRow(row, change, None if rank_before is None else rank_before - row.rank))
    return lines


@immutable
class BoardRow:
    """A line of a board. `cursor`: for `--after`; `caution`: see `League`; `frozen_since`: the moment that it shows."""

    MERGED: ClassVar = ("standing",)

    game: str
    league: str
    rank: int
    version: str
    standing: Standing
    cursor: str
    caution: str | None = None
    frozen_since: datetime | None = None


@immutable
class Frozen:
    """Boards are frozen since a moment. `is_true`: whether the reader sees them as they are all the same."""

    since: datetime
    is_true: bool

    @property
    def meaning(self) -> str:
        if self.is_true:
            return "this is how it stands now, which only operators see; all others see how it stood then"
        return "this is how it stood then; what was played later shows when an operator thaws the boards"


@immutable
class Page:
    """Some rows of a league's board. `more`: how many rows come after the last; `frozen`: None where it is not."""

    league: League
    rows: list[BoardRow]
    more: int = 0
    frozen: Frozen | None = None

    @property
    def has_players(self) -> bool:
        return self.more > 0 or any(not row.standing.is_boss for row in self.rows)


def frozen_since(connection: Connection, game: str) -> Frozen | None:
    found = frozen.find(connection, game)
    if found is None or not found.has_begun:
        return None
    return Frozen(found.frozen_from, sees_everything(connection))


def board_rows(
    league: League, board: Sequence[Standing], first_rank: int = 1, freeze: Frozen | None = None
) -> list[BoardRow]:
    since = None if freeze is None or freeze.is_true else freeze.since
    return [
        BoardRow(league.game, league.name, rank, row.name, row, row.mark(rank).text, league.caution, since)
        for rank, row in enumerate(board, first_rank)
    ]


def read_pages(
    connection: Connection,
    game: str | None = None,
    league: str | None = None,
    after: BoardCursor | None = None,
    limit: int | None = None,
) -> list[Page]:
    """Read boards, without a league those with rows. Raises UnknownName, UsageFault for a mark without a league."""
    check_choice(league, after)
    require_limit(limit)
    pages = [read_page(connection, found, after, limit) for found in wanted_leagues(connection, game, league)]
    return [page for page in pages if page.rows or league is not None]


def check_choice(league: str | None, after: BoardCursor | None) -> None:
    if after is not None and league is None:
        raise UsageFault("--after goes on with one board: say which with --game and --league")


def wanted_leagues(connection: Connection, game: str | None, league: str | None) -> list[League]:
    leagues.check_game(connection, game)
    if league is not None:
        return [leagues.find_league_in(connection, game, league)]
    return leagues.leagues(connection, game)[::-1]


def read_page(connection: Connection, league: League, after: BoardCursor | None, limit: int | None) -> Page:
    begin = after or standings.TOP
    check_place(connection, league, after)
    rows = standings.board(connection, league.id, begin, limit)
    is_cut = limit is not None and len(rows) == limit
    more = standings.count_after(connection, league.id, rows[-1].mark(begin.rank + len(rows))) if is_cut else 0
    freeze = frozen_since(connection, league.game)
    return Page(league, board_rows(league, rows, begin.rank + 1, freeze), more, freeze)


def check_place(connection: Connection, league: League, after: BoardCursor | None) -> None:
    """Raise UsageFault for a place on another board, where no version of this one was ever."""
    if after is not None and not standings.has_stayed(connection, after.version_id, league.id):
        raise UsageFault(f"{after.text} is a place on another board than that of {league.title} of {league.game}")
