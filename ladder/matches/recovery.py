"""Matches that were claimed and not finished: put back, or put aside with the evidence."""

from __future__ import annotations

from psycopg.sql import SQL, Identifier

from ladder.bots.builds import MOST_ATTEMPTS, MOST_ATTEMPTS_IN_ALL
from ladder.database.connection import Connection, without_nul
from ladder.fleet.workers import LIVES
from ladder.ids import MatchId
from ladder.matches import failures
from ladder.matches.failures import WORKER_HANGS, WORKER_LOST, WORKER_OUT_OF_REACH, Blame

IS_ORPHAN = SQL("state = 'running' AND (is_over(lease_until) OR NOT {is_held})").format(
    is_held=LIVES.format(worker_id=Identifier("worker_id"))
)


def is_orphan(connection: Connection, match_id: MatchId) -> bool:
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
               CASE WHEN is_over(lease_until) AND {is_held} THEN %(hangs)s
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
        resolve_failure(connection, orphan_id, why, blame=blame, waits=again)
    return len(orphans)


RESOLVE = """
    UPDATE matches
    SET strikes = strikes + %(strike)s, host_faults = host_faults + %(busy)s,
        lease_until = NULL,
        enqueued_at = CASE WHEN %(waits)s AND (attempt > 1 OR %(strike)s = 0) THEN now() END,
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
"""


def resolve_failure(
    connection: Connection,
    match_id: MatchId,
    why: str,
    *,
    host_busy: bool = False,
    blame: Blame = Blame.LIKELY,
    waits: bool = False,
) -> None:
    """Queue a match again whose failure was written down, or put it aside: see `ladder.matches.failures`.

    `why`: its first line is stored with the match. `waits`: the match is not enqueued at once, unless this was its
    first attempt and nothing else goes wrong.
    """
    strike = blame is Blame.CERTAIN or (
        blame is Blame.LIKELY
        and not failures.others_fail_too(connection, match_id)
        and not (host_busy and failures.bots_play_elsewhere(connection, match_id))
    )
    if strike:
        failures.count_against(connection, match_id)
    connection.execute(
        RESOLVE,
        {
            "id": match_id,
            "why": failures.evidence_of(without_nul(why)).partition("\n")[0],
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
        UPDATE matches SET lease_until = lease_end
        FROM (
            SELECT matches.id AS of_match, lease_end(lease_until, started_at, leagues.longest_s)
            FROM matches JOIN leagues ON leagues.id = matches.league_id
            WHERE matches.state = 'running') AS lease
        WHERE matches.id = of_match AND matches.state = 'running' AND lease_until > lease_end
        """
    )
