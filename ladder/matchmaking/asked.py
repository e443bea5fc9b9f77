"""Battles that somebody asked for: whose is made next. Pure: requests in, battles out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from ladder.ids import LeagueId, RequestId, VersionId
from ladder.matchmaking.matchmaker import Pairing


@dataclass(frozen=True, slots=True)
class Asked:
    """Battles between versions that somebody, `by`, has asked for: `made` are arranged, `left` are not."""

    request_id: RequestId
    league_id: LeagueId
    version_ids: tuple[VersionId, ...]
    made: int
    left: int
    by: str

    @property
    def battle(self) -> Pairing:
        """Return the next of them."""
        return Pairing(self.league_id, self.version_ids, request_id=self.request_id)


def in_turns(asked: Sequence[Asked], waiting: Mapping[str, int], room: int) -> list[Pairing]:
    """Return at most `room` battles to be arranged next of those asked for, given with the oldest request first.

    Those who ask take turns, next is who has the fewest waiting; and so do each one's requests, next is the one of
    which the fewest battles are made. `waiting`: how many battles that each has asked for wait or are being played.
    """
    requests: dict[str, list[tuple[int, int, Asked]]] = defaultdict(list)
    for age, one in enumerate(asked):
        if one.left:
            heappush(requests[one.by], (one.made, age, one))
    turns = [(waiting.get(by, 0), place, by) for place, by in enumerate(requests)]
    heapify(turns)
    found: list[Pairing] = []
    while turns and len(found) < room:
        share, place, by = heappop(turns)
        made, age, one = heappop(requests[by])
        found.append(one.battle)
        if made + 1 < one.made + one.left:
            heappush(requests[by], (made + 1, age, one))
        if requests[by]:
            heappush(turns, (share + 1, place, by))
    return found
