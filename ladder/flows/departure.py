"""Bots that leave the boards, retired by their player or disqualified by an operator, and come back.

How this works. All locks are taken in the order in which everybody takes them: the scheduler's, so that no match is
being made meanwhile; the bot; its matches that wait; then, where leagues are rated again, all standings. A recording
that is under way is waited for, and a match that is void by then is not recorded any more. A disqualified bot's lines
leave the ledger, but their places are remembered: so when it is reinstated every number is what it would be had the bot
never left, matches that were played meanwhile included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from engine.errors import Refused
from engine.immutable import immutable
from ladder.access import Actor
from ladder.bots import bots, versions
from ladder.bots.bots import Bot
from ladder.database.connection import Connection
from ladder.flows.scheduling import hold_scheduler
from ladder.gauntlets import execution, gauntlets
from ladder.leagues import leagues
from ladder.matches import matches
from ladder.matchmaking import requests
from ladder.promotions import lifecycle
from ladder.ratings import ledger, replay, standings
from ladder.ratings.replay import Rewritten


@immutable
class Retired:
    """A bot plays no more. `version`: comes back when it is put on the board; `void`: matches that waited."""

    bot: str
    game: str
    player: str
    league: str | None
    version: str | None
    void: int


@immutable
class Disqualified:
    """A bot left the boards, or is reinstated. `void`: its matches that were not over; `leagues`: rated again."""

    SHOWN: ClassVar = ("matches",)

    bot: str
    game: str
    player: str
    void: int
    leagues: list[LeagueAgain]
    is_disqualified: bool = True

    @property
    def matches(self) -> int:
        return sum(league.matches for league in self.leagues)


@immutable
class LeagueAgain:
    """A league that was rated again. `matches`: those that count there now; see ladder.ratings.replay.Rewritten."""

    league: str
    matches: int
    changed_lines: int
    changed_standings: int


def hold_bot(connection: Connection, bot: Bot) -> Bot:
    """Lock a bot and return it: until this transaction ends no other can make matches for it or change it."""
    hold_scheduler(connection)
    bots.lock_bots(connection, [bot.id])
    return bots.find_bot(connection, bot.name, bot.game)


def require_no_boss(bot: Bot) -> None:
    if bot.boss_of is not None:
        raise Refused(f"{bot.name} is the boss of {bot.league}: let another bot guard it first (`ladder league apply`)")


def retire(connection: Connection, bot: Bot, by: str, why: str, *, with_player: bool = False) -> Retired:
    """Let a bot play no more; running matches end. Raises Refused where it left or is a boss.

    `why`: of unplayed matches; `with_player`: `come_back` undoes it.
    """
    bot = hold_bot(connection, bot)
    require_no_boss(bot)
    if bot.is_disqualified:
        raise Refused(f"{bot.name} is disqualified, so it is on no board anyway")
    if bot.is_retired:
        raise Refused(f"{bot.name} is retired already")
    present = standings.present_version(connection, bot.id)
    newest = versions.newest_accepted(connection, bot.id)
    back = newest if present is None else versions.find_version(connection, present[0])
    void = end_what_waits(connection, bot, why, by, also_running=False)
    lifecycle.lock_stays(connection, [bot.id])
    leave_boards = lifecycle.leave_for_a_while if with_player else lifecycle.leave_boards
    leave_boards(connection, bot.id)
    bots.retire(connection, bot.id, with_player=with_player)
    return Retired(
        bot.name,
        bot.game,
        bot.player,
        league=bot.league if present else None,
        version=None if back is None else back.name,
        void=void,
    )


def come_back(connection: Connection, bot: Bot) -> Bot:
    """Let a bot that left with its player play again with its versions, unless disqualified; return it as it is."""
    bot = hold_bot(connection, bot)
    bots.come_back(connection, bot.id)
    if not bot.is_disqualified:
        lifecycle.lock_stays(connection, [bot.id])
        lifecycle.return_to_boards(connection, bot.id)
    return bots.find_bot(connection, bot.name, bot.game)


def end_what_waits(connection: Connection, bot: Bot, why: str, by: str, *, also_running: bool) -> int:
    """Void a bot's unplayed matches, but for others' gauntlets; stop its own. Return how many are void."""
    void = matches.void_unplayed(connection, bot.id, by, why, also_running=also_running)
    for gauntlet in gauntlets.running(connection, bot_id=bot.id):
        execution.stop(connection, gauntlet.id)
    return void


def end_what_was_asked_for(connection: Connection, player: str, why: str) -> tuple[int, int]:
    hold_scheduler(connection)
    stopped = [gauntlet for gauntlet in gauntlets.running(connection) if gauntlet.asked_by.lower() == player.lower()]
    for gauntlet in stopped:
        execution.stop(connection, gauntlet.id)
    open_requests = requests.latest(connection, None)
    lapsed = [request for request in open_requests if request.left and request.asked_by.lower() == player.lower()]
    for request in lapsed:
        requests.lock(connection, request.id)
        requests.lapse(connection, request.id, why)
    return len(stopped), len(lapsed)


def disqualify(
    connection: Connection, actor: Actor, bot: Bot, why: str, on_match: Callable[[], None] = lambda: None
) -> Disqualified:
    """Take a bot off the boards and rate its leagues without it. Raises Refused for a boss or a second time."""
    bot = hold_bot(connection, bot)
    require_no_boss(bot)
    if bot.is_disqualified:
        raise Refused(f"{bot.name} is disqualified already: {bot.disqualified_why}")
    void = end_what_waits(connection, bot, f"{bot.name} was disqualified", actor.player, also_running=True)
    standings.hold(connection)
    lifecycle.leave_for_a_while(connection, bot.id)
    bots.disqualify(connection, bot.id, actor.player, why)
    again = replay.recompute(connection, ledger.withdraw(connection, bot.id), on_match)
    return Disqualified(bot.name, bot.game, bot.player, void=void, leagues=in_leagues(connection, bot, again))


def reinstate(connection: Connection, bot: Bot, on_match: Callable[[], None] = lambda: None) -> Disqualified:
    """Undo a disqualification: matches count in their places again, but against others out. Raises Refused."""
    bot = hold_bot(connection, bot)
    if not bot.is_disqualified:
        back = "; `ladder bot activate` with a version brings it back" if bot.is_retired else ""
        raise Refused(f"{bot.name} is not disqualified{back}")
    standings.hold(connection)
    bots.reinstate(connection, bot.id)
    if not bot.is_retired:
        lifecycle.return_to_boards(connection, bot.id)
    again = replay.recompute(connection, ledger.restore(connection, bot.id), on_match)
    rated = in_leagues(connection, bot, again)
    return Disqualified(bot.name, bot.game, bot.player, void=0, leagues=rated, is_disqualified=False)


def in_leagues(connection: Connection, bot: Bot, again: Sequence[Rewritten]) -> list[LeagueAgain]:
    titles = {league.id: league.title for league in leagues.leagues(connection, bot.game)}
    return [
        LeagueAgain(titles[league.league_id], league.matches, league.changed_lines, league.changed_standings)
        for league in again
    ]
