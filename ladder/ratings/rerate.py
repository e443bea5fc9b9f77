"""Rating matches again, in a given order: pure, and by the very function that rates live.

How this works. A replay holds a rating and a record for each version. Versions begin with the ratings they began with
in the league, or with the league's fresh one. Fed with the same matches in the same order it comes to the same numbers,
to the last bit, so comparing is by equality.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from ladder.ids import VersionId
from ladder.ratings.counts import Record
from ladder.ratings.ledger import PlayedMatch
from ladder.ratings.models import Rating, RatingModel, RatingSettings, fresh, model_of

Outcome = tuple[VersionId, str | None, str | None]
"""A version's id, its result and its verdict."""


@dataclass(slots=True)
class Replay:
    """Where a replay has come to. `first`: ratings that versions begin with; others begin fresh."""

    settings: RatingSettings
    first: Mapping[VersionId, Rating] = field(default_factory=dict[VersionId, Rating])
    ratings: dict[VersionId, Rating] = field(default_factory=dict[VersionId, Rating])
    _outcomes: Counter[Outcome] = field(default_factory=Counter[Outcome], init=False)
    _model: RatingModel = field(init=False)

    def __post_init__(self) -> None:
        """Take the settings' model once, not for every match."""
        self._model = model_of(self.settings)

    def rating_of(self, version_id: VersionId) -> Rating:
        """Return a version's rating so far."""
        if version_id not in self.ratings:
            self.ratings[version_id] = self.first.get(version_id) or fresh(self.settings)
        return self.ratings[version_id]

    def rate(self, match: PlayedMatch) -> tuple[tuple[Rating, Rating], tuple[Rating, Rating]]:
        """Rate one more match; return the rating before and after, of each seat."""
        first, second = (seat.version_id for seat in match.seats)
        before = (self.rating_of(first), self.rating_of(second))
        after = self._model.rate(*before, match.winner)
        self.ratings[first], self.ratings[second] = after
        return (before[0], after[0]), (before[1], after[1])

    def count(self, match: PlayedMatch) -> None:
        """Count a match for both records."""
        for seat in match.seats:
            self._outcomes[seat.version_id, seat.result, seat.verdict] += 1

    def records(self) -> dict[VersionId, Record]:
        """Return the records of all versions that played a counted match."""
        found: dict[VersionId, Record] = {}
        for (version_id, result, verdict), times in self._outcomes.items():
            found[version_id] = found.get(version_id, Record()).plus(result, verdict, times)
        return found
