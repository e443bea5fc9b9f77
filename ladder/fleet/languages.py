"""Versions that wait for a language that no live worker has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from psycopg.rows import class_row
from psycopg.sql import SQL

from ladder.database.connection import Connection
from ladder.fleet.fleet import Fleet


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


def languages_wanted(connection: Connection) -> list[tuple[str, str]]:
    """Return the languages of versions that are to be played or built, each with what is to be done: plays, builds."""
    query = SQL("{concerned} SELECT DISTINCT language, work FROM concerned JOIN versions ON versions.id = version_id")
    return connection.execute(query.format(concerned=CONCERNED)).fetchall()


def in_languages(connection: Connection, wanted: Sequence[tuple[str, str]]) -> list[InLanguage]:
    """Return which versions are to be played or built in some languages. Namesakes in several games are named once.

    `wanted`: languages, each with what is to be done.
    """
    with connection.cursor(row_factory=class_row(InLanguage)) as cursor:
        return cursor.execute(
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
        ).fetchall()


def stranded(connection: Connection, fleet: Fleet) -> list[InLanguage]:
    """Return the versions that are to be played or built but that no worker can play or build."""
    if not fleet.workers:
        return []  # the next one may have every language
    can: dict[str, Callable[[str], bool]] = {"plays": fleet.plays, "builds": fleet.builds}
    missing = [(language, work) for language, work in languages_wanted(connection) if not can[work](language)]
    return in_languages(connection, missing) if missing else []
