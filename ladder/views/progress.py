"""How far things are: the whole ladder, and one version on its way to its rank."""

from collections.abc import Collection, Iterable

from engine.immutable import immutable
from ladder.bots import bots, versions
from ladder.choices import GauntletState, GauntletVerdict, VersionState
from ladder.database.connection import Connection, one
from ladder.gauntlets import automatic_gauntlets, gauntlets
from ladder.gauntlets.gauntlets import Gauntlet
from ladder.ids import LeagueId, VersionId
from ladder.leagues import leagues
from ladder.matches import match_rows
from ladder.matchmaking import requests
from ladder.names import HOUSE
from ladder.promotions.lifecycle import SMALL_BOARD, LeagueBoard, boards
from ladder.promotions.outlook import Outlook, outlook_of
from ladder.promotions.rules import OpenOrder, lacking_matches, places
from ladder.ratings import standings
from ladder.ratings.ledger import rating_settings
from ladder.seasons.ending import still_to_make

MOST_CONTENDERS = 2


@immutable
class Progress:
    """`lacking`: matches still to be made until every version on a board has had its battles, and those asked for.

    `moving`: versions that change leagues, or are let in by their gauntlet, as soon as the scheduler sees it.
    """

    building: int
    matches: match_rows.Counts
    lacking: int
    moving: int
    gauntlets: int

    @property
    def is_quiet(self) -> bool:
        return self.building + self.matches.waiting + self.lacking + self.moving + self.gauntlets == 0

    @property
    def expected(self) -> int:
        return self.matches.finished + self.matches.waiting + self.lacking


def progress(connection: Connection) -> Progress:
    """Look at the whole ladder. The connection must see one snapshot, or matches made meanwhile are overlooked."""
    building = int(one(connection, "SELECT count_building(NULL)", {})[0])
    counts = match_rows.count_matches(connection)
    league_boards = boards(connection)
    lacking = requests.count_unmade_matches(connection) + sum(map(still_to_make, league_boards))
    moving = sum(len(board.moves) for board in league_boards) + len(automatic_gauntlets.passed_gates(connection))
    return Progress(building, counts, lacking, moving, gauntlets.count_running(connection))


def builds(connection: Connection) -> list[str]:
    query = "SELECT version_name(id) FROM versions WHERE state = 'building' AND lease_until > now() ORDER BY id"
    return [name for (name,) in connection.execute(query)]


@immutable
class VersionProgress:
    """Where a version is. `board` is empty and `league` None while it is not on a board; `home`: its bot's league.

    `is_moving`: it waits for the scheduler to change its league. `held_by`: the gauntlet that keeps it off.
    `waits_beside`: how many other builds there are while it waits for its own; None once that has begun.
    """

    version: versions.Version
    league: leagues.League | None
    board: list[standings.Standing]
    is_moving: bool
    home: str
    held_by: Gauntlet | None = None
    open_order: OpenOrder | None = None
    outlook: Outlook | None = None
    waits_beside: int | None = None

    @property
    def rank(self) -> int | None:
        return next((rank for rank, row in enumerate(self.board, 1) if row.version_id == self.version.id), None)

    @property
    def is_settled(self) -> bool:
        """Say whether nothing more is going to happen to the version for its own sake.

        It has had its battles, or is spared the rest, and so has the boss, which has to be there. It may go on playing
        as others' opponent, or where idle capacity is used, and rise by that.
        """
        if self.version.state == VersionState.BUILDING:
            return False
        if self.held_by is not None:
            return self.held_by.state != GauntletState.RUNNING and self.held_by.verdict != GauntletVerdict.PASSED
        if self.league is None or self.league.is_unplayed:
            return True
        if self.is_moving or (self.outlook is not None and self.outlook.boss_is_coming):
            return False
        if not self.league.can_play([row.player for row in self.board]):
            return not any(row.waiting for row in self.board)
        is_spared, own = self.is_spared, self.version.id
        awaited = [row for row in self.board if row.is_boss or (row.version_id == own and not is_spared)]
        return not any(lacking_matches(self.league, row) for row in awaited)

    @property
    def is_spared(self) -> bool:
        """Say whether the battles that it lacks are not made."""
        return self.outlook is not None and (self.outlook.is_spared or self.outlook.waits)


def version_progress(connection: Connection, version_id: VersionId) -> VersionProgress:
    """Look for one version. The connection must see one snapshot. Raises UnknownName."""
    version = versions.known_version(connection, version_id)
    home = bots.find_bot(connection, version.bot, version.game).league
    for board in boards(connection, version.game):
        if any(row.version_id == version_id for row in board.standings):
            order = next((order for order in board.open_orders if order.version_id == version_id), None)
            moves = any(move.version_id == version_id for move in board.moves)
            outlook, league = outlooks_on(connection, board, [version_id])[0], board.place.league
            return VersionProgress(version, league, board.standings, moves, home, None, order, outlook)
    held_by = automatic_gauntlets.held_by(connection, [version_id]).get(version_id)
    beside = waits_beside(connection, version_id)
    return VersionProgress(version, None, [], is_moving=False, home=home, held_by=held_by, waits_beside=beside)


def waits_beside(connection: Connection, version_id: VersionId) -> int | None:
    query = """
        SELECT count_building(NULL)::int - 1 FROM versions
        WHERE id = %s AND state = 'building' AND lease_until IS NULL
        """
    row = connection.execute(query, [version_id]).fetchone()
    return None if row is None else row[0]


def outlooks_on(
    connection: Connection,
    board: LeagueBoard,
    version_ids: Iterable[VersionId],
    ranks: standings.Ranks | None = None,
    *,
    with_pace: bool = True,
) -> list[Outlook]:
    """Return what versions on that board, best first, may expect. `ranks`: where `board` is a part of the whole."""
    coming = not any(row.is_boss for row in board.standings) and boss_is_coming(connection, board.place.league.id)
    spared = board.spared if ranks is None or ranks.of == len(board.standings) else ()
    place, rows = board.place, board.standings
    return [
        outlook_of(place, rows, id_, pace, boss_is_coming=coming, is_spared=id_ in spared, ranks=ranks)
        for id_ in version_ids
        for pace in [match_rows.pace_of_version(connection, id_) if with_pace else None]
    ]


def boss_is_coming(connection: Connection, league_id: LeagueId) -> bool:
    query = """
        SELECT EXISTS (
            SELECT FROM versions JOIN bots ON bots.id = bot_id WHERE boss_of = %(league)s AND state = 'building')
        """
    return bool(one(connection, query, {"league": league_id})[0])


def prospects_of(
    connection: Connection, bot: bots.Bot, version_ids: Collection[VersionId]
) -> tuple[list[OpenOrder], list[Outlook]]:
    """Return the open orders and the outlooks of those versions that are on the board of their bot's league."""
    board, ranks = board_around(connection, bot.game, bot.league_id, version_ids)
    own_ids = [row.version_id for row in board.standings if row.version_id in version_ids]
    orders = [order for order in board.open_orders if order.version_id in version_ids]
    return orders, outlooks_on(connection, board, own_ids, ranks)


def board_around(
    connection: Connection, game: str, league_id: LeagueId, version_ids: Collection[VersionId]
) -> tuple[LeagueBoard, standings.Ranks]:
    """Return the part of a board that decides what versions on it may expect, and the ranks on the whole of it."""
    place = next(place for place in places(leagues.leagues(connection, game)) if place.league.id == league_id)
    ranks = standings.ranks_around(connection, league_id, list(version_ids), SMALL_BOARD)
    rows = standings.board(connection, league_id, only=list(ranks.by_version))
    return LeagueBoard(place, rows, rating_settings(connection, league_id)), ranks


@immutable
class Contender:
    """A version on a board, the boss that it has to pass, None where there is none, and what it may expect."""

    own: standings.Standing
    boss: standings.Standing | None
    outlook: Outlook


def contenders(connection: Connection, league: leagues.League, player: str | None = None) -> list[Contender]:
    """Return a player's best MOST_CONTENDERS on a board, or of all that can go up; without how long battles last."""
    ids = [] if league.is_unplayed else standings.best_of(connection, league.id, MOST_CONTENDERS, player, HOUSE)
    if not ids:
        return []
    board, ranks = board_around(connection, league.game, league.id, ids)
    boss = next((row for row in board.standings if row.is_boss), None)
    own_rows = [row for row in board.standings if row.version_id in ids]
    outlooks = outlooks_on(connection, board, [row.version_id for row in own_rows], ranks, with_pace=False)
    rows = [Contender(row, boss, outlook) for row, outlook in zip(own_rows, outlooks, strict=True)]
    return [contender for contender in rows if player is not None or contender.outlook.goes_up_to is not None]
