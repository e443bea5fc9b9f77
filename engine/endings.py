"""How matches and their seats ended, in words for people. Records have the games' own words.

How this works. Turns are counted from 1. A match counts those of both seats, a bot's author only the bot's own: words
for people have both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.conversation import Verdict
from engine.text import listed

if TYPE_CHECKING:
    from engine.conversation import Outcome
    from engine.match import MatchResult

TWO = 2
"""Of more players some go on when one has lost by a fault, and the match ends by the game's own reason."""


def ending_words(reason: str, verdicts: Iterable[str | None]) -> str:
    """By the faults of its seats, or else in the game's own words, as `turn limit`."""
    faults = [Verdict(verdict).words for verdict in verdicts if verdict is not None and verdict != Verdict.OK]
    return listed(list(dict.fromkeys(faults))) or reason.replace("_", " ")


def reason_word(reason: str, verdicts: Iterable[str | None]) -> str:
    """Return the fault by which one of two lost, or else the game's own word, which may say no more than that."""
    both = list(verdicts)
    faults = [Verdict(verdict).value for verdict in both if verdict is not None and verdict != Verdict.OK]
    return faults[0] if faults and len(both) == TWO else reason


def plainly_ended(outcome: Outcome) -> Outcome:
    return replace(outcome, reason=reason_word(outcome.reason, [verdict.verdict for verdict in outcome.verdicts]))


def result_words(result: MatchResult) -> str:
    return ending_words(result.outcome.reason, [verdict.verdict for verdict in result.outcome.verdicts])


def own_turns(seats: Iterable[int]) -> list[int]:
    """`seats`: those of all turns, in order."""
    counts: Counter[int] = Counter()
    found = []
    for seat in seats:
        counts[seat] += 1
        found.append(counts[seat])
    return found


def turn_words(own: int, turn: int) -> str:
    """`turn 4 (match turn 7)`."""
    return f"{'first turn' if own == 1 else f'turn {own}'} (match turn {turn})"


def last_turn_words(seats: Sequence[int], seat: int) -> str:
    """On it a fault was; "" where the seat had none. `seats`: those of all turns."""
    if seat not in seats:
        return ""
    number = max(number for number, of in enumerate(seats, 1) if of == seat)
    return turn_words(own_turns(seats)[number - 1], number)


def fault_words(result: MatchResult, seat: int) -> str:
    """`crash on its turn 4 (match turn 7): exit code 1`."""
    verdict = result.outcome.verdicts[seat]
    where = last_turn_words([turn.seat for turn in result.turns], seat)
    return f"{verdict.verdict.words}{f' on its {where}' if where else ''}: {verdict.message}"
