"""A match in a few words: its headline, and what a link to it says of it elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from engine.conversation import Verdict
from engine.endings import ending_words
from engine.text import counted, listed, one_line
from ladder.choices import MatchState
from ladder.matches.match_rows import MatchRow, SeatRow


def headline(row: MatchRow, seats: Sequence[SeatRow]) -> str:
    """Say who beat whom, and by what; or who plays whom."""
    if len(seats) != row.players:
        return f"match {row.id}"
    best_first = sorted(seats, key=lambda seat: seat.place or 0)
    first, *others = (one_line(seat.name) for seat in best_first)
    if row.state != MatchState.FINISHED:
        return f"{first} against {listed(others)}"
    has_winner = best_first[0].result == "win"
    scores = ":".join(str(seat.score) for seat in best_first) if best_first[0].score is not None else ""
    return f"{first} {'beat' if has_winner else 'drew with'} {listed(others)} {scores}".rstrip()


def summary(row: MatchRow, seats: Sequence[SeatRow]) -> str:
    """Say of a match where it was played, on which seed, and how it ended after how many turns."""
    where = f"{row.game}, {row.league}, seed {row.seed_words}"
    return one_line(f"{ending(row, seats)}; {where}")


def ending(row: MatchRow, seats: Sequence[SeatRow]) -> str:
    """Say how a match ended, or what has become of it."""
    if row.state != MatchState.FINISHED:
        return f"{row.state}: {row.reason}" if row.reason else row.state
    words = ending_words(row.reason, [seat.verdict for seat in seats])
    return words if row.imported_from or row.starts_bots else f"{words} after {counted(row.turns, 'turn')}"


def verdict_words(seat: SeatRow) -> str:
    """Return a seat's verdict as people read it; "" before there is one."""
    return "" if seat.verdict is None else Verdict(seat.verdict).words


def rule_words(row: MatchRow) -> str:
    """Say by which rule for time a match was judged, and with which limits; "" where it was not yet."""
    if row.time_policy is None or row.starts_bots:
        return row.caution or ""
    words = row.rule_words
    if row.first_limit_ms is None:
        return words
    return f"{words}; {row.first_limit_ms} ms for the first answer, {row.turn_limit_ms} ms for each later one"
