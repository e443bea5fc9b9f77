"""Which pairs a gauntlet plays, and what it does where nobody says anything else.

How this works. A gauntlet is a row of slots, numbered from 0. A slot is one pair: a seed, played with both seat orders,
between the candidate and one opponent. For each seed the opponents come in turn, and where there is a baseline it plays
each of them on that seed too, so that both were tried by the same field on the same maps. Opponents for information
come last, and only on every fifth seed.

In a game of more than two players a slot is a rotation: one seed, with who is judged in every seat once. One opponent
has all other seats. Where several are named, they are one field: of each seed the others are drawn from them, the same
for the candidate and the baseline. The plan says what any slot is, so a gauntlet that is repeated with its seed,
stopped and resumed, or spread over machines plays the same pairs.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import field
from itertools import islice
from random import Random
from typing import Protocol

from engine.immutable import immutable
from engine.referees.program import NARROW_BITS
from engine.toolchains.params import Params
from ladder.ids import VersionId

OPPONENTS = ("predecessor",)
"""As ladder.gauntlets.order takes them: the version that the candidate would replace."""
CONTEXT = ("prior:3", "boss")
"""The candidate meets these too, for information, where the order names no opponents."""
OPPONENTS_BESIDE_A_BASELINE = ("boss",)
"""A baseline is an earlier version already, so candidate and baseline are compared by what they do to the boss."""
CONTEXT_EVERY = 5
BOUNDS = (-20.0, 20.0)
"""In Elo, of the sequential test that is played where neither bounds nor a number of pairs are given."""
PAIRS = 100
PAIRS_OF_A_TEST = 5000
"""A sequential test is given up after this many against each opponent."""
LEAST_MINUTES, MOST_MINUTES = 0.1, 10_000
"""How long a gauntlet may be asked to take between equals."""

VARIED = VersionId(-1_000_000)
"""The id of a candidate with parameters of its own, which so can meet its own version: below those of all files."""
FIELD = VersionId(-2_000_000)
"""Stands for opponents of which some are drawn for each seed: below VARIED."""


@immutable
class Slot:
    """One pair. `others`: who has the other seats, where `opponent_id` can be FIELD; `params`: of `player_ids`."""

    number: int
    seed: int
    version_id: VersionId
    opponent_id: VersionId
    others: tuple[VersionId, ...] = ()
    params: tuple[Params, ...] = ()

    @property
    def player_ids(self) -> tuple[VersionId, ...]:
        return self.version_id, *(self.others or (self.opponent_id,))


class Schedule(Protocol):
    """Which pairs are played, by their numbers from 0."""

    @property
    def slots(self) -> int: ...

    def slot(self, number: int) -> Slot: ...


def seed_of(seed: int, seeds: Sequence[int] | None, number: int, bits: int = 64) -> int:
    """A given one, else what follows from `seed`: of 64 bits with a sign, or 31 bits where the game takes only such."""
    if seeds is not None:
        return seeds[number]
    digest = hashlib.sha256(f"{seed}:{number}".encode()).digest()
    if bits == NARROW_BITS:
        return int.from_bytes(digest[:4], "big") >> 1
    return int.from_bytes(digest[:8], "big", signed=True)


@immutable
class Plan:
    """What a gauntlet plays. `pairs`: at most, against each; `seeds`: else from `seed`, `seed_bits` wide.

    `deciding_ids`: for the verdict, settled before play, None: all; `context_ids`: the last, for information.
    """

    candidate_id: VersionId
    baseline_id: VersionId | None
    opponent_ids: tuple[VersionId, ...]
    pairs: int
    seed: int
    seeds: Sequence[int] | None = None
    deciding_ids: Sequence[VersionId] | None = None
    context_ids: tuple[VersionId, ...] = ()
    seed_bits: int = 64
    players: int = 2
    known: dict[int, Slot] = field(default_factory=dict[int, Slot], init=False, compare=False, repr=False)
    """The slots that were asked for: a report asks for each of thousands a dozen times."""

    @property
    def sides(self) -> tuple[VersionId, ...]:
        return (self.candidate_id,) if self.baseline_id is None else (self.candidate_id, self.baseline_id)

    @property
    def field_ids(self) -> tuple[VersionId, ...]:
        """Return the opponents of which the others of a match are drawn; none where each is met by itself."""
        always = self.opponent_ids[: len(self.opponent_ids) - len(self.context_ids)]
        return always if self.players > 2 and len(always) > 1 else ()

    @property
    def met_ids(self) -> tuple[VersionId, ...]:
        return (FIELD, *self.context_ids) if self.field_ids else self.opponent_ids

    def decides(self, opponent_id: VersionId) -> bool:
        """Say whether the pairs against an opponent count for the verdict; the others are shown beside it."""
        if self.deciding_ids is None or opponent_id == FIELD:
            return opponent_id not in self.context_ids
        return opponent_id in self.deciding_ids

    @property
    def all_deciding(self) -> list[VersionId]:
        return [opponent_id for opponent_id in self.met_ids if self.decides(opponent_id)]

    @property
    def always_met(self) -> int:
        return len(self.met_ids) - len(self.context_ids)

    @property
    def slots(self) -> int:
        seeds_with_all = -(-self.pairs // CONTEXT_EVERY)
        return (self.pairs * self.always_met + seeds_with_all * len(self.context_ids)) * len(self.sides)

    @property
    def matches_for_each(self) -> float:
        """Return how many matches are played for each pair that decides, with those for information."""
        return self.slots * self.players / (self.pairs * len(self.all_deciding))

    def slot(self, number: int) -> Slot:
        if number not in self.known:
            rest, side = divmod(number, len(self.sides))
            seed_number, opponent = self.task(rest)
            seed = self.seed_of(seed_number)
            met = self.met_ids[opponent]
            self.known[number] = Slot(number, seed, self.sides[side], met, self.others_of(seed, met))
        return self.known[number]

    def others_of(self, seed: int, opponent_id: VersionId) -> tuple[VersionId, ...]:
        """Return who has the other seats of a match of more than two; from the seed where they are drawn."""
        seats = self.players - 1
        if opponent_id != FIELD:
            return (opponent_id,) * seats if seats > 1 else ()
        chance = Random(f"others {seed}")  # noqa: S311 - it is no secret
        rounds = -(-seats // len(self.field_ids))
        drawn = [version_id for _ in range(rounds) for version_id in chance.sample(self.field_ids, len(self.field_ids))]
        return tuple(drawn[:seats])

    def task(self, number: int) -> tuple[int, int]:
        """Return which seed and which opponent a task has, all counted from 0; a task is a slot for each side."""
        block, rest = divmod(number, CONTEXT_EVERY * self.always_met + len(self.context_ids))
        first = block * CONTEXT_EVERY
        if rest < len(self.met_ids):
            return first, rest
        seeds_on, opponent = divmod(rest - len(self.met_ids), self.always_met)
        return first + 1 + seeds_on, opponent

    def seed_of(self, number: int) -> int:
        return seed_of(self.seed, self.seeds, number, self.seed_bits)


def open_slots(schedule: Schedule, taken: Iterable[int], most: int) -> list[Slot]:
    used = set(taken)
    free = (number for number in range(schedule.slots) if number not in used)
    return [schedule.slot(number) for number in islice(free, max(most, 0))]
