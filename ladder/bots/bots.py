"""The bots of players, and moving them between leagues."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from engine.errors import UnknownName, UsageFault
from ladder.access import Actor, Deed, require
from ladder.bots.players import player_id
from ladder.database.connection import Connection
from ladder.errors import NotYourBot
from ladder.leagues.leagues import check_game
from ladder.name_lists import in_short


@dataclass(frozen=True, slots=True)
class Bot:
    """A named program of a player in one game. `boss_of`: the id of the league it guards, or None.

    `retired_at`: since when its player lets it play no more. `disqualified_at`, `disqualified_by`, `disqualified_why`:
    since when an operator keeps it off the boards, who that is, and the reason. Each None where it is not so.
    """

    id: int
    game: str
    name: str
    player: str
    league_id: int
    league: str
    boss_of: int | None
    created_at: datetime
    retired_at: datetime | None = None
    disqualified_at: datetime | None = None
    disqualified_by: str | None = None
    disqualified_why: str | None = None

    @property
    def is_retired(self) -> bool:
        """Say whether its player lets it play no more."""
        return self.retired_at is not None

    @property
    def is_disqualified(self) -> bool:
        """Say whether an operator keeps it off the boards."""
        return self.disqualified_at is not None


SELECT_BOT = """
    SELECT bots.id, bots.game, bots.name, players.name AS player, bots.league_id, leagues.title AS league,
           bots.boss_of, bots.created_at, retired_at, disqualified_at, disqualified_by, disqualified_why
    FROM bots JOIN players ON players.id = bots.player_id JOIN leagues ON leagues.id = bots.league_id
"""


def open_bot(connection: Connection, game: str, name: str, player: str, boss_of: int | None = None) -> Bot:
    """Return the bot of that name, which may be another player's, locked for this transaction.

    A new one is that player's, in its game's lowest league (a boss: in its own). Raises UsageFault for a name with odd
    characters.
    """
    connection.execute(
        """
        INSERT INTO bots (game, name, player_id, league_id, boss_of)
        SELECT %(game)s, %(name)s, %(player)s, id, %(boss_of)s FROM leagues
        WHERE CASE WHEN %(boss_of)s::bigint IS NULL THEN game = %(game)s AND position = 1 ELSE id = %(boss_of)s END
        ON CONFLICT (game, lower(name)) DO NOTHING
        """,
        {"game": game, "name": name, "player": player_id(connection, player), "boss_of": boss_of},
    )
    connection.execute(
        "SELECT FROM bots WHERE game = %(game)s AND lower(name) = lower(%(name)s) FOR UPDATE",
        {"game": game, "name": name},
    )
    return find_bot(connection, name, game)


def find_bot(connection: Connection, name: str, game: str | None = None) -> Bot:
    """Return the bot of that name. Raises UnknownName for it or the game, UsageFault where several games have one."""
    with connection.cursor(row_factory=class_row(Bot)) as cursor:
        found = cursor.execute(
            SELECT_BOT
            + """
            WHERE lower(bots.name) = lower(%(name)s) AND (%(game)s::text IS NULL OR bots.game = %(game)s)
            """,
            {"name": name, "game": game},
        ).fetchall()
    if not found:
        if game is not None:
            check_game(connection, game)
        known = {bot.name for bot in bots(connection, game)}
        raise UnknownName.of("bot", name, in_short(sorted(known, key=lambda name: (name.lower(), name))))
    if len(found) > 1:
        raise UsageFault(f"{name} plays {' and '.join(bot.game for bot in found)}: say which with --game")
    return found[0]


def games_of(connection: Connection, name: str) -> set[str]:
    """Return the games in which there is a bot of that name."""
    return {row[0] for row in connection.execute("SELECT game FROM bots WHERE lower(name) = lower(%s)", [name])}


def bots(connection: Connection, game: str | None = None) -> list[Bot]:
    """Return all bots, of one game or of all, by name."""
    with connection.cursor(row_factory=class_row(Bot)) as cursor:
        return cursor.execute(
            SELECT_BOT + "WHERE %(game)s::text IS NULL OR bots.game = %(game)s ORDER BY bots.game, bots.name",
            {"game": game},
        ).fetchall()


def find_own_bot(connection: Connection, actor: Actor, deed: Deed, name: str, game: str | None = None) -> Bot:
    """Return the bot of that name, with which somebody may do that. Raises NotYourBot, and as `find_bot` does."""
    bot = find_bot(connection, name, game)
    sentence = f"the bot {bot.name} belongs to {bot.player}, and only its player can do that"
    require(actor, deed, sentence, bot.player, NotYourBot)
    return bot


def bot_of_version(connection: Connection, version_id: int) -> Bot:
    """Return the bot of a version, which exists."""
    with connection.cursor(row_factory=class_row(Bot)) as cursor:
        bot = cursor.execute(
            SELECT_BOT + "JOIN versions ON versions.bot_id = bots.id WHERE versions.id = %s", [version_id]
        ).fetchone()
    if bot is None:
        raise LookupError(f"no version {version_id}")
    return bot


def ids_of_versions(connection: Connection, version_ids: Sequence[int]) -> list[int]:
    """Return the ids of the bots to which those versions belong."""
    rows = connection.execute("SELECT DISTINCT bot_id FROM versions WHERE id = ANY(%s)", [list(version_ids)])
    return [row[0] for row in rows]


def write_down_move(connection: Connection, version_id: int, kind: str, from_league: int, to_league: int) -> None:
    """Keep that a version changed leagues; see ladder.choices.MoveKind."""
    connection.execute(
        "INSERT INTO moves (version_id, kind, from_league, to_league) VALUES (%s, %s, %s, %s)",
        [version_id, kind, from_league, to_league],
    )


def lock_bots(connection: Connection, bot_ids: Iterable[int]) -> None:
    """Lock those bots for this transaction, in id order. Every move of a bot or its versions begins with this."""
    connection.execute("SELECT FROM bots WHERE id = ANY(%s) ORDER BY id FOR UPDATE", [list(bot_ids)])


def guard(connection: Connection, bot_id: int, league_id: int | None) -> None:
    """Let the bot be the boss of a league, where it then plays, or of none any more."""
    connection.execute(
        "UPDATE bots SET boss_of = %(league)s, league_id = coalesce(%(league)s, league_id) WHERE id = %(bot)s",
        {"league": league_id, "bot": bot_id},
    )


def move_bot(connection: Connection, bot_id: int, league_id: int) -> None:
    """Let the bot play in another league from now on."""
    connection.execute("UPDATE bots SET league_id = %s WHERE id = %s", [league_id, bot_id])
