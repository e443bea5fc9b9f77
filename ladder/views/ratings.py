"""Ratings: how one has moved, whether the ledger holds, what rating again has changed, other boards than the live ones.

How this works. For a board by a filter the finished matches that it picks are replayed in the ledger's order, with
everybody beginning fresh under the league's present settings: see ladder.ratings.replay and ladder.matches.filters.
Versions that have left the board still say something about those they met, so their matches count; listed and ranked
are those on the board, as on the live one.

A bot may have a hundred thousand lines in the ledger, and a plot of its rating needs some hundred. Of a bot with few
lines all are read. Of others each version gets points in proportion to its matches, at even distances between its first
line and its last; each of them is one look into the index `ledger_of_version`.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import ClassVar, TypeAlias

from psycopg.sql import SQL

from engine.immutable import immutable
from ladder import ratings
from ladder.bots import versions
from ladder.database.connection import Connection, Rows, one
from ladder.ids import MatchId
from ladder.leagues.leagues import League
from ladder.matches.filters import Filter, as_sql, check_names
from ladder.names import NamedVersion
from ladder.ratings import ledger, replay, standings
from ladder.ratings.counts import Record
from ladder.ratings.models import score
from ladder.ratings.replay import LedgerReport, RatingReplay, Rewritten
from ladder.views.boards import wanted_leagues

Progress: TypeAlias = Callable[[Connection, Sequence[League]], AbstractContextManager[Callable[[], None]]]
"""Shows how far the leagues' matches are, or bounds them; it gives what is to be called after each of them."""
Settling: TypeAlias = Callable[[Connection, Sequence[League]], AbstractContextManager[None]]
MOST_POINTS = 500
LEAST_POINTS = 4
MOST_VERSIONS = 100


@immutable
class BoardLine:
    """A line of a board on a part of a league's matches. `live_score`: what the version stands at by all."""

    MERGED: ClassVar = ("record",)

    game: str
    league: str
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
    lines: list[BoardLine] = []
    for rank, version_id in enumerate(in_order, 1):
        row, rating = live[version_id], replay.rating_of(version_id)
        lines.append(
            BoardLine(
                game=league.game,
                league=league.name,
                rank=rank,
                version=row.name,
                score=scores[version_id],
                mu=rating.mu,
                sigma=rating.sigma,
                record=records[version_id].for_players(league.players),
                live_score=row.score,
            )
        )
    return lines


def unseen(_connection: Connection, _leagues: Sequence[League]) -> AbstractContextManager[Callable[[], None]]:
    return nullcontext(lambda: None)


def count_matches(connection: Connection, leagues: Sequence[League]) -> int:
    return ledger.count_finished(connection, [league.id for league in leagues])


@immutable
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


@immutable
class RatedLeague:
    """What rating a league again has changed."""

    MERGED: ClassVar = ("rewritten",)

    rewritten: Rewritten
    game: str
    league: str


@immutable
class FilteredBoard:
    """A league's board as it would be if only some matches had been played."""

    league: League
    rows: list[BoardLine]


def filtered_boards(
    connection: Connection, game: str | None, league: str | None, wanted: Filter, progress: Progress = unseen
) -> list[FilteredBoard]:
    """Return boards on the matches that a filter picks. Raises UnknownName, UsageFault, FilterFault."""
    chosen = wanted_leagues(connection, game, league)
    with progress(connection, chosen) as on_match:
        return [FilteredBoard(place, board_of(connection, place, wanted, on_match)) for place in chosen]


@immutable
class SettledRow:
    """A line of a board by all matches at once."""

    MERGED: ClassVar = ("line",)

    game: str
    league: str
    line: standings.SettledLine


@immutable
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


@immutable
class RatingPoint:
    """A version's rating after a match, in a league of that title. `sequence`: the line's place in the ledger."""

    sequence: int
    version: str
    league: str
    match_id: MatchId
    at: datetime
    mu: float
    sigma: float


@immutable
class LeagueMove:
    """A version went to another league. `kind`: promotion, demotion, or rewind (an operator took a promotion back)."""

    version: str
    kind: str
    from_league: str
    to_league: str
    at: datetime


@immutable
class RatingHistory:
    """How the rating of a bot or version has moved, in the ledger's order; of more than MOST_POINTS only some."""

    name: str
    matches: int
    points: list[RatingPoint]
    moves: list[LeagueMove]

    @property
    def is_thinned(self) -> bool:
        return len(self.points) < self.matches


def rating_history(connection: Connection, named: NamedVersion, game: str | None = None) -> RatingHistory:
    """Return how a bot's rating has moved, or that of one version. Raises UnknownName, UsageFault."""
    bot, version = versions.find_named(connection, named, game)
    own = {"bot": bot.id, "version": None if version is None else version.id}
    matches = int(one(connection, MATCHES, own)[0])
    some = {"versions": MOST_VERSIONS, "most": MOST_POINTS, "least": LEAST_POINTS}
    points = Rows(connection, RatingPoint).all(ALL_POINTS if matches <= MOST_POINTS else SOME_POINTS, own | some)
    latest_moves = Rows(connection, LeagueMove).all(LATEST_MOVES, own | some)
    return RatingHistory(str(NamedVersion(bot.name, named.number)), matches, points, latest_moves[::-1])


MATCHES = """
    SELECT coalesce(sum(matches), 0)::int FROM versions JOIN standings ON standings.version_id = versions.id
    WHERE versions.bot_id = %(bot)s AND (%(version)s::bigint IS NULL OR versions.id = %(version)s)
"""
PLAYED = SQL("""
    played AS (
        SELECT versions.id AS version_id, sum(standings.matches) AS matches
        FROM versions JOIN standings ON standings.version_id = versions.id AND standings.matches > 0
        WHERE versions.bot_id = %(bot)s AND (%(version)s::bigint IS NULL OR versions.id = %(version)s)
        GROUP BY versions.id, versions.number ORDER BY versions.number DESC LIMIT %(versions)s)
    """)
SELECT_POINTS = SQL("""
    SELECT ledger.sequence, bots.name || '@v' || versions.number AS version, leagues.title AS league, ledger.match_id,
           coalesce(matches.finished_at, matches.created_at) AS at, ledger.mu_after AS mu, ledger.sigma_after AS sigma
    FROM picked JOIN ledger ON ledger.sequence = picked.sequence JOIN leagues ON leagues.id = ledger.league_id
    JOIN versions ON versions.id = ledger.version_id JOIN bots ON bots.id = versions.bot_id
    JOIN matches ON matches.id = ledger.match_id ORDER BY ledger.sequence
    """)
ALL_POINTS = SQL("""
    WITH {played},
    picked AS (
        SELECT line.sequence FROM played CROSS JOIN LATERAL (
            SELECT sequence FROM ledger WHERE version_id = played.version_id ORDER BY sequence DESC
            LIMIT %(most)s) AS line
        ORDER BY line.sequence DESC LIMIT %(most)s)
    {points}
    """).format(played=PLAYED, points=SELECT_POINTS)
SOME_POINTS = SQL("""
    WITH {played},
    spans AS (
        SELECT version_id, first.sequence AS first, last.sequence AS last,
               least(matches, greatest(%(least)s, %(most)s * matches / sum(matches) OVER ()))::int AS points
        FROM played
        CROSS JOIN LATERAL (
            SELECT sequence FROM ledger WHERE version_id = played.version_id ORDER BY sequence LIMIT 1) AS first
        CROSS JOIN LATERAL (
            SELECT sequence FROM ledger WHERE version_id = played.version_id ORDER BY sequence DESC LIMIT 1) AS last),
    picked AS (
        SELECT DISTINCT line.sequence FROM spans
        CROSS JOIN generate_series(0, points - 1) AS number
        CROSS JOIN LATERAL (
            SELECT sequence FROM ledger WHERE version_id = spans.version_id
              AND sequence >= first + (last - first) * number / greatest(points - 1, 1)
            ORDER BY sequence LIMIT 1) AS line)
    {points}
    """).format(played=PLAYED, points=SELECT_POINTS)
LATEST_MOVES = """
    SELECT version_name(moves.version_id) AS version, kind, left_league.title AS from_league,
           new_league.title AS to_league, moves.at
    FROM versions JOIN moves ON moves.version_id = versions.id
    JOIN leagues AS left_league ON left_league.id = moves.from_league
    JOIN leagues AS new_league ON new_league.id = moves.to_league
    WHERE versions.bot_id = %(bot)s AND (%(version)s::bigint IS NULL OR versions.id = %(version)s)
    ORDER BY moves.id DESC LIMIT %(most)s
"""
