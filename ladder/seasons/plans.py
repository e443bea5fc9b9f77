"""Planned ends of seasons: until when versions are submitted, and what is played before a season is closed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime

from psycopg.rows import class_row

from engine.errors import Refused, UsageFault
from ladder.database.connection import Connection, one
from ladder.row_limits import require_moment


@dataclass(frozen=True, slots=True)
class SeasonPlan:
    """How a game's season is to end. From `submit_until` on no version is submitted, and what lacks is played.

    Then `series_battles` more for each of the first `series_top` of each board, where there are to be any.
    """

    game: str
    number: int
    submit_until: datetime
    series_battles: int
    series_top: int
    planned_by: str


def put(connection: Connection, plan: SeasonPlan) -> None:
    """Write a plan, in the place of any other for its game."""
    connection.execute(
        """
        INSERT INTO season_plans (game, number, submit_until, series_battles, series_top, planned_by)
        VALUES (%(game)s, %(number)s, %(submit_until)s, %(series_battles)s, %(series_top)s, %(planned_by)s)
        ON CONFLICT (game) DO UPDATE
        SET number = excluded.number, submit_until = excluded.submit_until, series_battles = excluded.series_battles,
            series_top = excluded.series_top, planned_by = excluded.planned_by, planned_at = now()
        """,
        asdict(plan),
    )


def drop(connection: Connection, game: str) -> bool:
    """Remove the plan for a game. Returns whether there was one."""
    return connection.execute("DELETE FROM season_plans WHERE game = %s", [game]).rowcount == 1


def find(connection: Connection, game: str) -> SeasonPlan | None:
    """Return the plan for a game, or None."""
    with connection.cursor(row_factory=class_row(SeasonPlan)) as cursor:
        return cursor.execute(SELECT_PLAN + "WHERE game = %s", [game]).fetchone()


def due(connection: Connection) -> list[SeasonPlan]:
    """Return the plans whose time has come."""
    with connection.cursor(row_factory=class_row(SeasonPlan)) as cursor:
        return cursor.execute(SELECT_PLAN + "WHERE submit_until <= now() ORDER BY game").fetchall()


def require_open(connection: Connection, game: str) -> None:
    """Raise Refused where submissions for a game are closed, as its season is being played to its end."""
    row = connection.execute(
        "SELECT number FROM season_plans WHERE game = %s AND submit_until <= now()", [game]
    ).fetchone()
    if row is not None:
        raise Refused(
            f"submissions for {game} are closed: season {row[0]} is being played to its end; "
            f"`ladder season show {game}` says how far it is"
        )


def require_to_come(connection: Connection, game: str, until: datetime) -> None:
    """Raise UsageFault for a time that is over, as a mistyped one would end submissions at once, or too far away."""
    require_moment(until)
    if one(connection, "SELECT %(until)s <= now()", {"until": until})[0]:
        raise UsageFault(
            f"{until.astimezone():%Y-%m-%d %H:%M} is over, and submissions would be closed at once: name a time to "
            f"come, or close the season as soon as all is played with `ladder season close {game} --when-settled`"
        )


SELECT_PLAN = "SELECT game, number, submit_until, series_battles, series_top, planned_by FROM season_plans "
