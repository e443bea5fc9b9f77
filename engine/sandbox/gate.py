"""The gate: a small shell that sets a program's limits, says that it is ready, waits to be let go, and becomes it.

It speaks through the program's own pipes, before the program is there: an empty line on stdout says ready, one on stdin
lets it go. At the end of stdin instead, which is when we have died, it ends without ever having been the program.
"""

from __future__ import annotations

import os
import resource
import select

from engine.errors import LimitsTooLow
from engine.sandbox.box import Limits

OPEN = b"\n"
READY = b"\n"
STACK_KB = 65536
ADDRESS_SPACE_KB = 33554432
GATE = " && ".join(
    (
        "ulimit -c 0",
        'ulimit -n "$1"',
        '{ [ -z "$2" ] || ulimit -p "$2" 2>/dev/null || ulimit -u "$2"; }',
        'ulimit -d "$3"',
        'ulimit -f "$4"',
        "ulimit -S -s 8192",
        f"ulimit -H -s {STACK_KB}",
        f"ulimit -v {ADDRESS_SPACE_KB}",
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
    """Return the command that is the gate first and then `command`.

    Raises LimitsTooLow where a limit of ours is lower than the one to set: the shell would not say which.
    """
    require_within_ours(limits)
    threads = str(limits.threads) if limit_threads else ""
    numbers = (str(limits.open_files), threads, str(limits.memory_mb * 1024), str(limits.file_size_mb * 2048))
    return ["/bin/sh", "-c", GATE, "sh", *numbers, *command]


def require_within_ours(limits: Limits) -> None:
    """Raise LimitsTooLow where our own hard limits are lower than those that the gate sets for a program."""
    wanted = (
        ("the size of files", "-f", resource.RLIMIT_FSIZE, limits.file_size_mb * 1024, 1024, "kB"),
        ("data in memory", "-d", resource.RLIMIT_DATA, limits.memory_mb * 1024, 1024, "kB"),
        ("address space", "-v", resource.RLIMIT_AS, ADDRESS_SPACE_KB, 1024, "kB"),
        ("the stack", "-s", resource.RLIMIT_STACK, STACK_KB, 1024, "kB"),
        ("open files", "-n", resource.RLIMIT_NOFILE, limits.open_files, 1, "files"),
    )
    for what, option, number, count, unit, name in wanted:
        hard = resource.getrlimit(number)[1]
        if hard != resource.RLIM_INFINITY and hard < count * unit:
            raise LimitsTooLow(
                f"the limit on {what} is too low here for any box: {hard // unit:,} {name}, and programs in boxes get "
                f"{count:,}; raise it where it was set (`ulimit -H {option}` shows it)"
            )


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
