"""The one thread of a process that starts boxes, so that nothing comes between when one is started.

How this works. To start a box a thread joins the box's cgroup for a moment, and takes the bots' account (see `cgroup`
and `as_bot_user`). Were it interrupted then, by Ctrl-C say, it could be left there. Python interrupts nobody but the
main thread, so another one does this, and the main thread waits for it. Who is interrupted while waiting leaves behind
what ends the box again as soon as it is begun.

It lives as long as the process, which is well: boxes die with the thread that has started them. It has its caller's
core, as what it starts has its own; and none of the capabilities that our process hands on to every program (*ambient*
ones), with which bubblewrap would refuse to work.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Protocol, TypeVar

PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4

_threads: list[ThreadPoolExecutor] = []
"""One, once it is needed."""


class Endable(Protocol):
    """What has been started and can be ended."""

    def kill(self) -> None:
        """End it and let go of all that belongs to it."""
        ...


Started = TypeVar("Started", bound=Endable)


def started(start: Callable[[], Started]) -> Started:
    """Let the starting thread start something and return it. Raises what `start` raises."""
    thread = _starter()
    future = thread.submit(partial(_on_cores, os.sched_getaffinity(0), start))
    try:
        return future.result()
    except BaseException:
        thread.submit(_end, future)
        raise


def done_by_the_starter(act: Callable[[], None]) -> None:
    """Let the starting thread do something that leaves nothing behind. Raises what it raises."""
    _starter().submit(act).result()


def _starter() -> ThreadPoolExecutor:
    if not _threads:
        _threads.append(ThreadPoolExecutor(1, "starter", initializer=_give_up_ambient_capabilities))
    return _threads[0]


def _on_cores(cores: Collection[int], start: Callable[[], Started]) -> Started:
    os.sched_setaffinity(0, cores)
    return start()


def _end(future: Future[Started]) -> None:
    """End what was started after all; the starting thread is done with it when it comes to this."""
    if future.exception() is None:
        future.result().kill()


def _give_up_ambient_capabilities() -> None:
    """Without an effect where there are none."""
    ctypes.CDLL(None).prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)


os.register_at_fork(after_in_child=_threads.clear)  # threads are not forked
