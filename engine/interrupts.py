"""Ctrl-C: ending at once while a program still imports, and the ways to put it off.

How this works. Python answers Ctrl-C by an exception wherever the program just is, also deep in the imports. Until
somebody is there to catch it, the program ends at once instead: nothing has begun yet that would have to be ended well.

`python -m engine.interrupts MODULE WORDS...` runs another program like that until it has an answer of its own. Who
turns into it keeps Ctrl-C back meanwhile: it is heard here.

Imports inside functions: the program is imported once Ctrl-C is caught.
"""

import os
import signal
import sys
import threading
from collections.abc import Collection, Iterator
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


@contextmanager
def held_back(numbers: Collection[int]) -> Iterator[None]:
    """Let signals wait for this thread, the main one, to the end of the block, whichever thread the system gives them.
    A thread that began earlier does not block them, as that which starts boxes: what it gets is passed on. Processes
    that are started meanwhile block them, too. What is ignored stays so.
    """
    blocked_before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:  # passed on to a thread that did not block it yet, a signal would come again without end
        ours = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
        handlers = {number: signal.signal(number, pass_on) for number in ours}
        try:
            yield
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked_before)


def pass_on(number: int, _frame: object) -> None:
    signal.pthread_kill(threading.get_ident(), number)


@contextmanager
def interrupts_ignored() -> Iterator[None]:
    """For work that has to be brought to its end. For the main thread."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def main() -> None:
    with ending_at_interrupt():
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        import runpy

        del sys.argv[0]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
