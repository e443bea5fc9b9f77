"""What a seat was sent, said and wrote to stderr in a match, as three texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.endings import own_turns, turn_words
from engine.match import MatchResult, stderr_of_turns
from engine.rejudge import asks_of


@dataclass(frozen=True, slots=True)
class SeatLog:
    """Everything of one seat. `sent`: exactly what it was sent; `said`: a line for each answer.

    `stderr`: what is kept of its debug output, under a heading for each turn that wrote some.
    """

    sent: str
    said: str
    stderr: str


def seat_logs(result: MatchResult) -> tuple[SeatLog, ...]:
    """Return all seats' texts. Raises ArenaError where the match was played by other rules than today's."""
    return tuple(seat_log(result, seat) for seat in range(result.spec.players))


def seat_log(result: MatchResult, seat: int) -> SeatLog:
    """Return one seat's texts. Raises as `seat_logs` does."""
    lines = [line for ask in asks_of(result) if ask.seat == seat for line in ask.lines]
    said = [turn.line for turn in result.turns if turn.seat == seat and turn.line is not None]
    return SeatLog(text_of(lines), text_of(said), stderr_by_turn(result, seat))


def text_of(lines: Sequence[str]) -> str:
    """Return lines as a text, each with its end."""
    return "".join(f"{line}\n" for line in lines)


def stderr_by_turn(result: MatchResult, seat: int) -> str:
    """Return a seat's debug output, each turn's below a heading."""
    written = stderr_of_turns(result.turns, {seat: result.stderr[seat]})
    numbers = own_turns(turn.seat for turn in result.turns)
    return "".join(
        f"--- {turn_words(own, number)}\n{text}{'' if text.endswith(chr(10)) else chr(10)}"
        for number, (own, text) in enumerate(zip(numbers, written, strict=True), 1)
        if text
    )
