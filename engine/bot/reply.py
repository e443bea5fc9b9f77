"""What comes back from a bot that is asked."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass

from engine.bot.clock import Spent
from engine.conversation import SeatVerdict, Verdict

NO_TIME = Spent()


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: the line, or lines with line ends between them, or None with the reason; and the turn's times."""

    line: str | None
    spent: Spent = NO_TIME
    fault: SeatVerdict | None = None


MEMORY_WORDS = re.compile(
    r"MemoryError|bad_alloc|OutOfMemoryError|out of memory|heap limit|Cannot allocate memory|memory allocation of|"
    r"insufficient memory|Could not reserve enough space|ENOMEM|exceeds? (?:the )?memory",
    re.IGNORECASE,
)
"""What the runtimes of the languages here say before they end for lack of memory."""


def verdict_of_exit(exit_code: int, last_words: str, memory_mb: int, *, ended_for_memory: bool) -> SeatVerdict:
    """Judge a program that ended instead of answering. `ended_for_memory`: we know it. More often the kernel refuses to
    give more, and the program ends itself: then its runtime's words are all there is to go by, and the message says so.
    """
    how = describe_exit(exit_code)
    if ended_for_memory:
        return SeatVerdict(Verdict.MEMORY, f"{how}; it had used up its {memory_mb} MB of memory")
    if exit_code != 0 and (words := MEMORY_WORDS.search(last_words)):
        return SeatVerdict(Verdict.MEMORY, f'{how}; it wrote "{words[0]}", and may have {memory_mb} MB')
    return SeatVerdict(Verdict.CRASHED, how)


def describe_exit(exit_code: int) -> str:
    """Negative: killed by that signal."""
    if exit_code == 0:
        return "the program ended without an answer (exit code 0)"
    if exit_code > 0:
        return f"the program ended with exit code {exit_code}"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:
        name = f"signal {-exit_code}"
    return f"the program was killed by {name}"
