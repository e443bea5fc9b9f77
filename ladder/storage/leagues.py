"""Leagues in the database, registered from the games' own tables."""

from __future__ import annotations

from dataclasses import dataclass

from psycopg.rows import class_row

from engine.errors import UnknownName
from engine.game import Game
from engine.games import find_game
from ladder.database import Connection

SPARE_S = 30
"""Added to the longest match for starting the bots and recording the result."""


@dataclass(frozen=True, slots=True)
class League:
    """A league. `battles`: how many a version plays before it can be promoted. `longest_s`: the longest match."""

    id: int
    game: str
    name: str
    title: str
    position: int
    rules_level: int
    battles: int
    memory_mb: int
    longest_s: int


def longest_match_s(game: Game) -> int:
    """Return how long a match can last if both seats use all of every turn's time."""
    one_seat_ms = game.first_limit_ms + game.most_asks_per_seat * game.turn_limit_ms
    return 2 * one_seat_ms // 1000 + SPARE_S


def register(connection: Connection, game: Game) -> None:
    """Bring a game's leagues into the database, or up to date with the game's own table; `battles` stay as they are."""
    for position, league in enumerate(game.leagues, 1):
        connection.execute(
            """
            INSERT INTO leagues (game, name, title, position, rules_level, battles, longest_s)
            VALUES (%(game)s, %(name)s, %(title)s, %(position)s, %(rules_level)s, %(battles)s, %(longest_s)s)
            ON CONFLICT ON CONSTRAINT leagues_name_is_unique DO UPDATE
            SET title = EXCLUDED.title, position = EXCLUDED.position, rules_level = EXCLUDED.rules_level,
                longest_s = EXCLUDED.longest_s
            """,
            {
                "game": game.name,
                "name": league.name,
                "title": league.title,
                "position": position,
                "rules_level": league.rules_level,
                "battles": league.battles,
                "longest_s": longest_match_s(game),
            },
        )


def set_battles(connection: Connection, game: str, battles: int) -> None:
    """Let versions of a game play that many battles in each league."""
    connection.execute("UPDATE leagues SET battles = %s WHERE game = %s", [battles, game])


def leagues(connection: Connection, game: str | None = None) -> list[League]:
    """Return the leagues, of one game or of all, lowest first."""
    with connection.cursor(row_factory=class_row(League)) as cursor:
        return cursor.execute(
            """
            SELECT id, game, name, title, position, rules_level, battles, memory_mb, longest_s
            FROM leagues
            WHERE %(game)s::text IS NULL OR game = %(game)s
            ORDER BY game, position
            """,
            {"game": game},
        ).fetchall()


def find_league(connection: Connection, game: str, name: str) -> League:
    """Return a game's league by its name. Raises UnknownName."""
    wanted = find_game(game).league(name).name
    found = [league for league in leagues(connection, game) if league.name == wanted]
    if not found:
        raise UnknownName.of(f"league of {game}", name, [league.name for league in leagues(connection, game)])
    return found[0]
