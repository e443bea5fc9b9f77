"""The gate: a small shell that sets a program's limits, says that it is ready, waits to be let go, and becomes it.

It speaks through the program's own pipes, before the program is there: an empty line on stdout says ready, one on stdin
lets it go. At the end of stdin instead, which is when we have died, it ends without ever having been the program.
"""

from __future__ import annotations

import os
import select

from engine.sandbox.box import Limits

OPEN = b"\n"
READY = b"\n"
GATE = " && ".join(
    (
        "ulimit -c 0",
        'ulimit -n "$1"',
        '{ [ -z "$2" ] || ulimit -p "$2" 2>/dev/null || ulimit -u "$2"; }',
        'ulimit -d "$3"',
        'ulimit -f "$4"',
        "ulimit -S -s 8192",
        "ulimit -H -s 65536",
        "ulimit -v 33554432",
        "shift 4",
        "echo",
        "read -r _",
        'exec "$@"',
    )
)
"""Its arguments: the limits on open files, processes (`-p` to some shells, `-u` to others; no limit where it is empty),
kilobytes of private memory and half kilobytes per file; then the command.

What the limit on private memory leaves out has bounds of its own: the stack, which a program could let grow, and the
address space, whose page tables take memory. 32 GB of it are more than any runtime here sets aside (Java: 9 GB) and
need 64 MB of tables.
"""


def behind_gate(command: tuple[str, ...], limits: Limits, *, limit_threads: bool = True) -> list[str]:
    """Return the command that is the gate first and then `command`."""
    threads = str(limits.threads) if limit_threads else ""
    numbers = (str(limits.open_files), threads, str(limits.memory_mb * 1024), str(limits.file_size_mb * 2048))
    return ["/bin/sh", "-c", GATE, "sh", *numbers, *command]


def readable(timeout_s: float, *descriptors: int) -> bool:
    """Say whether one of the descriptors has something to read, or has ended, waiting up to `timeout_s`."""
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(timeout_s * 1000))


def read_now(descriptor: int, most_bytes: int = 4096) -> bytes:
    """Read what is there; nothing at the end, or where nothing is there."""
    try:
        return os.read(descriptor, most_bytes)
    except BlockingIOError:
        return b""
