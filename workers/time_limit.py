"""A process whose lease is over ends: whatever it hangs in, say a referee that never comes back, its place is free.

How this works. How long a match can last depends on its league's limits of time, so no setting of the queue's can say
it. The kernel's alarm does: its signal ends the process, also one that listens to nothing any more.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

SPARE_S = 60
"""A lease is looked at by others first."""


def let_alarms_end_us() -> None:
    """Whatever handler it has come by. For the main thread."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


@contextmanager
def ended_with(lease_s: int) -> Iterator[None]:
    """End this process if the block takes much longer than its lease."""
    signal.alarm(lease_s + SPARE_S)
    try:
        yield
    finally:
        signal.alarm(0)
