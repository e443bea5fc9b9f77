"""Leagues in the database, registered from the games' own tables, and under which conditions each plays.

Sides. Each version of a league is on one, and meets those of all other sides. Where two bots of one player may not
meet, its versions are one side; so accomplices lift nobody. Elsewhere every version is a side of its own. Versions are
known by their rank, counted from 0.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from psycopg.sql import SQL, Composable, Identifier, Placeholder

from engine.bot.clock import Clock, Policy, TimeRule, backstop_us
from engine.bot.conditions import Conditions, OutputLimits
from engine.boxes import Limits
from engine.conversation import FOR_TWO, UNFAIR, TimeLimits
from engine.errors import Refused, UnknownName, UsageFault
from engine.immutable import immutable
from ladder.choices import RankedBy
from ladder.database.connection import Connection, Rows, first_column, first_value, one
from ladder.database.schema import names_of_fields
from ladder.ids import LeagueId
from ladder.leagues.settings import BOSS, SETTINGS, LeagueSettings, Value, as_name

if TYPE_CHECKING:
    from engine.game import Game


class Sides:
    """The sides of a board. `owners`: the player of each of its versions, the best first."""

    def __init__(self, owners: Sequence[str], *, own_bots_meet: bool) -> None:
        numbers = {owner: number for number, owner in enumerate(dict.fromkeys(owners))}
        self.of = list(range(len(owners))) if own_bots_meet else [numbers[owner] for owner in owners]
        """The side of each version, as a number."""

    @property
    def count(self) -> int:
        return len(set(self.of))

    @cached_property
    def _ranks(self) -> Mapping[int, list[int]]:
        by_side: dict[int, list[int]] = defaultdict(list)
        for rank, side in enumerate(self.of):
            by_side[side].append(rank)
        return by_side

    def same_side(self, rank: int) -> list[int]:
        return self._ranks[self.of[rank]]

    def opponents(self, rank: int) -> int:
        return len(self.of) - len(self.same_side(rank))

    def better(self, rank: int) -> int:
        return rank - bisect_left(self.same_side(rank), rank)

    def opponent_at(self, rank: int, place: int) -> int:
        """Return the rank of one of those. `place`: its place among them, the best first, counted from 0."""
        for ally in self.same_side(rank):
            place += place >= ally
        return place

    def others(self, ranks: Collection[int]) -> Iterable[int]:
        sides = {self.of[rank] for rank in ranks}
        return (rank for rank, side in enumerate(self.of) if side not in sides)


def conditions_of(row: Mapping[str, Any]) -> Conditions:
    return Conditions(
        limits=Limits(**{name: row[name] for name in names_of_fields(Limits)}),
        output=OutputLimits(**{name: row[name] for name in names_of_fields(OutputLimits)}),
        time=TimeRule(Policy(row["time_policy"]), Clock(row["clock"])),
        early_line_loses=row["early_line_loses"],
        trusted=row["trusted"],
    )


UNPLAYED = "nothing is played until its bots are trusted: `ladder league apply` with trusted = true says so"
SPARE_S = 30
"""Added to the longest match for starting the bots and recording the result."""


@immutable
class League:
    """A league. `battles`: how many a version plays before it can be promoted. `longest_s`: the longest match.

    `promotion`, `boss_wins`, `demotion`: see ladder.promotions.rules. `is_open`: whether versions can come up into it
    by now. `sure`: the chance of being stronger than the boss at which a version goes up before all its battles.
    `players`: the numbers of players of its matches; `battle_matches`: how many matches a battle has, on average.
    `starts_bots`: whether a command plays its matches; `trusted`: whether it may. `own_bots_meet`: whether two bots of
    one player meet in matches that rate. `most_bots`: as many of one player can be in it; None: any number. `bots_of`:
    how many each player has in it, where that counts. `ranked_by`: what orders its board; `rank_width`: within how many
    places a rank is known well enough to end a version's battles, None: never.
    """

    id: LeagueId
    game: str
    name: str
    title: str
    position: int
    rules_level: int
    battles: int
    longest_s: int
    promotion: str
    boss_wins: int
    demotion: bool
    is_open: bool
    sure: float | None = None
    players: Sequence[int] = FOR_TWO
    battle_matches: int = 2
    starts_bots: bool = False
    trusted: bool = False
    own_bots_meet: bool = True
    most_bots: int | None = None
    bots_of: Mapping[str, int] = field(default_factory=dict[str, int])
    ranked_by: str = RankedBy.LIVE
    rank_width: int | None = None

    @property
    def is_unplayed(self) -> bool:
        """Whether nothing is played in it, as a command would start its bots, which are not trusted."""
        return self.starts_bots and not self.trusted

    @property
    def is_settled(self) -> bool:
        return self.ranked_by == RankedBy.SETTLED

    @property
    def caution(self) -> str | None:
        """What is to be known of its matches and its board, if a command plays them; None otherwise."""
        if not self.starts_bots:
            return None
        return f"{UNFAIR}; {UNPLAYED}" if self.is_unplayed else UNFAIR

    def has_room(self, player: str, *, with_more: int = 0) -> bool:
        """Say whether one more bot of a player can come into it. `with_more`: that come in before it."""
        return self.most_bots is None or self.bots_of.get(player, 0) + with_more < self.most_bots

    def may_meet(self, player: str, other: str) -> bool:
        return self.own_bots_meet or player != other

    def can_play(self, owners: Sequence[str]) -> bool:
        """Say whether matches that rate are possible on its board. `owners`: the player of each version on it."""
        return Sides(owners, own_bots_meet=self.own_bots_meet).count >= self.players[0]

    @property
    def is_for_two(self) -> bool:
        return tuple(self.players) == FOR_TWO

    def is_called(self, words: str) -> bool:
        """Say whether somebody means this league by these words: its name, blanks for hyphens, or its title."""
        return self.name == as_name(words) or self.title.lower() == words.strip().lower()

    @property
    def names(self) -> str:
        """The name, and the title too where people see another word in it: `bronze (Beginners)`."""
        return self.name if as_name(self.title) == self.name else f"{self.name} ({self.title})"


def longest_match_s(limits: TimeLimits, most_asks_per_seat: int, players: int) -> int:
    """Return how long a match can last however busy the host is: all turns' backstops added up.

    That is twenty times the limits; it costs nothing, as a match whose worker died is free at once.
    """
    one_seat_us = backstop_us(limits.first_ms) + most_asks_per_seat * backstop_us(limits.turn_ms)
    return players * one_seat_us // 1_000_000 + SPARE_S


def register(connection: Connection, game: Game) -> None:
    """Those that are there keep what an operator can set: the game's table says only how a league begins."""
    of_game = {
        "game_draw_probability": game.draw_probability,
        "most_asks_per_seat": game.most_asks_per_seat,
        "game_first_limit_ms": game.limits.first_ms,
        "game_turn_limit_ms": game.limits.turn_ms,
        "players": list(game.players),
        "player_weights": list(game.player_weights),
        "seat_orders": game.seat_orders.value,
        "battle_matches": game.battle_matches,
    }
    longest_s = longest_match_s(game.limits, game.most_asks_per_seat, game.players[-1])
    query = "INSERT INTO leagues ({}) VALUES ({}) ON CONFLICT ON CONSTRAINT leagues_name_is_unique DO UPDATE SET {}"
    for position, league in enumerate(game.leagues, 1):
        kept = {name: getattr(league, name) for name in ("name", "title", "rules_level", "battles")}
        values = {"game": game.name, "longest_s": longest_s, "position": position, **kept, **of_game}
        columns = SQL(", ").join(map(Identifier, values))
        placeholders = SQL(", ").join(map(Placeholder, values))
        updates = SQL(", ").join(SQL("{0} = EXCLUDED.{0}").format(Identifier(name)) for name in ("position", *of_game))
        connection.execute(SQL(query).format(columns, placeholders, updates), values)
    fit_leases(connection, game.name)


def remove_all(connection: Connection, game: str) -> None:
    connection.execute("DELETE FROM leagues WHERE game = %s", [game])


def fit_leases(connection: Connection, game: str) -> None:
    """Let every lease of a game's leagues last as long as a match can within the league's limits of time."""
    query = """
        SELECT id, coalesce(first_limit_ms, game_first_limit_ms), coalesce(turn_limit_ms, game_turn_limit_ms),
               most_asks_per_seat, players[cardinality(players)]
        FROM leagues WHERE game = %s
        """
    rows = connection.execute(query, [game]).fetchall()
    for league_id, first_ms, turn_ms, most_asks, players in rows:
        longest_s = longest_match_s(TimeLimits(first_ms, turn_ms), most_asks, players)
        connection.execute("UPDATE leagues SET longest_s = %s WHERE id = %s", [longest_s, league_id])


def set_battles(connection: Connection, game: str, battles: int) -> None:
    connection.execute("UPDATE leagues SET battles = %s WHERE game = %s", [battles, game])


def leagues(connection: Connection, game: str | None = None) -> list[League]:
    query = """
        SELECT id, game, name, title, position, rules_level, battles, longest_s, promotion, boss_wins, demotion,
               coalesce(opens_at <= now(), true) AS is_open, sure,
               players, battle_matches, starts_bots(present_edition(id)) AS starts_bots, trusted,
               coalesce(own_bots_meet, NOT has_accounts()) AS own_bots_meet, most_bots,
               ranked_by, rank_width,
               CASE WHEN most_bots IS NULL THEN '{}' ELSE (
                   SELECT coalesce(jsonb_object_agg(player, bots), '{}') FROM (
                       SELECT players.name AS player, count(*) AS bots
                       FROM bots JOIN players ON players.id = player_id
                       WHERE bots.league_id = leagues.id AND boss_of IS NULL AND retired_at IS NULL
                         AND disqualified_at IS NULL
                       GROUP BY players.name) AS own) END AS bots_of
        FROM leagues
        WHERE %(game)s::text IS NULL OR game = %(game)s
        ORDER BY game, position
        """
    return Rows(connection, League).all(query, {"game": game})


def find_league(connection: Connection, game: str, name: str) -> League:
    return league_and_others(connection, game, name)[0]


def league_and_others(connection: Connection, game: str, name: str) -> tuple[League, list[League]]:
    in_order = leagues(connection, game)
    called = [league for league in in_order if league.is_called(name)]
    if not called:
        check_game(connection, game)
        raise UnknownName.of(f"league of {game}", name, [league.names for league in in_order])
    return called[0], in_order


def takes_programs(connection: Connection, league_id: LeagueId) -> bool:
    return bool(first_value(connection, "SELECT programs FROM leagues WHERE id = %s", [league_id]))


def check_game(connection: Connection, game: str | None) -> None:
    """Raise UnknownName for a game that no league here has; None, which stands for all games, fits."""
    games = games_in(connection)
    if game is not None and game not in games:
        unknown = UnknownName.of("game", game, games)
        raise UnknownName(f"{unknown} (a game that is new here is registered by `ladder db migrate`)")


def games_or_all(connection: Connection, game: str | None) -> list[str]:
    if game is None:
        return games_in(connection)
    check_game(connection, game)
    return [game]


def games_in(connection: Connection) -> list[str]:
    return first_column(connection, "SELECT game FROM leagues GROUP BY game ORDER BY min(id)")


def find_league_in(connection: Connection, game: str | None, name: str) -> League:
    """With None as game that of the only game that has one. Raises UnknownName, UsageFault."""
    if game is not None:
        return find_league(connection, game, name)
    everywhere = leagues(connection)
    called = [league for league in everywhere if league.is_called(name)]
    if not called:
        raise UnknownName.of("league", name, dict.fromkeys(league.names for league in everywhere))
    if len(called) > 1:
        games = " and ".join(league.game for league in called)
        raise UsageFault(f"{games} have a league {called[0].name}: say which with --game")
    return called[0]


IS_CALLED = SQL("(leagues.name = replace(lower({name}), ' ', '-') OR lower(leagues.title) = lower({name}))")
"""The condition that a league has that name or title, in any case; blanks of a name count as hyphens."""


def settings_of(connection: Connection, game: str, *, to_change: bool = False) -> list[LeagueSettings]:
    """Return them lowest first; with `to_change` locked for this transaction. Raises UsageFault for no leagues."""
    query = SQL(
        "SELECT id, game, name, game_first_limit_ms, game_turn_limit_ms, battle_matches, {} FROM leagues "
        "WHERE game = {} ORDER BY position"
    ).format(SQL(", ").join(map(column, SETTINGS)), Placeholder())
    rows = Rows(connection, dict[str, Any]).all(query + SQL(" FOR NO KEY UPDATE") if to_change else query, [game])
    if not rows:
        raise UsageFault(f"{game} has no leagues in this database: run `ladder db migrate`")
    return [
        LeagueSettings(
            values={name: row.pop(name) for name in SETTINGS},
            game_limits=TimeLimits(row.pop("game_first_limit_ms"), row.pop("game_turn_limit_ms")),
            **row,
        )
        for row in rows
    ]


def column(setting: str) -> Composable:
    """Return where a setting stands. The boss is not a column: it is the bot that guards the league."""
    if setting == BOSS:
        return SQL("(SELECT bots.name FROM bots WHERE bots.boss_of = leagues.id) AS {}").format(Identifier(setting))
    return Identifier("leagues", setting)


def change_settings(connection: Connection, league_id: LeagueId, values: Mapping[str, Value]) -> None:
    """Set what was checked before, but not the boss. Matches claimed from now on follow it."""
    assignments = SQL(", ").join(SQL("{} = {}").format(Identifier(name), Placeholder(name)) for name in values)
    query = "UPDATE leagues SET {} WHERE id = {}"
    connection.execute(SQL(query).format(assignments, Placeholder("id")), {**values, "id": league_id})


@immutable
class Unguarded:
    """A league whose boss does not play. `boss`: its name, None where none is named; `why`: why it was rejected."""

    game: str
    league: str
    boss: str | None
    player: str | None
    why: str


def unguarded(connection: Connection) -> list[Unguarded]:
    """Below the highest: those without a boss, or of which no version of the boss plays nor is being built."""
    return Rows(connection, Unguarded).all("""
        SELECT leagues.game, leagues.name AS league, bots.name AS boss, players.name AS player,
               coalesce(newest.message, '') AS why
        FROM leagues
        LEFT JOIN bots ON bots.boss_of = leagues.id
        LEFT JOIN players ON players.id = bots.player_id
        LEFT JOIN LATERAL (
            SELECT state, message FROM versions
            WHERE bot_id = bots.id ORDER BY number DESC LIMIT 1) AS newest ON true
        WHERE CASE WHEN bots.id IS NULL
            THEN EXISTS (
                SELECT FROM leagues AS higher
                WHERE higher.game = leagues.game AND higher.position > leagues.position)
            ELSE newest.state = 'rejected' AND NOT EXISTS (
                SELECT FROM standings JOIN versions ON versions.id = version_id
                WHERE bot_id = bots.id AND standings.league_id = leagues.id AND on_board)
            END
        ORDER BY leagues.game, leagues.position
        """)


@immutable
class Untrusted:
    """A league in which nothing is played, as a command would start its bots and they are not trusted."""

    game: str
    league: str


def untrusted(connection: Connection) -> list[Untrusted]:
    return Rows(connection, Untrusted).all("""
        SELECT game, name AS league FROM leagues
        WHERE lacks_trust(trusted, present_edition(id)) ORDER BY game, position
        """)


def require_trusted(connection: Connection, league_id: LeagueId) -> None:
    query = "SELECT game, title, lacks_trust(trusted, present_edition(id)) FROM leagues WHERE id = %(id)s"
    game, title, is_untrusted = one(connection, query, {"id": league_id})
    if is_untrusted:
        raise Refused(f"in {title} of {game} {UNPLAYED}")
