"""Rating matches again, in a given order: pure, and by the very function that rates live.

How this works. A replay holds a rating and a record for each version. Versions begin with the ratings they began with
in the league, or with the league's fresh one. Fed with the same matches in the same order it comes to the same numbers,
to the last bit, so comparing is by equality.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ladder.ratings.ledger import PlayedMatch, PlayedSeat
from ladder.ratings.models import Rating, RatingModel, RatingSettings, fresh, model_of


@dataclass(slots=True)
class Record:
    """How often a version has won, and so on. `faults`: verdicts that are neither ok nor a time-out."""

    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    timeouts: int = 0
    faults: int = 0

    def add(self, seat: PlayedSeat) -> None:
        """Count one more match."""
        self.matches += 1
        self.wins += seat.result == "win"
        self.draws += seat.result == "draw"
        self.losses += seat.result == "loss"
        self.timeouts += seat.verdict == "timeout"
        self.faults += seat.verdict not in {"ok", "timeout"}


@dataclass(slots=True)
class Replay:
    """Where a replay has come to. `first`: ratings that versions begin with; others begin fresh."""

    settings: RatingSettings
    first: Mapping[int, Rating] = field(default_factory=dict[int, Rating])
    ratings: dict[int, Rating] = field(default_factory=dict[int, Rating])
    records: dict[int, Record] = field(default_factory=dict[int, Record])
    _model: RatingModel = field(init=False)

    def __post_init__(self) -> None:
        """Take the settings' model once, not for every match."""
        self._model = model_of(self.settings)

    def rating_of(self, version_id: int) -> Rating:
        """Return a version's rating by now."""
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
        """Add a match to both records."""
        for seat in match.seats:
            self.records.setdefault(seat.version_id, Record()).add(seat)
