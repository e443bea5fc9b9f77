"""Who plays whom: a pure function from the leagues' boards and a source of chance to battles.

How this works. Requested battles come first, then versions that have not had their battles, and the room that is left
goes to the battles that are most worth knowing (only in leagues with `informed`, which pause while a request waits).
Versions that lack battles take turns by their players: next is always a player for whom the fewest battles wait, so
that a player who submits every minute gets no more than the others, and among a player's versions the one that has had
fewest. Only some battles of one version wait at a time. So that players with many versions do not fill the queue behind
it, they then get no more waiting than a player with one, unless machines would run out of work. Requests take turns in
the same way and never fill all the room, so newcomers play at the same time (`workers/deliveries.py` lets other
matches through between requested ones). A version that has had its battles and could still be stronger than its boss
(`ladder.promotions.rules.OpenOrder`) plays the boss again as long as machines would otherwise have little to do, one
battle at a time and up to a bound, so that two equals do not play without end. Last come neighbours on a board that may
be in the wrong order (`ladder.promotions.rules.OpenNeighbours`): they play each other, one battle at a time, to the
same bound.

The schemes. `codingame`, as its staff described it (The Great Escape, 2015): first opponents spread over the whole
board with some jitter, then opponents near the version's present rank. `informed`: the opponent from whom most is to be
learnt (`ladder/matchmaking/information.py`), and in a share of the battles one whom the version has hardly ever met.
`random` is there for comparison. Whatever the scheme, where promotion takes wins against the boss every version gets to
meet it: first of all, and then in an even share of its battles, as many as the wins that it takes and at most every
second one. Where two bots of one player do not meet (`Scheme.own_bots_meet`), each scheme chooses among the others.

How much may wait (`Room`). Only what waits is bounded, not what is being played. What waits has to last until the
scheduler comes again, or processes stand idle; but whatever waits stands before a newcomer. So a battle waits for each
process, and where matches are quick as many as the whole fleet plays in two seconds. Small ladders keep a fixed number
at least. Each kind of battle has the same share of the room, whatever its size.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush, heapreplace
from itertools import islice, takewhile
from math import ceil
from random import Random
from typing import TYPE_CHECKING, TypeAlias

from engine.conversation import FOR_TWO, SeatOrders
from engine.immutable import immutable
from ladder import matchmaking
from ladder.choices import Matchmaking
from ladder.ids import LeagueId, RequestId, VersionId
from ladder.leagues.leagues import Sides
from ladder.leagues.settings import most_battles_with_boss

if TYPE_CHECKING:
    from ladder.matchmaking.information import InformationGain

AHEAD = 10
"""This many battles of a version wait at most, so that its later opponents follow from what the earlier ones showed."""
MOST_WAITING = 64
"""This many matches may wait on the smallest ladder."""
MATCHES_EACH = 2
"""This many matches may wait for each process: a battle."""
LOOK_AHEAD_S = 2
"""As many matches may wait as were finished in this many seconds: twice the time between two looks of the scheduler."""

IDLE_AHEAD = 10
"""Battles that no version lacks are made while fewer than this many wait: enough for busy workers, short queues. On
the smallest ladder; see `Room`."""
ASKED_AHEAD = 16
"""This many battles that were asked for wait at most: half the room of a scheduler, the other half is for newcomers. On
the smallest ladder; see `Room`."""
RARE_SHARE = 0.1
"""In `informed`, this share of the battles goes to pairs that have hardly met, whatever their ratings promise."""

Met: TypeAlias = Callable[[VersionId], Mapping[VersionId, int]]
"""Returns for a version how often it has met which others; those left out it has never met."""


@immutable
class BoardEntrant:
    """A version on a board. `battles`: played or arranged; `waiting`: those of them that are still to be played.

    `earlier`: battles on this board that count no more. `lacks_boss`: whether it needs wins against the boss yet.
    `plays_on`: whether it has had its battles and plays on against the boss (see ladder.promotions.rules.OpenOrder).
    """

    version_id: VersionId
    battles: int
    waiting: int = 0
    player: str = ""
    mu: float = 25.0
    sigma: float = 25.0 / 3
    earlier: int = 0
    is_boss: bool = False
    lacks_boss: bool = False
    plays_on: bool = False


@immutable
class Scheme:
    """How a league pairs.

    `battles`: a version's own; `beta`, `draw_probability`: for `informed`; `boss_wins`: 0 where rank promotes;
    `players`: of a match, drawn by `player_weights`; `own_bots_meet`: but a boss is met anyway.
    """

    matchmaking: str = Matchmaking.CODINGAME
    battles: int = 100
    placement_battles: int = 10
    near_ranks: int = 20
    beta: float = 25.0 / 6
    draw_probability: float = 0.0
    boss_wins: int = 0
    players: Sequence[int] = FOR_TWO
    player_weights: Sequence[float] = ()
    orders: str = SeatOrders.ROTATIONS
    battle_matches: int = 2
    own_bots_meet: bool = True

    def players_for(self, seed: int, versions: int) -> int:
        """Return how many of these versions play a battle on that seed: drawn from it, as far as there are enough."""
        drawn = Random(f"players {seed}").choices(self.players, self.player_weights or None)[0]  # noqa: S311 - it is no secret
        return max(number for number in self.players if number <= max(min(drawn, versions), self.players[0]))


@immutable
class PairingBoard:
    """A league's versions, best first, and how it pairs. `open_pairs`: neighbours settling their order, in order."""

    league_id: LeagueId
    entrants: Sequence[BoardEntrant]
    scheme: Scheme
    open_pairs: Sequence[tuple[VersionId, VersionId]] = ()


@immutable
class Pairing:
    """Versions of a league that are to play a battle: the first two for certain, the others as far as it has seats.

    `made_for`: the one that lacked it; None: nobody did. `request_id`: of the request by which somebody asked for it,
    or None.
    """

    league_id: LeagueId
    version_ids: tuple[VersionId, ...]
    made_for: VersionId | None = None
    request_id: RequestId | None = None


def met_none(_: VersionId) -> Mapping[VersionId, int]:
    return {}


def pairings(
    boards: Sequence[PairingBoard],
    most: int,
    chance: Random,
    *,
    requested: Sequence[Pairing] = (),
    shares: Mapping[str, int] | None = None,
    settling: int = 0,
    idle: int = 0,
    met: Met = met_none,
) -> list[Pairing]:
    """Return at most `most` battles in the order to be played.

    `requested`: asked for; `shares`: waiting, by player; `settling`, `idle`: up to how many wait when such as
    settle, or nobody needs, are made.
    """
    battles = list(requested[: max(most, 0)])
    tables = [table for table in (PairingTable(board, met) for board in boards) if table.can_play]
    battles += for_those_who_lack(tables, most - len(battles), dict(shares or {}), chance, idle - len(battles))
    battles += to_settle(tables, min(settling, most) - len(battles))
    battles += between_neighbours(tables, min(idle, most) - len(battles))
    battles += improvements(tables, min(idle, most) - len(battles), chance)
    return battles


class PairingTable:
    """A board while battles are arranged on it. Versions are known by their rank, counted from 0."""

    def __init__(self, board: PairingBoard, met: Met) -> None:
        self.board = board
        self.scheme = board.scheme
        self.entrants = board.entrants
        self.sides = Sides([entrant.player for entrant in board.entrants], own_bots_meet=board.scheme.own_bots_meet)
        self.met = met
        self.battles = [entrant.battles for entrant in board.entrants]
        self.waiting = [entrant.waiting for entrant in board.entrants]
        self.boss = next((rank for rank, entrant in enumerate(board.entrants) if entrant.is_boss), None)
        self.with_boss: dict[int, int] = {}

    @cached_property
    def lessons(self) -> InformationGain:
        return matchmaking.information.InformationGain(
            [entrant.mu for entrant in self.entrants],
            [entrant.sigma for entrant in self.entrants],
            self.battles,
            self.waiting,
            matchmaking.information.Model(self.scheme.beta, self.scheme.draw_probability),
            self.sides.of,
        )

    @property
    def can_play(self) -> bool:
        return self.sides.count >= self.scheme.players[0]

    def lacks_battles(self, rank: int) -> bool:
        """Say whether a version has not had its battles, nor are they arranged."""
        return self.battles[rank] < self.scheme.battles

    def is_wanting(self, rank: int) -> bool:
        return self.lacks_battles(rank) and self.waiting[rank] < AHEAD

    def may_settle(self, rank: int) -> bool:
        """Say whether a version should get one more battle to settle its order with the boss; one waits at a time."""
        return self.entrants[rank].plays_on and self.waiting[rank] == 0

    def pairs_to_settle(self) -> Iterator[tuple[int, int]]:
        """Yield the ranks of neighbours whose order is open, as long as no battle of either waits."""
        ranks = {entrant.version_id: rank for rank, entrant in enumerate(self.entrants)}
        for first, second in self.board.open_pairs:
            pair = ranks.get(first), ranks.get(second)
            if pair[0] is not None and pair[1] is not None and self.waiting[pair[0]] + self.waiting[pair[1]] == 0:
                yield pair[0], pair[1]

    def arrange_with(self, other: int, rank: int) -> Pairing:
        """Return a battle against another, the boss or a neighbour, that nobody lacks."""
        if self.scheme.matchmaking == Matchmaking.INFORMED:
            self.lessons.expect(rank, other)
        return self.seated([rank, other], None)

    def arrange(self, rank: int, chance: Random) -> Pairing:
        boss = self.boss_that_is_due(rank)
        other = OPPONENTS[self.scheme.matchmaking](self, rank, chance) if boss is None else boss
        if self.scheme.matchmaking == Matchmaking.INFORMED:
            self.lessons.expect(rank, other)
        return self.seated([rank, other], self.entrants[rank].version_id, chance)

    def boss_that_is_due(self, rank: int) -> int | None:
        """Return the boss if a version that needs wins against it has met it too rarely, earlier battles counted."""
        entrant, scheme = self.entrants[rank], self.scheme
        if self.boss is None or not entrant.lacks_boss:
            return None
        battles_with_boss = min(scheme.boss_wins, most_battles_with_boss(scheme.battles))
        battles = entrant.earlier + self.battles[rank]
        is_due = self.times_with_boss(rank, self.boss) * scheme.battles <= battles * battles_with_boss
        return self.boss if is_due else None

    def times_with_boss(self, rank: int, boss: int) -> int:
        if rank not in self.with_boss:
            matches = self.met(self.entrants[rank].version_id).get(self.entrants[boss].version_id, 0)
            self.with_boss[rank] = ceil(matches / self.scheme.battle_matches)
        return self.with_boss[rank]

    def seated(self, ranks: list[int], made_for: VersionId | None, chance: Random | None = None) -> Pairing:
        """Count a battle for two, and for those who play with them where a match has more players, and return it."""
        while len(ranks) < min(self.scheme.players[-1], self.sides.count):
            ranks.append(self.one_more(ranks, chance))
        for rank in ranks:
            self.battles[rank] += 1
            self.waiting[rank] += 1
            if self.boss in ranks and rank != self.boss and rank in self.with_boss:
                self.with_boss[rank] += 1
        return Pairing(self.board.league_id, tuple(self.entrants[rank].version_id for rank in ranks), made_for)

    def one_more(self, ranks: Sequence[int], chance: Random | None) -> int:
        """Return who plays as well: another opponent for the first by the league's rule, or who is nearest to it."""
        chosen = ranks[0] if chance is None else OPPONENTS[self.scheme.matchmaking](self, ranks[0], chance)
        return min(self.sides.others(ranks), key=lambda rank: (abs(rank - chosen), rank))


def for_those_who_lack(
    tables: list[PairingTable], most: int, shares: dict[str, int], chance: Random, unshared: int
) -> list[Pairing]:
    """Return battles for versions that lack some, players in turns; shared fairly but for `unshared` of them."""
    needs: dict[str, Needs] = defaultdict(lambda: Needs(tables))
    for number, table in enumerate(tables):
        for rank, entrant in enumerate(table.entrants):
            if table.lacks_battles(rank):
                needs[entrant.player].versions.append((table.battles[rank], number, rank))
    turns: list[tuple[int, float, str]] = []
    for player, of_player in needs.items():
        heapify(of_player.versions)
        turns.append((shares.get(player, 0), chance.random(), player))
    heapify(turns)
    ceiling: int | None = None
    arranged: list[Pairing] = []
    while turns and len(arranged) < most:
        share, _, player = heappop(turns)
        if ceiling is not None and share >= ceiling and len(arranged) >= unshared:
            break
        chosen = needs[player].neediest()
        if chosen is not None:
            table, rank = chosen
            arranged.append(table.arrange(rank, chance))
            heappush(turns, (share + 1, chance.random(), player))
        elif needs[player].is_held_back and ceiling is None:
            ceiling = max(share, AHEAD)
    return arranged


class Needs:
    """A player's versions that lack battles: a heap of their battles, the numbers of their tables and their ranks."""

    def __init__(self, tables: list[PairingTable]) -> None:
        self.versions: list[tuple[int, int, int]] = []
        self.is_held_back = False
        """Whether one of them could get no battle because so many of its battles wait. A boss is everybody's opponent
        and never held back."""
        self._tables = tables

    def neediest(self) -> tuple[PairingTable, int] | None:
        """Return the version with the fewest battles, which stays in the heap; outdated entries are put right here."""
        while self.versions:
            battles, number, rank = self.versions[0]
            table = self._tables[number]
            if not table.is_wanting(rank):
                self.is_held_back |= table.lacks_battles(rank) and rank != table.boss
                heappop(self.versions)
            elif battles == table.battles[rank]:
                return table, rank
            else:
                heapreplace(self.versions, (table.battles[rank], number, rank))
        return None


def to_settle(tables: list[PairingTable], most: int) -> list[Pairing]:
    """Return battles with the boss for open orders, fewest battles first; one of each waits at a time."""
    open_orders = sorted(
        (table.battles[rank], number, rank, table.boss)
        for number, table in enumerate(tables)
        for rank in range(len(table.entrants))
        if table.boss is not None and table.may_settle(rank)
    )
    return [tables[number].arrange_with(boss, rank) for _, number, rank, boss in open_orders[: max(most, 0)]]


def between_neighbours(tables: list[PairingTable], most: int) -> list[Pairing]:
    """Return battles between neighbours whose order is open, at most one of each version at a time."""
    arranged = (table.arrange_with(other, rank) for table in tables for rank, other in table.pairs_to_settle())
    return list(islice(arranged, max(most, 0)))


def improvements(tables: list[PairingTable], most: int, chance: Random) -> list[Pairing]:
    """Return battles that nobody lacks, in leagues with `informed`: pairs from which most is to be learnt."""
    informed = [table for table in tables if table.scheme.matchmaking == Matchmaking.INFORMED]
    if not informed or most < 1:
        return []
    chance.shuffle(informed)
    sought = [(table, matchmaking.information.Neighbourhood(table.lessons)) for table in informed[:most]]
    pairing = [(table, neighbourhood) for table, neighbourhood in sought if neighbourhood.has_pairs]
    arranged: list[Pairing] = []
    for number in range(most if pairing else 0):
        table, neighbourhood = pairing[number % len(pairing)]
        if chance.random() < RARE_SHARE:
            rank = chance.randrange(len(table.entrants))
            other = rarely_met(table, rank, chance)
        else:
            rank, other = neighbourhood.best_pair(chance)
        neighbourhood.expect(rank, other)
        arranged.append(table.seated([rank, other], None, chance))
    return arranged


def spread_then_near(table: PairingTable, rank: int, chance: Random) -> int:
    """Choose from the battle's own stratum of the board during placement, near the own rank afterwards."""
    others = table.sides.opponents(rank)
    battles, placement = table.battles[rank], table.scheme.placement_battles
    if battles < placement:
        place = int((battles + chance.random()) / placement * others)
    else:
        near = table.scheme.near_ranks
        better = table.sides.better(rank)
        place = chance.randrange(max(better - near, 0), min(better + near, others))
    return table.sides.opponent_at(rank, place)


def most_telling(table: PairingTable, rank: int, chance: Random) -> int:
    """Choose one from whom much is to be learnt; now and then one whom the version has hardly met."""
    if chance.random() < RARE_SHARE:
        return rarely_met(table, rank, chance)
    return table.lessons.best_opponent(rank, chance)


def rarely_met(table: PairingTable, rank: int, chance: Random) -> int:
    times = table.met(table.entrants[rank].version_id)
    others = list(table.sides.others([rank]))
    fewest = min(times.get(table.entrants[other].version_id, 0) for other in others)
    return chance.choice([other for other in others if times.get(table.entrants[other].version_id, 0) == fewest])


def anybody(table: PairingTable, rank: int, chance: Random) -> int:
    return table.sides.opponent_at(rank, chance.randrange(table.sides.opponents(rank)))


OPPONENTS: dict[str, Callable[[PairingTable, int, Random], int]] = {
    Matchmaking.CODINGAME: spread_then_near,
    Matchmaking.INFORMED: most_telling,
    "random": anybody,
}
"""How each scheme chooses an opponent for a version that lacks battles."""


@immutable
class Room:
    """How much may wait. `matches`: in all, an even number."""

    matches: int = MOST_WAITING

    @property
    def failed(self) -> int:
        """Return how many failed ones count as waiting: a version that nobody can play must not stop all others."""
        return self.matches // 2

    @property
    def asked_battles(self) -> int:
        """Return how many battles that were asked for may wait: half of the room, the other half is for newcomers."""
        return self.matches * ASKED_AHEAD // MOST_WAITING

    @property
    def idle_battles(self) -> int:
        """Return below how many waiting battles more are made than versions lack: enough for busy workers."""
        return self.matches * IDLE_AHEAD // MOST_WAITING


def room_for(processes: int, finished_lately: int) -> Room:
    """Return the room for that many live processes. `finished_lately`: matches within the last LOOK_AHEAD_S seconds."""
    most = max(MOST_WAITING, MATCHES_EACH * processes, finished_lately)
    return Room(most + most % 2)


@immutable
class Wish:
    """What a gauntlet or request `by` a player wants if alone. `waiting`: unplayed pairs of `made`, which are all."""

    by: str
    waiting: int
    made: int
    wanted: int


def players_in_turns(wishes: Sequence[Wish], most: int) -> list[int]:
    """Return whose pair is made next, as places in `wishes`, oldest gauntlet first.

    Players take turns by who has the fewest waiting, none beyond `most`; each one's gauntlets too, then by the
    fewest made. So all get equally many played.
    """
    if len({wish.by for wish in wishes if wish.waiting or wish.wanted}) < 2:
        return [place for place, wish in enumerate(wishes) for _ in range(wish.wanted)]
    waiting = Counter[str]()
    for wish in wishes:
        waiting[wish.by] += wish.waiting
    return [place for share, place in takewhile(lambda turn: turn[0] < most, in_turns(wishes, waiting))]


def in_turns(wishes: Sequence[Wish], waiting: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    """Give places in `wishes` as they are served, with how many of its player's wait by then: see `players_in_turns`.

    `waiting`: of each player, before.
    """
    wishes_of: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for place, wish in enumerate(wishes):
        if wish.wanted:
            heappush(wishes_of[wish.by], (wish.waiting, wish.made, place))
    turns = [(waiting.get(by, 0), age, by) for age, by in enumerate(wishes_of)]
    heapify(turns)
    unmade = [wish.wanted for wish in wishes]
    while turns:
        share, age, by = heappop(turns)
        queued, made, place = heappop(wishes_of[by])
        yield share, place
        unmade[place] -= 1
        if unmade[place]:
            heappush(wishes_of[by], (queued + 1, made + 1, place))
        if wishes_of[by]:
            heappush(turns, (share + 1, age, by))
