"""Who plays whom: a pure function from a league's board and a source of chance to pairings.

The scheme is CodinGame's, as its staff described it (The Great Escape, 2015): first opponents spread over the whole
board with some jitter, then opponents near the version's present rank, until it has had its battles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

PLACEMENT_BATTLES = 10
"""So many first battles are spread over the whole board."""
NEAR_RANKS = 20
"""Afterwards opponents come from at most this many ranks away."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A version on a board, best first. `battles`: played or already arranged."""

    version_id: int
    battles: int


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two versions that are to play a battle."""

    version_ids: tuple[int, int]


def pairings(board: Sequence[Entrant], battles_wanted: int, most: int, chance: Random) -> list[Pairing]:
    """Return at most `most` pairings, always for the version that lacks most of its `battles_wanted` battles.

    `board` is in order of rank, best first. A version that has had its battles plays only as somebody's opponent.
    """
    battles = {entrant.version_id: entrant.battles for entrant in board}
    ranking = [entrant.version_id for entrant in board]
    found: list[Pairing] = []
    while len(ranking) > 1 and len(found) < most:
        neediest = min(ranking, key=lambda version_id: battles[version_id])
        if battles[neediest] >= battles_wanted:
            break
        opponent = choose_opponent(ranking, neediest, battles[neediest], chance)
        found.append(Pairing((neediest, opponent)))
        battles[neediest] += 1
        battles[opponent] += 1
    return found


def choose_opponent(ranking: Sequence[int], version_id: int, battles: int, chance: Random) -> int:
    """Return an opponent: from the battle's own stratum of the board during placement, near the own rank afterwards."""
    others = [other for other in ranking if other != version_id]
    if battles < PLACEMENT_BATTLES:
        position = (battles + chance.random()) / PLACEMENT_BATTLES
        return others[int(position * len(others))]
    rank = ranking.index(version_id)
    return chance.choice(others[max(rank - NEAR_RANKS, 0) : rank + NEAR_RANKS])
