"""What a worker does with a message for a build or a match that it has to leave to others: it rings for them again.

How this works. A worker that lacks a language does not take what another worker can do (see LEFT_TO_OTHERS). It has
heard the one message of that row, though, so it puts another one at the end of the queue and pauses a moment. Where
those who can are busy, the message thus goes around among the others a few times a second, costs them next to nothing,
and is there at once when one of those is free. Should it be lost on its way the sweep rings, as for any other.
Meanwhile the worker looks again what is installed: next time it may be able itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

from ladder.database import transaction
from ladder.errors import QueueDown
from ladder.storage import matches, versions
from workers.process import WorkerProcess

PAUSE_S = 0.1
"""Short beside a build or most matches, long beside what passing on costs."""


def pass_build_on(process: WorkerProcess, version_id: int, worker_id: int) -> None:
    """Ring again for a version that this worker leaves to others; do nothing about any other."""
    with transaction(process.pool) as connection:
        is_for_others = versions.is_built_by_others(connection, version_id, worker_id)
    if is_for_others:
        leave_to_others(process, lambda: process.bell.ring_build(version_id))


def pass_match_on(process: WorkerProcess, match_id: int, worker_id: int) -> None:
    """Ring again for a match that this worker leaves to others; do nothing about any other."""
    with transaction(process.pool) as connection:
        left = matches.left_to_others(connection, match_id, worker_id)
    if left is not None:
        leave_to_others(process, lambda: process.bell.ring_play(match_id, first=left.first))


def leave_to_others(process: WorkerProcess, ring: Callable[[], None]) -> None:
    """Ring and pause. Where the broker is away the sweep rings later."""
    process.presence.tell_again()
    with suppress(QueueDown):
        ring()
    time.sleep(PAUSE_S)
