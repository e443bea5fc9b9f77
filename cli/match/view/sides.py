"""What each seat said in a turn, and what that took, as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cli.terminal.words import milliseconds
from engine.endings import ending_words
from engine.text import one_line

if TYPE_CHECKING:
    from engine.replay import ReplayTurn
    from ladder.views.turns.watched import WatchedMatch

BAR_CHARS = 20


def title(watched: WatchedMatch) -> str:
    """Name a match, its players and its result in one line."""
    names = " - ".join(one_line(seat.version) for seat in watched.seats)
    scores = ":".join("?" if seat.score is None else str(seat.score) for seat in watched.seats)
    ended = ending_words(watched.reason, [seat.verdict for seat in watched.seats])
    return f"{watched.name}: {names} {scores} ({ended}), {watched.game}, {watched.league}, seed {watched.seed}"


def seat_name(watched: WatchedMatch, seat: int) -> str:
    """Name a seat and what plays in it."""
    name = next((one.version for one in watched.seats if one.seat == seat), "")
    return f"seat {seat}, {one_line(name)}" if name else f"seat {seat}"


def latest(watched: WatchedMatch, number: int, seat: int) -> ReplayTurn | None:
    """Return the latest turn of a seat up to a turn of the match; None where it had none."""
    return next((turn for turn in reversed(watched.replay.turns[:number]) if turn.seat == seat), None)


def side_lines(watched: WatchedMatch, number: int, seat: int) -> Iterator[str]:
    """Say what a seat said last, up to a turn of the match, and what that took."""
    turn = latest(watched, number, seat)
    if turn is None:
        yield f"{seat_name(watched, seat)}: no turn yet"
        return
    yield f"{seat_name(watched, seat)}, its turn {turn.own_number} (match turn {turn.number})"
    yield "    (no answer)" if turn.line is None else f"    {one_line(turn.line)}"
    yield f"    {time_text(turn)}"


def time_text(turn: ReplayTurn) -> str:
    """Draw the time that a turn was charged as a bar against its limit, with the numbers."""
    charged_us = turn.spent.charged_us
    if turn.limit_ms is None:
        return f"charged {milliseconds(charged_us)}"
    filled = min(BAR_CHARS, round(BAR_CHARS * charged_us / (1000 * turn.limit_ms)))
    bar = "█" * filled + "░" * (BAR_CHARS - filled)
    return f"{bar} {milliseconds(charged_us)} of {turn.limit_ms} ms{f' ({turn.ruling})' if turn.ruling else ''}"
