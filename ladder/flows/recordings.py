"""Writing down how matches ended: their rows and their seats, and what those who asked for them have used.

How this works. The time that a recording takes is above all that of the statements' ways to the server and back, and
meanwhile others who rate the same versions wait. So one statement does all that needs no rating; what does follows in
two more, see `ladder.flows.held_standings`.

Where several matches are recorded together, each statement still waits for its answer. `executemany` would send them
all at once, and after them a word that makes PostgreSQL forget its limit for transactions that do nothing (a Flush
after the Sync): a worker that is stopped then would hold its locks for as long as it stands still.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from psycopg.types.json import Jsonb

from engine.conversation import TimeLimits
from ladder.database.connection import Connection
from ladder.database.text import without_nul
from ladder.matches.claims import MatchClaim
from ladder.matches.seat_results import SeatResult


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


FINISH = """
    WITH finished AS (
        UPDATE matches
        SET state = 'finished', reason = %(reason)s, turns = %(turns)s, record = %(record)s,
            sandbox = %(sandbox)s, time_policy = %(time_policy)s, clock = %(clock)s,
            rules_level = %(rules_level)s, first_limit_ms = %(first_limit_ms)s, turn_limit_ms = %(turn_limit_ms)s,
            (host, fair_clock) = (SELECT host, fair_clock FROM workers WHERE id = matches.worker_id),
            lease_until = NULL, finished_at = now()
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
