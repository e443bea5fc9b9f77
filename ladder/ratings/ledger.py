"""The ledger of ratings: one line per match and version, in a total order. The current rating is the last line.

How this works. A line's place is its sequence number. A recording holds the locks on both standings while it writes its
two lines, so for every version the numbers follow its matches; and a match stands where the first of its lines stands.
What reads a whole league reads it through a cursor of the server, some thousand matches at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from psycopg.rows import class_row
from psycopg.sql import SQL, Composable

from ladder.database.connection import Connection, one
from ladder.ids import LARGEST_ID, BotId, LeagueId, MatchId, VersionId
from ladder.ratings.models import Rating, RatingSettings

MATCHES_AT_ONCE = 5_000
LINES_AT_ONCE = 4_000
EVERYTHING = SQL("true")


@dataclass(frozen=True, slots=True)
class Line:
    """What the ledger says of one version in one match."""

    sequence: int
    before: Rating
    after: Rating


@dataclass(frozen=True, slots=True)
class PlayedSeat:
    """One side of a finished match. `result`: win, draw or loss. `line`: None if the ledger has none.

    `result` and `verdict` are None only where somebody has damaged the row.
    """

    version_id: VersionId
    result: str | None
    verdict: str | None
    line: Line | None


@dataclass(frozen=True, slots=True)
class PlayedMatch:
    """A finished match with its lines."""

    id: MatchId
    seats: tuple[PlayedSeat, PlayedSeat]

    @property
    def is_sound(self) -> bool:
        """Say whether its seats agree on who won, and each has a verdict."""
        agrees = {seat.result for seat in self.seats} in ({"win", "loss"}, {"draw"})
        return agrees and None not in {seat.verdict for seat in self.seats}

    @property
    def winner(self) -> int | None:
        """Return seat 0, seat 1 or None for a draw."""
        return next((number for number, seat in enumerate(self.seats) if seat.result == "win"), None)


def rating_settings(connection: Connection, league_id: LeagueId) -> RatingSettings:
    """Return how a league rates."""
    row = one(
        connection,
        """
        SELECT rating_system, mu, sigma, beta, tau, coalesce(draw_probability, game_draw_probability), score_formula
        FROM leagues WHERE id = %(league_id)s
        """,
        {"league_id": league_id},
    )
    return RatingSettings(*row)


def all_rating_settings(connection: Connection) -> dict[LeagueId, RatingSettings]:
    """Return how each league rates, by its id."""
    rows = connection.execute(
        """
        SELECT id, rating_system, mu, sigma, beta, tau, coalesce(draw_probability, game_draw_probability), score_formula
        FROM leagues
        """
    )
    return {league_id: RatingSettings(*row) for league_id, *row in rows}


def append_all(
    connection: Connection, league_id: LeagueId, lines: Sequence[tuple[MatchId, VersionId, Rating, Rating]]
) -> None:
    """Write lines of match, version, rating before and after, in their order.

    The caller holds the locks on the versions' standings, so the sequence follows the ratings.
    """
    connection.execute(
        """
        INSERT INTO ledger (match_id, version_id, league_id, mu_before, sigma_before, mu_after, sigma_after)
        SELECT match_id, version_id, %s, mu_before, sigma_before, mu_after, sigma_after
        FROM unnest(%s::bigint[], %s::bigint[], %s::float8[], %s::float8[], %s::float8[], %s::float8[])
            WITH ORDINALITY AS new (match_id, version_id, mu_before, sigma_before, mu_after, sigma_after, place)
        ORDER BY place
        """,
        [
            league_id,
            [line[0] for line in lines],
            [line[1] for line in lines],
            [line[2].mu for line in lines],
            [line[2].sigma for line in lines],
            [line[3].mu for line in lines],
            [line[3].sigma for line in lines],
        ],
    )


def count_finished(connection: Connection, league_ids: Sequence[LeagueId]) -> int:
    """Count the finished matches of leagues that rate."""
    row = one(
        connection,
        """
        SELECT count(*) FROM matches
        WHERE state = 'finished' AND rates AND league_id = ANY(%(league_ids)s)
        """,
        {"league_ids": list(league_ids)},
    )
    return int(row[0])


def played_in_order(
    connection: Connection, league_id: LeagueId, where: Composable = EVERYTHING, values: Mapping[str, Any] | None = None
) -> Iterator[PlayedMatch]:
    """Give a league's finished matches that rate, in the ledger's order; then those that it lacks, as they finished.

    `where` picks some of them, with its `values`; see ladder.matches.filters. What is changed while this is read
    does not change what it gives.
    """
    query = SQL(
        """
        SELECT matches.id,
               first.version_id, first.result, first.verdict, first_line.sequence, first_line.mu_before,
               first_line.sigma_before, first_line.mu_after, first_line.sigma_after,
               second.version_id, second.result, second.verdict, second_line.sequence, second_line.mu_before,
               second_line.sigma_before, second_line.mu_after, second_line.sigma_after
        FROM matches
        JOIN leagues ON leagues.id = matches.league_id
        JOIN seats AS first ON first.match_id = matches.id AND first.seat = 0
        JOIN seats AS second ON second.match_id = matches.id AND second.seat = 1
        LEFT JOIN ledger AS first_line ON first_line.match_id = matches.id
            AND first_line.version_id = first.version_id AND first_line.league_id = matches.league_id
        LEFT JOIN ledger AS second_line ON second_line.match_id = matches.id
            AND second_line.version_id = second.version_id AND second_line.league_id = matches.league_id
        WHERE matches.league_id = %(own_league_id)s AND matches.state = 'finished' AND matches.rates
          AND ({where})
        ORDER BY least(first_line.sequence, second_line.sequence) NULLS LAST, matches.finished_at, matches.id
        """
    ).format(where=where)
    with connection.cursor(name="played_in_order") as cursor:
        cursor.itersize = MATCHES_AT_ONCE
        cursor.execute(query, {**(values or {}), "own_league_id": league_id})
        for match_id, *columns in cursor:
            yield PlayedMatch(match_id, (played_seat(*columns[:8]), played_seat(*columns[8:])))


def played_seat(
    version_id: VersionId, result: str | None, verdict: str | None, sequence: int | None, *numbers: float
) -> PlayedSeat:
    """Make a seat of a row's columns."""
    line = None if sequence is None else Line(sequence, Rating(*numbers[:2]), Rating(*numbers[2:]))
    return PlayedSeat(version_id, result, verdict, line)


def lacking_seats(connection: Connection, league_id: LeagueId) -> list[tuple[MatchId, int]]:
    """Return the finished matches of a league that lack the row of a seat or of both: match and seats that are left.

    `played_in_order` does not give them.
    """
    return connection.execute(
        """
        SELECT matches.id, num_nonnulls(first.match_id, second.match_id)
        FROM matches
        LEFT JOIN seats AS first ON first.match_id = matches.id AND first.seat = 0
        LEFT JOIN seats AS second ON second.match_id = matches.id AND second.seat = 1
        WHERE matches.league_id = %s AND matches.state = 'finished' AND matches.rates
          AND (first.match_id IS NULL OR second.match_id IS NULL)
        ORDER BY matches.id
        """,
        [league_id],
    ).fetchall()


@dataclass(frozen=True, slots=True)
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
    with connection.cursor(row_factory=class_row(StrangeLine)) as cursor:
        return cursor.execute(
            """
            SELECT ledger.sequence, ledger.match_id, version_name(ledger.version_id) AS version, matches.state,
                   matches.league_id, leagues.name AS league, matches.rates
            FROM ledger
            JOIN matches ON matches.id = ledger.match_id
            JOIN leagues ON leagues.id = matches.league_id
            LEFT JOIN seats ON seats.match_id = ledger.match_id AND seats.version_id = ledger.version_id
            WHERE ledger.league_id = %s
              AND (matches.state <> 'finished' OR matches.league_id <> ledger.league_id
                   OR NOT matches.rates
                   OR seats.match_id IS NULL AND 2 = (SELECT count(*) FROM seats WHERE match_id = matches.id))
            ORDER BY ledger.sequence
            """,
            [league_id],
        ).fetchall()


def remove_unsound(connection: Connection, league_id: LeagueId) -> int:
    """Remove lines that cannot stay where they are; return how many.

    Those are the strange lines of a league, the lines of its matches that stand in other leagues, single lines of
    matches, and lines that come before their version's earlier matches. Their matches, if finished, are to be rated
    last.
    """
    strange = connection.execute(
        """
        DELETE FROM ledger USING matches
        WHERE matches.id = ledger.match_id AND %(league)s IN (ledger.league_id, matches.league_id)
          AND (matches.state <> 'finished' OR matches.league_id <> ledger.league_id
               OR NOT matches.rates OR NOT EXISTS (
              SELECT FROM seats WHERE seats.match_id = ledger.match_id AND seats.version_id = ledger.version_id))
        """,
        {"league": league_id},
    )
    unsound = connection.execute(
        """
        WITH placed AS (
            SELECT match_id, version_id, sequence, min(sequence) OVER match AS place, count(*) OVER match AS lines
            FROM ledger WHERE league_id = %(league)s WINDOW match AS (PARTITION BY match_id)),
        followed AS (
            SELECT match_id, sequence, lines, max(sequence) OVER (
                PARTITION BY version_id ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS latest
            FROM placed)
        DELETE FROM ledger
        WHERE match_id IN (SELECT match_id FROM followed WHERE lines <> 2 OR latest > sequence)
          AND league_id = %(league)s
        """,
        {"league": league_id},
    )
    return strange.rowcount + unsound.rowcount


def correct(connection: Connection, lines: Sequence[Line]) -> None:
    """Give lines that are there other numbers."""
    connection.execute(
        """
        UPDATE ledger
        SET mu_before = new.mu_before, sigma_before = new.sigma_before,
            mu_after = new.mu_after, sigma_after = new.sigma_after
        FROM unnest(%s::bigint[], %s::float8[], %s::float8[], %s::float8[], %s::float8[])
            AS new (sequence, mu_before, sigma_before, mu_after, sigma_after)
        WHERE ledger.sequence = new.sequence
        """,
        [
            [line.sequence for line in lines],
            [line.before.mu for line in lines],
            [line.before.sigma for line in lines],
            [line.after.mu for line in lines],
            [line.after.sigma for line in lines],
        ],
    )


def remove_match(connection: Connection, match_id: MatchId) -> int:
    """Remove a match's lines; return how many."""
    return connection.execute("DELETE FROM ledger WHERE match_id = %s", [match_id]).rowcount


def withdraw(connection: Connection, bot_id: BotId) -> list[LeagueId]:
    """Take the lines of all matches of a bot out of the ledger, where their places are remembered.

    From now on these matches are unrated. Returns the ids of the leagues they were played in.
    """
    rows = connection.execute(
        """
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
        SELECT DISTINCT league_id FROM removed ORDER BY league_id
        """,
        [bot_id],
    )
    return [row[0] for row in rows]


def restore(connection: Connection, bot_id: BotId) -> list[LeagueId]:
    """Put the lines of a bot's matches back into their places, with numbers that are still to be computed.

    Not those of matches with another bot that is disqualified, nor of matches that were taken back meanwhile. Returns
    the ids of the leagues they were played in.
    """
    rows = connection.execute(
        """
        WITH back AS (
            SELECT DISTINCT own.match_id
            FROM withdrawn_lines AS own JOIN versions ON versions.id = own.version_id
            WHERE versions.bot_id = %s AND NOT EXISTS (
                SELECT FROM withdrawn_lines AS line
                JOIN versions AS other ON other.id = line.version_id
                JOIN bots ON bots.id = other.bot_id
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
            WHERE matches.state = 'finished'
            RETURNING league_id)
        SELECT DISTINCT league_id FROM restored ORDER BY league_id
        """,
        [bot_id],
    )
    return [row[0] for row in rows]


class MeetingRow(NamedTuple):
    """A rated match from one version's side: its rating before and how far that moved, and the opponent's before."""

    sequence: int
    match_id: MatchId
    opponent: str
    result: str
    verdict: str
    change: float
    mu: float
    sigma: float
    opponent_mu: float
    opponent_sigma: float


LINES_OF_VERSION = SQL(
    """(SELECT * FROM ledger
        WHERE (version_id, sequence) > (%(version)s::bigint, %(after)s::bigint) AND version_id <= %(version)s::bigint
          AND {which}
        ORDER BY version_id, sequence
        LIMIT %(lines)s)"""
)
"""Some lines of a version after a place, written so that the index `ledger_of_version` is read and no other."""
MEETINGS = SQL(
    """
    SELECT own.sequence, own.match_id, bots.name || '@v' || theirs.number, seat.result, seat.verdict,
           own.mu_after - own.mu_before, own.mu_before, own.sigma_before, other.mu_before, other.sigma_before
    FROM {lines} AS own
    CROSS JOIN LATERAL (
        SELECT result, verdict FROM seats
        WHERE match_id = own.match_id AND version_id = own.version_id OFFSET 0) AS seat
    CROSS JOIN LATERAL (
        SELECT version_id, mu_before, sigma_before FROM ledger
        WHERE match_id = own.match_id AND version_id <> own.version_id OFFSET 0) AS other
    JOIN versions AS theirs ON theirs.id = other.version_id
    JOIN bots ON bots.id = theirs.bot_id
    ORDER BY own.sequence
    """
).format(lines=LINES_OF_VERSION.format(which=SQL("league_id = %(league)s")))
"""The database does not know how few lines these are: OFFSET 0 says that each is to be looked up by itself."""


def meetings(
    connection: Connection, version_id: VersionId, league_id: LeagueId, latest: int | None = None
) -> Iterator[MeetingRow]:
    """Give a version's rated matches in a league, in the ledger's order: all of them, or the latest that many.

    A version may have a hundred thousand; so they are read some at a time, and no query takes long.
    """
    after = 0 if latest is None else place_before_latest(connection, version_id, league_id, latest)
    left = LARGEST_ID if latest is None else latest
    while left > 0:
        lines = min(left, LINES_AT_ONCE)
        given = {"version": version_id, "league": league_id, "after": after, "lines": lines}
        with connection.cursor(binary=True) as cursor:
            found = [*map(MeetingRow._make, cursor.execute(MEETINGS, given, prepare=False))]
        if not found:
            return
        yield from found
        after, left = found[-1].sequence, left - lines


def place_before_latest(connection: Connection, version_id: VersionId, league_id: LeagueId, latest: int) -> int:
    """Return the place in the ledger after which a version has that many lines in a league; 0 where it has fewer."""
    row = connection.execute(
        """
        SELECT sequence FROM ledger
        WHERE version_id = %(version)s AND league_id = %(league)s
        ORDER BY version_id DESC, sequence DESC
        OFFSET %(latest)s LIMIT 1
        """,
        {"version": version_id, "league": league_id, "latest": latest},
    ).fetchone()
    return 0 if row is None else int(row[0])
