"""Putting back a message for a build or a match that another worker has to do.

How this works. A worker that lacks a language leaves the build or match to a worker that has it. It has taken the one
message for that row, though, so it puts another one at the end of the queue. While the able workers are busy, the
message goes around among the others, costs them some milliseconds each time, and is there as soon as an able worker is
free. A worker that has put back as many messages as the queue holds has nothing else to do: it pauses for a moment and
checks again which languages are installed. If a message is lost on its way, the sweep sends another one, as for any
other; and a match that no live worker can play is enqueued when one can.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from ladder.bots import builds
from ladder.database.connection import transaction
from ladder.errors import QueueDown
from ladder.ids import MatchId, VersionId, WorkerId
from ladder.matches import backlog
from workers.worker_process import WorkerProcess

PAUSE_S = 0.1
"""Short beside a build or most matches, long beside what putting back costs."""


def requeue_build(process: WorkerProcess, version_id: VersionId, worker_id: WorkerId) -> None:
    """Do so only if other workers alone can do it."""
    with transaction(process.pool) as connection:
        is_for_others = builds.is_built_by_others(connection, version_id, worker_id)
    if is_for_others:
        requeue(process, lambda: process.queue.enqueue_build(version_id))


def requeue_match(process: WorkerProcess, match_id: MatchId, worker_id: WorkerId) -> None:
    """Do so only if other workers alone can play it."""
    with transaction(process.pool) as connection:
        left = backlog.requeue_for_others(connection, match_id, worker_id)
    if left is not None:
        requeue(process, lambda: process.queue.enqueue_match(match_id, first=left.first))


def requeue(process: WorkerProcess, send: Callable[[], None]) -> None:
    """Pause if there is nothing else to do. While the broker is away the sweep does it later."""
    process.requeued_in_a_row += 1
    with suppress(QueueDown):
        send()
        waiting = process.queue.backlog()
        if process.requeued_in_a_row < waiting.builds + waiting.plays:
            return
    process.requeued_in_a_row = 0
    process.presence.register_again()
    time.sleep(PAUSE_S)
