"""A match in a few words: its headline, and what a link to it says of it elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from engine.conversation import Verdict
from engine.endings import ending_words
from engine.text import counted, one_line
from ladder.choices import MatchState
from ladder.matches.match_rows import MatchRow, SeatRow


def headline(row: MatchRow, seats: Sequence[SeatRow]) -> str:
    """Say who beat whom, and by what; or who plays whom."""
    if len(seats) != 2:
        return f"match {row.id}"
    winners = [seat for seat in seats if seat.result == "win"]
    first, second = (*winners, *(seat for seat in seats if seat not in winners))
    names = one_line(first.name), one_line(second.name)
    if row.state != MatchState.FINISHED:
        return f"{names[0]} against {names[1]}"
    scores = "" if first.score is None else f" {first.score}:{second.score}"
    return f"{names[0]} {'beat' if winners else 'drew with'} {names[1]}{scores}"


def summary(row: MatchRow, seats: Sequence[SeatRow]) -> str:
    """Say of a match where it was played, on which seed, and how it ended after how many turns."""
    where = f"{row.game}, {row.league}, seed {row.seed_words}"
    return one_line(f"{ending(row, seats)}; {where}")


def ending(row: MatchRow, seats: Sequence[SeatRow]) -> str:
    """Say how a match ended, or what has become of it."""
    if row.state != MatchState.FINISHED:
        return f"{row.state}: {row.reason}" if row.reason else row.state
    words = ending_words(row.reason, [seat.verdict for seat in seats])
    return words if row.imported_from else f"{words} after {counted(row.turns, 'turn')}"


def verdict_words(seat: SeatRow) -> str:
    """Return a seat's verdict as people read it; "" before there is one."""
    return "" if seat.verdict is None else Verdict(seat.verdict).words


def rule_words(row: MatchRow) -> str:
    """Say by which rule for time a match was judged, and with which limits; "" where it was not yet."""
    if row.time_policy is None:
        return ""
    words = f"{row.clock} clock, policy {row.time_policy}"
    if row.first_limit_ms is None:
        return words
    return f"{words}; {row.first_limit_ms} ms for the first answer, {row.turn_limit_ms} ms for each later one"
