"""Matches: made in pairs, claimed by one worker at a time, recorded once.

How this works. A match is `queued`, then `running` under an attempt number and a lease, then `finished` or `void`. The
claim is one statement; it takes a queued match and raises the attempt. A running one whose worker is dead or whose
lease is over is queued first. Recording names the attempt it claimed, so a worker that comes back from the dead changes
nothing that somebody else has begun. The sweep does the rest: it frees what dead workers held, puts aside what failed
too often (see `failures`) and says which matches to ring for again. As each ring is one message and each queued match
needs one, fewer messages than matches mean that some are lost. Nobody can tell whose; but the queue is heard in its
order, so sooner or later the match that was silent longest is one of them. So as many are rung for as messages are
missing, the longest silent ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from psycopg.rows import class_row, kwargs_row
from psycopg.sql import SQL, Identifier
from psycopg.types.json import Jsonb

from engine.bot.conditions import Conditions
from engine.conversation import TimeLimits
from engine.errors import ArenaError
from ladder.bots.versions import MOST_ATTEMPTS, MOST_ATTEMPTS_IN_ALL
from ladder.database.connection import Connection
from ladder.fleet.workers import LACKS, LIVES, SOMEBODY_CAN
from ladder.leagues.conditions import conditions_of
from ladder.matches import failures
from ladder.matches.failures import OF_REST, RESTS, WORKER_HANGS, WORKER_LOST, WORKER_OUT_OF_REACH, Blame
from ladder.matches.host_faults import suspicions


@dataclass(frozen=True, slots=True)
class MatchClaim:
    """A match that this worker may play, fenced by `attempt`. Index 0 and 1 of the lists are the seats.

    `rates`: whether it rates those who play it. `first_limit_ms`, `turn_limit_ms`: its league's limits of time; None:
    its game's own. `lease_s`: how long the worker may keep it. `suspicions`: why the host is not blamed in the turns of
    that seat, but its bot; "" where it is.
    """

    match_id: int
    attempt: int
    league_id: int
    rates: bool
    game: str
    rules_level: int
    conditions: Conditions
    first_limit_ms: int | None
    turn_limit_ms: int | None
    lease_s: int
    seed: int
    version_ids: list[int]
    languages: list[str]
    sources: list[str]
    suspicions: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Ending:
    """How a match ended. `record`: its packed turns, see ladder.matches.record; `sandbox`: the tier it was played in.

    `limits`: of time, with which it was played.
    """

    reason: str
    turns: int
    record: bytes
    metrics: Mapping[str, str]
    sandbox: str
    limits: TimeLimits


@dataclass(frozen=True, slots=True)
class SeatResult:
    """How one seat ended. `result`: win, draw or loss. Times in microseconds.

    `slowest_us` and `median_us` are wall time; `charged_us` is the most that any turn was charged. `overruns`: turns
    over their limit by the rule that the match was judged by.
    """

    score: int
    result: str
    verdict: str
    message: str
    slowest_us: int
    median_us: int
    charged_us: int
    overruns: int
    stderr: str
    stderr_dropped_bytes: int
    early_lines: int
    metrics: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Silent:
    """A match to ring for. `first`: before those that wait already, as somebody asked for it or it was begun before."""

    id: int
    first: bool


def insert_pair(
    connection: Connection,
    league_id: int,
    version_ids: tuple[int, int],
    seed: int,
    made_for: int | None = None,
    *,
    part_of: tuple[int, int] | None = None,
    request_id: int | None = None,
    rates: bool = True,
) -> list[int]:
    """Add a battle: two matches on one seed, seats swapped. Returns their ids.

    `made_for`: the version lacking it; `part_of`: the gauntlet it is part of, and its slot there; `request_id`: of the
    request by which it was asked for. `rates`: whether it rates the two; a gauntlet's never does.
    """
    gauntlet_id, slot = part_of or (None, None)
    rows = connection.execute(
        """
        WITH battle AS (SELECT nextval('pairs') AS pair_id),
        made AS (
            INSERT INTO matches (league_id, pair_id, seed, made_for, gauntlet_id, slot, request_id, rates, rung_at)
            SELECT %(league_id)s, pair_id, %(seed)s, %(made_for)s, %(gauntlet_id)s, %(slot)s, %(request_id)s,
                   %(rates)s, now()
            FROM battle CROSS JOIN generate_series(1, 2)
            RETURNING id),
        swapped AS (SELECT id, row_number() OVER (ORDER BY id) = 2 AS is_swapped FROM made),
        seated AS (
            INSERT INTO seats (match_id, seat, version_id)
            SELECT id, seat, CASE WHEN is_swapped = (seat = 1) THEN %(first)s::bigint ELSE %(second)s::bigint END
            FROM swapped CROSS JOIN generate_series(0, 1) AS seat)
        SELECT id FROM made ORDER BY id
        """,
        {
            "league_id": league_id,
            "seed": seed,
            "made_for": made_for,
            "gauntlet_id": gauntlet_id,
            "slot": slot,
            "request_id": request_id,
            "rates": rates and gauntlet_id is None,
            "first": version_ids[0],
            "second": version_ids[1],
        },
    )
    return [row[0] for row in rows]


def claim_match(connection: Connection, match_id: int, worker_id: int) -> MatchClaim | None:
    """Take the match for playing, unless somebody else has it, it is over, it rests (see `failures`), or the worker
    lacks a language for it.

    If a dead worker held it, all that dead workers held is freed first, since they speak for each other's matches.
    Raises what `match_claim` does for a row that makes no sense.
    """
    claim = take_queued(connection, match_id, worker_id)
    if claim is None and is_orphan(connection, match_id):
        free_orphans(connection)
        claim = take_queued(connection, match_id, worker_id)
    return claim and replace(claim, suspicions=suspicions(connection, match_id))


OF_PLAYING = {"told": Identifier("plays"), "languages": SQL("seated.languages")}
"""For LACKS and SOMEBODY_CAN: the languages of the seats, which the query calls `seated`."""


def take_queued(connection: Connection, match_id: int, worker_id: int) -> MatchClaim | None:
    """Take a match that waits, does not rest and is in languages that the worker has."""
    with connection.cursor(row_factory=kwargs_row(match_claim)) as cursor:
        return cursor.execute(
            SQL("""
            UPDATE matches
            SET state = 'running', attempt = matches.attempt + 1, worker_id = %(worker_id)s, started_at = now(),
                lease_until = now() + make_interval(secs => leagues.longest_s)
            FROM leagues LEFT JOIN (
                SELECT match_id,
                       array_agg(version_id ORDER BY seat) AS version_ids,
                       array_agg(language ORDER BY seat) AS languages,
                       array_agg(content ORDER BY seat) AS sources
                FROM seats
                JOIN versions ON versions.id = seats.version_id
                JOIN sources ON sources.hash = versions.source_hash
                WHERE match_id = %(id)s GROUP BY match_id) AS seated ON true
            WHERE matches.id = %(id)s AND leagues.id = matches.league_id AND matches.state = 'queued'
              AND NOT {rests} AND NOT {lacks}
            RETURNING matches.id AS match_id, matches.attempt, matches.league_id, matches.rates, leagues.game,
                      leagues.rules_level, league_conditions(leagues) AS conditions, leagues.first_limit_ms,
                      leagues.turn_limit_ms, leagues.longest_s AS lease_s, matches.seed, version_ids, languages, sources
            """).format(rests=RESTS, lacks=LACKS.format(**OF_PLAYING)),
            {"id": match_id, "worker_id": worker_id, **OF_REST},
        ).fetchone()


def match_claim(*, conditions: dict[str, Any], **columns: Any) -> MatchClaim:
    """Make a claim of a row's columns. Raises ArenaError for a match without two seats."""
    if len(columns["version_ids"] or ()) != 2:
        raise ArenaError("the match does not have two seats with a source each")
    return MatchClaim(conditions=conditions_of(conditions), **columns)


def finish_match(connection: Connection, claim: MatchClaim, ending: Ending) -> bool:
    """Mark the match finished, if the claim still holds. Returns whether it did.

    A match that was taken from its worker is still that worker's to finish until somebody begins it again.
    """
    done = connection.execute(
        """
        UPDATE matches
        SET state = 'finished', reason = %(reason)s, turns = %(turns)s, record = %(record)s, metrics = %(metrics)s,
            sandbox = %(sandbox)s, time_policy = %(time_policy)s, clock = %(clock)s, rules_level = %(rules_level)s,
            first_limit_ms = %(first_limit_ms)s, turn_limit_ms = %(turn_limit_ms)s,
            host = (SELECT host FROM workers WHERE id = matches.worker_id), lease_until = NULL, finished_at = now()
        WHERE id = %(id)s AND state IN ('running', 'queued') AND attempt = %(attempt)s
        """,
        {
            "id": claim.match_id,
            "attempt": claim.attempt,
            "reason": ending.reason,
            "turns": ending.turns,
            "record": ending.record,
            "metrics": as_json(ending.metrics),
            "sandbox": ending.sandbox,
            "time_policy": claim.conditions.time.policy.value,
            "clock": claim.conditions.time.clock.value,
            "rules_level": claim.rules_level,
            "first_limit_ms": ending.limits.first_ms,
            "turn_limit_ms": ending.limits.turn_ms,
        },
    )
    return done.rowcount == 1


def write_seat(connection: Connection, match_id: int, seat: int, result: SeatResult) -> None:
    """Write down how a seat ended."""
    connection.execute(
        """
        UPDATE seats
        SET score = %(score)s, result = %(result)s, verdict = %(verdict)s, message = %(message)s,
            slowest_us = %(slowest_us)s, median_us = %(median_us)s, charged_us = %(charged_us)s,
            overruns = %(overruns)s, stderr = %(stderr)s, stderr_dropped_bytes = %(stderr_dropped_bytes)s,
            early_lines = %(early_lines)s, metrics = %(metrics)s
        WHERE match_id = %(match_id)s AND seat = %(seat)s
        """,
        {
            "match_id": match_id,
            "seat": seat,
            "score": result.score,
            "result": result.result,
            "verdict": result.verdict,
            "message": without_nul(result.message),
            "slowest_us": result.slowest_us,
            "median_us": result.median_us,
            "charged_us": result.charged_us,
            "overruns": result.overruns,
            "stderr": without_nul(result.stderr),
            "stderr_dropped_bytes": result.stderr_dropped_bytes,
            "early_lines": result.early_lines,
            "metrics": as_json(result.metrics),
        },
    )


def as_json(metrics: Mapping[str, str]) -> Jsonb:
    """Return metrics as PostgreSQL keeps them."""
    return Jsonb({without_nul(key): without_nul(value) for key, value in metrics.items()})


def without_nul(text: str) -> str:
    """Replace the one character that PostgreSQL's text cannot hold."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def give_back(
    connection: Connection,
    claim: MatchClaim,
    why: str,
    *,
    host_busy: bool = False,
    seat: int | None = None,
    blame: Blame = Blame.LIKELY,
) -> None:
    """Put a claimed match back in the queue because of a fault of ours, or aside if that happened too often.

    With `host_busy` that is counted, and said if the match is put aside; `seat`: in whose turn it was. After its first
    failure it waits until the sweep rings for what has been silent, some seconds later.
    """
    held = connection.execute(
        "SELECT FROM matches WHERE id = %s AND state = 'running' AND attempt = %s FOR UPDATE",
        [claim.match_id, claim.attempt],
    ).fetchone()
    if held is not None:
        failures.write_down(connection, claim.match_id, without_nul(why), seat)
        settle_failure(connection, claim.match_id, why, host_busy=host_busy, blame=blame, waits=True)


def refuse_claim(connection: Connection, match_id: int, worker_id: int, why: str) -> None:
    """Count an attempt at a queued match that could not even be claimed, because its row makes no sense."""
    taken = connection.execute(
        """
        UPDATE matches SET attempt = attempt + 1, worker_id = %(worker_id)s, started_at = now()
        WHERE id = %(id)s AND state = 'queued'
        """,
        {"id": match_id, "worker_id": worker_id},
    )
    if taken.rowcount:
        failures.write_down(connection, match_id, without_nul(why))
        settle_failure(connection, match_id, why, blame=Blame.CERTAIN, waits=True)


IS_ORPHAN = SQL("state = 'running' AND (lease_until < now() OR NOT {is_held})").format(
    is_held=LIVES.format(worker_id=Identifier("worker_id"))
)


def is_orphan(connection: Connection, match_id: int) -> bool:
    """Say whether a match runs whose worker is dead or whose lease is over."""
    query = SQL("SELECT FROM matches WHERE id = %(id)s AND {is_orphan}").format(is_orphan=IS_ORPHAN)
    return connection.execute(query, {"id": match_id}).fetchone() is not None


def free_orphans(connection: Connection) -> int:
    """Put back the matches whose worker is dead or whose lease is over; void those that failed too often.

    Those that somebody is about to record are left alone. What an earlier start of the database had cut off, or a
    machine or network that was lost, speaks against no match. What is lost for the first time may be begun again at
    once. Returns how many.
    """
    orphans = connection.execute(
        SQL("""
        SELECT id, started_at < pg_postmaster_start_time(), attempt > 1,
               CASE WHEN lease_until < now() AND {is_held} THEN %(hangs)s
                    WHEN EXISTS (SELECT FROM workers WHERE workers.id = worker_id AND out_of_reach)
                    THEN %(out_of_reach)s
                    ELSE %(lost)s END
        FROM matches WHERE {is_orphan}
        ORDER BY id FOR UPDATE SKIP LOCKED
        """).format(is_orphan=IS_ORPHAN, is_held=LIVES.format(worker_id=Identifier("worker_id"))),
        {"hangs": WORKER_HANGS, "lost": WORKER_LOST, "out_of_reach": WORKER_OUT_OF_REACH},
    ).fetchall()
    for orphan_id, _, _, why in orphans:  # all of them first: they speak for each other
        failures.write_down(connection, orphan_id, why)
    for orphan_id, database_was_down, again, why in orphans:
        blame = Blame.NONE if database_was_down or why == WORKER_OUT_OF_REACH else Blame.LIKELY
        settle_failure(connection, orphan_id, why, blame=blame, waits=again)
    return len(orphans)


def settle_failure(
    connection: Connection,
    match_id: int,
    why: str,
    *,
    host_busy: bool = False,
    blame: Blame = Blame.LIKELY,
    waits: bool = False,
) -> None:
    """Queue a match again whose failure was written down, or put it aside: see `ladder.matches.failures`.

    `why`: of which the first line is kept with the match. `waits`: it is not rung for at once,
    but where it was its first attempt and nothing else goes wrong.
    """
    strike = blame is Blame.CERTAIN or (
        blame is Blame.LIKELY
        and not failures.others_fail_too(connection, match_id)
        and not (host_busy and failures.bots_play_elsewhere(connection, match_id))
    )
    if strike:
        failures.count_against(connection, match_id)
    connection.execute(
        """
        UPDATE matches
        SET strikes = strikes + %(strike)s, host_faults = host_faults + %(busy)s,
            lease_until = NULL,
            rung_at = CASE WHEN %(waits)s AND (attempt > 1 OR %(strike)s = 0) THEN now() END,
            state = CASE WHEN given_up THEN 'void' ELSE 'queued' END,
            reason = CASE
                WHEN NOT given_up THEN %(why)s
                WHEN host_faults + %(busy)s > 0
                THEN format('given up after %%s attempts, %%s of them because the host was too busy; the last: %%s',
                            attempt, host_faults + %(busy)s, %(why)s::text)
                ELSE format('given up after %%s attempts; the last: %%s', attempt, %(why)s::text) END
        FROM (
            SELECT id AS of_match,
                   strikes + %(strike)s >= %(most_strikes)s OR host_faults + %(busy)s >= %(most_strikes)s
                   OR attempt >= %(most_attempts)s AS given_up
            FROM matches WHERE id = %(id)s) AS verdict
        WHERE id = of_match
        """,
        {
            "id": match_id,
            "why": without_nul(why).partition("\n")[0],
            "strike": int(strike),
            "busy": int(host_busy),
            "waits": waits,
            "most_strikes": MOST_ATTEMPTS,
            "most_attempts": MOST_ATTEMPTS_IN_ALL,
        },
    )


def shorten_leases(connection: Connection) -> None:
    """Let no lease last longer than from now on: one does where the database's clock was set back meanwhile.

    One that began when its league had longer limits of time keeps its length.
    """
    connection.execute(
        """
        UPDATE matches SET lease_until = now() + length
        FROM (
            SELECT matches.id AS of_match,
                   greatest(make_interval(secs => leagues.longest_s), lease_until - started_at) AS length
            FROM matches JOIN leagues ON leagues.id = matches.league_id
            WHERE matches.state = 'running') AS lease
        WHERE matches.id = of_match AND matches.state = 'running' AND lease_until > clock_timestamp() + length
        """
    )


COMES_FIRST = SQL("(gauntlet_id IS NOT NULL OR request_id IS NOT NULL OR attempt > 0)")
"""Whether a match is rung for before those that wait already: somebody waits for it, or it has waited its turn."""


def unheard_matches(connection: Connection, silent_s: int, under_way: int = 0) -> list[Silent]:
    """Return the queued matches to ring for: those never rung for, and as many silent ones as rings are lost.

    Not those in languages that all workers which live lack: they wait for one that has them.

    `silent_s`: a ring that is no older is not taken for lost. `under_way`: rings for matches that nobody has heard yet.
    A ring that is yet to come was written down before the clock was set back.
    """
    with connection.cursor(row_factory=class_row(Silent)) as cursor:
        found = cursor.execute(
            SQL("""
            WITH alive AS MATERIALIZED (SELECT DISTINCT plays FROM workers JOIN live_workers USING (id)),
            free AS (
                SELECT id, rung_at, {comes_first} AS first
                FROM matches CROSS JOIN LATERAL (
                    SELECT array_agg(language) AS languages
                    FROM seats JOIN versions ON versions.id = seats.version_id
                    WHERE match_id = matches.id) AS seated
                WHERE state = 'queued' AND NOT {rests}
                  AND (NOT EXISTS (SELECT FROM alive)
                       OR EXISTS (SELECT FROM alive WHERE coalesce(plays @> seated.languages, true)))),
            silent AS (
                SELECT id FROM free
                WHERE rung_at NOT BETWEEN now() - make_interval(secs => %(silent_s)s) AND clock_timestamp()
                ORDER BY first DESC, rung_at, id
                LIMIT (SELECT greatest(count(rung_at) - %(under_way)s, 0) FROM free))
            UPDATE matches SET rung_at = now()
            FROM free
            WHERE free.id = matches.id AND matches.state = 'queued'
              AND (free.rung_at IS NULL OR free.id IN (SELECT id FROM silent))
            RETURNING matches.id, free.first
            """).format(comes_first=COMES_FIRST, rests=RESTS),
            {"silent_s": silent_s, "under_way": under_way, **OF_REST},
        ).fetchall()
    return sorted(found, key=lambda match: match.id)


def left_to_others(connection: Connection, match_id: int, worker_id: int) -> Silent | None:
    """Return how to ring again for a match that waits and that others can play but not this worker, else None."""
    with connection.cursor(row_factory=class_row(Silent)) as cursor:
        return cursor.execute(
            SQL("""
            SELECT matches.id, {comes_first} AS first
            FROM matches CROSS JOIN LATERAL (
                SELECT array_agg(language) AS languages
                FROM seats JOIN versions ON versions.id = seats.version_id
                WHERE match_id = matches.id) AS seated
            WHERE matches.id = %(id)s AND matches.state = 'queued' AND NOT {rests} AND {lacks} AND {somebody_can}
            """).format(
                comes_first=COMES_FIRST,
                rests=RESTS,
                lacks=LACKS.format(**OF_PLAYING),
                somebody_can=SOMEBODY_CAN.format(**OF_PLAYING),
            ),
            {"id": match_id, "worker_id": worker_id, **OF_REST},
        ).fetchone()


def take_back(connection: Connection, match_id: int, by: str, why: str) -> int | None:
    """Make a finished match void, its record kept as evidence. Returns its league's id, None if it is not finished."""
    row = connection.execute(
        """
        UPDATE matches SET state = 'void', reason = %(why)s, void_by = %(by)s, void_at = now()
        WHERE id = %(id)s AND state = 'finished'
        RETURNING league_id
        """,
        {"id": match_id, "by": without_nul(by), "why": without_nul(why)},
    ).fetchone()
    return None if row is None else int(row[0])
