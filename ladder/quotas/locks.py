"""Games that take no new versions at present, and no other ones on their boards; play goes on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from engine.errors import Refused
from ladder.database.connection import Connection
from ladder.database.text import without_nul


@dataclass(frozen=True, slots=True)
class GameLock:
    """A game is locked: since when, why, and by whom."""

    game: str
    closed_at: datetime
    why: str
    by: str


def put(connection: Connection, game: str, why: str, by: str) -> bool:
    """Lock a game. Returns whether it was not locked before; a lock that is there stays as it is."""
    done = connection.execute(
        "INSERT INTO game_locks (game, why, by) VALUES (%s, %s, %s) ON CONFLICT (game) DO NOTHING",
        [game, without_nul(why), without_nul(by)],
    )
    return done.rowcount == 1


def remove(connection: Connection, game: str) -> bool:
    """Unlock a game. Returns whether it was locked."""
    return connection.execute("DELETE FROM game_locks WHERE game = %s", [game]).rowcount == 1


def find(connection: Connection, game: str) -> GameLock | None:
    """Return a game's lock, if it has one."""
    with connection.cursor(row_factory=class_row(GameLock)) as cursor:
        return cursor.execute("SELECT game, closed_at, why, by FROM game_locks WHERE game = %s", [game]).fetchone()


def require_unlocked(connection: Connection, game: str) -> None:
    """Raise Refused for a game that is locked."""
    found = find(connection, game)
    if found is not None:
        raise Refused(f"{game} is locked, so no version is submitted or activated ({found.why}); play goes on")
