"""Bots with their versions: how they did, what gauntlets say of them, and why one stands where it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ladder.bots import bots, versions
from ladder.bots.bots import Bot
from ladder.bots.versions import Version
from ladder.database.connection import Connection
from ladder.leagues import leagues
from ladder.matches import host_faults, match_rows
from ladder.matches.host_faults import HostFaults
from ladder.names import Named
from ladder.promotions.rules import OpenOrder
from ladder.ratings import standings
from ladder.ratings.explain import Explanation, explanation_of, stay_to_explain
from ladder.ratings.standings import LeagueStay
from ladder.views.gauntlets import Result, results
from ladder.views.matches import ListedMatch, with_seats
from ladder.views.progress import open_orders_of

LATEST_MATCHES = 10


def listed(connection: Connection, game: str | None = None) -> list[Bot]:
    """Return all bots, of one game or of all, by name. Raises UnknownName for a game."""
    if game is not None:
        leagues.check_game(connection, game)
    return bots.bots(connection, game)


@dataclass(frozen=True, slots=True)
class BotInDetail:
    """A bot with its versions, newest first, and what there is to know of them."""

    MERGED: ClassVar = ("bot",)

    bot: Bot
    versions: list[Version]
    standings: list[LeagueStay]
    open_orders: list[OpenOrder]
    gauntlets: list[Result]
    host_faults: list[HostFaults]
    latest_matches: list[ListedMatch]

    def name_of(self, version_id: int) -> str:
        """Return the name of one of the versions."""
        return next(version.name for version in self.versions if version.id == version_id)


def read_bot(connection: Connection, named: Named, game: str | None = None) -> BotInDetail:
    """Read a bot, or one version of it. Raises UnknownName, UsageFault where several games have such a bot."""
    bot = bots.find_bot(connection, named.bot, game)
    one = None if named.number is None else versions.numbered(connection, bot, named.number)
    own = versions.versions_of(connection, bot.id) if one is None else [one]
    version_id = None if one is None else one.id
    latest = match_rows.latest_matches(connection, LATEST_MATCHES, bot.id, version_id=version_id)
    return BotInDetail(
        bot,
        own,
        standings.stays_of(connection, bot.id, version_id),
        orders_of(connection, bot, own),
        results(connection, own),
        host_faults.of_bot(connection, bot.id),
        with_seats(connection, latest),
    )


def orders_of(connection: Connection, bot: Bot, own: Sequence[Version]) -> list[OpenOrder]:
    """Return the open orders of those of a bot's versions."""
    ids = {version.id for version in own}
    return [order for order in open_orders_of(connection, bot) if order.version_id in ids]


@dataclass(frozen=True, slots=True)
class Explained:
    """Why a version stands where it does in a league."""

    MERGED: ClassVar = ("stay", "story")

    version: str
    stay: LeagueStay
    story: Explanation


def explained(connection: Connection, named: Named, game: str | None, league: str | None) -> Explained:
    """Explain a version's place, or that of the one that plays for a bot; by default in the league where it is.

    Raises Refused for one that was never there, UnknownName, UsageFault.
    """
    version, stay = stay_to_explain(connection, named, game, league)
    return Explained(version.name, stay, explanation_of(connection, version.id, stay.league_id))
