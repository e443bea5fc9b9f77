"""What the kernel may hold in the sockets of a box, read from outside.

How this works. Each box has a network namespace of its own, and the kernel counts the sockets of each: those too that
are on their way from one process to another, and that no process has open. How much waits in a socket it does not say.
So we take each to be full. A socket takes messages as long as less waits in it than its buffer may hold, and the last
message may be as large as the buffer: so it holds up to twice its buffer.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from functools import cache
from pathlib import Path

from engine.sandbox.usage.meter import require_over

USUAL_BUFFER_BYTES = 212_992
BUFFER_SETTING = Path("/proc/sys/net/core/wmem_default")
COUNT = "net/sockstat"
COUNT_BYTES = 64
"""Enough of the file for its first line, which has the number."""


class Sockets:
    """The sockets of the box that a process is in; none where it has no network namespace of its own."""

    def __init__(self, pid: int) -> None:
        """Open the kernel's count, which stays readable whatever that process does. Raises SandboxFault."""
        self._file = _open_count(pid)

    def most_bytes(self) -> int:
        """Return what the kernel holds at most for all that there are now. Raises SandboxFault."""
        if self._file < 0:
            return 0
        try:
            return parse_sockets(os.pread(self._file, COUNT_BYTES, 0)) * most_in_one()
        except OSError as error:
            require_over(error)
            return 0

    def close(self) -> None:
        """Let go of the count. Safe to call again."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1


def parse_sockets(sockstat: bytes) -> int:
    """Return the number of sockets that a `sockstat` begins with; 0 where it has none."""
    found = re.match(rb"sockets: used (\d+)", sockstat)
    return int(found[1]) if found else 0


@cache
def most_in_one() -> int:
    """Return what waits in one socket at most, in bytes."""
    buffer_bytes = USUAL_BUFFER_BYTES
    with suppress(OSError, ValueError):  # a container may not see the setting
        buffer_bytes = int(BUFFER_SETTING.read_text())
    return 2 * buffer_bytes


def _open_count(pid: int) -> int:
    """Open the count of a box; return -1 where it has none of its own, or is over. Raises SandboxFault."""
    try:
        file = os.open(f"/proc/{pid}/{COUNT}", os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        require_over(error)
        return -1
    if not os.path.samestat(os.fstat(file), Path(f"/proc/self/{COUNT}").stat()):  # each namespace has a file of its own
        return file
    os.close(file)
    return -1
