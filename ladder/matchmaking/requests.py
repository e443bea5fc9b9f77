"""Battles that somebody has asked for: who may ask, how the scheduler makes them into matches, and how those ended.

A request is whole when all its battles are made or it has lapsed, and over when none of its matches waits any more.
Requested battles are unrated; those of a season's series, which is requests too, are rated.

How this works. A request names versions that stand on one board, as many as a match of their game has players; its
battles are played there and made bit by bit: in the transaction in which a battle becomes matches the request counts
it, so none is lost or made twice. When one of them has left the board, or the player takes the request back, the rest
lapses, with the reason; what is made is played. Their matches are unrated: otherwise a player could choose opponents
until a bot stands where it does not belong. The battles of a season's series, which no player has chosen, are rated;
and they are played as long as all versions are on some board, since bots go on climbing: on the board where all are by
then, else in the league they were made for, where all have a rating.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from functools import reduce
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from engine.conversation import SeatOrders, seat_orders
from engine.errors import Refused, UnknownName, UsageFault
from engine.immutable import immutable
from engine.text import alternatives, listed
from ladder import ratings
from ladder.access import Actor, Deed, require
from ladder.bots import bots, versions
from ladder.database.connection import Connection, Rows, first_value, one
from ladder.games.games import seeds_in
from ladder.ids import LARGEST_ID, LeagueId, MatchId, RequestId, SeasonId, VersionId
from ladder.leagues import leagues
from ladder.leagues.leagues import League
from ladder.matches.match_rows import SELECT_MATCH, MatchRow
from ladder.matches.matches import NewBattle, insert_battles
from ladder.matchmaking import matchmaker
from ladder.matchmaking.matchmaker import ASKED_AHEAD, Pairing, Wish
from ladder.names import NamedVersion
from ladder.row_limits import MOST_BATTLES
from ladder.visibility import AsShown

if TYPE_CHECKING:
    from ladder.fleet.workers import Fleet
    from ladder.ratings.standings import Standing

SEASON_CLOSED = "the season was closed before its series was played"
"""Why no more battles are made of a series that was broken off."""


@immutable
class RequestSide:
    """How a version did in the finished matches of a request.

    `points`: its share of those in its matches, from 0 to 1, None before the first one; `places`: how often it was
    first, second and so on.
    """

    version_id: VersionId
    version: str
    points: float | None
    places: Sequence[int]


@immutable
class BattleRequest:
    """Battles between two versions or more. `made`: how many have become matches, on the board of `league`.

    `sides`: all that play, `first` and `second` first; `seat_orders`: in which orders of the seats they play each seed.
    `seed`: of the first battle, each next has the next one; None: by chance. `lapsed`: why the battles that are left
    will not be made, or None. `season_id`, `season`: id and number of the season whose series it belongs to, or None.
    `waiting`, `finished`, `void`: its matches; `wins`, `draws`, `losses`: those of `first` in the finished ones.
    """

    SHOWN: ClassVar = ("battle_matches", "left", "is_over", "rates")

    id: RequestId
    game: str
    league_id: LeagueId
    league: str
    first_id: VersionId
    second_id: VersionId
    first: str
    second: str
    battles: int
    made: int
    seed: int | None
    asked_by: str
    season_id: SeasonId | None
    season: int | None
    lapsed: str | None
    created_at: datetime
    waiting: int
    finished: int
    void: int
    wins: int
    draws: int
    losses: int
    sides: Sequence[RequestSide]
    seat_orders: str

    @property
    def battle_matches(self) -> int:
        return len(seat_orders(len(self.sides), self.seat_orders))

    @property
    def is_of_two(self) -> bool:
        return len(self.sides) == 2

    @property
    def versions(self) -> list[str]:
        return [side.version for side in self.sides]

    @property
    def left(self) -> int:
        return 0 if self.lapsed else self.battles - self.made

    @property
    def rates(self) -> bool:
        """Say whether its battles rate the two: those of a season's series do."""
        return self.season_id is not None

    @property
    def is_over(self) -> bool:
        return self.left == 0 and self.waiting == 0


@immutable
class Unmade:
    """A request with battles left. `is_series`: a season's; `season_is_closed`: broken off."""

    id: RequestId
    league_id: LeagueId
    version_ids: Sequence[VersionId]
    made: int
    left: int
    asked_by: str
    is_series: bool
    season_is_closed: bool


def insert(
    connection: Connection,
    league_id: LeagueId,
    version_ids: Sequence[VersionId],
    battles: int,
    *,
    asked_by: str,
    seed: int | None = None,
    season_id: SeasonId | None = None,
) -> RequestId:
    """Write down that somebody wants battles and return the request's id. `asked_by`: '' for a season's series."""
    first, second, *others = version_ids
    query = """
        INSERT INTO requests (league_id, first, second, others, battles, seed, asked_by, season_id)
        VALUES (%(league_id)s, %(first)s, %(second)s, %(others)s, %(battles)s, %(seed)s, %(asked_by)s, %(season_id)s)
        RETURNING id"""
    values = {"league_id": league_id, "first": first, "second": second, "others": others, "battles": battles}
    row = one(connection, query, {**values, "seed": seed, "asked_by": asked_by, "season_id": season_id})
    return RequestId(row[0])


SELECT_REQUEST = """
    SELECT requests.id, leagues.game, requests.league_id, leagues.title AS league,
           requests.first AS first_id, requests.second AS second_id,
           version_name(requests.first) AS first, version_name(requests.second) AS second,
           requests.battles, made, requests.seed, asked_by, season_id, seasons.number AS season, lapsed,
           requests.created_at, played.waiting, played.finished, played.void, played.wins, played.draws, played.losses,
           all_of_them.sides, leagues.seat_orders
    FROM requests JOIN leagues ON leagues.id = requests.league_id
    LEFT JOIN seasons ON seasons.id = requests.season_id
    CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE is_waiting(matches.state)) AS waiting,
               count(*) FILTER (WHERE matches.state = 'finished') AS finished,
               count(*) FILTER (WHERE matches.state = 'void') AS void,
               count(*) FILTER (WHERE matches.state = 'finished' AND seats.result = 'win') AS wins,
               count(*) FILTER (WHERE matches.state = 'finished' AND seats.result = 'draw') AS draws,
               count(*) FILTER (WHERE matches.state = 'finished' AND seats.result = 'loss') AS losses
        FROM matches JOIN seats ON seats.match_id = matches.id AND seats.version_id = requests.first
        WHERE matches.request_id = requests.id) AS played
    CROSS JOIN LATERAL (
        SELECT jsonb_agg(jsonb_build_object('version_id', who.id, 'version', version_name(who.id), 'points', own.points,
                         'places', own.places) ORDER BY who.number) AS sides
        FROM unnest(ARRAY[requests.first, requests.second] || requests.others) WITH ORDINALITY AS who (id, number)
        CROSS JOIN LATERAL (
            WITH seated AS (
                SELECT coalesce(own.place, CASE own.result WHEN 'loss' THEN 2 ELSE 1 END) AS place,
                       CASE WHEN matches.players > 2 THEN (
                           SELECT sum(1 + sign(other.place - own.place)) / 2 / (matches.players - 1)
                           FROM seats AS other WHERE other.match_id = own.match_id AND other.seat <> own.seat)
                       ELSE CASE own.result WHEN 'win' THEN 1 WHEN 'draw' THEN 0.5 ELSE 0 END END AS points
                FROM matches JOIN seats AS own ON own.match_id = matches.id AND own.version_id = who.id
                WHERE matches.request_id = requests.id AND matches.state = 'finished')
            SELECT avg(points)::float8 AS points, ARRAY(
                       SELECT count(place) FROM generate_series(1, 2 + cardinality(requests.others)) AS possible (at)
                       LEFT JOIN seated ON place = at GROUP BY at ORDER BY at) AS places
            FROM seated) AS own) AS all_of_them
"""


def read(sides: Sequence[dict[str, Any]], **columns: Any) -> BattleRequest:
    return BattleRequest(**columns, sides=[RequestSide(**side) for side in sides])


def find(connection: Connection, request_id: RequestId) -> BattleRequest:
    query = SELECT_REQUEST + "WHERE requests.id = %(id)s"
    request = Rows(connection, read).first(query, {"id": min(request_id, LARGEST_ID)})
    if request is None:
        raise UnknownName(f"there is no request {request_id}; `ladder match requests --all` lists them")
    return request


OPEN = """
    SELECT id FROM requests WHERE made < battles AND lapsed IS NULL
    UNION
    SELECT request_id FROM matches WHERE is_waiting(state) AND request_id IS NOT NULL
"""


def latest(connection: Connection, limit: int | None, *, ended: bool = False) -> list[BattleRequest]:
    ids = "SELECT id FROM requests" if ended else OPEN
    latest_of = f"""
        JOIN ({ids} ORDER BY id DESC LIMIT %(limit)s) AS latest ON latest.id = requests.id
        ORDER BY requests.id DESC
    """
    return Rows(connection, read).all(SELECT_REQUEST + latest_of, {"limit": limit})


def lock(connection: Connection, request_id: RequestId) -> None:
    """Keep others from making battles of a request, or ending it, until this transaction ends."""
    connection.execute("SELECT FROM requests WHERE id = %s FOR UPDATE", [min(request_id, LARGEST_ID)])


def unmade_requests(connection: Connection) -> list[Unmade]:
    return Rows(connection, Unmade).all("""
        SELECT requests.id, league_id, ARRAY[first, second] || others AS version_ids, made, battles - made AS left,
               asked_by, season_id IS NOT NULL AS is_series, seasons.closed_at IS NOT NULL AS season_is_closed
        FROM requests LEFT JOIN seasons ON seasons.id = requests.season_id
        WHERE made < battles AND lapsed IS NULL ORDER BY requests.id""")


def count_unmade(connection: Connection) -> int:
    query = "SELECT coalesce(sum(battles - made), 0) FROM requests WHERE made < battles AND lapsed IS NULL"
    return int(one(connection, query, {})[0])


def count_unmade_matches(connection: Connection) -> int:
    rows = connection.execute("""
        SELECT 2 + cardinality(others), seat_orders, sum(requests.battles - made)::int
        FROM requests JOIN leagues ON leagues.id = league_id
        WHERE made < requests.battles AND lapsed IS NULL GROUP BY 1, 2""")
    return sum(battles * len(seat_orders(players, orders)) for players, orders, battles in rows)


def count_open(connection: Connection) -> int:
    return int(one(connection, f"SELECT count(*) FROM ({OPEN}) AS open", {})[0])  # noqa: S608 - ours


def waiting_battles(connection: Connection) -> tuple[int, dict[str, int]]:
    """Return how many are queued, and by who asked for them how many are queued or being played."""
    query = """
        SELECT asked_by, count(DISTINCT pair_id)::int, count(DISTINCT pair_id) FILTER (WHERE matches.state = 'queued')
        FROM matches JOIN requests ON requests.id = matches.request_id
        WHERE is_waiting(matches.state) GROUP BY asked_by"""
    rows = connection.execute(query).fetchall()
    return sum(queued for _, _, queued in rows), {asked_by: waiting for asked_by, waiting, _ in rows}


def take_next(connection: Connection, request_id: RequestId) -> tuple[int | None, bool] | None:
    """Count one more battle as made; return its seed, None: by chance, and whether it rates. None if none is left."""
    query = """
        UPDATE requests SET made = made + 1 WHERE id = %s AND made < battles AND lapsed IS NULL
        RETURNING seed + made - 1, season_id IS NOT NULL"""
    row = connection.execute(query, [request_id]).fetchone()
    return None if row is None else (row[0], row[1])


def lapse(connection: Connection, request_id: RequestId, why: str) -> None:
    connection.execute("UPDATE requests SET lapsed = %s WHERE id = %s AND lapsed IS NULL", [why, request_id])


def first_match(connection: Connection, request_id: RequestId) -> MatchId | None:
    return first_value(connection, "SELECT min(id) FROM matches WHERE request_id = %s", [request_id])


def matches_over(connection: Connection, request_id: RequestId, limit: int) -> list[MatchRow]:
    """Return the matches of a request that are over, finished or void, the latest first; at most `limit`."""
    which = """
        WHERE matches.request_id = %(id)s AND NOT is_waiting(matches.state)
        ORDER BY coalesce(matches.finished_at, matches.started_at) DESC NULLS LAST, matches.id DESC
        LIMIT %(limit)s"""
    return Rows(connection, MatchRow).all(SELECT_MATCH + which, {"id": request_id, "limit": limit})


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
    request_id = insert(connection, first.league_id, version_ids, battles, asked_by=asked_by, seed=seed)
    return find(connection, request_id)


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
    bot, version = versions.find_named(connection, named, game)
    stays = [
        stay
        for stay in ratings.standings.stays_of(connection, bot.id, version.id if version else None)
        if stay.on_board and (version is not None or not stay.is_rival)
    ]
    if not stays:
        raise Refused(f"{NamedVersion(bot.name, named.number)} is on no board, so no version can play against it there")
    stay, *_ = stays  # several on boards frozen from a moment that was over, where another version was put on since
    name = versions.find_version(connection, stay.version_id).name
    return OnBoard(stay.version_id, name, bot.game, league_id=stay.league_id, league=stay.league)


def next_battles(
    connection: Connection,
    boards: Mapping[LeagueId, Sequence[Standing]],
    playable: Container[LeagueId],
    fleet: Fleet,
    most: int = ASKED_AHEAD,
) -> list[Pairing]:
    """Return requested battles to be made next; end requests that cannot go on.

    `playable`: leagues of games known here; others wait, as does what no worker can play. `most`: may wait.
    """
    unmade = unmade_requests(connection)
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
            lapse(connection, request.id, why_it_ends(connection, request, present))
        elif fleet.plays(*(language[version_id] for version_id in request.version_ids)):
            going.append(replace(request, league_id=league_id))
    queued, waiting = waiting_battles(connection)
    return in_turns(going, waiting, most - queued)


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
    battle_left = take_next(connection, request_id)
    if battle_left is None:
        return []
    own_seed, rates = battle_left
    seed = seed if own_seed is None else own_seed
    new = NewBattle(battle.league_id, battle.version_ids, seed, request_id=request_id, rates=rates, orders=orders)
    return insert_battles(connection, [new])


def cancel(connection: Connection, actor: Actor, request_id: RequestId) -> BattleRequest:
    """Take back unmade battles that a player asked for. Raises UnknownName, NotAllowed, Refused for a series."""
    lock(connection, request_id)
    request = find(connection, request_id)
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
    lapse(connection, request_id, TAKEN_BACK)
    return find(connection, request_id)
