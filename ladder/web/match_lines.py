"""Matches as the lines of a table on a page: from the side of a bot, or from none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.endings import ending_words
from ladder.matches.match_rows import MatchRow, SeatRow
from ladder.names import Named
from ladder.views.matches import ListedMatch, is_of

SEATS = (0, 1)
OUTCOMES = {"won": "good", "lost": "bad", "drawn": ""}
"""How a result is marked, by its word: as a class of the style sheet."""


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match as a line. `first`: the seat of the bot that the list is about, else seat 0; None where it is missing.

    `result`: won, drawn or lost for the first, "" where the list is about nobody. `mark`: the class of the result.
    """

    match: MatchRow
    first: SeatRow | None
    second: SeatRow | None
    result: str
    mark: str
    end: str

    @property
    def score(self) -> str:
        """Return both scores, the first one's first."""
        return ":".join("?" if seat is None else seat.score_words for seat in self.seats)

    @property
    def seats(self) -> tuple[SeatRow | None, SeatRow | None]:
        """Return both seats, in the order of the line."""
        return self.first, self.second


def match_lines(matches: Iterable[ListedMatch], of: Named | None = None) -> list[MatchLine]:
    """Return matches as lines. `of`: the bot or version that the list is about."""
    return [match_line(listed, of) for listed in matches]


def match_line(listed: ListedMatch, of: Named | None) -> MatchLine:
    """Return a match as a line."""
    by_seat = {seat.seat: seat for seat in listed.seats}
    first, second = (by_seat.get(number) for number in SEATS)
    if of is not None and second is not None and is_of(second, of) and not (first is not None and is_of(first, of)):
        first, second = second, first
    result = listed.own_result or ""
    is_void = listed.match.state == "void"
    end = "void" if is_void else ending_words(listed.match.reason, [seat.verdict for seat in listed.seats])
    return MatchLine(listed.match, first, second, result, OUTCOMES.get(result, ""), end)
