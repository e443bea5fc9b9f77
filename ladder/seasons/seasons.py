"""Seasons: which ones of a game have been closed or play their series, and the boards of the closed ones.

The season that is on has no row before its series begins: its number follows the last one's
(ladder.seasons.ending.running).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, LiteralString

from engine.immutable import immutable
from ladder.database.connection import Connection, Rows, first_column, first_value, one
from ladder.database.schema import names_of_fields
from ladder.ids import LeagueId, SeasonId, VersionId
from ladder.matchmaking.requests import SEASON_CLOSED
from ladder.ratings.counts import COUNTS, Record, columns_of, with_record

if TYPE_CHECKING:
    from ladder.accounts.class_list import ClassMember


def add(connection: Connection, game: str, season: int, entrants: Sequence[ClassMember]) -> None:
    """Let players take part in a season's contest. What a later list says takes the place of what an earlier said."""
    query = """
        INSERT INTO contest_players (game, season, player_id, real_name, group_name, email, external_id)
        SELECT %(game)s, %(season)s, id, %(real_name)s, %(group)s, %(email)s, %(external_id)s
        FROM players WHERE lower(name) = lower(%(name)s)
        ON CONFLICT (game, season, player_id) DO UPDATE
        SET real_name = coalesce(excluded.real_name, contest_players.real_name),
            group_name = coalesce(excluded.group_name, contest_players.group_name),
            email = coalesce(excluded.email, contest_players.email),
            external_id = coalesce(excluded.external_id, contest_players.external_id)"""
    rows = [{"game": game, "season": season, **asdict(entrant)} for entrant in entrants]
    connection.cursor().executemany(query, rows)


def was_contest(connection: Connection, game: str, season: int) -> bool:
    query = """
        SELECT EXISTS (SELECT FROM contest_players WHERE game = %(game)s AND season = %(season)s) OR EXISTS (
            SELECT FROM seasons WHERE game = %(game)s AND number = %(season)s AND submit_until IS NOT NULL)"""
    return bool(one(connection, query, {"game": game, "season": season})[0])


@immutable
class Season:
    """A game's season. `id`: None as long as nothing of its end has begun. `opened_at`: None for the first one.

    `series_battles`: this many battles more for each of the first `series_top` of each board; 0 where it has no series.
    `submit_until`, `title`, `rules`: of the contest that it was, see `ladder.seasons.ending.SeasonPlan`.
    """

    id: SeasonId | None
    game: str
    number: int
    opened_at: datetime | None
    series_battles: int = 0
    series_top: int = 0
    closed_at: datetime | None = None
    submit_until: datetime | None = None
    title: str = ""
    rules: str = ""

    @property
    def state(self) -> str:
        if self.closed_at is not None:
            return "closed"
        return "open" if self.id is None else "series"

    @property
    def row_id(self) -> SeasonId:
        """Return the id of its row; of one that has none yet 0, which is not a row's."""
        return self.id or SeasonId(0)


@immutable
class GivenUp:
    """Battles of a series, of the `of` that were to be, that will not be played; `others`: who was to play besides."""

    league_id: LeagueId
    league: str
    first_id: VersionId
    second_id: VersionId
    first: str
    second: str
    battles: int
    of: int
    reason: str
    other_ids: Sequence[VersionId] = ()
    others: Sequence[str] = ()

    @property
    def version_ids(self) -> set[VersionId]:
        return {self.first_id, self.second_id, *self.other_ids}


@immutable
class Series:
    """How far a series is, in battles; `lapsed`: never made; `waiting`: matches; `given_up`: lapsed or void."""

    battles: int
    made: int
    lapsed: int
    waiting: int
    given_up: tuple[GivenUp, ...] = ()

    @property
    def is_over(self) -> bool:
        return self.made + self.lapsed == self.battles and self.waiting == 0


@immutable
class SeasonRank:
    """A line of a final board, as it was then. Six fields are a `davidson.SettledStrength`'s, or None."""

    MERGED: ClassVar = ("record",)

    league_id: LeagueId
    league: str
    league_title: str
    group_number: int | None
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    strength: float | None
    error: float | None
    live_rank: int
    version_id: VersionId
    bot: str
    number: int
    player: str
    is_boss: bool
    score: float
    mu: float
    sigma: float
    record: Record

    @property
    def is_unplayed(self) -> bool:
        return self.rank is None

    @property
    def version(self) -> str:
        return f"{self.bot}@v{self.number}"


KEPT: tuple[LiteralString, ...] = (
    *(name for name in names_of_fields(SeasonRank) if name not in {"league", "record"}),
    *COUNTS,
)
"""The columns of such a row, but for its season."""


def hold(connection: Connection) -> None:
    """Keep others from beginning or closing a season until this transaction ends, and see one moment from here on.

    Nothing but another call of it may come before in the transaction, so that the last holder's changes are seen. The
    scheduler can still read seasons, and recordings do not wait.
    """
    connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
    connection.execute("LOCK TABLE seasons IN SHARE ROW EXCLUSIVE MODE")


def begun(connection: Connection, game: str) -> list[Season]:
    query = """
        SELECT id, game, number, opened_at, series_battles, series_top, closed_at, submit_until, title, rules
        FROM seasons WHERE game = %s ORDER BY number"""
    return Rows(connection, Season).all(query, [game])


def begin_end(connection: Connection, season: Season, battles: int = 0, top: int = 0) -> SeasonId:
    """Write down a season whose end begins, and return its id. Without battles for a series it is closed at once."""
    query = """
        INSERT INTO seasons (
            game, number, opened_at, series_battles, series_top, closed_at, submit_until, title, rules)
        SELECT %(game)s, %(number)s, %(opened_at)s, %(battles)s, %(top)s,
               CASE WHEN %(battles)s = 0 THEN now() END,
               CASE WHEN submit_until IS NOT NULL THEN least(submit_until, now()) END,
               coalesce(title, ''), coalesce(rules, '')
        FROM (SELECT) AS season LEFT JOIN season_plans ON game = %(game)s AND number = %(number)s
        RETURNING id"""
    values = {"game": season.game, "number": season.number, "opened_at": season.opened_at}
    return SeasonId(one(connection, query, {**values, "battles": battles, "top": top})[0])


def mark_closed(connection: Connection, season_id: SeasonId) -> str | None:
    """Mark a season closed whose series was played and return its game; None if it is closed already."""
    query = "UPDATE seasons SET closed_at = now() WHERE id = %s AND closed_at IS NULL RETURNING game"
    return first_value(connection, query, [season_id])


def series_that_are_over(connection: Connection) -> list[SeasonId]:
    """Return the seasons whose series is played and that no other session is closing at this moment."""
    query = """
        SELECT id FROM seasons
        WHERE closed_at IS NULL
          AND NOT EXISTS (
              SELECT FROM requests WHERE season_id = seasons.id AND made < battles AND lapsed IS NULL)
          AND NOT EXISTS (
              SELECT FROM matches JOIN requests ON requests.id = matches.request_id
              WHERE requests.season_id = seasons.id AND is_waiting(matches.state))
        ORDER BY id
        FOR UPDATE SKIP LOCKED
        """
    return first_column(connection, query)


def series(connection: Connection, season_id: SeasonId) -> Series:
    query = """
        SELECT coalesce(sum(battles), 0)::int, coalesce(sum(made), 0)::int,
               coalesce(sum(battles - made) FILTER (WHERE lapsed IS NOT NULL OR seasons.closed_at IS NOT NULL), 0)::int,
               (SELECT count(*) FROM matches JOIN requests AS own ON own.id = matches.request_id
                WHERE own.season_id = %(id)s AND is_waiting(matches.state))
        FROM requests JOIN seasons ON seasons.id = requests.season_id
        WHERE season_id = %(id)s"""
    battles, made, lapsed, waiting = one(connection, query, {"id": season_id})
    return Series(battles, made, lapsed, waiting, given_up=tuple(given_up(connection, season_id)))


def given_up(connection: Connection, season_id: SeasonId) -> list[GivenUp]:
    query = """
        WITH own AS (
            SELECT requests.*, seasons.closed_at FROM requests JOIN seasons ON seasons.id = requests.season_id
            WHERE season_id = %(id)s),
        cut AS (
            SELECT id, battles - made AS battles, coalesce(lapsed, %(closed)s) AS reason, false AS is_void
            FROM own WHERE made < battles AND (lapsed IS NOT NULL OR closed_at IS NOT NULL)
            UNION ALL
            SELECT own.id, count(DISTINCT pair_id),
                   string_agg(format('match %%s is void: %%s', matches.id, reason), '; ' ORDER BY matches.id), true
            FROM own JOIN matches ON matches.request_id = own.id WHERE matches.state = 'void' GROUP BY own.id)
        SELECT own.league_id, leagues.title AS league, own.first AS first_id, own.second AS second_id,
               version_name(own.first) AS first, version_name(own.second) AS second,
               cut.battles::int AS battles, own.battles AS of, cut.reason,
               own.others AS other_ids, ARRAY(
                   SELECT version_name(id) FROM unnest(own.others) WITH ORDINALITY AS other (id, place)
                   ORDER BY place) AS others
        FROM cut JOIN own ON own.id = cut.id JOIN leagues ON leagues.id = own.league_id
        ORDER BY is_void, own.id"""
    return Rows(connection, GivenUp).all(query, {"id": season_id, "closed": SEASON_CLOSED})


def played_last(connection: Connection, game: str) -> datetime | None:
    """Return when the match was finished that a game's ratings know last; None if they know none.

    PostgreSQL would look for a league without lines in all of them, were the ends not given as pairs.
    """
    query = """
        SELECT max(matches.finished_at)
        FROM leagues
        CROSS JOIN LATERAL (
            SELECT match_id FROM ledger
            WHERE (league_id, sequence) BETWEEN (leagues.id, 0) AND (leagues.id, 9223372036854775807)
            ORDER BY league_id DESC, sequence DESC LIMIT 1) AS last
        JOIN matches ON matches.id = last.match_id WHERE leagues.game = %(game)s"""
    finished_at: datetime | None = one(connection, query, {"game": game})[0]
    return finished_at


def keep_board(connection: Connection, season_id: SeasonId, board: Iterable[SeasonRank]) -> None:
    query = f"""
        INSERT INTO season_ranks (season_id, {", ".join(KEPT)})
        VALUES (%(season_id)s, {", ".join(f"%({name})s" for name in KEPT)})"""  # noqa: S608
    rows = [{"season_id": season_id, **asdict(row), **columns_of(row.record)} for row in board]
    connection.cursor().executemany(query, rows)


def kept_boards(
    connection: Connection,
    season_id: SeasonId,
    league_id: LeagueId | None = None,
    after: int = 0,
    limit: int | None = None,
) -> list[SeasonRank]:
    """The highest league first; on each the largest group, best first. Of each at most `limit` after `after`."""
    query = f"""
        SELECT leagues.name AS league, {", ".join(f"kept.{name}" for name in KEPT)}
        FROM (
            SELECT *, row_number() OVER (
                PARTITION BY league_id ORDER BY group_number NULLS LAST, rank, live_rank) AS place
            FROM season_ranks
            WHERE season_id = %(season)s AND (%(league)s::bigint IS NULL OR league_id = %(league)s)) AS kept
        JOIN leagues ON leagues.id = kept.league_id
        WHERE place > %(after)s AND (%(limit)s::bigint IS NULL OR place <= %(after)s + %(limit)s::bigint)
        ORDER BY leagues.position DESC, place"""  # noqa: S608
    values = {"season": season_id, "league": league_id, "after": after, "limit": limit}
    return Rows(connection, with_record(SeasonRank)).all(query, values)


def kept_lines(connection: Connection, season_id: SeasonId) -> dict[LeagueId, int]:
    query = "SELECT league_id, count(*) FROM season_ranks WHERE season_id = %s GROUP BY league_id"
    return dict(connection.execute(query, [season_id]).fetchall())
