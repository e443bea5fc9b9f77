"""Matches as the lines of a table on a page: from the side of a bot, or from none."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.endings import ending_words
from ladder.matches.match_rows import MatchRow, SeatRow
from ladder.names import Named
from ladder.views.matches import ListedMatch, is_of

OUTCOMES = {"won": "good", "lost": "bad", "drawn": ""}
"""How a result is marked, by its word: as a class of the style sheet."""


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match as a line. `seats`: that of the bot that the list is about, then the others; None for a lost one.

    `result`: won, drawn or lost for the first, "" where the list is about nobody. `mark`: the class of the result.
    """

    match: MatchRow
    seats: tuple[SeatRow | None, ...]
    result: str
    mark: str
    end: str

    @property
    def score(self) -> str:
        """Return all scores, the first one's first."""
        return ":".join("?" if seat is None else seat.score_words for seat in self.seats)

    @property
    def first(self) -> SeatRow | None:
        """Return the seat that stands first."""
        return self.seats[0]

    @property
    def others(self) -> tuple[SeatRow | None, ...]:
        """Return the seats that stand after it."""
        return self.seats[1:]


def match_lines(matches: Iterable[ListedMatch], of: Named | None = None) -> list[MatchLine]:
    """Return matches as lines. `of`: the bot or version that the list is about."""
    return [match_line(listed, of) for listed in matches]


def match_line(listed: ListedMatch, of: Named | None) -> MatchLine:
    """Return a match as a line."""
    by_seat = {seat.seat: seat for seat in listed.seats}
    seats = [by_seat.get(number) for number in range(listed.match.players)]
    if of is not None:
        seats.sort(key=lambda seat: seat is None or not is_of(seat, of))
    result = listed.own_result or ""
    is_void = listed.match.state == "void"
    end = "void" if is_void else ending_words(listed.match.reason, [seat.verdict for seat in listed.seats])
    return MatchLine(listed.match, tuple(seats), result, OUTCOMES.get(result, ""), end)
