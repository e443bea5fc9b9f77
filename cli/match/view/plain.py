"""A match as plain text: the whole in short, or one turn of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from cli.match.view.sides import seat_name, side_lines, title
from cli.terminal.quoting import quoted
from cli.terminal.words import indent
from engine.text import counted, listed, one_line

if TYPE_CHECKING:
    from engine.replay import ReplayTurn
    from ladder.views.turns.watched import WatchedMatch

TALK = "message"
"""The kind of events that change nothing."""


def match_text(watched: WatchedMatch) -> Text:
    """Write a match in short: its players, how it ended, its turning points, and what happened in which turn."""
    return quoted("\n".join(_match_lines(watched)))


def turn_text(watched: WatchedMatch, number: int) -> Text:
    """Write all of one turn. Raises UsageFault where there is no such turn."""
    return quoted("\n".join(_turn_lines(watched, watched.turn(number))))


def _match_lines(watched: WatchedMatch) -> Iterator[str]:
    replay = watched.replay
    yield title(watched)
    yield counted(len(replay.turns), "turn")
    if replay.fault:
        yield f"no pictures: {replay.fault}"
    if replay.turning_points:
        yield f"turning points: {listed([f'turn {number}' for number in sorted(replay.turning_points)])}"
    yield ""
    for turn in replay.turns:
        for event in turn.events:
            if event.kind != TALK:
                yield f"{turn.number:4}  {seat_name(watched, event.seat)}: {one_line(event.text)}"


def _turn_lines(watched: WatchedMatch, turn: ReplayTurn) -> Iterator[str]:
    yield title(watched)
    yield f"turn {turn.number} of {len(watched.replay.turns)}"
    for seat in (turn.seat, 1 - turn.seat):
        yield ""
        yield from side_lines(watched, turn.number, seat)
    if turn.events:
        yield "\nevents"
        yield from (f"    {seat_name(watched, event.seat)}: {one_line(event.text)}" for event in turn.events)
    if turn.input:
        yield "\ninput\n" + indent("\n".join(turn.input))
    if turn.stderr:
        yield "\nstderr\n" + indent(turn.stderr)
