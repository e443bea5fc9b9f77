"""A version's record in a league: how many matches it played, and how they ended for it.

How this works. Every object that holds such counts embeds one `Record`, whose own keys stand in that object's JSON (see
`ladder.views.plain`). In the database the six counts are columns of their own; `row_with_record` reads them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from psycopg.rows import BaseRowFactory, kwargs_row

from engine.conversation import Verdict

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Record:
    """How often a version has played, won, and so on. `faults`: verdicts that are neither ok nor a time-out.

    In a match of more than two players each opponent counts once: one that is placed below as a win, and so on.
    """

    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0
    timeouts: int = 0
    faults: int = 0

    @property
    def met(self) -> int:
        """Return how many opponents it met, each as often as it did."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """Return its points: one for a win, half of one for a draw."""
        return self.wins + self.draws / 2

    @property
    def won_drawn_lost(self) -> str:
        """Return how its matches ended, as in `5/1/2`."""
        return f"{self.wins}/{self.draws}/{self.losses}"

    def plus(self, below: int, level: int, above: int, verdict: str | None, times: int = 1) -> Record:
        """Return the record after matches that all left this many opponents below, level and above."""
        return Record(
            self.matches + times,
            self.wins + times * below,
            self.draws + times * level,
            self.losses + times * above,
            self.timeouts + times * (verdict == Verdict.TIMEOUT),
            self.faults + times * (verdict not in {Verdict.OK, Verdict.TIMEOUT}),
        )


COUNTS = tuple(count.name for count in fields(Record))
"""The names of a record's counts, in their order, as columns are named."""


def row_with_record(of: Callable[..., T]) -> BaseRowFactory[T]:
    """Return a row factory like psycopg's `class_row`, which puts the columns of a record into the field `record`."""

    def make(**columns: Any) -> T:
        return of(record=Record(*[columns.pop(name) for name in COUNTS]), **columns)

    return kwargs_row(make)
