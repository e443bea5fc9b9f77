"""How each seat of a match fared, summed up for lists and boards; how much of what bots wrote to stderr is kept.

How this works. Each recording adds to a row of the player's what the bots wrote, in a transaction that others may wait
for. So a player has PARTS rows, and a session has always the same of them.
"""

from collections.abc import Mapping, Sequence
from statistics import median_low
from typing import LiteralString

from psycopg.types.json import Jsonb

from engine.bot.clock import TimeRule
from engine.bot.output import metrics_of
from engine.conversation import result_word
from engine.immutable import immutable
from engine.match import MatchResult
from engine.rejudge import limits_of, overruns_of
from ladder.database.connection import Connection, first_column, without_nul
from ladder.database.schema import names_of_fields
from ladder.ids import VersionId
from ladder.matches.match_rows import packed_text

PARTS = 16


@immutable
class SeatResult:
    """How one seat ended. Times in µs: wall, `charged_us` the most, `cpu_us` of all; None where a command played."""

    score: int
    place: int
    result: str
    verdict: str
    message: str
    slowest_us: int | None
    median_us: int | None
    charged_us: int | None
    cpu_us: int | None
    overruns: int
    stderr: bytes
    stderr_dropped_bytes: int
    early_lines: int
    metrics: Mapping[str, str]


COLUMNS: tuple[LiteralString, ...] = names_of_fields(SeatResult)


def count_overruns(result: MatchResult, rule: TimeRule) -> tuple[int, ...]:
    """Count turns over the limit; where a referee program says the limits, the game's are only a guess."""
    if result.notes:
        return overruns_of(result, limits_of(result), rule)
    shortest_limit_us = 1000 * min(result.spec.limits.first_ms, result.spec.limits.turn_ms)
    if all(turn.spent.wall_us <= shortest_limit_us for turn in result.turns):
        return (0,) * result.spec.players
    return overruns_of(result, limits_of(result), rule)


def seat_result(result: MatchResult, seat: int, overruns: int) -> SeatResult:
    spent = [turn.spent for turn in result.turns if turn.seat == seat]
    times_us = [turn.wall_us for turn in spent]
    metrics = result.metrics or (result.notes.metrics if result.notes else ())
    verdict = result.outcome.verdicts[seat]
    none = None if result.spec.game.starts_bots else 0
    return SeatResult(
        score=result.outcome.scores[seat],
        place=result.outcome.places[seat],
        result=result_word(result.outcome.places, seat),
        verdict=verdict.verdict.value,
        message=verdict.message,
        slowest_us=max(times_us, default=none),
        median_us=median_low(times_us) if times_us else none,
        charged_us=max((turn.charged_us for turn in spent), default=none),
        cpu_us=sum(turn.cpu_us for turn in spent) if spent else none,
        overruns=overruns,
        stderr=packed_text(without_nul(result.stderr[seat])),
        stderr_dropped_bytes=result.stderr_dropped_bytes[seat],
        early_lines=result.early_lines[seat],
        metrics=metrics[seat] if metrics else metrics_of(result.stderr[seat]),
    )


def beyond_bound(connection: Connection, written: Sequence[tuple[VersionId, int]], most_bytes: int) -> set[VersionId]:
    """Count what versions wrote, in bytes, and return those whose player has written too much today (UTC)."""
    query = """
        WITH written AS (
            SELECT version_id, player_id, sum(bytes)::bigint AS bytes
            FROM jsonb_to_recordset(%(written)s) AS given (version_id bigint, bytes bigint)
            JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id
            GROUP BY version_id, player_id),
        counted AS (
            INSERT INTO stderr_usage AS usage (player_id, part, day, bytes)
            SELECT player_id, pg_backend_pid() %% %(parts)s, (now() AT TIME ZONE 'UTC')::date, sum(bytes)::bigint
            FROM written GROUP BY player_id ORDER BY player_id
            ON CONFLICT (player_id, part) DO UPDATE
            SET day = excluded.day,
                bytes = excluded.bytes + CASE WHEN usage.day = excluded.day THEN usage.bytes ELSE 0 END
            RETURNING player_id, part, day, bytes)
        SELECT version_id FROM written JOIN counted USING (player_id)
        WHERE counted.bytes > %(most)s - (
            SELECT coalesce(sum(others.bytes), 0) FROM stderr_usage AS others
            WHERE others.player_id = counted.player_id AND others.part <> counted.part AND others.day = counted.day)"""
    of_versions = Jsonb([{"version_id": version_id, "bytes": count} for version_id, count in written])
    return set(first_column(connection, query, {"written": of_versions, "parts": PARTS, "most": most_bytes}))
