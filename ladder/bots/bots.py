"""The bots of players: moving them between leagues, and their names; each that one had before leads to it for good."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

from psycopg.sql import SQL, Placeholder

from engine.errors import Refused, UnknownName, UsageFault
from engine.immutable import immutable
from engine.text import counted
from ladder.access import Actor, Deed, require, require_bot
from ladder.bots.players import player_id
from ladder.choices import VersionState
from ladder.database.connection import Connection, Rows, first_column, first_value, without_nul
from ladder.errors import NotYourBot
from ladder.ids import BotId, LeagueId, PlayerId, VersionId
from ladder.leagues.leagues import check_game, leagues
from ladder.names import in_short

ROOM_LOCK = 7_301
"""Class of the advisory locks under which a player's bots in a league are counted."""


@immutable
class Bot:
    """A named program of a player in one game. `boss_of`: the id of the league it guards, or None.

    `retired_at`: since when its player lets it play no more. `disqualified_at`, `disqualified_by`, `disqualified_why`:
    since when an operator keeps it off the boards, who that is, and the reason. Each None where it is not so.
    """

    id: BotId
    game: str
    name: str
    player: str
    league_id: LeagueId
    league: str
    boss_of: LeagueId | None
    created_at: datetime
    retired_at: datetime | None = None
    disqualified_at: datetime | None = None
    disqualified_by: str | None = None
    disqualified_why: str | None = None

    @property
    def is_retired(self) -> bool:
        return self.retired_at is not None

    @property
    def is_disqualified(self) -> bool:
        return self.disqualified_at is not None

    @property
    def is_gone(self) -> bool:
        return self.is_retired or self.is_disqualified


SELECT_BOT = """
    SELECT bots.id, bots.game, bots.name, players.name AS player, bots.league_id, leagues.title AS league,
           bots.boss_of, bots.created_at, retired_at, disqualified_at, disqualified_by, disqualified_why
    FROM bots JOIN players ON players.id = bots.player_id JOIN leagues ON leagues.id = bots.league_id
"""

IS_CALLED = SQL(
    """bots.id IN (
        SELECT id FROM bots WHERE lower(name) = lower({name})
        UNION ALL SELECT bot_id FROM former_names WHERE lower(name) = lower({name}))"""
)
"""The condition that a bot has that name, or had it before: see `former_names`."""


def open_bot(connection: Connection, game: str, name: str, player: str, boss_of: LeagueId | None = None) -> Bot:
    """Return the bot of that name, locked, made for `player` in the lowest league if new. Raises UsageFault."""
    query = """
        INSERT INTO bots (game, name, player_id, league_id, boss_of)
        SELECT %(game)s, %(name)s, %(player)s, id, %(boss_of)s FROM leagues
        WHERE CASE WHEN %(boss_of)s::bigint IS NULL THEN game = %(game)s AND position = 1 ELSE id = %(boss_of)s END
          AND NOT EXISTS (SELECT FROM former_names WHERE game = %(game)s AND lower(name) = lower(%(name)s))
        ON CONFLICT (game, lower(name)) DO NOTHING
        """
    connection.execute(query, {"game": game, "name": name, "player": player_id(connection, player), "boss_of": boss_of})
    lock_bots(connection, [bot.id for bot in bots_called(connection, name, game)])
    return find_bot(connection, name, game)


def bots_called(connection: Connection, name: str, game: str | None = None) -> list[Bot]:
    """Return the bots that have that name or had it before, of one game, where it is at most one, or of all."""
    return Rows(connection, Bot).all(
        SQL("{select} WHERE {is_called} AND (%(game)s::text IS NULL OR bots.game = %(game)s)").format(
            select=SQL(SELECT_BOT), is_called=IS_CALLED.format(name=Placeholder("name"))
        ),
        {"name": name, "game": game},
    )


def find_bot(connection: Connection, name: str, game: str | None = None) -> Bot:
    """Return the bot that has or had that name. Raises UnknownName for it or the game, UsageFault for several."""
    called = bots_called(connection, name, game)
    if not called:
        check_game(connection, game)
        names = {bot.name for bot in that_can_play(connection, bots(connection, game))}
        raise UnknownName.of("bot", name, in_short(sorted(names, key=lambda name: (name.lower(), name))))
    if len(called) > 1:
        called = that_can_play(connection, called) or called
    if len(called) > 1:
        raise UsageFault(f"{name} plays {' and '.join(bot.game for bot in called)}: say which with --game")
    return called[0]


def games_of(connection: Connection, name: str) -> set[str]:
    return {bot.game for bot in that_can_play(connection, bots_called(connection, name))}


def that_can_play(connection: Connection, bots: Sequence[Bot]) -> list[Bot]:
    """Return those of some bots of which not every version was rejected: others are not names that anybody means."""
    query = "SELECT DISTINCT bot_id FROM versions WHERE bot_id = ANY(%s) AND state <> %s"
    ids = first_column(connection, query, [[bot.id for bot in bots], VersionState.REJECTED])
    return [bot for bot in bots if bot.id in ids]


def bots(connection: Connection, game: str | None = None) -> list[Bot]:
    query = "WHERE %(game)s::text IS NULL OR bots.game = %(game)s ORDER BY bots.game, bots.name"
    return Rows(connection, Bot).all(SELECT_BOT + query, {"game": game})


def bots_of_player(connection: Connection, player: str, game: str | None = None) -> list[Bot]:
    """Return all bots of a player, of one game or of all, by name; none for a name that is not a player's."""
    query = """
        WHERE lower(players.name) = lower(%(player)s) AND (%(game)s::text IS NULL OR bots.game = %(game)s)
        ORDER BY bots.game, bots.name
        """
    return Rows(connection, Bot).all(SELECT_BOT + query, {"player": player, "game": game})


def bots_after(connection: Connection, game: str, name: str, limit: int, *, with_retired: bool) -> list[Bot]:
    return Rows(connection, Bot).all(
        SELECT_BOT
        + """
        WHERE bots.game = %(game)s AND bots.name > %(name)s AND (%(with_retired)s OR retired_at IS NULL)
        ORDER BY bots.name
        LIMIT %(limit)s
        """,
        {"game": game, "name": name, "limit": limit, "with_retired": with_retired},
    )


def find_own_bot(connection: Connection, actor: Actor, deed: Deed, name: str, game: str | None = None) -> Bot:
    """Return the bot of that name, with which somebody may do that. Raises NotYourBot, and as `find_bot` does."""
    bot = find_bot(connection, name, game)
    sentence = f"the bot {bot.name} belongs to {bot.player}, and only its player can do that"
    require(actor, deed, sentence, bot.player, NotYourBot)
    require_bot(actor, bot.game, bot.name)
    return bot


def bot_of_version(connection: Connection, version_id: VersionId) -> Bot:
    query = "JOIN versions ON versions.bot_id = bots.id WHERE versions.id = %s"
    return Rows(connection, Bot).one(SELECT_BOT + query, [version_id])


def ids_of_versions(connection: Connection, version_ids: Sequence[VersionId]) -> list[BotId]:
    return first_column(connection, "SELECT DISTINCT bot_id FROM versions WHERE id = ANY(%s)", [list(version_ids)])


def write_down_move(
    connection: Connection, version_id: VersionId, kind: str, from_league: LeagueId, to_league: LeagueId
) -> None:
    query = "INSERT INTO moves (version_id, kind, from_league, to_league) VALUES (%s, %s, %s, %s)"
    connection.execute(query, [version_id, kind, from_league, to_league])


def lock_bots(connection: Connection, bot_ids: Iterable[BotId]) -> None:
    """Lock those bots for this transaction, in id order. Every move of a bot or its versions begins with this."""
    connection.execute("SELECT FROM bots WHERE id = ANY(%s) ORDER BY id FOR UPDATE", [list(bot_ids)])


def guard(connection: Connection, bot_id: BotId, league_id: LeagueId | None) -> None:
    query = "UPDATE bots SET boss_of = %(league)s, league_id = coalesce(%(league)s, league_id) WHERE id = %(bot)s"
    connection.execute(query, {"league": league_id, "bot": bot_id})


def move_bot(connection: Connection, bot_id: BotId, league_id: LeagueId) -> None:
    connection.execute("UPDATE bots SET league_id = %s WHERE id = %s", [league_id, bot_id])


def retire(connection: Connection, bot_id: BotId, *, with_player: bool = False) -> None:
    """Write down that the bot plays no more. `with_player`: because its player's account was disabled."""
    connection.execute("UPDATE bots SET retired_at = now(), left_with_player = %s WHERE id = %s", [with_player, bot_id])


def come_back(connection: Connection, bot_id: BotId) -> None:
    query = "UPDATE bots SET retired_at = NULL, left_with_player = false WHERE id = %s AND retired_at IS NOT NULL"
    connection.execute(query, [bot_id])


def left_with_player(connection: Connection, player: PlayerId) -> list[Bot]:
    query = "WHERE player_id = %s AND left_with_player ORDER BY bots.name, bots.game"
    return Rows(connection, Bot).all(SELECT_BOT + query, [player])


def disqualify(connection: Connection, bot_id: BotId, by: str, why: str) -> None:
    query = "UPDATE bots SET disqualified_at = now(), disqualified_by = %s, disqualified_why = %s WHERE id = %s"
    connection.execute(query, [without_nul(by), without_nul(why), bot_id])


def reinstate(connection: Connection, bot_id: BotId) -> None:
    query = "UPDATE bots SET disqualified_at = NULL, disqualified_by = NULL, disqualified_why = NULL WHERE id = %s"
    connection.execute(query, [bot_id])


def that_compete(connection: Connection, bots: Sequence[Bot]) -> dict[str, list[Bot]]:
    """Return those of some bots by player that are in a contest: no bosses, none that is retired or cannot play."""
    by_player: dict[str, list[Bot]] = defaultdict(list)
    for bot in that_can_play(connection, [bot for bot in bots if bot.boss_of is None and not bot.is_retired]):
        by_player[bot.player].append(bot)
    return by_player


def require_only(connection: Connection, bot: Bot) -> None:
    """Raise Refused for a second bot of a player in a contest with one each, a disqualified one counted."""
    if bot.boss_of is not None:
        return
    connection.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [ROOM_LOCK, bot.player])
    competing = that_compete(connection, bots_of_player(connection, bot.player, bot.game)).get(bot.player, [])
    if not competing or bot.id in {other.id for other in competing}:
        return
    first = competing[0]
    says = f"in the contest of {bot.game} a player has one bot, and yours is {first.name}"
    if first.is_disqualified:
        raise Refused(f"{says}, which is disqualified ({first.disqualified_why}): ask an operator")
    raise Refused(
        f"{says}: submit its next version (`--bot {first.name}`), or take it off the boards first "
        f"(`ladder bot retire {first.name}`)"
    )


def require_room(connection: Connection, bot: Bot, league_id: LeagueId) -> None:
    """Raise Refused for one bot too many of its player in a league; until the transaction ends no other is counted."""
    if bot.boss_of is not None:
        return
    connection.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", [ROOM_LOCK, bot.player])
    league = next(league for league in leagues(connection, bot.game) if league.id == league_id)
    is_there = bot.league_id == league_id and not bot.is_gone
    if not league.has_room(bot.player, with_more=-is_there):
        most = counted(league.most_bots or 0, "bot")
        raise Refused(
            f"{league.title} takes at most {most} of a player, and {bot.player} has as many there: retire one of them "
            "first (`ladder bot retire`)"
        )


def require_not_disqualified(bot: Bot) -> None:
    if bot.is_disqualified:
        raise Refused(
            f"{bot.name} is disqualified ({bot.disqualified_why}), so no version of it comes onto a board; an operator "
            f"can take that back with `ladder bot reinstate {bot.name}`"
        )


def has_public_source(connection: Connection, bot_id: BotId) -> bool:
    return bool(first_value(connection, "SELECT source_is_public FROM bots WHERE id = %s", [bot_id]))


def show_sources(connection: Connection, bot_id: BotId, *, is_public: bool) -> None:
    connection.execute("UPDATE bots SET source_is_public = %s WHERE id = %s", [is_public, bot_id])


def former_names(connection: Connection, bot_id: BotId) -> list[str]:
    query = "SELECT name FROM former_names WHERE bot_id = %s ORDER BY left_at DESC, name"
    return first_column(connection, query, [bot_id])


def rename(connection: Connection, bot: Bot, name: str) -> None:
    """Give a locked bot another name; the old one leads to it. Raises Refused where it is taken, UsageFault."""
    other = next((called for called in bots_called(connection, name, bot.game) if called.id != bot.id), None)
    if other is not None:
        leads = "belongs" if other.name.lower() == name.lower() else f"leads to {other.name}, which belongs"
        raise Refused(f"the name {name} {leads} to {other.player}; choose another name")
    connection.execute("DELETE FROM former_names WHERE bot_id = %s AND lower(name) = lower(%s)", [bot.id, name])
    connection.execute("UPDATE bots SET name = %s WHERE id = %s", [name, bot.id])
    if bot.name.lower() != name.lower():
        query = "INSERT INTO former_names (bot_id, game, name) VALUES (%s, %s, %s)"
        connection.execute(query, [bot.id, bot.game, bot.name])
