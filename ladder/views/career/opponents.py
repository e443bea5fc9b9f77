"""How a bot did lately against each opponent: by version of its own, by opponent, by seat.

How this works. A bot may have played a hundred thousand matches; so its latest ones are counted. Each is one look for
its other seat, which says all: who that was, where it sat, and how it ended for it. Versions that play no more, and
after which newer ones have played enough, are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from psycopg.rows import class_row

from ladder.bots import bots, versions
from ladder.database.connection import Connection
from ladder.ids import BotId, VersionId
from ladder.names import Named
from ladder.statistics.seats import BySeat, SeatRecord

MOST_MATCHES = 5_000


@dataclass(frozen=True, slots=True)
class Met:
    """How a version, by its number, did in one seat against a version of an opponent."""

    number: int
    opponent: str
    opponent_number: int
    seat: int
    won: int
    drawn: int
    lost: int


@dataclass(frozen=True, slots=True)
class AgainstOpponent:
    """How a bot or version did against one opponent. `by_number`: by the numbers of its versions that met it."""

    opponent: str
    by_seat: BySeat
    by_number: dict[int, SeatRecord]

    @property
    def matches(self) -> int:
        """Return how many matches those are."""
        return sum(record.matches for record in self.by_seat)

    @property
    def total(self) -> SeatRecord:
        """Return its record in both seats; `seat` is -1."""
        return added(self.by_seat)


@dataclass(frozen=True, slots=True)
class LatestOpponents:
    """How a bot or version did in its latest rated matches, at most MOST_MATCHES. `name`: of the one or the other.

    `rows`: by opponent, the one that was met most first. `by_seat`: against all of them. `numbers`: of its versions
    that played.
    """

    name: str
    matches: int
    by_seat: BySeat
    numbers: list[int]
    rows: list[AgainstOpponent]

    @property
    def is_cut(self) -> bool:
        """Say whether older matches are left out, as far as can be seen here."""
        return self.matches >= MOST_MATCHES


def latest_opponents(connection: Connection, named: Named, game: str | None = None) -> LatestOpponents:
    """Return how a bot or version did lately against each bot. Raises UnknownName, UsageFault."""
    bot = bots.find_bot(connection, named.bot, game)
    version_id = None if named.number is None else versions.numbered(connection, bot, named.number).id
    return summed_up(str(Named(bot.name, named.number)), latest_met(connection, bot.id, version_id))


def summed_up(name: str, met: Iterable[Met]) -> LatestOpponents:
    """Sum up by opponent."""
    by_opponent: dict[str, list[Met]] = {}
    for one in met:
        by_opponent.setdefault(one.opponent, []).append(one)
    rows = [
        AgainstOpponent(
            opponent,
            by_seat(found),
            {
                number: added(by_seat([one for one in found if one.number == number]))
                for number in sorted({one.number for one in found})
            },
        )
        for opponent, found in by_opponent.items()
    ]
    rows.sort(key=lambda row: (-row.matches, row.opponent.lower()))
    everything = by_seat([one for found in by_opponent.values() for one in found])
    numbers = sorted({number for row in rows for number in row.by_number})
    return LatestOpponents(name, sum(row.matches for row in rows), everything, numbers, rows)


def by_seat(met: Iterable[Met]) -> BySeat:
    """Add up what was met, by seat."""
    counts = [[0, 0, 0], [0, 0, 0]]
    for one in met:
        for place, count in enumerate((one.won, one.drawn, one.lost)):
            counts[one.seat][place] += count
    return SeatRecord(0, *counts[0]), SeatRecord(1, *counts[1])


def added(records: BySeat) -> SeatRecord:
    """Add up the records of both seats; `seat` is -1."""
    first, second = records
    return SeatRecord(-1, first.won + second.won, first.drawn + second.drawn, first.lost + second.lost)


def latest_met(connection: Connection, bot_id: BotId, version_id: VersionId | None) -> list[Met]:
    """Count the latest rated matches of a bot, or of one of its versions, by how they ended against whom."""
    with connection.cursor(row_factory=class_row(Met)) as cursor:
        return cursor.execute(
            """
            WITH own AS (
                SELECT versions.id, versions.number, played.plays,
                       sum(played.matches) OVER (ORDER BY versions.number DESC) - played.matches AS newer
                FROM versions CROSS JOIN LATERAL (
                    SELECT coalesce(sum(matches), 0) AS matches, bool_or(on_board) AS plays
                    FROM standings WHERE version_id = versions.id) AS played
                WHERE versions.bot_id = %(bot)s AND (%(version)s::bigint IS NULL OR versions.id = %(version)s)),
            latest AS MATERIALIZED (
                SELECT found.match_id, own.id AS version_id, own.number
                FROM own CROSS JOIN LATERAL (
                    SELECT match_id, sequence FROM ledger WHERE version_id = own.id
                    ORDER BY sequence DESC
                    LIMIT %(most)s) AS found
                WHERE own.newer < %(most)s OR own.plays
                ORDER BY found.sequence DESC
                LIMIT %(most)s),
            counted AS MATERIALIZED (
                SELECT latest.number, other.version_id AS opponent_id, (1 - other.seat)::int AS seat,
                       count(*) FILTER (WHERE other.result = 'loss')::int AS won,
                       count(*) FILTER (WHERE other.result = 'draw')::int AS drawn,
                       count(*) FILTER (WHERE other.result = 'win')::int AS lost
                FROM latest CROSS JOIN LATERAL (
                    SELECT version_id, seat, result FROM seats
                    WHERE match_id = latest.match_id AND version_id <> latest.version_id OFFSET 0) AS other
                GROUP BY latest.number, other.version_id, other.seat)
            SELECT counted.number, theirs.name AS opponent, theirs.number AS opponent_number, seat, won, drawn, lost
            FROM counted CROSS JOIN LATERAL (
                SELECT bots.name, versions.number
                FROM versions JOIN bots ON bots.id = versions.bot_id
                WHERE versions.id = counted.opponent_id OFFSET 0) AS theirs
            """,
            {"bot": bot_id, "version": version_id, "most": MOST_MATCHES},
        ).fetchall()
