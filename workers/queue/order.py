"""From which queue a worker takes its next message: the most urgent first, without starving the others.

How this works. Kombu asks such an object for the order of the queues each time it takes a message from Redis, and says
from which queue the message came. Usually that is the order in which the worker listens. But after several matches
that somebody has asked for (a gauntlet, a request of a thousand battles) the queue of all other matches comes before
theirs once, so newcomers get at least a quarter of a busy ladder. And while half of a worker's processes build it takes
no more builds, so the others play.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

BUILDS = "build"
ASKED_FOR = "first"
ORDINARY = "play"
IN_A_ROW = 3
"""This many messages of the one, then one of the other, while there are both."""


class UrgentButFair:
    """The order of a worker's queues, as kombu's `queue_order_strategy` wants it."""

    def __init__(self) -> None:
        """Begin without queues: the worker has not said yet to which it listens."""
        self._queues: list[str] = []
        self._in_a_row = 0
        self._takes_builds = True

    def update(self, queues: Iterable[str]) -> None:
        """Take note of the queues, the most urgent first."""
        self._queues = list(queues)

    def note(self, taken: Mapping[str, int], processes: int) -> None:
        """Take note of how many messages of each queue are being worked on, in a worker of this many processes."""
        self._takes_builds = taken.get(BUILDS, 0) < most_builds(processes)

    def consume(self, most: int) -> list[str]:
        """Return the order in which to look into at most this many queues."""
        queues = [queue for queue in self._queues[:most] if self._takes_builds or queue != BUILDS]
        if self._in_a_row < IN_A_ROW or not {ASKED_FOR, ORDINARY} <= set(queues):
            return queues
        queues.remove(ORDINARY)
        queues.insert(queues.index(ASKED_FOR), ORDINARY)
        return queues

    def rotate(self, queue: str) -> None:
        """Take note that a message came from this queue."""
        if queue == ASKED_FOR:
            self._in_a_row += 1
        elif queue == ORDINARY:
            self._in_a_row = 0


def most_builds(processes: int) -> int:
    """Return how many of a worker's processes may build at once: half, so that others play, and at least one."""
    return max(1, processes // 2)
