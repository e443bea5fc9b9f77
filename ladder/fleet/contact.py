"""Workers out of reach: their lock is still held, but they have given no sign of life lately.

How this works. Every few seconds a worker asks PostgreSQL something on the session that holds its lock. PostgreSQL
keeps in memory when each session was asked last, so nothing is written. What it asks is which workers have not asked
lately though their locks stand, and those are marked; each sweep marks them too, as a worker whose processes claim all
the time gives no other sign of life. Such a worker's machine has no power, stands still, or its network is cut. When
its session ends the mark says that this was why: a worker that is killed alone leaves no such gap, as its lock is gone
at once. A worker that asks again loses its mark.
"""

from __future__ import annotations

from ladder.database.connection import Connection
from ladder.fleet.workers import LOCK_CLASS

SIGN_OF_LIFE_EVERY_S = 4
OUT_OF_REACH_AFTER_S = 12
"""Three signs of life are missing. PostgreSQL ends the session some ten seconds later: time for several sweeps."""


def mark_out_of_reach(connection: Connection) -> None:
    """Mark the workers that are out of reach, and take the mark from those that are back.

    A worker that somebody else marks just now is left to them. If this role may not see when others last sent
    something, no worker is marked.
    """
    connection.execute(
        """
        WITH asked AS MATERIALIZED (
            SELECT locks.objid::bigint AS worker_id,
                   coalesce(sessions.state_change < clock_timestamp() - make_interval(secs => %(limit_s)s), false)
                   AS long_ago
            FROM pg_locks AS locks JOIN pg_stat_activity AS sessions ON sessions.pid = locks.pid
            WHERE locks.locktype = 'advisory' AND locks.classid = %(lock_class)s AND locks.objsubid = 2
              AND locks.granted AND locks.database = sessions.datid AND sessions.datname = current_database()),
        changed AS (
            SELECT workers.id, asked.long_ago
            FROM asked JOIN workers ON workers.id = asked.worker_id AND workers.out_of_reach <> asked.long_ago
            FOR UPDATE OF workers SKIP LOCKED)
        UPDATE workers SET out_of_reach = changed.long_ago FROM changed WHERE workers.id = changed.id
        """,
        {"limit_s": OUT_OF_REACH_AFTER_S, "lock_class": LOCK_CLASS},
    )
