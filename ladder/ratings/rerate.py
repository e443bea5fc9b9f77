"""Rating matches again, in a given order: pure, and by the very function that rates live.

How this works. A replay holds a rating and a record for each version. Versions begin with the ratings they began with
in the league, or with the league's fresh one. Fed with the same matches in the same order it comes to the same numbers,
to the last bit, so comparing is by equality.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from ladder.ids import VersionId
from ladder.ratings.counts import Record
from ladder.ratings.ledger import PlayedMatch
from ladder.ratings.models import Rating, RatingModel, RatingSettings, fresh, model_of, rate_places

Outcome = tuple[VersionId, int, int, int, str | None]
"""A version's id, how many opponents were below, level and above, and its verdict."""


@dataclass(slots=True)
class Replay:
    """Where a replay has come to. `first`: ratings that versions begin with; others begin fresh."""

    settings: RatingSettings
    first: Mapping[VersionId, Rating] = field(default_factory=dict[VersionId, Rating])
    ratings: dict[VersionId, Rating] = field(default_factory=dict[VersionId, Rating])
    _outcomes: Counter[Outcome] = field(default_factory=Counter[Outcome], init=False)
    _model: RatingModel = field(init=False)

    def __post_init__(self) -> None:
        self._model = model_of(self.settings)

    def rating_of(self, version_id: VersionId) -> Rating:
        if version_id not in self.ratings:
            self.ratings[version_id] = self.first.get(version_id) or fresh(self.settings)
        return self.ratings[version_id]

    def rate(self, match: PlayedMatch) -> list[tuple[Rating, Rating]]:
        """Rate one more match; return the rating before and after, of each seat."""
        version_ids = [seat.version_id for seat in match.seats]
        before = [self.rating_of(version_id) for version_id in version_ids]
        after = rate_places(self._model, before, match.places)
        self.ratings.update(zip(version_ids, after, strict=True))
        return list(zip(before, after, strict=True))

    def count(self, match: PlayedMatch) -> None:
        for seat, met in zip(match.seats, opponents_of(match.places), strict=True):
            self._outcomes[seat.version_id, *met, seat.verdict] += 1

    def records(self) -> dict[VersionId, Record]:
        found: dict[VersionId, Record] = {}
        for (version_id, below, level, above, verdict), times in self._outcomes.items():
            found[version_id] = found.get(version_id, Record()).plus(below, level, above, verdict, times)
        return found


@lru_cache(1000)
def opponents_of(places: tuple[int, ...]) -> tuple[tuple[int, int, int], ...]:
    return tuple(
        (sum(other > place for other in places), places.count(place) - 1, sum(other < place for other in places))
        for place in places
    )
