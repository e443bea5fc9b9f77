"""Asking for battles: who may, and how the scheduler makes them into matches.

How this works. A request names versions that stand on one board, as many as a match of their game has players; its
battles are played there and made bit by bit: in the transaction in which a battle becomes matches the request counts
it, so none is lost or made twice. When one of them has left the board, or the player takes the request back, the rest
lapses, with the reason; what is made is played. Their matches are unrated: otherwise a player could choose opponents
until a bot stands where it does not belong. The battles of a season's series, which no player has chosen, are rated;
and they are played as long as all versions are on some board, since bots go on climbing: on the board where all are by
then, else in the league they were made for, where all have a rating.
"""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import reduce
from itertools import islice
from typing import NoReturn

from engine.conversation import SeatOrders
from engine.errors import Refused, UsageFault
from engine.immutable import immutable
from engine.text import alternatives, listed
from ladder.access import Actor, Deed, require
from ladder.bots import bots, versions
from ladder.database.connection import Connection
from ladder.fleet.workers import Fleet
from ladder.games.games import seeds_in
from ladder.ids import LeagueId, MatchId, RequestId, VersionId
from ladder.leagues import leagues
from ladder.leagues.leagues import League
from ladder.matches.matches import NewBattle, insert_battles
from ladder.matchmaking import matchmaker, requests
from ladder.matchmaking.matchmaker import ASKED_AHEAD, Pairing, Wish
from ladder.matchmaking.requests import SEASON_CLOSED, BattleRequest, Unmade
from ladder.names import NamedVersion
from ladder.ratings import standings
from ladder.ratings.standings import Standing
from ladder.row_limits import MOST_BATTLES
from ladder.visibility import AsShown


def in_turns(unmade: Sequence[Unmade], waiting: Mapping[str, int], room: int) -> list[Pairing]:
    """Return at most `room` battles to be arranged next of those asked for, given with the oldest request first.

    Those who ask take turns, next is who has the fewest waiting; and so do each one's requests, next is the one of
    which the fewest battles are made. `waiting`: how many battles that each has asked for wait or are being played.
    """
    wishes = [Wish(request.asked_by, request.made, request.made, request.left) for request in unmade]
    chosen = [unmade[place] for _, place in islice(matchmaker.in_turns(wishes, waiting), max(room, 0))]
    return [Pairing(request.league_id, tuple(request.version_ids), request_id=request.id) for request in chosen]


LARGEST_SEED = 2**63 - 1
TAKEN_BACK = "taken back"
"""Why no more battles are made of a request that was taken back."""


@immutable
class OnBoard:
    """A version that stands on a league's board. `league`: its title."""

    version_id: VersionId
    name: str
    game: str
    league_id: LeagueId
    league: str


def ask(
    connection: Connection,
    sides: Sequence[NamedVersion],
    battles: int,
    asked_by: str,
    game: str | None = None,
    seed: int | None = None,
    as_shown: AsShown = nullcontext,
    league: str | None = None,
) -> BattleRequest:
    """Ask for battles between versions.

    `seed`: of the first, each next one more; `as_shown`: reads boards as they are shown; `league`: None: where the
    first stands. Raises Refused where they do not all stand there, UsageFault, UnknownName.
    """
    if not 1 <= battles <= MOST_BATTLES:
        raise UsageFault(f"1 to {MOST_BATTLES:,} battles can be asked for, not {battles}")
    if seed is not None and seed + battles - 1 > LARGEST_SEED:
        raise UsageFault(f"{battles} seeds from {seed} on go beyond the largest, {LARGEST_SEED}")
    if not sides:
        raise UsageFault("name the versions that are to play")
    if not game:
        common = reduce(set.intersection, (bots.games_of(connection, side.bot) for side in sides))
        game = common.pop() if len(common) == 1 else None
    sides_on_board = [on_board(connection, side, game) for side in sides]
    ((most, times),) = Counter(version.name for version in sides_on_board).most_common(1)
    if times > 1:
        raise Refused(f"{most} cannot play against itself")
    first = sides_on_board[0]
    named_league = None if league is None else leagues.find_league(connection, first.game, league)
    league_id = first.league_id if named_league is None else named_league.id
    if any(version.league_id != league_id for version in sides_on_board):
        with as_shown():
            raise_apart([on_board(connection, side, game) for side in sides], named_league)
    possible = next(row.players for row in leagues.leagues(connection, first.game) if row.id == first.league_id)
    if len(sides_on_board) not in possible:
        numbers = alternatives(list(map(str, possible)))
        named = len(sides_on_board)
        raise Refused(f"matches of {first.game} have {numbers} players, so name {numbers} versions, not {named}")
    leagues.require_trusted(connection, first.league_id)
    if seed is not None:
        seeds_in(connection, first.league_id).require(seed, seed + battles - 1)
    version_ids = [version.version_id for version in sides_on_board]
    request_id = requests.insert(connection, first.league_id, version_ids, battles, asked_by=asked_by, seed=seed)
    return requests.find(connection, request_id)


def raise_apart(versions: Sequence[OnBoard], league: League | None) -> NoReturn:
    """Raise Refused for versions that do not play in one league, this or any, or where shown boards hide it."""
    first = versions[0]
    for other in versions[1:]:
        if first.league_id != other.league_id:
            raise Refused(f"{place(first, other.game)} and {place(other, first.game)}: they meet only on one board")
    if league is not None and first.league_id != league.id:
        raise Refused(f"{place(first, first.game)}, not in {league.title}: versions meet where they play")
    raise Refused(f"{listed([version.name for version in versions])} do not meet on one board now")


def place(version: OnBoard, other_game: str) -> str:
    game = "" if version.game == other_game else f" of {version.game}"
    return f"{version.name} plays in {version.league}{game}"


def on_board(connection: Connection, named: NamedVersion, game: str | None) -> OnBoard:
    """Of a bot that is named alone the version that plays for it. Raises Refused, UnknownName, UsageFault."""
    bot = bots.find_bot(connection, named.bot, game)
    stays = [stay for stay in standings.stays_of(connection, bot.id) if stay.on_board]
    if named.number is None:
        stays = [stay for stay in stays if not stay.is_rival]
    else:
        version = versions.numbered(connection, bot, named.number)
        stays = [stay for stay in stays if stay.version_id == version.id]
    if not stays:
        raise Refused(f"{NamedVersion(bot.name, named.number)} is on no board, so no version can play against it there")
    stay, *_ = stays  # several on boards frozen from a moment that was over, where another version was put on since
    name = versions.find_version(connection, stay.version_id).name
    return OnBoard(stay.version_id, name, bot.game, league_id=stay.league_id, league=stay.league)


def next_battles(
    connection: Connection,
    boards: Mapping[LeagueId, Sequence[Standing]],
    playable: Container[LeagueId],
    fleet: Fleet = Fleet(),  # noqa: B008 - frozen
    most: int = ASKED_AHEAD,
) -> list[Pairing]:
    """Return requested battles to be made next; end requests that cannot go on.

    `playable`: leagues of games known here; others wait, as does what no worker can play. `most`: may wait.
    """
    unmade = requests.unmade_requests(connection)
    if not unmade:
        return []
    present = {row.version_id: league_id for league_id, board in boards.items() for row in board}
    language = {row.version_id: row.language for board in boards.values() for row in board}
    going: list[Unmade] = []
    for request in unmade:
        if request.league_id not in playable:
            continue
        league_id = league_of_next(request, present)
        if league_id is None:
            requests.lapse(connection, request.id, why_it_ends(connection, request, present))
        elif fleet.plays(*(language[version_id] for version_id in request.version_ids)):
            going.append(replace(request, league_id=league_id))
    room = most - requests.queued_battles(connection)
    return in_turns(going, requests.waiting_battles(connection), room)


def league_of_next(request: Unmade, present: Mapping[VersionId, LeagueId]) -> LeagueId | None:
    """None where no more are played. `present`: the league on whose board each version stands."""
    where = {present.get(version_id) for version_id in request.version_ids}
    if request.season_is_closed or None in where:
        return None
    if request.is_series:
        return where.pop() if len(where) == 1 else request.league_id
    return request.league_id if where == {request.league_id} else None


def why_it_ends(connection: Connection, request: Unmade, present: Mapping[VersionId, LeagueId]) -> str:
    if request.season_is_closed:
        return SEASON_CLOSED
    league_id = None if request.is_series else request.league_id
    names = [
        versions.find_version(connection, version_id).name
        for version_id in request.version_ids
        if version_id not in present or league_id not in {None, present[version_id]}
    ]
    return f"{listed(names)} left the board"


def make(
    connection: Connection, request_id: RequestId, battle: Pairing, seed: int, orders: str = SeatOrders.ROTATIONS
) -> list[MatchId]:
    """Return the matches' ids, none if it was taken back. `seed`: for a request without one; `orders`: the league's."""
    battle_left = requests.take_next(connection, request_id)
    if battle_left is None:
        return []
    own_seed, rates = battle_left
    seed = seed if own_seed is None else own_seed
    new = NewBattle(battle.league_id, battle.version_ids, seed, request_id=request_id, rates=rates, orders=orders)
    return insert_battles(connection, [new])


def cancel(connection: Connection, actor: Actor, request_id: RequestId) -> BattleRequest:
    """Take back unmade battles that a player asked for. Raises UnknownName, NotAllowed, Refused for a series."""
    requests.lock(connection, request_id)
    request = requests.find(connection, request_id)
    if request.season_id is not None:
        raise Refused(f"request {request_id} belongs to the series of season {request.season} and cannot be taken back")
    sentence = f"request {request_id} belongs to {request.asked_by}, and only its player can do that"
    require(actor, Deed.CANCEL_REQUEST, sentence, request.asked_by)
    if request.lapsed == TAKEN_BACK:
        raise Refused(f"request {request_id} is taken back already")
    if request.lapsed is not None:
        raise Refused(f"request {request_id} has ended already: {request.lapsed}")
    if not request.left:
        battles = "its battle is" if request.battles == 1 else f"all its {request.battles} battles are"
        raise Refused(f"request {request_id} cannot be taken back any more: {battles} made already")
    requests.lapse(connection, request_id, TAKEN_BACK)
    return requests.find(connection, request_id)
