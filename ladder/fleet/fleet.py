"""What the workers that live can do together, and which versions wait for a language that none of them has.

How this works. A worker registers the languages whose bots it can build and play where it is. Without that it may be
able to do everything; and while no worker is alive, it is unknown which languages the next one has. So one is missing
only if workers are alive, and all have registered without it. The same holds for games: of one with rules in Python a
worker needs the folder, and for one whose referee is a program it needs the languages that this program is in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from ladder.database.connection import Connection
from ladder.fleet import workers
from ladder.fleet.workers import Worker

Registered: TypeAlias = frozenset[frozenset[str] | None]
"""The sets of languages that workers have registered; None: nothing."""


@dataclass(frozen=True)
class Fleet:
    """The workers that live. `needs`: for each game whose referee is a program the languages that this one needs.

    `lacks_game`: workers live, and none of them can lead the matches of the game for which they were chosen.
    """

    workers: Sequence[Worker] = ()
    needs: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    lacks_game: bool = False

    def for_game(self, game: str) -> Fleet:
        """Return those workers that may be able to lead the matches of a game."""
        able = [worker for worker in self.workers if may_lead(worker, game, self.needs.get(game))]
        return Fleet(able, self.needs, lacks_game=bool(self.workers) and not able)

    def builds(self, language: str) -> bool:
        """Say whether somebody may be able to build bots of this language."""
        return not self.lacks_game and somebody_can([language], self._built)

    def plays(self, *languages: str) -> bool:
        """Say whether somebody may be able to play bots of all these languages."""
        return not self.lacks_game and somebody_can(languages, self._played)

    @cached_property
    def _built(self) -> Registered:
        return distinct(worker.builds for worker in self.workers)

    @cached_property
    def _played(self) -> Registered:
        return distinct(worker.plays for worker in self.workers)


def may_lead(worker: Worker, game: str, needs: Sequence[str] | None) -> bool:
    """Say whether a worker may be able to lead the matches of a game. `needs`: None for one with rules in Python."""
    if needs is None:
        return worker.games is None or game in worker.games
    return worker.plays is None or set(worker.plays).issuperset(needs)


def distinct(registered: Iterable[Iterable[str] | None]) -> Registered:
    """Return each set of languages that some worker has registered, once: in a large fleet most have the same."""
    return frozenset(None if own is None else frozenset(own) for own in registered)


def somebody_can(languages: Sequence[str], registered: Registered) -> bool:
    """Say whether one worker may have all these languages."""
    return not registered or any(own is None or own.issuperset(languages) for own in registered)


def fleet_of(connection: Connection) -> Fleet:
    """Return the workers that live now."""
    return Fleet(workers.live_workers(connection), needs_of_games(connection))


def needs_of_games(connection: Connection) -> dict[str, list[str]]:
    """Return which languages the referees of games need that are programs, by the games' names."""
    query = "SELECT name, needs FROM games JOIN game_editions ON hash = edition WHERE removed_at IS NULL"
    return dict(connection.execute(query).fetchall())
