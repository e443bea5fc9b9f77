"""What is needed to play versions elsewhere than on the ladder: their sources, and the conditions of a match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from psycopg.rows import class_row, kwargs_row

from engine.bot.clock import Clock, Policy, TimeRule
from engine.bot.conditions import Conditions
from ladder.database.connection import Connection
from ladder.leagues.conditions import conditions_of


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


def conditions_of_match(connection: Connection, match_id: int) -> Conditions:
    """Return the conditions of a finished match: its own rule for time, and its league's other limits as they are."""
    with connection.cursor(row_factory=kwargs_row(judged_by)) as cursor:
        found = cursor.execute(
            """
            SELECT league_conditions(leagues) AS conditions, matches.time_policy, matches.clock
            FROM matches JOIN leagues ON leagues.id = matches.league_id
            WHERE matches.id = %s
            """,
            [match_id],
        ).fetchone()
    if found is None:
        raise LookupError(f"no match {match_id}")
    return found


def judged_by(*, conditions: dict[str, Any], time_policy: str, clock: str) -> Conditions:
    """Make conditions of a row's columns."""
    return replace(conditions_of(conditions), time=TimeRule(Policy(time_policy), Clock(clock)))
