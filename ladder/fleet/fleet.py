"""What the workers that live can do together, and which versions wait for a language that none of them has.

How this works. A worker registers the languages whose bots it can build and play where it is. Without that it may be
able to do everything; and while no worker is alive, it is unknown which languages the next one has. So one is missing
only if workers are alive, and all have registered without it. The same holds for games: of one with rules in Python a
worker needs the folder, and for one whose referee is a program it needs the languages that this program is in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from psycopg.sql import SQL

from ladder.database.connection import Connection, Rows
from ladder.fleet import workers
from ladder.fleet.workers import Worker


@dataclass(frozen=True, slots=True)
class InLanguage:
    """What is to be done for bots of one language. `work`: builds or plays; `versions`: names of those concerned."""

    language: str
    work: str
    versions: list[str]


CONCERNED = SQL("""
    WITH concerned (version_id, work) AS (
        SELECT version_id, 'plays' FROM standings WHERE on_board
        UNION ALL
        SELECT unnest(ARRAY[candidate_id, baseline_id]), 'plays' FROM gauntlets WHERE state = 'running'
        UNION ALL
        SELECT version_id, 'plays'
        FROM gauntlet_opponents JOIN gauntlets ON gauntlets.id = gauntlet_opponents.gauntlet_id
        WHERE gauntlets.state = 'running'
        UNION ALL
        SELECT id, 'builds' FROM versions WHERE state = 'building')
""")
"""Which versions are to be played, on a board or in a gauntlet, and which are to be built."""


def in_languages(connection: Connection, wanted: Sequence[tuple[str, str]]) -> list[InLanguage]:
    """Namesakes in several games are named once. `wanted`: languages, each with what is to be done."""
    return Rows(connection, InLanguage).all(
        SQL("""
        {concerned},
        named AS (
            SELECT DISTINCT language, work, bots.name, number
            FROM concerned
            JOIN versions ON versions.id = concerned.version_id
            JOIN bots ON bots.id = versions.bot_id
            WHERE (language, work) IN (SELECT * FROM unnest(%s::text[], %s::text[])))
        SELECT language, work, array_agg(name || '@v' || number ORDER BY name, number) AS versions
        FROM named
        GROUP BY language, work
        ORDER BY language, work
        """).format(concerned=CONCERNED),
        [[language for language, _ in wanted], [work for _, work in wanted]],
    )


def stranded(connection: Connection, fleet: Fleet) -> list[InLanguage]:
    if not fleet.workers:
        return []  # the next one may have every language
    can: dict[str, Callable[[str], bool]] = {"plays": fleet.plays, "builds": fleet.builds}
    query = SQL("{concerned} SELECT DISTINCT language, work FROM concerned JOIN versions ON versions.id = version_id")
    wanted = connection.execute(query.format(concerned=CONCERNED)).fetchall()
    missing = [(language, work) for language, work in wanted if not can[work](language)]
    return in_languages(connection, missing) if missing else []


Registered: TypeAlias = frozenset[frozenset[str] | None]


@dataclass(frozen=True)
class Fleet:
    """The workers that live. `needs`: languages of referees, by game; `lacks_game`: none can lead the chosen game."""

    workers: Sequence[Worker] = ()
    needs: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    lacks_game: bool = False

    def for_game(self, game: str) -> Fleet:
        able = [worker for worker in self.workers if may_lead(worker, game, self.needs.get(game))]
        return Fleet(able, self.needs, lacks_game=bool(self.workers) and not able)

    def builds(self, language: str) -> bool:
        return not self.lacks_game and somebody_can([language], self._built)

    def plays(self, *languages: str) -> bool:
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
    return not registered or any(own is None or own.issuperset(languages) for own in registered)


def fleet_of(connection: Connection) -> Fleet:
    query = "SELECT name, needs FROM games JOIN game_editions ON hash = edition WHERE removed_at IS NULL"
    return Fleet(workers.live_workers(connection), dict(connection.execute(query).fetchall()))
