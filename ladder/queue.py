"""The queue by which workers hear that a row waits for them. `workers.app` implements it by Celery."""

from collections.abc import Sequence
from typing import Protocol

from engine.immutable import immutable
from ladder.ids import MatchId, VersionId


@immutable
class Backlog:
    """How many messages wait in the queue: for versions to build, for matches to play."""

    builds: int
    plays: int


class Scheduling(Protocol):
    """The part of the queue that wakes the scheduler."""

    def enqueue_schedule(self) -> None:
        """Wake the scheduler now. Raises QueueDown if the broker does not answer."""
        ...


class Queue(Scheduling, Protocol):
    """Sends a message for each waiting row; lost or doubled ones cost time alone. Each method raises QueueDown."""

    def enqueue_build(self, version_id: VersionId) -> None: ...

    def enqueue_matches(self, match_ids: Sequence[MatchId], *, first: bool = False) -> None:
        """Enqueue these matches in their order; `first`: before those that wait. Where it fails, some may be."""
        ...

    def backlog(self) -> Backlog: ...
