"""Two matches on one seed beside each other: where they part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import ClassVar

from engine.errors import Refused, UsageFault
from engine.replay import ReplayTurn
from ladder.ids import MatchId
from ladder.views.turns.watched import WatchedMatch


@dataclass(frozen=True, slots=True)
class Parting:
    """The first turn in which something else was said. `lines`: in each match; None where there is no such turn."""

    HIDDEN: ClassVar = ("own_turn",)

    turn: int
    seat: int
    lines: tuple[str | None, str | None]
    own_turn: int


@dataclass(frozen=True, slots=True)
class Compared:
    """Two matches on one seed. `parting`: None where both went the same way; `endings`, `names`: in words."""

    HIDDEN: ClassVar = ("names",)

    matches: tuple[MatchId | str, MatchId | str]
    seed: int
    players: tuple[tuple[str, ...], tuple[str, ...]]
    scores: tuple[tuple[int | None, ...], tuple[int | None, ...]]
    reasons: tuple[str, str]
    turns: tuple[int, int]
    parting: Parting | None
    endings: tuple[str, str]
    names: tuple[str, str]


def compare(first: WatchedMatch, second: WatchedMatch) -> Compared:
    """Return where two matches part. Raises UsageFault for matches on two seeds, Refused for one without turns."""
    for match in (first, second):
        if not match.replay.turns:
            raise Refused(f"{match.name} cannot be compared: {match.replay.fault}")
    if (first.game, first.rules_level, first.seed) != (second.game, second.rules_level, second.seed):
        raise UsageFault(
            f"{first.name} is {first.game} with seed {first.seed} by rules level {first.rules_level}, {second.name} is "
            f"{second.game} with seed {second.seed} by rules level {second.rules_level}: "
            "only matches on one seed compare"
        )
    both = (first, second)
    players = tuple(tuple(seat.version for seat in match.seats) for match in both)
    scores = tuple(tuple(seat.score for seat in match.seats) for match in both)
    return Compared(
        (first.id, second.id),
        first.seed,
        (players[0], players[1]),
        (scores[0], scores[1]),
        (first.reason, second.reason),
        (len(first.replay.turns), len(second.replay.turns)),
        parting(first.replay.turns, second.replay.turns),
        (first.ending, second.ending),
        (first.name, second.name),
    )


def parting(first: Sequence[ReplayTurn], second: Sequence[ReplayTurn]) -> Parting | None:
    for number, (one, other) in enumerate(zip_longest(first, second), 1):
        there = one or other
        if one and other and (one.seat, one.line) == (other.seat, other.line):
            continue
        return Parting(number, there.seat, (one.line if one else None, other.line if other else None), there.own_number)
    return None
