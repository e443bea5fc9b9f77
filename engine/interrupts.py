"""Ctrl-C: ending at once while a program still imports, and the ways to put it off.

How this works. Python answers Ctrl-C by an exception wherever the program just is, also deep in the imports. Until
somebody is there to catch it, the program ends at once instead: nothing has begun yet that would have to be ended well.

`python -m engine.interrupts MODULE WORDS...` runs another program like that until it has an answer of its own. Who
turns into it keeps Ctrl-C back meanwhile: it is heard here.

Imports inside functions: the program is imported once Ctrl-C is caught.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130
RUN = (sys.executable, "-m", "engine.interrupts")
"""Before the name of a module and its words: the command that runs it."""


def end_at_once(_number: int, _frame: object) -> None:
    os.write(2, b"ladder: interrupted\n")
    os._exit(INTERRUPTED)


@contextmanager
def ending_at_interrupt() -> Iterator[None]:
    """End at once where Ctrl-C comes in this block, unless it is ignored, as in the background of a script."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, end_at_once)
    yield
    signal.signal(signal.SIGINT, before)


@contextmanager
def interrupts_delayed() -> Iterator[None]:
    """Raise KeyboardInterrupt for a Ctrl-C in this block only at its end: in imports Python may lose it."""
    before = signal.getsignal(signal.SIGINT)
    came: list[int] = []
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


def main() -> None:
    with ending_at_interrupt():
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        import runpy

        del sys.argv[0]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C for this thread and for the processes that it starts meanwhile, which never hear it."""
    blocked_before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked_before)


@contextmanager
def interrupts_ignored() -> Iterator[None]:
    """For work that has to be brought to its end. For the main thread."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
