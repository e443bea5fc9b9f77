"""Which versions of a board meet in matches that rate: all, or only those of different players.

How this works. Each version is on a side, and meets those of all other sides. Where two bots of one player may not
meet, its versions are one side; so accomplices lift nobody. Elsewhere every version is a side of its own. Versions are
known by their rank, counted from 0.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property


class Sides:
    """The sides of a board. `owners`: the player of each of its versions, the best first."""

    def __init__(self, owners: Sequence[str], *, own_bots_meet: bool) -> None:
        """Put every version on its side."""
        numbers = {owner: number for number, owner in enumerate(dict.fromkeys(owners))}
        self.of = list(range(len(owners))) if own_bots_meet else [numbers[owner] for owner in owners]
        """The side of each version, as a number."""

    @property
    def count(self) -> int:
        """Return how many there are, which is how many versions can be in one match."""
        return len(set(self.of))

    @cached_property
    def _ranks(self) -> Mapping[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for rank, side in enumerate(self.of):
            found[side].append(rank)
        return found

    def own(self, rank: int) -> list[int]:
        """Return the ranks of a version's side, its own among them, in order."""
        return self._ranks[self.of[rank]]

    def opponents(self, rank: int) -> int:
        """Return how many a version can meet."""
        return len(self.of) - len(self.own(rank))

    def better(self, rank: int) -> int:
        """Return how many of those rank above it."""
        return rank - bisect_left(self.own(rank), rank)

    def opponent_at(self, rank: int, place: int) -> int:
        """Return the rank of one of those. `place`: its place among them, the best first, counted from 0."""
        for own in self.own(rank):
            place += place >= own
        return place

    def others(self, ranks: Collection[int]) -> Iterable[int]:
        """Yield the ranks of those that all of these can meet, in order."""
        taken = {self.of[rank] for rank in ranks}
        return (rank for rank, side in enumerate(self.of) if side not in taken)
