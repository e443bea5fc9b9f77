"""How versions come onto boards, leave them and change leagues: each change whole, in its caller's one transaction.

How this works. Every change of where a bot's versions stand locks the bot first, then all its versions' standings; both
in id order, which is also the order in which recordings lock the two standings of a match. So changes of one bot happen
one after the other, and neither they nor recordings nor the scheduler can wait for each other in a circle. What was
decided before the lock was had is decided again under it.

A promotion that was earned while the league above was not open yet belongs to the bot: whichever version plays for it
when that league opens goes up at once, and has its placement there.

Needless battles. In leagues with the setting `sure`, a version that has nearly had its battles gets no more of them
while none of the results that are still possible can change whether it goes up or back, or its order with any other
version on the board (`ladder.ratings.models.keeps_its_rank`). That is looked at anew each time: where a newcomer or
others' matches bring its rank into reach again, it gets the rest. Only small boards are looked at: on others some
neighbour is always within reach, as `docs/simulation.md` shows, and looking would cost time for nothing. Where
promotion goes by the settled fit, versions that wait below their boss (`ladder.promotions.rules.waits`) get no more
either, on any board. The same function ends battles where a board ranks by that fit and a rank is known as narrowly as
its league asks.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import ClassVar, LiteralString

from psycopg.sql import SQL

from engine.errors import Refused
from engine.immutable import immutable
from ladder import ratings
from ladder.access import Actor, Deed
from ladder.bots import bots, versions
from ladder.bots.bots import Bot
from ladder.bots.versions import Version
from ladder.choices import MoveKind, Promotion, VersionState
from ladder.database.connection import Connection, first_value, one
from ladder.ids import BotId, LeagueId, VersionId
from ladder.leagues import leagues
from ladder.leagues.leagues import League
from ladder.leagues.settings import SURE_BATTLES
from ladder.promotions import rules
from ladder.promotions.rules import LeaguePlace, Move, OpenNeighbours, OpenOrder
from ladder.ratings import standings
from ladder.ratings.ledger import all_rating_settings
from ladder.ratings.models import RatingSettings, keeps_its_rank
from ladder.ratings.standings import Standing


def change_on_boards(connection: Connection, bot_id: BotId, changes: SQL) -> None:
    query = SQL("""
        UPDATE standings SET {}
        FROM versions WHERE versions.id = standings.version_id AND versions.bot_id = %s AND on_board""")
    connection.execute(query.format(changes), [bot_id])


def leave_boards(connection: Connection, bot_id: BotId) -> None:
    change_on_boards(connection, bot_id, SQL("on_board = false, is_rival = false"))


def leave_for_a_while(connection: Connection, bot_id: BotId) -> None:
    """Take every version of the bot off the boards until `return_to_boards`; rivals of the newest stay rivals."""
    change_on_boards(connection, bot_id, SQL("on_board = false, comes_back = true"))


def leave_board(connection: Connection, version_id: VersionId) -> None:
    """Take one version off the board where it is, if any; its rating and record stay."""
    query = "UPDATE standings SET on_board = false, is_rival = false WHERE version_id = %s AND on_board"
    connection.execute(query, [version_id])


def return_to_boards(connection: Connection, bot_id: BotId) -> None:
    """Put those versions of the bot back onto their boards that left for a while."""
    query = """
        UPDATE standings SET on_board = true, comes_back = false
        FROM versions WHERE versions.id = standings.version_id AND versions.bot_id = %s
          AND comes_back AND versions.state = 'accepted'"""
    connection.execute(query, [bot_id])


def come_back(connection: Connection, version_id: VersionId, league_id: LeagueId) -> bool:
    """Put a version back on the board of a league where it has been. Returns whether it has."""
    query = """
        UPDATE standings SET on_board = true, is_rival = false, comes_back = false
        WHERE version_id = %s AND league_id = %s"""
    return connection.execute(query, [version_id, league_id]).rowcount == 1


def begin_again(connection: Connection, version_id: VersionId, league_id: LeagueId) -> None:
    """Rating and record stay. The caller has locked its standing, so nothing is recorded between the counts."""
    changes: tuple[LiteralString, ...] = (
        "DELETE FROM settled_chances WHERE version_id = %s AND league_id = %s",
        """
        UPDATE standings SET counted_from = matches, eligible_at = NULL, boss_wins = 0
        WHERE version_id = %s AND league_id = %s""",
        """
        UPDATE seats SET discounted = true
        FROM matches
        WHERE seats.version_id = %s AND NOT seats.discounted AND matches.id = seats.match_id AND matches.league_id = %s
          AND matches.state = 'finished' AND matches.rates""",
    )
    for change in changes:
        connection.execute(change, [version_id, league_id])


def eligible_since(connection: Connection, bot_id: BotId, league_id: LeagueId) -> datetime | None:
    """Return when the version that plays for a bot in a league earned its promotion; None if none has."""
    query = """
        SELECT eligible_at FROM standings JOIN versions ON versions.id = standings.version_id
        WHERE versions.bot_id = %s AND standings.league_id = %s AND on_board AND NOT is_rival"""
    return first_value(connection, query, [bot_id, league_id])


def inherit_eligibility(
    connection: Connection, version_id: VersionId, league_id: LeagueId, earned_at: datetime | None
) -> None:
    """Let a version have what the version before it has earned in its league, unless it has earned that itself."""
    query = "UPDATE standings SET eligible_at = coalesce(eligible_at, %s) WHERE version_id = %s AND league_id = %s"
    connection.execute(query, [earned_at, version_id, league_id])


def lock_stays(connection: Connection, bot_ids: Iterable[BotId]) -> None:
    """Lock all standings of those bots' versions, in the order in which recordings lock two of them."""
    query = """
        SELECT FROM standings JOIN versions ON versions.id = standings.version_id
        WHERE versions.bot_id = ANY(%s) ORDER BY standings.version_id, standings.league_id
        FOR UPDATE OF standings"""
    connection.execute(query, [list(bot_ids)])


FEW_BATTLES = 25
"""At most this many battles are spared: of more, some results would always change something."""
SMALL_BOARD = 20
"""On boards of more versions nothing is spared."""


def is_spared(
    place: LeaguePlace, row: Standing, boss: Standing | None, board: Sequence[Standing], settings: RatingSettings
) -> bool:
    lacking = rules.lacking_matches(place.league, row)
    left = max(lacking, row.waiting, 0 if boss is None else rules.lacking_matches(place.league, boss))
    others = [other for other in board if other.version_id != row.version_id]
    return (
        lacking > 0
        and left <= 2 * FEW_BATTLES
        and row.counted >= 2 * SURE_BATTLES
        and not row.is_boss
        and not may_go_up(place, row, boss, left)
        and not (place.league.demotion and place.below is not None)
        and keeps_its_rank(settings, row, others, left)
    )


def may_go_up(place: LeaguePlace, row: Standing, boss: Standing | None, matches: int) -> bool:
    if place.above is None or not rules.moves_at_all(row) or row.eligible_at is not None:
        return False
    if place.league.promotion == Promotion.RANK_ABOVE_BOSS:
        return boss is not None and row.score > boss.score
    if place.league.promotion == Promotion.SETTLED_ABOVE_BOSS:
        return boss is not None and not rules.is_known_below(place.league, row, boss)
    if place.league.promotion == Promotion.BOSS_WINS:
        return row.boss_wins + matches >= place.league.boss_wins
    return True


@immutable
class LeagueBoard:
    """A league's standings, best score first, where the league is and how it rates."""

    place: LeaguePlace
    standings: list[Standing]
    rating: RatingSettings

    @property
    def spared(self) -> frozenset[VersionId]:
        """Return the ids of the versions that lack battles and need none of them."""
        place, board, league = self.place, self.standings, self.place.league
        boss = next((row for row in board if row.is_boss), None)
        has_bounds = league.is_for_two and not league.is_settled  # by which a rating's last battles move it
        is_small = has_bounds and league.sure is not None and len(board) <= SMALL_BOARD
        return frozenset(
            row.version_id
            for row in board
            if rules.waits(place, row, boss) or (is_small and is_spared(place, row, boss, board, self.rating))
        )

    @property
    def moves(self) -> list[Move]:
        return rules.moves(self.place, self.standings)

    @property
    def open_orders(self) -> list[OpenOrder]:
        return rules.open_orders(self.place, self.standings)

    @property
    def open_neighbours(self) -> list[OpenNeighbours]:
        return rules.open_neighbours(self.place, self.standings)


@immutable
class Activation:
    """A version plays for its bot. `was_active`: it did before, so nothing has changed. `league`: its title.

    `was_there`: it has played in that league before, so it goes on with the rating it had.
    """

    HIDDEN: ClassVar = ("was_there",)

    version: str
    league: str
    was_active: bool
    was_there: bool = True


@immutable
class Rewind:
    """A version went back, from one league to another, by their titles."""

    version: str
    from_league: str
    to_league: str


@immutable
class Arrival:
    """A version came onto a league's board because its bot is to guard it.

    `from_league`: the title of the league that it left, or None if it was on no board; `was_there`: it has played in
    its new league before, so it goes on with the rating it had.
    """

    version: str
    player: str
    from_league: str | None
    was_there: bool


@immutable
class Handover:
    """What it means that another bot, or none, guards a league. `title`: the league's.

    `arrives`: None where the new boss was there already; `stays`: the boss before, if it plays on there as an ordinary
    bot.
    """

    league: str
    title: str
    arrives: Arrival | None
    stays: str | None


def boards(connection: Connection, game: str | None = None) -> list[LeagueBoard]:
    settings = all_rating_settings(connection)
    in_order = rules.places(leagues.leagues(connection, game))
    rows = standings.boards(connection, [place.league.id for place in in_order])
    return [LeagueBoard(place, rows[place.league.id], settings[place.league.id]) for place in in_order]


def make_moves(connection: Connection) -> list[LeagueBoard]:
    """Promote and send back the versions that are due, fits made first; return all boards as they are then."""
    before = boards(connection)
    due_on = [(board, of) for board in before if (of := rules.due(board.place, board.standings))]
    for board, of in due_on:
        ratings.settled_fit.write_chances(connection, board.place.league.id, board.standings, of)
    if due_on:
        before = boards(connection)
    due = [row.version_id for board in before for row in rules.newly_eligible(board.place, board.standings)]
    due += [move.version_id for board in before for move in board.moves]
    if not due:
        return before
    lock_with_versions(connection, bots.ids_of_versions(connection, due))
    query = """
        UPDATE standings SET eligible_at = now()
        WHERE version_id = %s AND league_id = %s AND eligible_at IS NULL"""
    for board in boards(connection):
        for row in rules.newly_eligible(board.place, board.standings):
            if row.version_id in due:
                connection.execute(query, [row.version_id, board.place.league.id])
        for move in board.moves:
            if move.version_id in due:
                make_move(connection, move)
    return boards(connection)


def refresh_ranks(connection: Connection, board: LeagueBoard) -> None:
    """Write down a board's order by the settled fit, in a short transaction: it locks all its standings."""
    league = board.place.league
    at_end = [row.version_id for row in board.standings if rules.has_had_its_battles(league, row)]
    ratings.settled_fit.write_ranks(connection, league.id, board.standings, at_end)


def make_move(connection: Connection, move: Move) -> None:
    """Let a locked version and its bot change leagues: with its old rating there, if any, and all battles anew."""
    leave_board(connection, move.version_id)
    if move.kind == "demotion":
        query = "UPDATE standings SET demoted_at = now() WHERE version_id = %s AND league_id = %s"
        connection.execute(query, [move.version_id, move.origin.id])
    if put_on_board(connection, move.version_id, move.target.id):
        begin_again(connection, move.version_id, move.target.id)
    bot = bots.bot_of_version(connection, move.version_id)
    if move.kind != "promotion":
        forget = """
            UPDATE standings SET eligible_at = NULL
            FROM versions WHERE versions.id = standings.version_id AND versions.bot_id = %s
              AND standings.league_id = %s AND eligible_at IS NOT NULL"""
        connection.execute(forget, [bot.id, move.target.id])
    bots.move_bot(connection, bot.id, move.target.id)
    bots.write_down_move(connection, move.version_id, move.kind, move.origin.id, move.target.id)


def put_on_board(connection: Connection, version_id: VersionId, league_id: LeagueId) -> bool:
    """Put a version that is on no board onto one. Returns whether it has been there before, with a rating to go on."""
    if come_back(connection, version_id, league_id):
        return True
    standings.enter(connection, version_id, league_id, on_board=True)
    return False


def let_in(connection: Connection, version: Version) -> None:
    """Let an accepted version that was nowhere yet onto its bot's board, in place of the version before or beside it.

    One that comes after a later one of the same bot was let in stays off the board, and so does one of a bot that was
    retired or disqualified meanwhile; one that was imported, with a rating, unless it is the one that is to play. The
    caller has locked the bot.
    """
    bot = bots.bot_of_version(connection, version.id)
    if standings.has_stayed(connection, version.id, bot.league_id):
        lock_stays(connection, [bot.id])
        query = "SELECT EXISTS (SELECT FROM standings WHERE version_id = %(version)s AND comes_back)"
        if not bot.is_gone and one(connection, query, {"version": version.id})[0]:
            leave_boards(connection, bot.id)
            come_back(connection, version.id, bot.league_id)
        return
    is_newest = versions.is_newest_let_in(connection, version.id) and not bot.is_gone
    earned_at = None
    if is_newest:
        lock_stays(connection, [bot.id])
        earned_at = eligible_since(connection, bot.id, bot.league_id)
        if version.leaves_rival:
            change_on_boards(connection, bot.id, SQL("is_rival = true"))
        else:
            leave_boards(connection, bot.id)
    standings.enter(connection, version.id, bot.league_id, on_board=is_newest)
    inherit_eligibility(connection, version.id, bot.league_id, earned_at)


def activate(connection: Connection, actor: Actor, name: str, number: int, game: str | None = None) -> Activation:
    """Let an accepted version play for its bot, also a retired one. Raises Refused, NotYourBot, UnknownName."""
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
    earned_at = eligible_since(connection, bot.id, bot.league_id)
    if present is not None:
        leave_board(connection, present[0])
    leave_board(connection, version.id)  # where it may have stayed as a rival
    was_there = put_on_board(connection, version.id, bot.league_id)
    inherit_eligibility(connection, version.id, bot.league_id, earned_at)
    return Activation(version.name, bot.league, was_active=False, was_there=was_there)


def rewind(
    connection: Connection, actor: Actor, name: str, game: str | None = None, *, to_league: str | None = None
) -> Rewind:
    """Back a league, or to a lower one by name. Raises Refused, NotYourBot, UnknownName, UsageFault."""
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
    in_order = leagues.leagues(connection, bot.game)
    origin = next(league for league in in_order if league.id == bot.league_id)
    lower = [league for league in in_order if league.position < origin.position]
    if not lower:
        raise Refused(f"{bot.name} plays in {origin.title}, which is the lowest league already")
    target = lower[-1] if to_league is None else leagues.find_league(connection, bot.game, to_league)
    if target not in lower:
        names = ", ".join(league.name for league in lower)
        raise Refused(f"{bot.name} plays in {origin.title}; it can go back only to a lower league: {names}")
    if not target.is_open:
        raise Refused(f"{target.title} is not open yet, so {bot.name} cannot go back there")
    return origin, target


def locked_bot(connection: Connection, actor: Actor, deed: Deed, name: str, game: str | None) -> Bot:
    bot = bots.find_own_bot(connection, actor, deed, name, game)
    lock_with_versions(connection, [bot.id])
    return bots.find_bot(connection, bot.name, bot.game)


def lock_with_versions(connection: Connection, bot_ids: list[BotId]) -> None:
    bots.lock_bots(connection, bot_ids)
    lock_stays(connection, bot_ids)


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
    concerned = [league for league in leagues.leagues(connection, game) if league.id in bosses]
    stays = [who_stays(connection, league, before.get(league.id)) for league in concerned]
    pairs = zip(concerned, stays, strict=True)
    return [Handover(league.name, league.title, arrivals.get(league.id), stay) for league, stay in pairs]


def bring_to(connection: Connection, bot: Bot, league_id: LeagueId) -> Arrival | None:
    """Its present version, or else its latest; None if it was there already. Raises Refused where it has none."""
    present = standings.present_version(connection, bot.id)
    newest = versions.newest_accepted(connection, bot.id)
    if newest is None:
        raise Refused(f"{bot.name} has no accepted version, so it cannot guard a league")
    bots.require_not_disqualified(bot)
    bots.come_back(connection, bot.id)
    version_id = newest.id if present is None else present[0]
    leave_board(connection, version_id)
    was_there = put_on_board(connection, version_id, league_id)
    if present == (version_id, league_id):
        return None
    name = versions.find_version(connection, version_id).name
    return Arrival(name, bot.player, None if present is None else bot.league, was_there)


def who_stays(connection: Connection, league: League, former_boss: Bot | None) -> str | None:
    present = None if former_boss is None else standings.present_version(connection, former_boss.id)
    return former_boss.name if former_boss and present and present[1] == league.id else None
