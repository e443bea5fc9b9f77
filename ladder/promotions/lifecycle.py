"""How versions come onto boards, leave them and change leagues: each change whole, in its caller's one transaction.

How this works. Every change of where a bot's versions stand locks the bot first, then all its versions' standings; both
in id order, which is also the order in which recordings lock the two standings of a match. So changes of one bot happen
one after the other, and neither they nor recordings nor the scheduler can wait for each other in a circle. What was
decided before the lock was had is decided again under it.

A promotion that was earned while the league above was not open yet belongs to the bot: whichever version plays for it
when that league opens goes up at once, and has its placement there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from engine.errors import Refused
from ladder.access import Actor, Deed
from ladder.bots import bots, versions
from ladder.bots.bots import Bot
from ladder.bots.versions import Version
from ladder.choices import MoveKind, VersionState
from ladder.database.connection import Connection
from ladder.ids import BotId, LeagueId, VersionId
from ladder.leagues import leagues
from ladder.leagues.leagues import League
from ladder.promotions import membership
from ladder.promotions.needless_battles import spared
from ladder.promotions.rules import (
    Move,
    OpenNeighbours,
    OpenOrder,
    Place,
    moves,
    newly_eligible,
    open_neighbours,
    open_orders,
    places,
)
from ladder.ratings import standings
from ladder.ratings.ledger import all_rating_settings
from ladder.ratings.models import RatingSettings
from ladder.ratings.standings import Standing


@dataclass(frozen=True, slots=True)
class Board:
    """A league's standings, best score first, where the league is and how it rates."""

    place: Place
    standings: list[Standing]
    rating: RatingSettings

    @property
    def can_play(self) -> bool:
        return self.place.league.can_play([standing.player for standing in self.standings])

    @property
    def spared(self) -> frozenset[VersionId]:
        """Return the ids of the versions that lack battles of which no result can change anything."""
        return spared(self.place, self.standings, self.rating)

    @property
    def moves(self) -> list[Move]:
        """Return the versions that are to leave it."""
        return moves(self.place, self.standings)

    @property
    def open_orders(self) -> list[OpenOrder]:
        """Return which versions may be stronger than the boss that they rank below."""
        return open_orders(self.place, self.standings)

    @property
    def open_neighbours(self) -> list[OpenNeighbours]:
        """Return which neighbours play on because they may be in the wrong order."""
        return open_neighbours(self.place, self.standings)

    @property
    def newly_eligible(self) -> list[VersionId]:
        """Return the ids of the versions that have just earned a promotion."""
        return [standing.version_id for standing in newly_eligible(self.place, self.standings)]


@dataclass(frozen=True, slots=True)
class Activation:
    """A version plays for its bot. `was_active`: it did before, so nothing has changed. `league`: its title.

    `was_there`: it has played in that league before, so it goes on with the rating it had.
    """

    HIDDEN: ClassVar = ("was_there",)

    version: str
    league: str
    was_active: bool
    was_there: bool = True


@dataclass(frozen=True, slots=True)
class Rewind:
    """A version went back, from one league to another, by their titles."""

    version: str
    from_league: str
    to_league: str


@dataclass(frozen=True, slots=True)
class Arrival:
    """A version came onto a league's board because its bot is to guard it.

    `from_league`: the title of the league that it left, or None if it was on no board; `was_there`: it has played in
    its new league before, so it goes on with the rating it had.
    """

    version: str
    player: str
    from_league: str | None
    was_there: bool


@dataclass(frozen=True, slots=True)
class Handover:
    """What it means that another bot, or none, guards a league. `title`: the league's.

    `arrives`: None where the new boss was there already; `stays`: the boss before, if it plays on there as an ordinary
    bot.
    """

    league: str
    title: str
    arrives: Arrival | None
    stays: str | None


def boards(connection: Connection, game: str | None = None) -> list[Board]:
    """Read the boards of one game or of all, lowest league first."""
    settings = all_rating_settings(connection)
    found = places(leagues.leagues(connection, game))
    rows = standings.boards(connection, [place.league.id for place in found])
    return [Board(place, rows[place.league.id], settings[place.league.id]) for place in found]


def make_moves(connection: Connection) -> list[Board]:
    """Promote and send back the versions that are due, and return all boards as they are then."""
    before = boards(connection)
    due = [version_id for board in before for version_id in concerned(board)]
    if not due:
        return before
    lock_with_versions(connection, bots.ids_of_versions(connection, due))
    for board in boards(connection):
        for version_id in set(board.newly_eligible).intersection(due):
            membership.mark_eligible(connection, version_id, board.place.league.id)
        for move in board.moves:
            if move.version_id in due:
                make_move(connection, move)
    return boards(connection)


def concerned(board: Board) -> list[VersionId]:
    """Return the ids of the versions for which something is to be done."""
    return [*board.newly_eligible, *(move.version_id for move in board.moves)]


def make_move(connection: Connection, move: Move) -> None:
    """Let a version change leagues, and its bot with it. The caller has locked both.

    In a new league it begins with a fresh rating. Where it has been before it goes on with the rating it had there, but
    has its battles again. A bot that goes back has to earn its promotion again, with any version.
    """
    membership.leave_board(connection, move.version_id)
    if move.kind == "demotion":
        membership.mark_demoted(connection, move.version_id, move.origin.id)
    if put_on_board(connection, move.version_id, move.target.id):
        membership.begin_again(connection, move.version_id, move.target.id)
    bot = bots.bot_of_version(connection, move.version_id)
    if move.kind != "promotion":
        membership.forget_eligibility(connection, bot.id, move.target.id)
    bots.move_bot(connection, bot.id, move.target.id)
    bots.write_down_move(connection, move.version_id, move.kind, move.origin.id, move.target.id)


def put_on_board(connection: Connection, version_id: VersionId, league_id: LeagueId) -> bool:
    """Put a version that is on no board onto one. Returns whether it has been there before, with a rating to go on."""
    if membership.come_back(connection, version_id, league_id):
        return True
    standings.enter(connection, version_id, league_id, on_board=True)
    return False


def let_in(connection: Connection, version: Version) -> None:
    """Let an accepted version that was nowhere yet onto its bot's board, in place of the version before or beside it.

    One that comes after a later one of the same bot was let in stays off the board, and so does one of a bot that was
    retired or disqualified meanwhile. The caller has locked the bot.
    """
    bot = bots.bot_of_version(connection, version.id)
    if standings.has_stayed(connection, version.id, bot.league_id):
        let_in_imported(connection, bot, version)
        return
    is_newest = versions.is_newest_let_in(connection, version.id) and not bot.is_gone
    earned_at = None
    if is_newest:
        membership.lock_stays(connection, [bot.id])
        earned_at = membership.eligible_since(connection, bot.id, bot.league_id)
        make_room = membership.stay_as_rivals if version.leaves_rival else membership.leave_boards
        make_room(connection, bot.id)
    standings.enter(connection, version.id, bot.league_id, on_board=is_newest)
    membership.inherit_eligibility(connection, version.id, bot.league_id, earned_at)


def let_in_imported(connection: Connection, bot: Bot, version: Version) -> None:
    """Let a version that was imported, with a rating, onto its bot's board if it is the one that is to play for it."""
    membership.lock_stays(connection, [bot.id])
    if not bot.is_gone and membership.is_awaited(connection, version.id):
        membership.leave_boards(connection, bot.id)
        membership.come_back(connection, version.id, bot.league_id)


def activate(connection: Connection, actor: Actor, name: str, number: int, game: str | None = None) -> Activation:
    """Let an accepted version play for its bot again, in place of the one that does; where it has been it goes on.

    A retired bot is back by that. Raises Refused for a version that is not accepted or whose bot is disqualified,
    NotYourBot, UnknownName, UsageFault.
    """
    bot = locked_bot(connection, actor, Deed.ACTIVATE, name, game)
    version = versions.numbered(connection, bot, number)
    if version.state == VersionState.REJECTED:
        raise Refused(f"{version.name} was rejected, so it cannot play; `ladder bot show {bot.name}` says why")
    if version.state == VersionState.BUILDING:
        raise Refused(f"{version.name} is still being built; it comes onto the board by itself")
    versions.require_source(version)
    bots.require_not_disqualified(bot)
    if bot.is_retired:
        bots.require_room(connection, bot, bot.league_id)
    bots.come_back(connection, bot.id)
    present = standings.present_version(connection, bot.id)
    if present == (version.id, bot.league_id):
        return Activation(version.name, bot.league, was_active=True, was_there=True)
    earned_at = membership.eligible_since(connection, bot.id, bot.league_id)
    if present is not None:
        membership.leave_board(connection, present[0])
    membership.leave_board(connection, version.id)  # where it may have stayed as a rival
    was_there = put_on_board(connection, version.id, bot.league_id)
    membership.inherit_eligibility(connection, version.id, bot.league_id, earned_at)
    return Activation(version.name, bot.league, was_active=False, was_there=was_there)


def rewind(
    connection: Connection, actor: Actor, name: str, game: str | None = None, *, to_league: str | None = None
) -> Rewind:
    """Send a bot back a league, or to a lower one by name, because its player wishes it.

    Raises Refused where it cannot go back, NotYourBot, UnknownName, UsageFault.
    """
    bot = locked_bot(connection, actor, Deed.REWIND, name, game)
    if bot.boss_of is not None:
        raise Refused(f"{bot.name} is the boss of {bot.league} and stays there")
    present = standings.present_version(connection, bot.id)
    if present is None:
        raise Refused(f"{bot.name} has no version on a board")
    origin, target = way_back(connection, bot, to_league)
    bots.require_room(connection, bot, target.id)
    version_id, _ = present
    make_move(connection, Move(version_id, MoveKind.REWIND, origin, target))
    return Rewind(versions.find_version(connection, version_id).name, origin.title, target.title)


def way_back(connection: Connection, bot: Bot, to_league: str | None) -> tuple[League, League]:
    """Return the league a bot is in and the lower one it is to go to. Raises Refused and UnknownName."""
    in_order = leagues.leagues(connection, bot.game)
    origin = next(league for league in in_order if league.id == bot.league_id)
    lower = [league for league in in_order if league.position < origin.position]
    if not lower:
        raise Refused(f"{bot.name} plays in {origin.title}, which is the lowest league already")
    target = lower[-1] if to_league is None else leagues.find_league(connection, bot.game, to_league)
    if target not in lower:
        known = ", ".join(league.name for league in lower)
        raise Refused(f"{bot.name} plays in {origin.title}; it can go back only to a lower league: {known}")
    if not target.is_open:
        raise Refused(f"{target.title} is not open yet, so {bot.name} cannot go back there")
    return origin, target


def locked_bot(connection: Connection, actor: Actor, deed: Deed, name: str, game: str | None) -> Bot:
    """Return a player's own bot, locked against other changes. Raises NotYourBot, UnknownName, UsageFault."""
    bot = bots.find_own_bot(connection, actor, deed, name, game)
    lock_with_versions(connection, [bot.id])
    return bots.find_bot(connection, bot.name, bot.game)


def lock_with_versions(connection: Connection, bot_ids: list[BotId]) -> None:
    """Lock bots and all their versions' standings."""
    bots.lock_bots(connection, bot_ids)
    membership.lock_stays(connection, bot_ids)


def change_bosses(connection: Connection, game: str, bosses: Mapping[LeagueId, str | None]) -> list[Handover]:
    """Let other bots guard leagues: league ids to names, None for none. Return what that means for each league.

    A new boss plays in its league from then on. The one before plays on there like anybody. The caller keeps the
    scheduler from working meanwhile. Raises Refused for a bot without an accepted version, UnknownName.
    """
    before = {bot.boss_of: bot for bot in bots.bots(connection, game) if bot.boss_of in bosses}
    after = {league: bots.find_bot(connection, name, game) for league, name in bosses.items() if name is not None}
    lock_with_versions(connection, [bot.id for bot in [*before.values(), *after.values()]])
    for bot in before.values():
        bots.guard(connection, bot.id, None)
    arrivals: dict[LeagueId, Arrival | None] = {}
    for league_id, bot in after.items():
        arrivals[league_id] = bring_to(connection, bot, league_id)
        bots.guard(connection, bot.id, league_id)
    return [
        Handover(
            league.name, league.title, arrivals.get(league.id), who_stays(connection, league, before.get(league.id))
        )
        for league in leagues.leagues(connection, game)
        if league.id in bosses
    ]


def bring_to(connection: Connection, bot: Bot, league_id: LeagueId) -> Arrival | None:
    """Bring a bot's present version, or else its latest, onto a league's board. Returns None if it was there already.

    Raises Refused where it has none.
    """
    present = standings.present_version(connection, bot.id)
    newest = versions.newest_accepted(connection, bot.id)
    if newest is None:
        raise Refused(f"{bot.name} has no accepted version, so it cannot guard a league")
    bots.require_not_disqualified(bot)
    bots.come_back(connection, bot.id)
    version_id = newest.id if present is None else present[0]
    membership.leave_board(connection, version_id)
    was_there = put_on_board(connection, version_id, league_id)
    if present == (version_id, league_id):
        return None
    name = versions.find_version(connection, version_id).name
    return Arrival(name, bot.player, None if present is None else bot.league, was_there)


def who_stays(connection: Connection, league: League, former_boss: Bot | None) -> str | None:
    """Return the name of a league's former boss if it is on the board there."""
    present = None if former_boss is None else standings.present_version(connection, former_boss.id)
    return former_boss.name if former_boss and present and present[1] == league.id else None
