"""The columns of records on boards: with places where a game has more than two players."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.text import ordinal
from ladder.ratings.counts import Record, most_places, places_words

TIMEOUTS, MEAN_PLACE = "time-\nouts", "mean\nplace"
"""Heads of columns that can be written in two lines."""
PLACES = "places"


@dataclass(frozen=True, slots=True)
class RecordColumns:
    """The columns of a board's records. `places`: how many places there are; 0 where every match has two players.

    `are_of_some`: whether places count some of the matches alone, as others had two players.
    """

    places: int
    are_of_some: bool

    @classmethod
    def of(cls, records: Iterable[Record]) -> RecordColumns:
        """Return the columns for these records."""
        all_records = list(records)
        return cls(most_places(all_records), any(sum(record.places) < record.matches for record in all_records))

    @property
    def heads(self) -> tuple[str, ...]:
        """Return their heads."""
        return ("matches", *((PLACES, MEAN_PLACE) if self.places else ()), "w/d/l", TIMEOUTS, "faults")

    @property
    def leaving(self) -> tuple[str, ...]:
        """Return the heads that a board gives up last in narrow terminals, with those of ratings, in that order."""
        if self.places:
            return ("w/d/l", "sigma", "mu", PLACES, MEAN_PLACE, "matches")
        return ("sigma", "mu", "w/d/l", "matches")

    @property
    def meanings(self) -> Mapping[str, str]:
        """Say what the counts of places are."""
        if not self.places:
            return {}
        which = ", in matches of more than two" if self.are_of_some else ""
        return {PLACES: f"how often {'/'.join(map(ordinal, range(1, self.places + 1)))}{which}"}

    def cells(self, record: Record, waiting: int = 0) -> tuple[str, ...]:
        """Return the cells of a record. `waiting`: matches still to be played."""
        matches, *others = record_cells(record, waiting)
        mean = "" if record.mean_place is None else f"{record.mean_place:.2f}"
        return (matches, *((places_words(record.places), mean) if self.places else ()), *others)


def record_cells(record: Record, waiting: int = 0) -> tuple[str, str, str, str]:
    """Return the cells of a record: matches, w/d/l, time-outs and faults. `waiting`: matches still to be played."""
    return (
        f"{record.matches} +{waiting}" if waiting else str(record.matches),
        record.won_drawn_lost,
        str(record.timeouts),
        str(record.faults),
    )
