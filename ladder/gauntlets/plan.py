"""Which pairs a gauntlet plays.

How this works. A gauntlet is a row of slots, numbered from 0. A slot is one pair: a seed, played with both seat orders,
between the candidate and one opponent. For each seed the opponents come in turn, and where there is a baseline it plays
each of them on that seed too, so that both were tried by the same field on the same maps. Opponents for information
come last, and only on every fifth seed. The plan says what any slot is, so a gauntlet that is repeated with its seed,
stopped and resumed, or spread over machines plays the same pairs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Protocol

from engine.referees.program import NARROW_BITS
from ladder.gauntlets.defaults import CONTEXT_EVERY
from ladder.ids import VersionId

VARIED = VersionId(-1_000_000)
"""The id of a candidate with parameters of its own, which so can meet its own version: below those of all files."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One pair: `version_id`, the candidate or the baseline, against `opponent_id`."""

    number: int
    seed: int
    version_id: VersionId
    opponent_id: VersionId


class Schedule(Protocol):
    """Which pairs are played, by their numbers from 0."""

    @property
    def slots(self) -> int:
        """Return how many pairs there are at most."""
        ...

    def slot(self, number: int) -> Slot:
        """Say what is played in a slot."""
        ...


def seed_of(seed: int, seeds: tuple[int, ...] | None, number: int, bits: int = 64) -> int:
    """Return a pair's seed: a given one, else what follows from `seed`.

    It is a signed 64-bit number, or one of 0 to 2^31-1 where the game takes only such.
    """
    if seeds is not None:
        return seeds[number]
    digest = hashlib.sha256(f"{seed}:{number}".encode()).digest()
    if bits == NARROW_BITS:
        return int.from_bytes(digest[:4], "big") >> 1
    return int.from_bytes(digest[:8], "big", signed=True)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a gauntlet plays. `pairs`: at most this many against each opponent. `seeds`: given ones, else from `seed`.

    `deciding_ids`: the opponents against whom the verdict is found; None: all. It is settled before anything is played,
    so that no result has a part in it. `context_ids`: the last of the opponents, which are met for information only.
    `seed_bits`: how wide the game's seeds are.
    """

    candidate_id: VersionId
    baseline_id: VersionId | None
    opponent_ids: tuple[VersionId, ...]
    pairs: int
    seed: int
    seeds: tuple[int, ...] | None = None
    deciding_ids: tuple[VersionId, ...] | None = None
    context_ids: tuple[VersionId, ...] = ()
    seed_bits: int = 64
    known: dict[int, Slot] = field(default_factory=dict[int, Slot], init=False, compare=False, repr=False)
    """The slots that were asked for: a report asks for each of thousands a dozen times."""

    @property
    def sides(self) -> tuple[VersionId, ...]:
        """Return who plays the field: the candidate, and the baseline if there is one."""
        return (self.candidate_id,) if self.baseline_id is None else (self.candidate_id, self.baseline_id)

    def decides(self, opponent_id: VersionId) -> bool:
        """Say whether the pairs against an opponent count for the verdict; the others are shown beside it."""
        if self.deciding_ids is None:
            return opponent_id not in self.context_ids
        return opponent_id in self.deciding_ids

    @property
    def all_deciding(self) -> list[VersionId]:
        """Return the opponents against whom the verdict is found."""
        return [opponent_id for opponent_id in self.opponent_ids if self.decides(opponent_id)]

    @property
    def always_met(self) -> int:
        """Return how many opponents are met on every seed."""
        return len(self.opponent_ids) - len(self.context_ids)

    @property
    def slots(self) -> int:
        """Return how many pairs there are at most."""
        seeds_with_all = -(-self.pairs // CONTEXT_EVERY)
        return (self.pairs * self.always_met + seeds_with_all * len(self.context_ids)) * len(self.sides)

    def slot(self, number: int) -> Slot:
        """Say what is played in a slot."""
        if number not in self.known:
            self.known[number] = self.made_slot(number)
        return self.known[number]

    def made_slot(self, number: int) -> Slot:
        """Work out what is played in a slot."""
        rest, side = divmod(number, len(self.sides))
        seed_number, opponent = self.task(rest)
        return Slot(number, self.seed_of(seed_number), self.sides[side], self.opponent_ids[opponent])

    def task(self, number: int) -> tuple[int, int]:
        """Return which seed and which opponent a task has, all counted from 0; a task is a slot for each side."""
        block, rest = divmod(number, CONTEXT_EVERY * self.always_met + len(self.context_ids))
        first = block * CONTEXT_EVERY
        if rest < len(self.opponent_ids):
            return first, rest
        seeds_on, opponent = divmod(rest - len(self.opponent_ids), self.always_met)
        return first + 1 + seeds_on, opponent

    def seed_of(self, number: int) -> int:
        """Return a seed."""
        return seed_of(self.seed, self.seeds, number, self.seed_bits)


def open_slots(schedule: Schedule, taken: Iterable[int], most: int) -> list[Slot]:
    """Return the first slots that are neither played nor being played, at most this many."""
    used = set(taken)
    free = (number for number in range(schedule.slots) if number not in used)
    return [schedule.slot(number) for number in islice(free, max(most, 0))]
