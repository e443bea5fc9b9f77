"""Workers out of reach: their lock is still held, but they have given no sign of life lately.

How this works. Every few seconds a worker asks PostgreSQL something on the session that holds its lock. PostgreSQL
keeps in memory when each session was asked last, so nothing is written. Some workers, drawn by chance, ask which
workers have not asked lately though their locks stand, and those are marked; each sweep marks them too. If all workers
asked that, the work would grow with the square of the fleet, as each answer takes a look at all locks. A marked
worker's machine has no power, stands still, or its network is cut. When its session ends the mark says that this was
why: a worker that is killed alone leaves no such gap, as its lock is gone at once. A worker that asks again loses its
mark.
"""

from __future__ import annotations

from ladder.database.connection import Connection, one
from ladder.fleet.workers import LOCK_CLASS

SIGN_OF_LIFE_EVERY_S = 4
OUT_OF_REACH_AFTER_S = 12
"""Three signs of life are missing. PostgreSQL ends the session some ten seconds later: time for several sweeps."""
LOOKS_EACH_TIME = 4
"""This many of all workers look who is out of reach, on average, between two signs of life: others can be lost too."""
FEWER_BY_NOW = 0.9
"""At each sign of life a worker takes the others for fewer by this factor, until it looks again: some may be gone."""


def mark_out_of_reach(connection: Connection) -> int:
    """Mark the workers that are out of reach, and take the mark from those that are back.

    A worker that somebody else marks just now is left to them. If this role may not see when others last sent
    something, no worker is marked. Returns how many sessions hold the locks of worker processes.
    """
    row = one(
        connection,
        """
        WITH silent AS MATERIALIZED (
            SELECT coalesce(array_agg(pid), '{}') AS pids FROM pg_stat_activity
            WHERE datname = current_database()
              AND state_change < clock_timestamp() - make_interval(secs => %(limit_s)s)),
        asked AS MATERIALIZED (
            SELECT pid, objid::bigint AS worker_id, pid = ANY(pids) AS long_ago
            FROM pg_locks CROSS JOIN silent
            WHERE locktype = 'advisory' AND classid = %(lock_class)s AND objsubid = 2 AND granted
              AND database = (SELECT oid FROM pg_database WHERE datname = current_database())),
        changed AS (
            SELECT id, NOT out_of_reach AS long_ago FROM workers
            WHERE id = ANY(ARRAY(SELECT worker_id FROM asked WHERE long_ago)) AND NOT out_of_reach
               OR out_of_reach AND id = ANY(ARRAY(SELECT worker_id FROM asked WHERE NOT long_ago))
            FOR UPDATE SKIP LOCKED),
        marked AS (
            UPDATE workers SET out_of_reach = changed.long_ago FROM changed WHERE workers.id = changed.id)
        SELECT count(DISTINCT pid) FROM asked
        """,
        {"limit_s": OUT_OF_REACH_AFTER_S, "lock_class": LOCK_CLASS},
    )
    return int(row[0])
