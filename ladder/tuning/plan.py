"""What a tune plays, and how results move values: simultaneous perturbation (SPSA). Pure.

How this works. Each parameter has a place from 0 to 1 between the ends of its range. Pair k is played by a bot with
every place moved up or down by its reach, as lots say that follow from the seed and k, against the same bot with every
place moved the other way. Then all places move toward the end that took more, by a step that belongs to k. So a pair
needs nothing but k and the places at the time: pairs can be played side by side, and a result that comes late counts
with the reach and step of its own k. The result is the mean of the second half of the path.

The first pairs, one for each parameter, move nothing: each plays both ends of one range with all else at the start. If
the two play alike, the bot does not read that parameter.

Steps are as Fishtest makes them (J. C. Spall 1998), but far larger, for hundreds of pairs where Fishtest has tens of
thousands: `make sprt` shows what that gains.

Matches (`TunePlan`). Where there are no opponents both ends of a pair meet each other in both seat orders: one slot.
Else both meet the same opponent, which takes its turn: two slots.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import floor
from random import Random
from typing import TypeAlias

from engine.conversation import Verdict, seat_orders
from engine.errors import UsageFault
from engine.immutable import immutable
from engine.text import counted
from engine.toolchains.params import NO_PARAMS, Params
from ladder.gauntlets.plan import Slot, seed_of
from ladder.ids import VersionId
from ladder.statistics.elo import outcomes_of
from ladder.tuning.parameters import Parameter

Places: TypeAlias = tuple[float, ...]
"""Of all parameters, from 0 at the low end of the range to 1 at the high one."""
REACH = 1 / 8
"""Of the range: how far the last pairs are moved."""
LEARNT = 20.0
"""Divided by the number of pairs, it is the last pairs' rate."""
SLOWEST, FASTEST = 0.005, 0.06
STEP_DECAY, REACH_DECAY, SETTLING = 0.602, 0.101, 0.1
"""Spall's exponents, and the share of all pairs by which the first steps are held back."""
PAIRS, PAIRS_PER_PARAMETER = 400, 200
"""So many are played where nobody says how many: the first, and for each parameter the second."""
FEWEST_PAIRS, MOST_PAIRS = 10, 1_000_000
"""For each parameter, and for all of them."""
CONFIRMING = 0.2
"""This share of all pairs is kept for the comparison of the result with the start."""
FRESH = 0x5EED
"""By this the seeds on which the result meets the start differ from those on which it was found."""


def shared_out(pairs: int | None, parameters: int) -> tuple[int, int]:
    """Return how many pairs look for values and how many confirm. `pairs`: in all; None: usual. Raises UsageFault."""
    if pairs is None:
        pairs = PAIRS + PAIRS_PER_PARAMETER * parameters
    fewest = FEWEST_PAIRS * parameters
    if not fewest <= pairs <= MOST_PAIRS:
        which = counted(parameters, "parameter")
        raise UsageFault(f"{which} can be tuned in {fewest} to {MOST_PAIRS:,} pairs, not in {pairs:,}")
    confirming = floor(CONFIRMING * pairs)
    return pairs - confirming, confirming


@dataclass(frozen=True)
class Spsa:
    """The rule. `pairs`: that look for values, the first ones included; `seed`: from which the lots come."""

    parameters: tuple[Parameter, ...]
    start: Places
    pairs: int
    seed: int

    @cached_property
    def first_pairs(self) -> int:
        """Return how many pairs only try the ends of a range."""
        return len(self.parameters)

    def lots(self, number: int) -> list[int]:
        """Return 1 or -1 for each parameter, always the same for the same pair."""
        return Random(f"tune {self.seed} {number}").choices((-1, 1), k=len(self.parameters))  # noqa: S311 - no secret

    def reaches(self, number: int) -> list[float]:
        """Return how far each place is moved in a pair; never so little that whole numbers stay as they are."""
        growth = float((self.pairs / (number + 1)) ** REACH_DECAY)
        return [max(REACH, parameter.least_reach) * growth for parameter in self.parameters]

    def rate(self, number: int) -> float:
        """Return by how many reaches a pair moves the places for each match that one end won more often."""
        last = min(max(LEARNT / self.pairs, SLOWEST), FASTEST)
        held_back = SETTLING * self.pairs
        slowing = ((held_back + self.pairs) / (held_back + number + 1)) ** STEP_DECAY
        return float(last * slowing * ((number + 1) / self.pairs) ** (2 * REACH_DECAY))

    def ends(self, number: int, places: Sequence[float]) -> tuple[Places, Places]:
        """Return the places that a pair plays, from those at the time; none is beyond its range."""
        if number < self.first_pairs:
            return self.with_one(number, 1.0), self.with_one(number, 0.0)
        steps = zip(places, self.lots(number), self.reaches(number), strict=True)
        moves = [(place, lot * reach) for place, lot, reach in steps]
        return tuple(clip(place + move) for place, move in moves), tuple(clip(place - move) for place, move in moves)

    def with_one(self, number: int, place: float) -> Places:
        return (*self.start[:number], place, *self.start[number + 1 :])

    def moved(self, number: int, places: Sequence[float], lead: float) -> Places:
        """Return where all places are after a pair. `lead`: see `Pair`."""
        if number < self.first_pairs:
            return tuple(places)
        rate = self.rate(number) * lead
        steps = zip(places, self.reaches(number), self.lots(number), strict=True)
        return tuple(clip(place + rate * reach * lot) for place, reach, lot in steps)

    def params(self, places: Sequence[float]) -> Params:
        return {one.name: one.text_at(place) for one, place in zip(self.parameters, places, strict=True)}


def clip(place: float) -> float:
    return min(max(place, 0.0), 1.0)


def mean_of_second_half(path: Sequence[Places], start: Places) -> Places:
    """Return the result: the mean of the second half of a path; the start where there is none yet."""
    half = path[len(path) // 2 :]
    return tuple(sum(places) / len(half) for places in zip(*half, strict=True)) if half else start


@immutable
class Ends:
    """What both ends of a pair did. `points`: the share of all points, 0 to 1, that the upper and the lower end took.

    `timeouts`, `faults`: how many of their matches they lost by the clock, and by crashes, answers that are none or the
    like; `are_alike`: whether every line that was said is the same at both ends.
    """

    points: tuple[float, float]
    timeouts: tuple[int, int] = (0, 0)
    faults: tuple[int, int] = (0, 0)
    are_alike: bool = False


@immutable
class MatchSeen:
    """A match of a slot. `half_points`: of who is judged; `verdicts`: of the seats; `said`: every line, or nothing."""

    half_points: int
    verdicts: tuple[str, ...]
    said: object = None


@immutable
class TunePlan:
    """What a tune plays. `own`: parameters of the candidate besides the tuned ones; `players`: of a match."""

    rule: Spsa
    candidate_id: VersionId
    opponent_ids: tuple[VersionId, ...]
    own: Params = field(default_factory=dict[str, str])
    seed_bits: int = 64
    players: int = 2

    @property
    def sides(self) -> int:
        return 2 if self.opponent_ids else 1

    @property
    def slots(self) -> int:
        return self.rule.pairs * self.sides

    def slots_of(self, number: int, base: Places) -> list[Slot]:
        """Return the slots of a pair. `base`: where all places were when it was made."""
        upper, lower = ({**self.own, **self.rule.params(end)} for end in self.rule.ends(number, base))
        seed = seed_of(self.rule.seed, None, number, self.seed_bits)
        first, seats = number * self.sides, self.players - 1
        if self.opponent_ids:
            opponent = self.opponent_ids[number % len(self.opponent_ids)]
            others = (NO_PARAMS,) * seats
            ends = enumerate((upper, lower), first)
            return [self.slot(place, seed, opponent, (end, *others)) for place, end in ends]
        single, many = (upper, lower) if self.upper_is_one(number) else (lower, upper)
        return [self.slot(first, seed, self.candidate_id, (single, *(many,) * seats))]

    def slot(self, number: int, seed: int, opponent: VersionId, params: tuple[Params, ...]) -> Slot:
        others = (opponent,) * (self.players - 1) if self.players > 2 else ()
        return Slot(number, seed, self.candidate_id, opponent, others, params)

    def upper_is_one(self, number: int) -> bool:
        """Say whether the upper end has every seat once where the ends meet; of more players they take turns."""
        return self.players == 2 or number % 2 == 0

    def end_of(self, number: int, side: int, player: int) -> int | None:
        """Return a player's end: 0 upper, 1 lower, None an opponent. `side`: the pair's slot; `player`: its number."""
        if self.opponent_ids:
            return side if player == 0 else None
        return int((player == 0) != self.upper_is_one(number))

    def points(self, number: int, outcomes: Sequence[int]) -> tuple[float, float]:
        """Return the shares of the points that both ends took. `outcomes`: of the pair's slots, in half points."""
        shares = [outcome / (outcomes_of(self.players) - 1) for outcome in outcomes]
        if self.opponent_ids:
            return shares[0], shares[1]
        upper = shares[0] if self.upper_is_one(number) else 1 - shares[0]
        return upper, 1 - upper

    def lead(self, points: tuple[float, float]) -> float:
        """Return how many of two matches more the upper end won: twice what it took, where both met another."""
        return (4 if self.opponent_ids else 2) * (points[0] - points[1])

    def ends_of(self, number: int, slots: Sequence[Sequence[MatchSeen]]) -> Ends:
        """Return what both ends of a pair did. `slots`: its matches, in each slot in the order of the seats' orders."""
        timeouts, faults = [0, 0], [0, 0]
        for side, matches in enumerate(slots):
            for order, match in zip(seat_orders(self.players), matches, strict=True):
                for player, verdict in zip(order, match.verdicts, strict=True):
                    end = self.end_of(number, side, player)
                    if end is not None and verdict != Verdict.OK:
                        (timeouts if verdict == Verdict.TIMEOUT else faults)[end] += 1
        outcomes = [sum(match.half_points for match in matches) for matches in slots]
        lines = [[match.said for match in matches] for matches in slots]
        are_alike = lines[0] == lines[-1] if self.opponent_ids else all(line == lines[0][0] for line in lines[0])
        are_alike = are_alike and lines[0][0] is not None
        return Ends(self.points(number, outcomes), (timeouts[0], timeouts[1]), (faults[0], faults[1]), are_alike)
