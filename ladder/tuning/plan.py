"""Which matches a tune's pairs are, and what their results say. Pure.

How this works. A pair is one seed with two bots that differ in their parameters, the upper end and the lower end. Where
there are no opponents these two meet each other in both seat orders: one slot. Else both meet the same opponent, which
takes its turn: two slots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.conversation import Verdict, seat_orders
from engine.toolchains.params import NO_PARAMS, Params
from ladder.gauntlets.plan import Slot, seed_of
from ladder.ids import VersionId
from ladder.statistics.elo import outcomes_of
from ladder.tuning.spsa import Places, Spsa

FRESH = 0x5EED
"""By this the seeds on which the result meets the start differ from those on which it was found."""


@dataclass(frozen=True, slots=True)
class Ends:
    """What both ends of a pair did. `points`: the share of all points, 0 to 1, that the upper and the lower end took.

    `timeouts`, `faults`: how many of their matches they lost by the clock, and by crashes, answers that are none or the
    like; `are_alike`: whether every line that was said is the same at both ends.
    """

    points: tuple[float, float]
    timeouts: tuple[int, int] = (0, 0)
    faults: tuple[int, int] = (0, 0)
    are_alike: bool = False


@dataclass(frozen=True, slots=True)
class MatchSeen:
    """A match of a slot. `half_points`: of who is judged; `verdicts`: of the seats; `said`: every line, or nothing."""

    half_points: int
    verdicts: tuple[str, ...]
    said: object = None


@dataclass(frozen=True, slots=True)
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
            return [
                self.slot(first + side, seed, opponent, (end, *(NO_PARAMS,) * seats))
                for side, end in enumerate((upper, lower))
            ]
        one, many = (upper, lower) if self.upper_is_one(number) else (lower, upper)
        return [self.slot(first, seed, self.candidate_id, (one, *(many,) * seats))]

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
        said = [[match.said for match in matches] for matches in slots]
        are_alike = said[0] == said[-1] if self.opponent_ids else all(one == said[0][0] for one in said[0])
        return Ends(
            self.points(number, outcomes),
            (timeouts[0], timeouts[1]),
            (faults[0], faults[1]),
            are_alike and said[0][0] is not None,
        )
