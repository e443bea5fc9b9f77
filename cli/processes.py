"""Work in several processes at once, which Ctrl-C ends without a word and without leaving any behind.

How this works. Ctrl-C reaches all processes of a terminal. Ours do not hear it: they begin with that signal blocked.
The one that began them hears it, stops them, and waits until they are gone. Nobody but the pool's own thread touches
what still waits, because a task that somebody else has cancelled makes that thread stumble.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")


def in_processes(work: Callable[[Task], Result], tasks: Sequence[Task], jobs: int) -> Generator[Result, None, None]:
    """Do tasks in so many processes, or in this one if it is one; give the results in the order of the tasks.

    Whoever has heard enough closes the iterator, which ends what still runs.
    """
    if jobs == 1 or len(tasks) < 2:
        yield from map(work, tasks)
        return
    before = set(active_children())
    with ProcessPoolExecutor(min(jobs, len(tasks))) as pool:
        try:
            with deaf_to_ctrl_c():
                waiting = [pool.submit(work, task) for task in tasks]
            for future in waiting:
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in set(active_children()) - before:
                process.terminate()
            raise


@contextmanager
def deaf_to_ctrl_c() -> Iterator[None]:
    """Let processes that are begun meanwhile never hear Ctrl-C; this one hears it afterwards."""
    heard = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)
