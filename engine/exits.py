"""Why a program ended, in words for its author."""

from __future__ import annotations

import re
import signal

from engine.conversation import SeatVerdict, Verdict

MEMORY_WORDS = re.compile(
    r"MemoryError|bad_alloc|OutOfMemoryError|out of memory|heap limit|Cannot allocate memory|memory allocation of|"
    r"insufficient memory|Could not reserve enough space|ENOMEM|exceeds? (?:the )?memory",
    re.IGNORECASE,
)
"""What the runtimes of the languages here say before they end for lack of memory."""


def verdict_of_exit(exit_code: int, last_words: str, memory_mb: int, *, ended_for_memory: bool) -> SeatVerdict:
    """Judge a program that ended instead of answering.

    Where memory ran out the kernel does not end the program: it refuses to give it more, and the program ends itself
    with words of its runtime. So the verdict `memory` goes by those words; `ended_for_memory` is when we know.
    """
    how = describe_exit(exit_code)
    if ended_for_memory or (exit_code != 0 and MEMORY_WORDS.search(last_words)):
        return SeatVerdict(Verdict.MEMORY, f"{how}; it had used up its {memory_mb} MB of memory")
    return SeatVerdict(Verdict.CRASHED, how)


def describe_exit(exit_code: int) -> str:
    """Put an exit code (negative: killed by that signal) into words."""
    if exit_code >= 0:
        return f"the program ended with exit code {exit_code}"
    try:
        name = signal.Signals(-exit_code).name
    except ValueError:
        name = f"signal {-exit_code}"
    return f"the program was killed by {name}"
