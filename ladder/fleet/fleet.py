"""What the workers that live can do together, and which versions wait for a language that none of them has.

How this works. A worker tells which languages' bots it can build and play where it is. One that has not told may be
able to do everything; and while no worker is alive, it is unknown which languages the next one has. So one is missing
only where somebody lives, and everybody has told without naming it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from ladder.database.connection import Connection
from ladder.fleet import workers
from ladder.fleet.workers import Worker

Told: TypeAlias = frozenset[frozenset[str] | None]
"""What workers have told of their languages; None: nothing."""


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
    def _built(self) -> Told:
        return distinct(worker.builds for worker in self.workers)

    @cached_property
    def _played(self) -> Told:
        return distinct(worker.plays for worker in self.workers)


def distinct(told: Iterable[Iterable[str] | None]) -> Told:
    """Return each set of languages that some worker has told, once: in a large fleet most have told the same."""
    return frozenset(None if own is None else frozenset(own) for own in told)


def somebody_can(languages: Sequence[str], told: Told) -> bool:
    """Say whether one worker may have all these languages."""
    return not told or any(own is None or own.issuperset(languages) for own in told)


def fleet_of(connection: Connection) -> Fleet:
    """Return the workers that live now."""
    return Fleet(workers.live_workers(connection))
