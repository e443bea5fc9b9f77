"""How a bot did against each opponent: by seat, and what the ratings before each match let expect."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import ClassVar, NamedTuple

from psycopg.rows import TupleRow
from psycopg.sql import SQL

from engine.immutable import immutable
from ladder.database.connection import Connection
from ladder.ids import LeagueId, MatchId, VersionId
from ladder.ratings.ledger import LINES_OF_VERSION, all_rating_settings, lines_of_version
from ladder.ratings.models import RatingModel, model_of
from ladder.statistics.seats import BySeat, SeatRecord, every_seat

RESULTS = ("win", "draw", "loss")


class Meeting(NamedTuple):
    """One rated match from a bot's side; `pair_id`: of the two matches on one seed. Ratings are those before it.

    `version`: whose match it is, "" where all of a bot are taken together; `opponent`: a version, or then a bot.
    """

    sequence: int
    version: str
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


@immutable
class VersusRecord:
    """All rated matches against one opponent. `expected`: points, by the ratings before each match.

    `by_seat`: as player 0, as player 1 and so on; `pairs`: on this many seeds; `version`: whose matches, "" for all of
    a bot.
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
        return sum(record.matches for record in self.by_seat)

    @property
    def points(self) -> float:
        return sum(record.points for record in self.by_seat)


LOOKED_UP = SQL("""
    CROSS JOIN LATERAL (
        SELECT seat, result, place FROM seats
        WHERE match_id = own.match_id AND version_id = own.version_id {each}) AS seats
    CROSS JOIN LATERAL (
        SELECT version_id, mu_before, sigma_before FROM ledger
        WHERE match_id = own.match_id AND version_id <> own.version_id {each}) AS other
    CROSS JOIN LATERAL (SELECT pair_id, players FROM matches WHERE id = own.match_id {each}) AS matches
    JOIN versions AS theirs ON theirs.id = other.version_id
    JOIN bots AS their_bot ON their_bot.id = theirs.bot_id""")
RESULT = SQL("""
    CASE WHEN players = 2 THEN result ELSE (
        SELECT CASE WHEN seats.place < met.place THEN 'win' WHEN seats.place > met.place THEN 'loss' ELSE 'draw' END
        FROM seats AS met WHERE met.match_id = own.match_id AND met.version_id = other.version_id) END""")
"""How the own version did against the other one: of more than two players by their places."""
RATINGS = SQL("own.mu_before, own.sigma_before, other.mu_before, other.sigma_before")
OF_ALL = SQL("""
    SELECT own.sequence, '', their_bot.name, own.league_id, own.match_id, pair_id, seat, {result}, {ratings}
    FROM {lines} AS own {looked_up} ORDER BY own.sequence""").format(
    result=RESULT,
    ratings=RATINGS,
    lines=LINES_OF_VERSION.format(which=SQL("true")),
    looked_up=LOOKED_UP.format(each=SQL("OFFSET 0")),
)
"""OFFSET 0: the database is to look up each of some lines by itself."""
OF_THESE = SQL("""
    SELECT own.sequence, %(bot)s || '@v' || mine.number, their_bot.name || '@v' || theirs.number,
           own.league_id, own.match_id, pair_id, seat, {result}, {ratings}
    FROM ledger AS own {looked_up} JOIN versions AS mine ON mine.id = own.version_id
    WHERE own.version_id = ANY(%(own)s) AND other.version_id = ANY(%(others)s)
    ORDER BY own.sequence""").format(result=RESULT, ratings=RATINGS, looked_up=LOOKED_UP.format(each=SQL("")))


def versus(
    connection: Connection, bot: str, own: Sequence[VersionId], others: Sequence[VersionId] | None = None
) -> list[VersusRecord]:
    """The one that was met most first. `others`: only against these, and by version of both sides."""
    models = {league_id: model_of(settings) for league_id, settings in all_rating_settings(connection).items()}
    tallies: defaultdict[tuple[str, str], VersusTally] = defaultdict(VersusTally)
    if others is None:
        rows: Iterable[TupleRow] = chain(*(lines_of_version(connection, OF_ALL, version_id) for version_id in own))
    else:
        values = {"bot": bot, "own": list(own), "others": list(others)}
        rows = connection.cursor(binary=True).execute(OF_THESE, values, prepare=False)
    for meeting in map(Meeting._make, rows):
        tallies[meeting.version, meeting.opponent].add(meeting, models[meeting.league_id])
    records = [tally.of(*names) for names, tally in tallies.items()]
    return sorted(records, key=lambda row: (-row.matches, row.opponent, row.version))


@dataclass(slots=True)
class VersusTally:
    """What is added up of the matches against one opponent. `results`: how often each came in each seat."""

    results: dict[tuple[int, str], int] = field(default_factory=dict[tuple[int, str], int])
    pair_ids: set[int] = field(default_factory=set[int])
    expected: float = 0
    latest_match: int = 0

    def add(self, meeting: Meeting, model: RatingModel) -> None:
        key = meeting.seat, meeting.result
        self.results[key] = self.results.get(key, 0) + 1
        self.pair_ids.add(meeting.pair_id)
        self.expected += model.expected_points(meeting.mu, meeting.sigma, meeting.opponent_mu, meeting.opponent_sigma)
        self.latest_match = max(self.latest_match, meeting.match_id)

    def of(self, version: str, opponent: str) -> VersusRecord:
        seats = {seat for seat, _ in self.results}
        by_seat = every_seat(
            SeatRecord(seat, *(self.results.get((seat, result), 0) for result in RESULTS)) for seat in seats
        )
        return VersusRecord(version, opponent, by_seat, len(self.pair_ids), self.expected, MatchId(self.latest_match))


def seats_of(connection: Connection, version_id: VersionId) -> BySeat:
    """Return how a version did in each seat, in all its rated matches, against each of its opponents."""
    rows = connection.execute(
        SQL("""
            SELECT seat, count(*) FILTER (WHERE came = 'win'), count(*) FILTER (WHERE came = 'draw'),
                   count(*) FILTER (WHERE came = 'loss')
            FROM (
                SELECT seats.seat, {result} AS came
                FROM ledger AS own JOIN matches ON matches.id = own.match_id
                JOIN seats ON seats.match_id = own.match_id AND seats.version_id = own.version_id
                JOIN ledger AS other ON other.match_id = own.match_id AND other.version_id <> own.version_id
                WHERE own.version_id = %s) AS met
            GROUP BY seat""").format(result=RESULT),
        [version_id],
    ).fetchall()
    return every_seat(SeatRecord(seat, *counts) for seat, *counts in rows)


def places_of(connection: Connection, version_id: VersionId) -> tuple[int, ...]:
    """Of rated matches of more than two, as many numbers as the largest of these had players."""
    query = """
        SELECT place, count(*), max(players)
        FROM ledger AS own JOIN matches ON matches.id = own.match_id
        JOIN seats ON seats.match_id = own.match_id AND seats.version_id = own.version_id
        WHERE own.version_id = %s AND players > 2 AND place IS NOT NULL GROUP BY place"""
    rows = connection.execute(query, [version_id]).fetchall()
    times = {place: count for place, count, _ in rows}
    return tuple(times.get(place, 0) for place in range(1, max((most for *_, most in rows), default=0) + 1))
