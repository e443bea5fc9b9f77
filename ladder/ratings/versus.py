"""How a bot did against each opponent: by seat, and what the ratings before each match let expect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from psycopg.rows import class_row

from ladder.database.connection import Connection
from ladder.ids import BotId, LeagueId, MatchId, VersionId
from ladder.ratings.ledger import rating_settings
from ladder.ratings.models import Rating, model_of
from ladder.statistics.seats import BySeat, SeatRecord

RESULTS = ("win", "draw", "loss")


@dataclass(frozen=True, slots=True)
class Meeting:
    """One rated match from a bot's side; `pair_id`: of the two matches on one seed."""

    version: str
    opponent_bot: str
    opponent: str
    league_id: LeagueId
    match_id: MatchId
    pair_id: int
    seat: int
    result: str
    mu: float
    sigma: float
    opponent_mu: float
    opponent_sigma: float


@dataclass(frozen=True, slots=True)
class Versus:
    """All rated matches against one opponent. `expected`: points, by the ratings before each match.

    `by_seat`: as player 0 and as player 1; `pairs`: on this many seeds; `version`: whose matches, "" for all of a bot.
    """

    SHOWN: ClassVar = ("matches", "points")

    version: str
    opponent: str
    by_seat: BySeat
    pairs: int
    expected: float
    latest_match: MatchId

    @property
    def matches(self) -> int:
        """Return how many matches those are."""
        return sum(record.matches for record in self.by_seat)

    @property
    def points(self) -> float:
        """Return the points that it took."""
        return sum(record.points for record in self.by_seat)


def meetings_of_bot(
    connection: Connection, bot_id: BotId, version_id: VersionId | None = None, opponent_id: BotId | None = None
) -> list[Meeting]:
    """Return the rated matches of a bot, or of one of its versions, against all or one other bot, in their order."""
    with connection.cursor(row_factory=class_row(Meeting)) as cursor:
        return cursor.execute(
            """
            SELECT version_name(own.version_id) AS version, bots.name AS opponent_bot,
                   bots.name || '@v' || theirs.number AS opponent, own.league_id, own.match_id, matches.pair_id,
                   seats.seat, seats.result, own.mu_before AS mu, own.sigma_before AS sigma,
                   other.mu_before AS opponent_mu, other.sigma_before AS opponent_sigma
            FROM versions
            JOIN ledger AS own ON own.version_id = versions.id
            JOIN seats ON seats.match_id = own.match_id AND seats.version_id = own.version_id
            JOIN matches ON matches.id = own.match_id
            JOIN ledger AS other ON other.match_id = own.match_id AND other.version_id <> own.version_id
            JOIN versions AS theirs ON theirs.id = other.version_id
            JOIN bots ON bots.id = theirs.bot_id
            WHERE versions.bot_id = %(bot)s AND (%(version)s::bigint IS NULL OR versions.id = %(version)s)
              AND (%(opponent)s::bigint IS NULL OR bots.id = %(opponent)s)
            ORDER BY own.match_id
            """,
            {"bot": bot_id, "version": version_id, "opponent": opponent_id},
        ).fetchall()


def versus(connection: Connection, meetings: Sequence[Meeting], *, by_version: bool) -> list[Versus]:
    """Sum meetings up by opponent, or `by_version` of both sides; the opponent that was met most comes first."""
    grouped: dict[tuple[str, str], list[Meeting]] = {}
    for meeting in meetings:
        key = (meeting.version, meeting.opponent) if by_version else ("", meeting.opponent_bot)
        grouped.setdefault(key, []).append(meeting)
    models = {id_: model_of(rating_settings(connection, id_)) for id_ in {meeting.league_id for meeting in meetings}}
    rows = [
        Versus(
            *names,
            by_seat=(record(own, 0), record(own, 1)),
            pairs=len({meeting.pair_id for meeting in own}),
            expected=sum(models[one.league_id].expected_points(*before(one)) for one in own),
            latest_match=own[-1].match_id,
        )
        for names, own in grouped.items()
    ]
    return sorted(rows, key=lambda row: (-row.matches, row.opponent, row.version))


def record(meetings: Sequence[Meeting], seat: int) -> SeatRecord:
    """Count the results in a seat."""
    own = [meeting.result for meeting in meetings if meeting.seat == seat]
    return SeatRecord(seat, *(own.count(result) for result in RESULTS))


def before(meeting: Meeting) -> tuple[Rating, Rating]:
    """Return the ratings of both before a match."""
    return Rating(meeting.mu, meeting.sigma), Rating(meeting.opponent_mu, meeting.opponent_sigma)


def seats_of(connection: Connection, version_id: VersionId) -> BySeat:
    """Return how a version did in each seat, in all its rated matches."""
    rows = connection.execute(
        """
        SELECT seats.seat, count(*) FILTER (WHERE result = 'win'), count(*) FILTER (WHERE result = 'draw'),
               count(*) FILTER (WHERE result = 'loss')
        FROM ledger JOIN seats ON seats.match_id = ledger.match_id AND seats.version_id = ledger.version_id
        WHERE ledger.version_id = %s
        GROUP BY seats.seat
        """,
        [version_id],
    ).fetchall()
    found = {seat: SeatRecord(seat, *counts) for seat, *counts in rows}
    return found.get(0, SeatRecord(0)), found.get(1, SeatRecord(1))
