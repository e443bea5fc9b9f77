"""Frozen boards: from a moment on everybody but operators sees the boards of a game as they were then.

How this works. The database keeps a standing as it was when the first change after the moment comes, and shows such
standings, with nothing that follows from later matches, to whoever does not operate (the schema `frozen`, see
`ladder.sight`). So boards, bots and searches need to do nothing for it. Boards that are frozen from a moment that is
over are worked out once, of what is known of that moment: see `ladder.ratings.frozen.past_standings`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from engine.errors import Refused
from ladder.database.connection import Connection, one
from ladder.database.text import without_nul
from ladder.ratings import standings
from ladder.ratings.frozen import past_standings
from ladder.row_limits import require_moment


@dataclass(frozen=True, slots=True)
class BoardFreeze:
    """The boards of a game are frozen from a moment on, by somebody. `has_begun`: whether that moment is over."""

    game: str
    frozen_from: datetime
    frozen_by: str
    has_begun: bool


def begin(connection: Connection, game: str, frozen_from: datetime, by: str) -> BoardFreeze:
    """Freeze the boards of a game, in the place of a freeze that is still to begin.

    Recordings wait until the transaction ends, so that each is before the moment as a whole or after it. Raises Refused
    where the boards are frozen already, UsageFault for a moment that is too far away.
    """
    require_moment(frozen_from)
    standings.hold(connection)
    there = find(connection, game)
    if there is not None and there.has_begun:
        since = f"{there.frozen_from.astimezone():%Y-%m-%d %H:%M}"
        raise Refused(
            f"the boards of {game} are frozen since {since} already; `ladder board --game {game} --thaw` ends that"
        )
    connection.execute(
        """
        INSERT INTO board_freezes (game, frozen_from, frozen_by) VALUES (%s, %s, %s)
        ON CONFLICT (game) DO UPDATE
        SET frozen_from = excluded.frozen_from, frozen_by = excluded.frozen_by, set_at = now()
        """,
        [game, frozen_from, without_nul(by)],
    )
    if one(connection, "SELECT %(moment)s <= clock_timestamp()", {"moment": frozen_from})[0]:
        past_standings.keep(connection, game, frozen_from)
    return BoardFreeze(*one(connection, SELECT_FREEZE, {"game": game}))


def end(connection: Connection, game: str) -> bool:
    """Let everybody see the true boards of a game again. Returns whether a freeze was set."""
    connection.execute(
        "DELETE FROM frozen_standings WHERE league_id IN (SELECT id FROM leagues WHERE game = %s)", [game]
    )
    return connection.execute("DELETE FROM board_freezes WHERE game = %s", [game]).rowcount == 1


def find(connection: Connection, game: str) -> BoardFreeze | None:
    """Return the freeze of a game's boards that is set, if there is one."""
    with connection.cursor(row_factory=class_row(BoardFreeze)) as cursor:
        return cursor.execute(SELECT_FREEZE, {"game": game}).fetchone()


SELECT_FREEZE = """
    SELECT game, frozen_from, frozen_by, frozen_from <= now() AS has_begun FROM board_freezes WHERE game = %(game)s
"""
