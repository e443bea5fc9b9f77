"""What a worker does with a message for a build or a match that it has to leave to others: it rings for them again.

How this works. A worker that lacks a language does not take what another worker can do. It has heard the one message of
that row, though, so it puts another one at the end of the queue. Where those who can are busy, the message thus goes
around among the others, costs them some milliseconds each time, and is there at once when one of those is free. One who
has passed on as many messages as there are has nothing else to do: it pauses a moment, and looks again what is
installed, as next time it may be able itself. Should a message be lost on its way the sweep rings, as for any other;
and for a match that nobody who lives can play it rings when somebody can.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from ladder.bots import builds
from ladder.database.connection import transaction
from ladder.errors import QueueDown
from ladder.matches import backlog
from workers.worker_process import WorkerProcess

PAUSE_S = 0.1
"""Short beside a build or most matches, long beside what passing on costs."""


def requeue_build(process: WorkerProcess, version_id: int, worker_id: int) -> None:
    """Ring again for a version that this worker leaves to others; do nothing about any other."""
    with transaction(process.pool) as connection:
        is_for_others = builds.is_built_by_others(connection, version_id, worker_id)
    if is_for_others:
        requeue(process, lambda: process.queue.enqueue_build(version_id))


def requeue_match(process: WorkerProcess, match_id: int, worker_id: int) -> None:
    """Ring again for a match that this worker leaves to others; do nothing about any other."""
    with transaction(process.pool) as connection:
        left = backlog.requeue_for_others(connection, match_id, worker_id)
    if left is not None:
        requeue(process, lambda: process.queue.enqueue_match(match_id, first=left.first))


def requeue(process: WorkerProcess, ring: Callable[[], None]) -> None:
    """Ring, and pause where there is nothing else to do. Where the broker is away the sweep rings later."""
    process.requeued_in_a_row += 1
    with suppress(QueueDown):
        ring()
        waiting = process.queue.backlog()
        if process.requeued_in_a_row < waiting.builds + waiting.plays:
            return
    process.requeued_in_a_row = 0
    process.presence.tell_again()
    time.sleep(PAUSE_S)
