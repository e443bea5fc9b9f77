"""The one thread of a process that starts boxes, so that nothing comes between when one is started.

How this works. To start a box a thread joins the box's cgroup for a moment, and takes the bots' account (see `cgroup`
and `as_bot_user`). Were it interrupted then, by Ctrl-C say, it could be left there. Python interrupts only the
main thread, so another one does this, and the main thread waits for it. If it is interrupted while waiting, the box is
ended as soon as it has begun.

Orders go to it through a queue that is not written in Python: in one that is, an interrupted thread may leave a
lock taken, for which both threads would wait for ever.

It lives as long as the process, which is well: boxes die with the thread that has started them. It has its caller's
core, as what it starts has its own; and none of the capabilities that our process hands on to every program (*ambient*
ones), with which bubblewrap would refuse to work.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import threading
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import Generic, Protocol, TypeVar

from engine.errors import ArenaError

PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 47, 4
PATIENCE_S = 10.0

Result = TypeVar("Result")


class _Order(Generic[Result]):
    """Something to do, and what came of it. `over` gets a word when that is known."""

    def __init__(self, act: Callable[[], Result]) -> None:
        self._act = act
        self.results: list[Result] = []
        self.error: BaseException | None = None
        self.over: SimpleQueue[None] = SimpleQueue()

    def carry_out(self) -> None:
        """Do it; in the starting thread."""
        try:
            self.results.append(self._act())
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            self.error = error
        self.over.put(None)

    def result(self) -> Result:
        """Wait until it is done. Raises what that raised."""
        self.over.get()
        if self.error is not None:
            raise self.error
        return self.results[0]


Orders = SimpleQueue["Callable[[], None] | None"]

_starters: list[tuple[Orders, threading.Thread]] = []
"""The thread and what it is to do, once it is needed: one."""


class Endable(Protocol):
    """What has been started and can be ended."""

    def kill(self) -> None:
        """End it and let go of all that belongs to it."""
        ...


Started = TypeVar("Started", bound=Endable)


def started(start: Callable[[], Started]) -> Started:
    """Let the starting thread start something and return it. Raises what `start` raises."""
    order = _Order(partial(_on_cores, os.sched_getaffinity(0), start))
    orders = _orders()
    try:
        orders.put(order.carry_out)
        return order.result()
    except BaseException:
        orders.put(partial(_end, order))
        raise


def done_by_the_starter(act: Callable[[], None]) -> None:
    """Let the starting thread do something that leaves nothing behind. Raises what it raises."""
    order = _Order(act)
    _orders().put(order.carry_out)
    order.result()


def _orders() -> Orders:
    if not _starters:
        orders: Orders = SimpleQueue()
        thread = threading.Thread(target=_carry_out, args=(orders,), name="starter", daemon=True)
        thread.start()
        atexit.register(_finish)
        _starters.append((orders, thread))
    return _starters[0][0]


def _carry_out(orders: Orders) -> None:
    ctypes.CDLL(None).prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    while carry_out := orders.get():
        carry_out()


def _finish() -> None:
    """See that what the thread still has to end is ended, when our process ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for orders, thread in _starters:
        orders.put(None)
        thread.join(PATIENCE_S)


def _on_cores(cores: Collection[int], start: Callable[[], Started]) -> Started:
    os.sched_setaffinity(0, cores)
    return start()


def _end(order: _Order[Started]) -> None:
    """End what was started after all; the starting thread is done with it when it comes to this."""
    for process in order.results:
        with suppress(ArenaError):  # nothing can be done about it here, and the watchdog does it in the end
            process.kill()


os.register_at_fork(after_in_child=_starters.clear)  # threads are not forked
