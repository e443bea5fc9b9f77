"""Work in several processes at once, which Ctrl-C ends without a word and without leaving any behind.

How this works. Ctrl-C reaches all processes of a terminal. Ours do not hear it: they begin with that signal blocked.
The one that began them hears it, stops them, and waits until they are gone. The pool is the older one of Python's two:
the newer hangs in some of its versions where its processes are stopped while it hands them a long task. The older in
turn does not tell when one of them has died; so we look ourselves.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import active_children
from typing import TypeVar

from engine.errors import ArenaError

Task = TypeVar("Task")
Result = TypeVar("Result")
LOOK_S = 1.0
"""How often we look whether all processes are alive, where no result comes."""


def in_processes(work: Callable[[Task], Result], tasks: Sequence[Task], jobs: int) -> Generator[Result, None, None]:
    """Do tasks in so many processes, or in this one if it is one; give the results in the order of the tasks.

    Whoever has heard enough closes the iterator, which ends what still runs. Raises ArenaError where a process dies.
    """
    if jobs == 1 or len(tasks) < 2:
        yield from map(work, tasks)
        return
    before = set(active_children())
    with deaf_to_ctrl_c():
        pool = multiprocessing.Pool(min(jobs, len(tasks)))
    at_work = set(active_children()) - before
    try:
        results = pool.imap(work, tasks)
        for _ in tasks:
            while True:
                try:
                    yield results.next(LOOK_S)
                    break
                except multiprocessing.TimeoutError:
                    if not all(process.is_alive() for process in at_work):
                        raise ArenaError(
                            "a process that worked for this one has died; is there enough memory?"
                        ) from None
    finally:
        pool.terminate()
        pool.join()


@contextmanager
def deaf_to_ctrl_c() -> Iterator[None]:
    """Let processes that are begun meanwhile never hear Ctrl-C; this one hears it afterwards."""
    heard = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)
