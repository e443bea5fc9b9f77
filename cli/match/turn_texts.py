"""The overruns of a match as text, with whose fault they were."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

from cli.terminal.words import milliseconds
from engine.bot.clock import Clock, Spent, TimeRule, whose_fault
from engine.endings import turn_words
from ladder.views.turns.rows import TurnRow


def overruns_text(turns: Iterable[TurnRow], rule: TimeRule | None) -> Text:
    """List the turns that took longer than their limit, whose fault each was and what their rule made of it.

    Empty where there are none. `rule`: by which it was judged; None where it was not yet.
    """
    lines = [
        f"seat {turn.seat}, its {turn_words(turn.own_turn, turn.turn)}: limit {turn.limit_ms} ms, "
        f"{times_text(turn.spent)}: {blame_text(fault, turn.spent, rule, turn.ruling or '')}"
        for turn in turns
        if rule and turn.limit_ms is not None and (fault := whose_fault(turn.spent, turn.limit_ms))
    ]
    return Text("\n".join(["overruns of wall time", *lines, ""]) if lines else "")


def blame_text(fault: str, spent: Spent, rule: TimeRule, ruling: str) -> str:
    """Say whose fault an overrun of wall time was, that it counts where that is the host's, and the ruling, if any."""
    counts = ", but it counts by the wall clock" if fault == "host" and rule.clock is Clock.WALL else ""
    did = f": {spent.words}" if fault == "bot" else ""
    return f"the {fault}'s fault{counts}{did}" + (f" ({ruling})" if ruling else "")


def times_text(spent: Spent) -> str:
    """Write all times of a turn; see engine.bot.clock for what they mean."""
    runtime = f", runtime {milliseconds(spent.runtime_us)}" if spent.runtime_us else ""
    return (
        f"wall {milliseconds(spent.wall_us)}, charged {milliseconds(spent.charged_us)}, cpu "
        f"{milliseconds(spent.cpu_us)}, wait {milliseconds(spent.wait_us)}, late {milliseconds(spent.late_us)}{runtime}"
    )
