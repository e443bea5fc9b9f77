"""Versions that wait for a language that no live worker has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from psycopg.rows import class_row

from ladder.database.connection import Connection
from ladder.fleet.fleet import Fleet


@dataclass(frozen=True, slots=True)
class InLanguage:
    """What is to be done for bots of one language. `work`: builds or plays; `versions`: names of those concerned."""

    language: str
    work: str
    versions: list[str]


def in_languages(connection: Connection) -> list[InLanguage]:
    """Return by language which versions are to be played, on a board or in a gauntlet, and which are to be built.

    Namesakes in several games are named once.
    """
    with connection.cursor(row_factory=class_row(InLanguage)) as cursor:
        return cursor.execute(
            """
            WITH concerned (version_id, work) AS (
                SELECT version_id, 'plays' FROM standings WHERE on_board
                UNION ALL
                SELECT unnest(ARRAY[candidate_id, baseline_id]), 'plays' FROM gauntlets WHERE state = 'running'
                UNION ALL
                SELECT version_id, 'plays'
                FROM gauntlet_opponents JOIN gauntlets ON gauntlets.id = gauntlet_opponents.gauntlet_id
                WHERE gauntlets.state = 'running'
                UNION ALL
                SELECT id, 'builds' FROM versions WHERE state = 'building'),
            named AS (
                SELECT DISTINCT language, work, bots.name, number
                FROM concerned
                JOIN versions ON versions.id = concerned.version_id
                JOIN bots ON bots.id = versions.bot_id)
            SELECT language, work, array_agg(name || '@v' || number ORDER BY name, number) AS versions
            FROM named
            GROUP BY language, work
            ORDER BY language, work
            """
        ).fetchall()


def stranded(connection: Connection, fleet: Fleet) -> list[InLanguage]:
    """Return the versions that are to be played or built but that no worker can play or build."""
    can: dict[str, Callable[[str], bool]] = {"plays": fleet.plays, "builds": fleet.builds}
    return [wanted for wanted in in_languages(connection) if not can[wanted.work](wanted.language)]
