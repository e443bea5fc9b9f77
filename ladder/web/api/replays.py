"""What a replay follows from, so that one that somebody has already is known without being made again."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

import engine.bot
from engine.errors import ArenaError
from engine.game import Game, Games
from ladder.database.connection import Connection
from ladder.ids import MatchId
from ladder.views import turns

MAKERS = [Path(str(package.__file__)).parent for package in (engine, engine.bot, turns)]
"""Where the modules are that make replays."""


def replay_etag(connection: Connection, games: Games, match_id: MatchId) -> str | None:
    """Return the ETag of a finished match's replay; None for one that is not finished, or of a game that is not here.

    It follows from which attempt was recorded and when, from the names of its players, which can change, and from the
    program and the game's own files, which make pictures of it.
    """
    row = connection.execute(
        """
        SELECT leagues.game, matches.attempt, matches.finished_at, leagues.title,
               array_agg(bots.name || '@v' || versions.number ORDER BY seats.seat)
        FROM matches
        JOIN leagues ON leagues.id = matches.league_id
        JOIN seats ON seats.match_id = matches.id
        JOIN versions ON versions.id = seats.version_id
        JOIN bots ON bots.id = versions.bot_id
        WHERE matches.id = %s AND matches.state = 'finished'
        GROUP BY matches.id, leagues.id
        """,
        [match_id],
    ).fetchone()
    if row is None:
        return None
    try:
        game = games.find(row[0])
    except ArenaError:
        return None
    return f'W/"{digest(match_id, *row, program(), *files_of(game))}"'


def digest(*parts: object) -> str:
    """Return a short text that changes when any part does."""
    return sha256(repr(parts).encode()).hexdigest()[:32]


@cache
def program() -> int:
    """Return what changes when the program does: when the latest file was written from which replays follow."""
    return max(file.stat().st_mtime_ns for folder in MAKERS for file in folder.glob("*.py"))


@cache
def files_of(game: Game) -> tuple[object, ...]:
    """Return what says whether a game's own program is another one: when its files were written."""
    return (game.rules_version, *sorted((file.name, file.stat().st_mtime_ns) for file in game.folder.glob("*.py")))
