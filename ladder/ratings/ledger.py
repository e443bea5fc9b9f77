"""The ledger of ratings: one line per match and version, in a total order. The current rating is the last line.

How this works. A line's place is its sequence number. A recording holds the locks on all standings while it writes its
lines, one for each seat, so for every version the numbers follow its matches; and a match stands where the first of its
lines stands. What reads a whole league reads it through a cursor of the server, some thousand matches at a time.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

from psycopg.rows import TupleRow
from psycopg.sql import SQL, Composable, Composed
from psycopg.types.json import Jsonb

from engine.conversation import places_of, result_word
from engine.immutable import immutable
from ladder.database.connection import Connection, Rows, first_column, one
from ladder.database.schema import names_of_fields
from ladder.ids import LARGEST_ID, BotId, LeagueId, MatchId, VersionId
from ladder.ratings.models import Rating, RatingSettings

PLACE_BY_RESULT = {"win": 1, "draw": 1, "loss": 2}
"""The places of a match of two by its results; older matches have no others."""
MATCHES_AT_ONCE = 5_000
LINES_AT_ONCE = 4_000
MOST_RESULTS = 10_000
"""This many different endings of matches are remembered once they were looked at."""
EVERYTHING = SQL("true")
PICKED = SQL("""EXISTS (
        SELECT FROM seats AS first JOIN seats AS second ON second.match_id = first.match_id AND second.seat = 1
        WHERE first.match_id = matches.id AND first.seat = 0 AND ({where}))""")
"""A filter begins with the first two seats of a match, see ladder.matches.filters."""


@immutable
class Line:
    """What the ledger says of one version in one match."""

    sequence: int
    before: Rating
    after: Rating


@immutable
class PlayedSeat:
    """One seat of a finished match. `result`: win, draw or loss. `line`: None if the ledger has none.

    `place`: among all seats, 1 is the best; None in older matches, where `result` says it. `result` and `verdict` are
    None only where somebody has damaged the row.
    """

    version_id: VersionId
    result: str | None
    place: int | None
    verdict: str | None
    line: Line | None


@immutable
class LedgerMatch:
    """A finished match with its lines."""

    id: MatchId
    seats: tuple[PlayedSeat, ...]

    @property
    def places(self) -> tuple[int, ...]:
        """Return each seat's place: 1 is the best, and level seats share one."""
        return places_said(tuple(seat.result for seat in self.seats), tuple(seat.place for seat in self.seats))

    @property
    def is_sound(self) -> bool:
        """Say whether its seats agree on how it ended, and each has a verdict."""
        results = tuple(seat.result for seat in self.seats)
        return agree(results, self.places) and None not in {seat.verdict for seat in self.seats}


@lru_cache(MOST_RESULTS)
def places_said(results: tuple[str | None, ...], places: tuple[int | None, ...]) -> tuple[int, ...]:
    """Return the places of a match's seats, with 0 for one that is lost; of older matches of two results say them."""
    if None in places and len(places) == 2:
        return tuple(PLACE_BY_RESULT.get(result or "", 0) for result in results)
    return tuple(place or 0 for place in places)


@lru_cache(MOST_RESULTS)
def agree(results: tuple[str | None, ...], places: tuple[int, ...]) -> bool:
    """Say whether places can be those of a match, and its seats' results are what they say."""
    words = tuple(result_word(places, seat) for seat in range(len(places)))
    return words == results and places == places_of([-place for place in places])


def rating_settings(connection: Connection, league_id: LeagueId) -> RatingSettings:
    return all_rating_settings(connection)[league_id]


def all_rating_settings(connection: Connection) -> dict[LeagueId, RatingSettings]:
    query = """
        SELECT id, rating_system, mu, sigma, beta, tau, coalesce(draw_probability, game_draw_probability), score_formula
        FROM leagues"""
    return {league_id: RatingSettings(*settings) for league_id, *settings in connection.execute(query)}


@immutable
class NewLine:
    """What a match changed in a version's rating. Its fields are columns."""

    match_id: MatchId
    version_id: VersionId
    league_id: LeagueId
    mu_before: float
    sigma_before: float
    mu_after: float
    sigma_after: float


COLUMNS = names_of_fields(NewLine)
APPEND = f"""
    INSERT INTO ledger ({", ".join(COLUMNS)}) SELECT {", ".join(COLUMNS)}
    FROM jsonb_populate_recordset(NULL::ledger, %(lines)s) WITH ORDINALITY ORDER BY ordinality
"""  # noqa: S608
"""Writes lines in their order. Who does so holds the locks on the standings."""


def as_objects(lines: Iterable[NewLine]) -> Jsonb:
    return Jsonb([{column: getattr(line, column) for column in COLUMNS} for line in lines])


def has_lines(connection: Connection, league_id: LeagueId, up_to: int) -> bool:
    query = "SELECT EXISTS (SELECT FROM ledger WHERE league_id = %(league)s AND sequence <= %(up_to)s)"
    return bool(one(connection, query, {"league": league_id, "up_to": up_to})[0])


def count_finished(connection: Connection, league_ids: Sequence[LeagueId]) -> int:
    query = "SELECT count(*) FROM matches WHERE state = 'finished' AND rates AND league_id = ANY(%(ids)s)"
    return int(one(connection, query, {"ids": list(league_ids)})[0])


def played_in_order(
    connection: Connection, league_id: LeagueId, where: Composable = EVERYTHING, values: Mapping[str, Any] | None = None
) -> Iterator[LedgerMatch]:
    """Give a league's finished matches that rate, in the ledger's order; then those that it lacks, as they finished.

    `where` picks some of them, with its `values`; see ladder.matches.filters. What is changed while this is read
    does not change what it gives.
    """
    query = SQL("""
        SELECT matches.id, matches.players, seats.version_id, seats.result, seats.place, seats.verdict, line.sequence,
               line.mu_before, line.sigma_before, line.mu_after, line.sigma_after
        FROM matches JOIN leagues ON leagues.id = matches.league_id JOIN seats ON seats.match_id = matches.id
        LEFT JOIN ledger AS line ON line.match_id = matches.id
            AND line.version_id = seats.version_id AND line.league_id = matches.league_id
        WHERE matches.league_id = %(own_league_id)s AND matches.state = 'finished' AND matches.rates
          AND is_on_boards(matches.league_id, matches.finished_at) AND ({where})
        ORDER BY min(line.sequence) OVER (PARTITION BY matches.id) NULLS LAST, matches.finished_at, matches.id,
                 seats.seat""").format(where=EVERYTHING if where is EVERYTHING else PICKED.format(where=where))
    with connection.cursor(name="played_in_order") as cursor:
        cursor.itersize = 2 * MATCHES_AT_ONCE
        cursor.execute(query, {**(values or {}), "own_league_id": league_id})
        for match_id, rows in groupby(cursor, itemgetter(0)):
            seats = list(rows)
            if len(seats) == seats[0][1]:
                yield LedgerMatch(match_id, tuple(map(played_seat, seats)))


def played_seat(row: TupleRow) -> PlayedSeat:
    _, _, version_id, result, place, verdict, sequence, *numbers = row
    line = None if sequence is None else Line(sequence, Rating(*numbers[:2]), Rating(*numbers[2:]))
    return PlayedSeat(version_id, result, place, verdict, line)


def lacking_seats(connection: Connection, league_id: LeagueId) -> list[tuple[MatchId, int, int]]:
    """Return a league's finished matches that lack rows of seats, as (match, seats left, seats it had)."""
    query = """
        SELECT matches.id, count(seats.match_id)::int, matches.players
        FROM matches
        LEFT JOIN seats ON seats.match_id = matches.id
        WHERE matches.league_id = %s AND matches.state = 'finished' AND matches.rates
        GROUP BY matches.id, matches.players
        HAVING count(seats.match_id) <> matches.players
        ORDER BY matches.id"""
    return connection.execute(query, [league_id]).fetchall()


@immutable
class StrangeLine:
    """A line that has nothing to stand on. `state`, `league`, `rates`: of its match, and whether that rates anybody."""

    sequence: int
    match_id: MatchId
    version: str
    state: str
    league_id: LeagueId
    league: str
    rates: bool


def strange_lines(connection: Connection, league_id: LeagueId) -> list[StrangeLine]:
    """Return the lines of a league that no finished match of it, which rates, has a seat for.

    A line of a version that did not play, or of a match of another league, is strange too; one whose seat may be among
    those that its match has lost is not.
    """
    query = """
        SELECT ledger.sequence, ledger.match_id, version_name(ledger.version_id) AS version, matches.state,
               matches.league_id, leagues.name AS league, matches.rates
        FROM ledger JOIN matches ON matches.id = ledger.match_id JOIN leagues ON leagues.id = matches.league_id
        LEFT JOIN seats ON seats.match_id = ledger.match_id AND seats.version_id = ledger.version_id
        WHERE ledger.league_id = %s
          AND (matches.state <> 'finished' OR matches.league_id <> ledger.league_id
               OR NOT matches.rates
               OR seats.match_id IS NULL
                  AND matches.players = (SELECT count(*) FROM seats WHERE match_id = matches.id))
        ORDER BY ledger.sequence"""
    return Rows(connection, StrangeLine).all(query, [league_id])


def remove_unsound(connection: Connection, league_id: LeagueId) -> int:
    """Remove lines that cannot stay where they are; return how many.

    Those are the strange lines of a league, the lines of its matches that stand in other leagues, the lines of matches
    that lack one, and lines that come before their version's earlier matches. Their matches, if finished, are to be
    rated last.
    """
    strange = """
        DELETE FROM ledger USING matches
        WHERE matches.id = ledger.match_id AND %(league)s IN (ledger.league_id, matches.league_id)
          AND (matches.state <> 'finished' OR matches.league_id <> ledger.league_id
               OR NOT matches.rates OR NOT EXISTS (
              SELECT FROM seats WHERE seats.match_id = ledger.match_id AND seats.version_id = ledger.version_id))"""
    unsound = """
        WITH placed AS (
            SELECT match_id, version_id, sequence, min(sequence) OVER match AS place, count(*) OVER match AS lines
            FROM ledger WHERE league_id = %(league)s WINDOW match AS (PARTITION BY match_id)),
        followed AS (
            SELECT match_id, sequence, lines, max(sequence) OVER (
                PARTITION BY version_id ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest
            FROM placed)
        DELETE FROM ledger
        WHERE match_id IN (
              SELECT match_id FROM followed JOIN matches ON matches.id = match_id
              WHERE lines <> players OR latest > sequence)
          AND league_id = %(league)s"""
    return sum(connection.execute(query, {"league": league_id}).rowcount for query in (strange, unsound))


def correct(connection: Connection, lines: Sequence[Line]) -> None:
    query = """
        UPDATE ledger
        SET mu_before = new.mu_before, sigma_before = new.sigma_before,
            mu_after = new.mu_after, sigma_after = new.sigma_after
        FROM unnest(%s::bigint[], %s::float8[], %s::float8[], %s::float8[], %s::float8[])
            AS new (sequence, mu_before, sigma_before, mu_after, sigma_after)
        WHERE ledger.sequence = new.sequence"""
    rows = [(line.sequence, line.before.mu, line.before.sigma, line.after.mu, line.after.sigma) for line in lines]
    connection.execute(query, [[row[column] for row in rows] for column in range(5)])


def withdraw(connection: Connection, bot_id: BotId) -> list[LeagueId]:
    """Take a bot's matches out of the ledger, remembering places: they are unrated. Returns the leagues' ids."""
    query = """
        WITH own AS (
            SELECT DISTINCT match_id FROM ledger JOIN versions ON versions.id = ledger.version_id
            WHERE versions.bot_id = %s),
        marked AS (UPDATE matches SET rates = false FROM own WHERE matches.id = own.match_id),
        removed AS (
            DELETE FROM ledger USING own WHERE ledger.match_id = own.match_id
            RETURNING sequence, ledger.match_id, version_id, league_id),
        remembered AS (
            INSERT INTO withdrawn_lines (sequence, match_id, version_id, league_id)
            SELECT sequence, match_id, version_id, league_id FROM removed)
        SELECT DISTINCT league_id FROM removed ORDER BY league_id"""
    return first_column(connection, query, [bot_id])


def restore(connection: Connection, bot_id: BotId) -> list[LeagueId]:
    """Put a bot's lines back in their places, to be computed, but against others out. Returns the leagues' ids."""
    query = """
        WITH back AS (
            SELECT DISTINCT own.match_id
            FROM withdrawn_lines AS own JOIN versions ON versions.id = own.version_id
            WHERE versions.bot_id = %s AND NOT EXISTS (
                SELECT FROM withdrawn_lines AS line
                JOIN versions AS other ON other.id = line.version_id JOIN bots ON bots.id = other.bot_id
                WHERE line.match_id = own.match_id AND bots.disqualified_at IS NOT NULL)),
        marked AS (UPDATE matches SET rates = true FROM back WHERE matches.id = back.match_id),
        remembered AS (
            DELETE FROM withdrawn_lines USING back WHERE withdrawn_lines.match_id = back.match_id
            RETURNING sequence, withdrawn_lines.match_id, version_id, withdrawn_lines.league_id),
        restored AS (
            INSERT INTO ledger (
                sequence, match_id, version_id, league_id, mu_before, sigma_before, mu_after, sigma_after)
            OVERRIDING SYSTEM VALUE
            SELECT sequence, match_id, version_id, remembered.league_id, 0, 0, 0, 0
            FROM remembered JOIN matches ON matches.id = remembered.match_id
            WHERE matches.state = 'finished' RETURNING league_id)
        SELECT DISTINCT league_id FROM restored ORDER BY league_id"""
    return first_column(connection, query, [bot_id])


LINES_OF_VERSION = SQL("""(SELECT * FROM ledger
        WHERE (version_id, sequence) > (%(version)s::bigint, %(after)s::bigint) AND version_id <= %(version)s::bigint
          AND {which}
        ORDER BY version_id, sequence LIMIT %(lines)s)""")
"""Some lines of a version after a place, written so that the index `ledger_of_version` is read and no other."""


def lines_of_version(
    connection: Connection, query: Composed, version_id: VersionId, after: int = 0, most: int = LARGEST_ID, **more: Any
) -> Iterator[TupleRow]:
    """Give the rows of a query of LINES_OF_VERSION, which begin with the line's place: of at most that many lines.

    There may be a hundred thousand; so they are read some at a time, and no query takes long.
    """
    while most > 0:
        lines = min(most, LINES_AT_ONCE)
        values = {"version": version_id, "after": after, "lines": lines, **more}
        with connection.cursor(binary=True) as cursor:
            rows = cursor.execute(query, values, prepare=False).fetchall()
        if not rows:
            return
        yield from rows
        after, most = rows[-1][0], most - lines
