"""The turns of a match, one row for each: what was said, all times, whose fault an overrun was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from engine.bot.clock import Spent, TimeRule, whose_fault
from engine.endings import own_turns
from engine.match import Turn, stderr_of_turns
from engine.rejudge import rulings


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One turn, counted from 1. `ruling`: what the rule made of an overrun, "" without one.

    `limit_ms`: None where it is not known. `fault`: whose an overrun of wall time was, "" without one. Fault and ruling
    are None where only wall times are known. `stderr`: what is kept of what the seat wrote to stderr in this turn.
    `own_turn`: which of its seat's turns it is, counted from 1.
    """

    MERGED: ClassVar = ("spent",)

    turn: int
    seat: int
    line: str | None
    limit_ms: int | None
    charged_us: int
    spent: Spent
    fault: str | None
    ruling: str | None
    stderr: str
    own_turn: int


def turn_rows(
    turns: Sequence[Turn], limits_ms: Sequence[int | None], rule: TimeRule | None, stderr: Mapping[int, str]
) -> list[TurnRow]:
    """Return a match's turns.

    `rule`: by which it was judged; None where only wall times are known. `stderr`: for each seat what is kept of it.
    """
    ruled = rulings(turns, limits_ms, rule) if rule else [None] * len(turns)
    return [
        TurnRow(
            number,
            turn.seat,
            turn.line,
            limit_ms,
            turn.spent.charged_us,
            turn.spent,
            None if rule is None or limit_ms is None else whose_fault(turn.spent, limit_ms),
            words,
            said,
            own,
        )
        for number, (turn, limit_ms, words, said, own) in enumerate(
            zip(
                turns,
                limits_ms,
                ruled,
                stderr_of_turns(turns, stderr),
                own_turns([turn.seat for turn in turns]),
                strict=True,
            ),
            1,
        )
    ]


def allowances_us(turns: Iterable[Turn]) -> Counter[int]:
    """Add up for each seat what the allowance for its runtime's work bore of its turns; see engine.bot.runtime_work."""
    drawn_us: Counter[int] = Counter()
    for turn in turns:
        drawn_us[turn.seat] += turn.spent.runtime_us
    return drawn_us
