"""What the workers that live can do together, and which versions wait for a language that none of them has.

How this works. A worker registers the languages whose bots it can build and play where it is. Without that it may be
able to do everything; and while no worker is alive, it is unknown which languages the next one has. So one is missing
only if workers are alive, and all have registered without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ladder.database.connection import Connection
from ladder.fleet import workers
from ladder.fleet.workers import Worker

Registered: TypeAlias = frozenset[frozenset[str] | None]
"""The sets of languages that workers have registered; None: nothing."""


@dataclass(frozen=True)
class Fleet:
    """The workers that live."""

    workers: Sequence[Worker] = ()

    def builds(self, language: str) -> bool:
        """Say whether somebody may be able to build bots of this language."""
        return somebody_can([language], self._built)

    def plays(self, *languages: str) -> bool:
        """Say whether somebody may be able to play bots of all these languages."""
        return somebody_can(languages, self._played)

    @cached_property
    def _built(self) -> Registered:
        return distinct(worker.builds for worker in self.workers)

    @cached_property
    def _played(self) -> Registered:
        return distinct(worker.plays for worker in self.workers)


def distinct(registered: Iterable[Iterable[str] | None]) -> Registered:
    """Return each set of languages that some worker has registered, once: in a large fleet most have the same."""
    return frozenset(None if own is None else frozenset(own) for own in registered)


def somebody_can(languages: Sequence[str], registered: Registered) -> bool:
    """Say whether one worker may have all these languages."""
    return not registered or any(own is None or own.issuperset(languages) for own in registered)


def fleet_of(connection: Connection) -> Fleet:
    """Return the workers that live now."""
    return Fleet(workers.live_workers(connection))
