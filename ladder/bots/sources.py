"""What is needed to play versions elsewhere than on the ladder: their sources, and the conditions of a match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from psycopg.rows import class_row

from ladder.database.connection import Connection


@dataclass(frozen=True, slots=True)
class Source:
    """What a version was built from. `state`: see ladder.bots.versions."""

    version_id: int
    bot: str
    name: str
    state: str
    language: str
    text: str


SELECT_SOURCE = """
    SELECT versions.id AS version_id, bots.name AS bot, version_name(versions.id) AS name, versions.state,
           versions.language, sources.content AS text
    FROM versions
    JOIN bots ON bots.id = versions.bot_id
    JOIN sources ON sources.hash = versions.source_hash
"""


def sources_of(connection: Connection, version_ids: Sequence[int]) -> dict[int, Source]:
    """Return the sources of those versions by their ids."""
    with connection.cursor(row_factory=class_row(Source)) as cursor:
        found = cursor.execute(SELECT_SOURCE + "WHERE versions.id = ANY(%s)", [list(version_ids)]).fetchall()
    return {source.version_id: source for source in found}


def sources_in_seats(connection: Connection, match_id: int) -> list[Source]:
    """Return the sources of a match's two versions in the order of its seats."""
    with connection.cursor(row_factory=class_row(Source)) as cursor:
        return cursor.execute(
            SELECT_SOURCE + "JOIN seats ON seats.version_id = versions.id WHERE seats.match_id = %s ORDER BY seat",
            [match_id],
        ).fetchall()
