"""A bot's latest results against each opponent: by its version, by opponent, by seat.

How this works. A bot may have played a hundred thousand matches; so its latest ones are counted. For each
it is enough to look at its other seat, which has the opponent, the seat and the result. A version that no longer plays
is left out if newer ones have played MOST_MATCHES.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain

from psycopg.sql import SQL

from engine.immutable import immutable
from ladder.bots import versions
from ladder.database.connection import Connection, Rows
from ladder.ids import BotId, VersionId
from ladder.leagues import leagues
from ladder.names import NamedVersion
from ladder.statistics.seats import BySeat, SeatRecord

MOST_MATCHES = 5_000
MOST_OPPONENTS = 100
OTHER_OF_TWO = SQL("""
    SELECT version_id, 1 - seat AS own_seat, result FROM seats
    WHERE match_id = latest.match_id AND version_id <> latest.version_id OFFSET 0
    """)
OTHERS_OF_MANY = SQL("""
    SELECT other.version_id, own.seat AS own_seat,
           CASE WHEN other.place < own.place THEN 'win'
                WHEN other.place > own.place THEN 'loss' ELSE 'draw' END AS result
    FROM seats AS own JOIN seats AS other ON other.match_id = own.match_id AND other.seat <> own.seat
    WHERE own.match_id = latest.match_id AND own.version_id = latest.version_id OFFSET 0
    """)
"""Those whom a version met in a match, each with its result and with the version's own seat."""


@immutable
class MetFromSeat:
    """How a version did in one seat against a bot. `opponent`: None for those not listed, of all `opponents`."""

    number: int
    opponent: str | None
    seat: int
    won: int
    drawn: int
    lost: int
    opponents: int


@immutable
class AgainstOpponent:
    """How a bot or version did against one opponent. `by_number`: by the numbers of its versions that met it."""

    opponent: str
    by_seat: BySeat
    by_number: dict[int, SeatRecord]

    @property
    def matches(self) -> int:
        return sum(record.matches for record in self.by_seat)

    @property
    def total(self) -> SeatRecord:
        return added(self.by_seat)


@immutable
class LatestOpponents:
    """How a bot or version did in its latest MOST_MATCHES: against all `opponents`, and by each of those met most."""

    name: str
    matches: int
    by_seat: BySeat
    numbers: list[int]
    opponents: int
    rows: list[AgainstOpponent]

    @property
    def is_cut(self) -> bool:
        return self.matches >= MOST_MATCHES


def latest_opponents(connection: Connection, named: NamedVersion, game: str | None = None) -> LatestOpponents:
    """Return how a bot or version did lately against each bot. Raises UnknownName, UsageFault."""
    bot, version = versions.find_named(connection, named, game)
    for_two = all(league.is_for_two for league in leagues.leagues(connection, bot.game))
    met = latest_met(connection, bot.id, None if version is None else version.id, for_two=for_two)
    return summed_up(str(NamedVersion(bot.name, named.number)), met)


def summed_up(name: str, met: Sequence[MetFromSeat]) -> LatestOpponents:
    seats = max([2, *(part.seat + 1 for part in met)])
    by_opponent: dict[str, dict[int, list[MetFromSeat]]] = defaultdict(lambda: defaultdict(list))
    for part in sorted(met, key=lambda part: part.number):
        if part.opponent is not None:
            by_opponent[part.opponent][part.number].append(part)
    rows = [
        AgainstOpponent(
            opponent,
            by_seat(chain(*by_number.values()), seats),
            {number: added(by_seat(records, seats)) for number, records in by_number.items()},
        )
        for opponent, by_number in by_opponent.items()
    ]
    rows.sort(key=lambda row: (-row.matches, row.opponent.lower()))
    everything = by_seat(met, seats)
    return LatestOpponents(
        name,
        sum(record.matches for record in everything),
        everything,
        sorted({part.number for part in met}),
        met[0].opponents if met else 0,
        rows,
    )


def by_seat(met: Iterable[MetFromSeat], seats: int) -> BySeat:
    counts = [[0, 0, 0] for _ in range(seats)]
    for record in met:
        for place, count in enumerate((record.won, record.drawn, record.lost)):
            counts[record.seat][place] += count
    return tuple(SeatRecord(seat, *results) for seat, results in enumerate(counts))


def added(records: BySeat) -> SeatRecord:
    """Add up the records of all seats; `seat` is -1."""
    won, drawn, lost = (sum(getattr(record, name) for record in records) for name in ("won", "drawn", "lost"))
    return SeatRecord(-1, won, drawn, lost)


def latest_met(
    connection: Connection, bot_id: BotId, version_id: VersionId | None, *, for_two: bool
) -> list[MetFromSeat]:
    """Count the latest rated matches by result and opponent. `for_two`: whether all its matches have two players."""
    others = OTHER_OF_TWO if for_two else OTHERS_OF_MANY
    return Rows(connection, MetFromSeat).all(
        SQL("""
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
                SELECT match_id, sequence FROM ledger
                WHERE (version_id, sequence) < (own.id + 1, 0) AND version_id >= own.id
                ORDER BY version_id DESC, sequence DESC
                LIMIT %(most)s) AS found
            WHERE own.newer < %(most)s OR own.plays
            ORDER BY found.sequence DESC
            LIMIT %(most)s),
        counted AS MATERIALIZED (
            SELECT latest.number, other.version_id AS opponent_id, other.own_seat::int AS seat,
                   count(*) FILTER (WHERE other.result = 'loss')::int AS won,
                   count(*) FILTER (WHERE other.result = 'draw')::int AS drawn,
                   count(*) FILTER (WHERE other.result = 'win')::int AS lost
            FROM latest CROSS JOIN LATERAL ({others}) AS other
            GROUP BY latest.number, other.version_id, other.own_seat),
        by_bot AS MATERIALIZED (
            SELECT counted.number, theirs.bot_id, seat, sum(won)::int AS won, sum(drawn)::int AS drawn,
                   sum(lost)::int AS lost
            FROM counted CROSS JOIN LATERAL (
                SELECT bot_id FROM versions WHERE id = counted.opponent_id OFFSET 0) AS theirs
            GROUP BY counted.number, theirs.bot_id, seat),
        listed AS MATERIALIZED (
            SELECT most.bot_id, bots.name
            FROM (
                SELECT bot_id FROM by_bot GROUP BY bot_id
                ORDER BY sum(won + drawn + lost) DESC, bot_id
                LIMIT %(listed)s) AS most
            CROSS JOIN LATERAL (SELECT name FROM bots WHERE id = most.bot_id OFFSET 0) AS bots)
        SELECT number, listed.name AS opponent, seat, sum(won)::int AS won, sum(drawn)::int AS drawn,
               sum(lost)::int AS lost, (SELECT count(DISTINCT bot_id) FROM by_bot) AS opponents
        FROM by_bot LEFT JOIN listed ON listed.bot_id = by_bot.bot_id
        GROUP BY number, listed.name, seat
        """).format(others=others),
        {"bot": bot_id, "version": version_id, "most": MOST_MATCHES, "listed": MOST_OPPONENTS},
    )
