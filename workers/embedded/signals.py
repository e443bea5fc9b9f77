"""Signals that wait until they are asked for, and the children that ended meanwhile."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

STOP_SIGNALS = frozenset({signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
WAKING_SIGNALS = STOP_SIGNALS | {signal.SIGCHLD}


def ended_children() -> Iterator[tuple[int, int]]:
    """Reap our children that ended, those of others that we adopted included, and give pid and exit code."""
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            yield pid, os.waitstatus_to_exitcode(status)


def next_signal(wait_s: float) -> int | None:
    """Wait for one of the signals that wake us. None when the time is over."""
    info = signal.sigtimedwait(WAKING_SIGNALS, wait_s)
    return info.si_signo if info is not None else None


@contextmanager
def signals_waiting() -> Iterator[None]:
    """Keep the signals that wake us back for `next_signal`; those that still wait at the end are dropped."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, WAKING_SIGNALS)
    try:
        yield
    finally:
        while next_signal(0.0) is not None:
            pass
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
