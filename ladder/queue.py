"""The doorbell: how the ladder tells workers that there is something to do. Workers implement it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Backlog:
    """How many rings nobody has heard yet: for versions to build, for matches to play."""

    builds: int
    plays: int


class Scheduling(Protocol):
    """What asks the scheduler to look at once."""

    def enqueue_schedule(self) -> None:
        """There may be matches to make or promotions to give. Raises QueueDown where the broker does not answer."""
        ...


class Queue(Scheduling, Protocol):
    """Rings for a row. A lost or doubled ring costs time, never correctness, because the row says what is true.

    Each method raises QueueDown where the broker does not answer.
    """

    def enqueue_build(self, version_id: int) -> None:
        """A version waits to be built."""
        ...

    def enqueue_match(self, match_id: int, *, first: bool = False) -> None:
        """A match waits to be played, `first`: before those that wait already."""
        ...

    def enqueue_matches(self, match_ids: Sequence[int], *, first: bool = False) -> None:
        """Ring for each of these matches, in their order; where that fails, some may have been rung for."""
        ...

    def backlog(self) -> Backlog:
        """Count the rings that wait to be heard."""
        ...
