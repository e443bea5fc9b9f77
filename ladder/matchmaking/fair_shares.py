"""Whose turn it is where several players want matches made. Pure: what each could have made in, an order out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import takewhile


@dataclass(frozen=True, slots=True)
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
    own: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for place, wish in enumerate(wishes):
        if wish.wanted:
            heappush(own[wish.by], (wish.waiting, wish.made, place))
    turns = [(waiting.get(by, 0), age, by) for age, by in enumerate(own)]
    heapify(turns)
    left = [wish.wanted for wish in wishes]
    while turns:
        share, age, by = heappop(turns)
        queued, made, place = heappop(own[by])
        yield share, place
        left[place] -= 1
        if left[place]:
            heappush(own[by], (queued + 1, made + 1, place))
        if own[by]:
            heappush(turns, (share + 1, age, by))
