"""Writing down a finished match: its row, its seats, a ledger line and a standing for each, in few statements.

How this works. The time that a recording takes is above all that of the statements' ways to the server and back, and
meanwhile others who rate the same versions wait. So each statement does all that can be done at its point: what needs
no rating; locking the standings, which gives the ratings; and all that follows from the new ratings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from psycopg.types.json import Jsonb

from engine.conversation import TimeLimits
from ladder.database.connection import Connection
from ladder.database.text import without_nul
from ladder.ids import GauntletId, RequestId, VersionId
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
class Change:
    """What a match changes for one version: its rating, and what the board ranks by."""

    version_id: VersionId
    before: Rating
    after: Rating
    score: float


def finish_match(connection: Connection, claim: MatchClaim, ending: Ending, seats: Sequence[SeatResult]) -> bool:
    """Mark the match finished and write down how its seats ended, if the claim still holds. Returns whether it did.

    A match that was taken from its worker is still that worker's to finish until somebody begins it again. One that a
    player asked for is added to the player's usage, which takes a further statement; no other match does.
    """
    done = connection.execute(
        """
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
        """,
        {
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
            "seats": Jsonb([{"seat": seat, **columns_of(result)} for seat, result in enumerate(seats)]),
        },
    )
    row = done.fetchone()
    if row is None:
        return False
    gauntlet_id, request_id = row
    if gauntlet_id is not None or request_id is not None:
        add_usage(connection, gauntlet_id, request_id, sum(seat.cpu_us or 0 for seat in seats))
    return True


def add_usage(
    connection: Connection, gauntlet_id: GauntletId | None, request_id: RequestId | None, cpu_us: int
) -> None:
    """Add a match to what its player, who asked for it, used in this hour: the processor time of all its seats.

    A season's series is nobody's, and neither is what a person asked for who has no row as a player.
    """
    connection.execute(
        """
        INSERT INTO usage (player_id, hour, cpu_us, matches)
        SELECT id, date_trunc('hour', now(), 'UTC'), %(cpu_us)s, 1
        FROM players
        WHERE lower(name) = lower(coalesce((SELECT asked_by FROM gauntlets WHERE id = %(gauntlet)s::bigint),
                                           (SELECT asked_by FROM requests WHERE id = %(request)s::bigint)))
        ON CONFLICT (player_id, hour)
        DO UPDATE SET cpu_us = usage.cpu_us + excluded.cpu_us, matches = usage.matches + 1
        """,
        {"gauntlet": gauntlet_id, "request": request_id, "cpu_us": cpu_us},
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


def lock_ratings(connection: Connection, claim: MatchClaim) -> tuple[dict[VersionId, Rating], RatingSettings]:
    """Lock the versions' standings, in id order so that no two recordings wait for each other.

    Returns their ratings and how the league rates. A change of that holds the table of standings (see
    `ladder.ratings.standings.hold`); PostgreSQL locks a statement's tables before it looks at any row, so the settings
    are those that hold until this transaction ends.
    """
    rows = connection.execute(
        """
        SELECT version_id, standings.mu, standings.sigma, rating_system, leagues.mu, leagues.sigma, beta, tau,
               coalesce(draw_probability, game_draw_probability), score_formula
        FROM standings JOIN leagues ON leagues.id = standings.league_id
        WHERE standings.league_id = %(league)s AND version_id = ANY(%(versions)s)
        ORDER BY version_id
        FOR UPDATE OF standings
        """,
        {"league": claim.league_id, "versions": claim.version_ids},
    ).fetchall()
    return {version_id: Rating(mu, sigma) for version_id, mu, sigma, *_ in rows}, RatingSettings(*rows[0][3:])


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


def write_ratings(
    connection: Connection, claim: MatchClaim, changes: Sequence[Change], seats: Sequence[SeatResult]
) -> None:
    """Append the ledger lines, in the order of the seats; write the ratings, and count results and verdicts.

    Each opponent counts once: as beaten, level, or ahead; among more than two players the place counts too. To be
    placed before the league's boss counts as a win against it; that mark of the seat stays when another bot becomes the
    boss. The caller holds the locks on all standings, so the ledger's sequence follows the ratings.
    """
    connection.execute(
        WRITE_RATINGS,
        {
            "match": claim.match_id,
            "league": claim.league_id,
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
                    for number, (change, seat) in enumerate(zip(changes, seats, strict=True))
                ]
            ),
        },
    )
