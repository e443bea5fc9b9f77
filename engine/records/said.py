"""What a referee program said for people in a match, turn by turn.

How this works. A referee says what has come of an answer together with its next question. So what it says before a
question stands with the turn before that; what it says before the first turn stands with the first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.referees.notes import Notes, Tooltip


@dataclass(frozen=True, slots=True)
class Said:
    """What was said about a turn: lines of summary, and words about seats."""

    summary: list[str] = field(default_factory=list[str])
    tooltips: list[Tooltip] = field(default_factory=list[Tooltip])


def said_of_turns(notes: Notes | None, turns: int) -> list[Said]:
    """Return what was said about each turn of a match of that many; nothing where no notes were taken."""
    found = [Said() for _ in range(turns)]
    if notes is None or not found:
        return found
    turn_before = turns_before(notes, turns)
    for step, text in enumerate(notes.summaries):
        if text:
            found[turn_before[step]].summary.extend(text.split("\n"))
    for tooltip in notes.tooltips:
        found[turn_before[tooltip.question]].tooltips.append(tooltip)
    return found


def turns_before(notes: Notes, turns: int) -> list[int]:
    """Return for each question, and for the end, the turn before it, counted from 0; 0 also for the first question."""
    found, turn = [0], -1
    for question in notes.questions:
        turn += question.limit_ms is not None
        found.append(min(max(turn, 0), turns - 1))
    return found
