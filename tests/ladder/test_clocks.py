"""Clocks that are set back stop nothing: what was written down in the future is put right, and nothing waits for it."""

import pytest

from ladder.database.connection import Pool, connect, transaction
from ladder.database.worker_sessions import Sessions
from ladder.errors import DatabaseDown
from ladder.fleet import workers
from ladder.flows.scheduling import sweep
from tests.fakes import RememberingQueue
from tests.ladder.arena import a_pair, claimed, claimed_build, dead_worker, on_the_board, submitted
from tests.ladder.rated import change


def test_a_ring_that_seems_to_be_in_the_future_is_repeated(pool: Pool) -> None:
    pair = a_pair(pool, on_the_board(pool, "kraken", "a"), on_the_board(pool, "orca", "b"))
    version_id = submitted(pool, "eel", "c")
    with transaction(pool) as connection:
        connection.execute("UPDATE matches SET enqueued_at = now() + interval '1 day'")
        connection.execute("UPDATE versions SET enqueued_at = now() + interval '1 day'")
    queue = RememberingQueue()
    sweep(pool, queue)
    assert queue.plays == pair
    assert version_id in queue.builds
    again = RememberingQueue()
    sweep(pool, again)
    assert again.plays == [], "it was put right"


def test_a_lease_that_seems_to_last_too_long_is_shortened(pool: Pool, database_url: str) -> None:
    pair = a_pair(pool, on_the_board(pool, "kraken", "a"), on_the_board(pool, "orca", "b"))
    with connect(database_url, autocommit=True) as connection:
        claimed(pool, pair[0], workers.enlist(connection, "here", 1))
        claimed_build(pool, submitted(pool, "eel", "c"))
        connection.execute(
            """
            UPDATE matches SET lease_until = lease_until + interval '1 day', started_at = started_at + interval '1 day'
            WHERE state = 'running'
            """
        )
        connection.execute(
            """
            UPDATE versions SET lease_until = lease_until + interval '1 day', began_at = began_at + interval '1 day'
            WHERE state = 'building'
            """
        )
        sweep(pool, RememberingQueue())
        left = connection.execute(
            """
            SELECT lease_until < now() + interval '1 hour' FROM matches WHERE state = 'running'
            UNION ALL SELECT lease_until < now() + interval '1 hour' FROM versions WHERE lease_until IS NOT NULL
            """
        ).fetchall()
    assert left
    assert all(row == (True,) for row in left)


def test_a_process_that_stands_still_in_mid_record_lets_go_of_its_locks(pool: Pool, database_url: str) -> None:
    """A worker that is stopped there would otherwise keep all others from recording for as long as it is."""
    worker_id = dead_worker(pool)
    still = Sessions(database_url, idle_limit_s=1)
    with pytest.raises(DatabaseDown), transaction(still) as standing:
        standing.execute("UPDATE workers SET pid = 2 WHERE id = %s", [worker_id])
        change(pool, "UPDATE workers SET pid = 3 WHERE id = %s", worker_id)
        standing.execute("SELECT")
    still.close()
    with transaction(pool) as connection:
        assert connection.execute("SELECT pid FROM workers WHERE id = %s", [worker_id]).fetchone() == (3,)
