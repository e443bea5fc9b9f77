"""Writing down finished matches: their rows, their seats, a ledger line and a standing for each, in few statements.

How this works. The time that a recording takes is above all that of the statements' ways to the server and back, and
meanwhile others who rate the same versions wait. So each statement does all that can be done at its point: what needs
no rating; locking the standings, which gives the ratings; and all that follows from the new ratings.

Where several matches are recorded together, each statement still waits for its answer. `executemany` would send them
all at once, and after them a word that makes PostgreSQL forget its limit for transactions that do nothing (a Flush
after the Sync): a worker that is stopped then would hold its locks for as long as it stands still.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from psycopg.types.json import Jsonb

from engine.conversation import TimeLimits
from ladder.database.connection import Connection
from ladder.database.text import without_nul
from ladder.ids import LeagueId, VersionId
from ladder.matches.claims import MatchClaim
from ladder.matches.seat_results import SeatResult
from ladder.ratings.models import Rating, RatingSettings


@dataclass(frozen=True, slots=True)
class Ending:
    """How a match ended. `record`: its packed turns, see ladder.matches.record; `sandbox`: the tier it was played in.

    `limits`: of time, with which it was played.
    """

    reason: str
    turns: int
    record: bytes
    sandbox: str
    limits: TimeLimits


@dataclass(frozen=True, slots=True)
class MatchOver:
    """A match that is over and to be written down: as what it was claimed, how it ended, and how each seat did."""

    claim: MatchClaim
    ending: Ending
    seats: Sequence[SeatResult]


@dataclass(frozen=True, slots=True)
class Change:
    """What a match changes for one version: its rating, and what the board ranks by."""

    version_id: VersionId
    before: Rating
    after: Rating
    score: float


FINISH = """
    WITH finished AS (
        UPDATE matches
        SET state = 'finished', reason = %(reason)s, turns = %(turns)s, record = %(record)s,
            sandbox = %(sandbox)s, time_policy = %(time_policy)s, clock = %(clock)s,
            rules_level = %(rules_level)s, first_limit_ms = %(first_limit_ms)s, turn_limit_ms = %(turn_limit_ms)s,
            host = (SELECT host FROM workers WHERE id = matches.worker_id), lease_until = NULL, finished_at = now()
        WHERE id = %(id)s AND is_waiting(state) AND attempt = %(attempt)s
        RETURNING id, gauntlet_id, request_id),
    seated AS (
        UPDATE seats
        SET score = new.score, place = new.place, result = new.result, verdict = new.verdict, message = new.message,
            slowest_us = new.slowest_us, median_us = new.median_us, charged_us = new.charged_us,
            cpu_us = new.cpu_us, overruns = new.overruns, stderr = new.stderr,
            stderr_dropped_bytes = new.stderr_dropped_bytes,
            early_lines = new.early_lines, metrics = new.metrics
        FROM finished, jsonb_populate_recordset(NULL::seats, %(seats)s) AS new
        WHERE seats.match_id = finished.id AND seats.seat = new.seat)
    SELECT gauntlet_id, request_id FROM finished
"""


def finish_matches(connection: Connection, over: Sequence[MatchOver]) -> list[bool]:
    """Mark matches finished and write down how their seats ended. Returns of each whether its claim still held.

    A match that was taken from its worker is still that worker's to finish until somebody begins it again. Those that
    players asked for are added to the players' usage, which takes a further statement.
    """
    rows = [connection.execute(FINISH, columns_of_ending(match)).fetchone() for match in over]
    used = [
        {"gauntlet": row[0], "request": row[1], "cpu_us": sum(seat.cpu_us or 0 for seat in match.seats)}
        for row, match in zip(rows, over, strict=True)
        if row is not None and (row[0] is not None or row[1] is not None)
    ]
    if used:
        add_usage(connection, used)
    return [row is not None for row in rows]


def columns_of_ending(match: MatchOver) -> dict[str, Any]:
    """Return what is written into the rows of a match that is over and of its seats."""
    claim, ending = match.claim, match.ending
    return {
        "id": claim.match_id,
        "attempt": claim.attempt,
        "reason": ending.reason,
        "turns": ending.turns,
        "record": ending.record,
        "sandbox": ending.sandbox,
        "time_policy": claim.conditions.time.policy.value,
        "clock": claim.conditions.time.clock.value,
        "rules_level": claim.rules_level,
        "first_limit_ms": ending.limits.first_ms,
        "turn_limit_ms": ending.limits.turn_ms,
        "seats": Jsonb([{"seat": seat, **columns_of(result)} for seat, result in enumerate(match.seats)]),
    }


def add_usage(connection: Connection, used: Sequence[Mapping[str, int | None]]) -> None:
    """Add matches to what their players, who asked for them, used in this hour: the processor time of all seats.

    `used`: of each match its gauntlet or request, and that time. A season's series is nobody's, and neither is what a
    person asked for who has no row as a player. The rows are taken in the order of players, so that no two recordings
    wait for each other.
    """
    connection.execute(
        """
        INSERT INTO usage (player_id, hour, cpu_us, matches)
        SELECT players.id, date_trunc('hour', now(), 'UTC'), sum(cpu_us)::bigint, count(*)
        FROM jsonb_to_recordset(%(used)s) AS used (gauntlet bigint, request bigint, cpu_us bigint)
        CROSS JOIN LATERAL (
            SELECT id FROM players
            WHERE lower(name) = lower(coalesce((SELECT asked_by FROM gauntlets WHERE id = gauntlet),
                                               (SELECT asked_by FROM requests WHERE id = request)))
            OFFSET 0) AS players
        GROUP BY players.id
        ORDER BY players.id
        ON CONFLICT (player_id, hour)
        DO UPDATE SET cpu_us = usage.cpu_us + excluded.cpu_us, matches = usage.matches + excluded.matches
        """,
        {"used": Jsonb(list(used))},
    )


COLUMNS = [column.name for column in fields(SeatResult)]


def columns_of(result: SeatResult) -> dict[str, Any]:
    """Return a seat's columns as JSON can hold them. (To copy them all takes longer than to pack the match.)"""
    return {column: getattr(result, column) for column in COLUMNS} | {
        "message": without_nul(result.message),
        "stderr": without_nul(result.stderr),
        "metrics": without_nuls(result.metrics),
    }


def without_nuls(metrics: Mapping[str, str]) -> dict[str, str]:
    """Return metrics as PostgreSQL keeps them."""
    return {without_nul(key): without_nul(value) for key, value in metrics.items()}


@dataclass(frozen=True, slots=True)
class HeldRatings:
    """Ratings whose standings this transaction has locked, by league and version, and how each league rates."""

    ratings: dict[tuple[LeagueId, VersionId], Rating]
    settings: dict[LeagueId, RatingSettings]


def lock_ratings(connection: Connection, claims: Iterable[MatchClaim]) -> HeldRatings:
    """Lock the versions' standings, all in one order so that no two recordings wait for each other.

    It is the order of `ladder.promotions.membership.lock_stays`: of version, then league. A change of how a league
    rates holds the table of standings (see `ladder.ratings.standings.hold`); PostgreSQL locks a statement's tables
    before it looks at any row, so the settings are those that hold until this transaction ends.
    """
    wanted = sorted({(version_id, claim.league_id) for claim in claims for version_id in claim.version_ids})
    rows = connection.execute(
        """
        SELECT held.version_id, held.league_id, held.mu, held.sigma, rating_system, leagues.mu, leagues.sigma, beta,
               tau, coalesce(draw_probability, game_draw_probability), score_formula
        FROM jsonb_to_recordset(%(wanted)s) AS wanted (version_id bigint, league_id bigint)
        CROSS JOIN LATERAL (
            SELECT * FROM standings
            WHERE version_id = wanted.version_id AND league_id = wanted.league_id
            FOR UPDATE) AS held
        JOIN leagues ON leagues.id = held.league_id
        """,
        {"wanted": Jsonb([{"version_id": version_id, "league_id": league_id} for version_id, league_id in wanted])},
    ).fetchall()
    ratings = {(league_id, version_id): Rating(mu, sigma) for version_id, league_id, mu, sigma, *_ in rows}
    return HeldRatings(ratings, {row[1]: RatingSettings(*row[4:]) for row in rows})


# The changes are one object: as arrays PostgreSQL would make a plan for each match, by the numbers of their elements,
# which takes longer than what it does.
WRITE_RATINGS = """
    WITH change AS (
        SELECT * FROM jsonb_to_recordset(%(changes)s)
            AS change (version_id bigint, mu float8, sigma float8, new_mu float8, new_sigma float8, score float8,
                       place int, verdict text, number int)),
    boss AS (
        SELECT place
        FROM change
        JOIN standings USING (version_id)
        JOIN versions ON versions.id = version_id
        JOIN bots ON bots.id = versions.bot_id
        WHERE standings.league_id = %(league)s AND NOT standings.is_rival AND bots.boss_of = %(league)s),
    new AS (
        SELECT *,
               (SELECT count(*) FROM change AS other WHERE other.place > change.place) AS beaten,
               (SELECT count(*) FROM change AS other WHERE other.place = change.place) - 1 AS level,
               (SELECT count(*) FROM change AS other WHERE other.place < change.place) AS ahead,
               EXISTS (SELECT FROM boss WHERE boss.place > change.place) AS beats_boss
        FROM change),
    written AS (
        INSERT INTO ledger (match_id, version_id, league_id, mu_before, sigma_before, mu_after, sigma_after)
        SELECT %(match)s, version_id, %(league)s, mu, sigma, new_mu, new_sigma FROM new ORDER BY number),
    rated AS (
        UPDATE standings
        SET mu = new_mu, sigma = new_sigma, score = new.score, matches = matches + 1,
            wins = wins + beaten, draws = draws + level, losses = losses + ahead,
            further_opponents = further_opponents + beaten + level + ahead - 1,
            places = CASE WHEN beaten + level + ahead > 1 THEN one_more_place(places, place) ELSE places END,
            timeouts = timeouts + (verdict = 'timeout')::int,
            faults = faults + (verdict NOT IN ('ok', 'timeout'))::int,
            boss_wins = boss_wins + beats_boss::int
        FROM new
        WHERE standings.version_id = new.version_id AND standings.league_id = %(league)s)
    UPDATE seats SET beat_boss = true
    FROM new WHERE beats_boss AND seats.match_id = %(match)s AND seats.version_id = new.version_id
"""


def write_ratings(connection: Connection, rated: Iterable[tuple[MatchOver, Sequence[Change]]]) -> None:
    """Append the ledger lines, match by match in the order of the seats; write the ratings, count results and verdicts.

    Each opponent counts once: as beaten, level, or ahead; among more than two players the place counts too. To be
    placed before the league's boss counts as a win against it; that mark of the seat stays when another bot becomes the
    boss. The caller holds the locks on all standings, so the ledger's sequence follows the ratings.
    """
    for match, changes in rated:
        connection.execute(WRITE_RATINGS, columns_of_changes(match, changes))


def columns_of_changes(match: MatchOver, changes: Sequence[Change]) -> dict[str, Any]:
    """Return what is written into the ledger and the standings after a match."""
    return {
        "match": match.claim.match_id,
        "league": match.claim.league_id,
        "changes": Jsonb(
            [
                {
                    "number": number,
                    "version_id": change.version_id,
                    "mu": change.before.mu,
                    "sigma": change.before.sigma,
                    "new_mu": change.after.mu,
                    "new_sigma": change.after.sigma,
                    "score": change.score,
                    "place": seat.place,
                    "verdict": seat.verdict,
                }
                for number, (change, seat) in enumerate(zip(changes, match.seats, strict=True))
            ]
        ),
    }
