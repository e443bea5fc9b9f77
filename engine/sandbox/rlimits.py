"""The limits that the kernel keeps for each program, set from outside before it begins.

What the limit on private memory leaves out has bounds of its own: the stack, which a program could let grow, and the
address space, whose page tables take memory. 32 GB of it are more than any runtime here sets aside (Java: 9 GB) and
need 64 MB of tables.

How the limit on threads works. The kernel counts what an account runs in each user namespace, and what is in a box
counts in the namespace around it too, where the limit is the one that *our* process had when it made the box. So that
one is shared by all boxes, and has to be enough for as many as run at once: two to a core.
"""

from __future__ import annotations

import os
import resource
from dataclasses import dataclass
from functools import cache

from engine.boxes import Limits
from engine.errors import LimitsTooLow, SandboxFault, plain_words
from engine.sandbox.starter import as_bot_user, done_by_the_starter

KILOBYTE = 1024
MEGABYTE = 1024 * KILOBYTE
STACK_BYTES = 64 * MEGABYTE
USUAL_STACK_BYTES = 8 * MEGABYTE
"""What programs get that do not ask for more; runtimes give each thread so much."""
ADDRESS_SPACE_BYTES = 32 * 1024 * MEGABYTE
SIGNALS_PER_THREAD = 4
"""How many may be queued for a program. The kernel also counts those of all programs of an account together."""
BOTS_PER_CORE = 2


@dataclass(frozen=True, slots=True)
class _Limit:
    """One limit: its number, `soft` and `hard`; and for people what it limits, the shell's option for it, its unit."""

    number: int
    soft: int
    hard: int
    what: str
    option: str
    unit: int
    units: str


def set_limits(pid: int, limits: Limits, uid: int | None = None, *, limit_threads: bool = True) -> None:
    """Set the limits of a program that runs under the bots' account `uid`, or the first. Raises SandboxFault.

    Root may do so itself only with a capability that containers seldom leave it; else the bot's account does.
    """
    wanted = _limits(limits, limit_threads=limit_threads)
    try:
        try:
            _set(pid, wanted)
        except PermissionError:
            done_by_the_starter(lambda: _set_as_bot_user(pid, wanted, uid))
    except OSError as error:
        raise SandboxFault(f"the limits of a box could not be set: {plain_words(error)}") from error


def require_within_ours(limits: Limits) -> None:
    for limit in _limits(limits, limit_threads=False):
        ours = resource.getrlimit(limit.number)[1]
        if ours != resource.RLIM_INFINITY and ours < limit.hard:
            raise LimitsTooLow(
                f"the limit on {limit.what} is too low here for any box: {ours // limit.unit:,} {limit.units}, and "
                f"programs in boxes get {limit.hard // limit.unit:,}; raise it where it was set "
                f"(`ulimit -H {limit.option}` shows it)"
            )


def make_room_for_threads(limits: Limits) -> None:
    """See that our own limit on processes has room for the threads of two bots on each core. Raises LimitsTooLow."""
    ours, most = resource.getrlimit(resource.RLIMIT_NPROC)
    boxes = BOTS_PER_CORE * _cores()
    needed = boxes * limits.threads
    if ours == resource.RLIM_INFINITY or ours >= needed:
        return
    if most != resource.RLIM_INFINITY and most < needed:
        raise LimitsTooLow(
            f"the limit on processes is too low here for boxes, whose threads count as such: {most:,}, and the "
            f"programs in {boxes} boxes, two to a core, get {needed:,}; raise it where it was set "
            "(`ulimit -H -u` shows it)"
        )
    resource.setrlimit(resource.RLIMIT_NPROC, (needed, most))


@cache
def _limits(limits: Limits, *, limit_threads: bool) -> tuple[_Limit, ...]:
    data, file_size = limits.memory_mb * MEGABYTE, limits.file_size_mb * MEGABYTE
    files, threads, signals = limits.open_files, limits.threads, SIGNALS_PER_THREAD * limits.threads
    set_always = (
        _Limit(resource.RLIMIT_CORE, 0, 0, "the size of core files", "-c", KILOBYTE, "kB"),
        _Limit(resource.RLIMIT_FSIZE, file_size, file_size, "the size of files", "-f", KILOBYTE, "kB"),
        _Limit(resource.RLIMIT_DATA, data, data, "data in memory", "-d", KILOBYTE, "kB"),
        _Limit(resource.RLIMIT_AS, ADDRESS_SPACE_BYTES, ADDRESS_SPACE_BYTES, "address space", "-v", KILOBYTE, "kB"),
        _Limit(resource.RLIMIT_STACK, USUAL_STACK_BYTES, STACK_BYTES, "the stack", "-s", KILOBYTE, "kB"),
        _Limit(resource.RLIMIT_NOFILE, files, files, "open files", "-n", 1, "files"),
        _Limit(resource.RLIMIT_SIGPENDING, signals, signals, "queued signals", "-i", 1, "signals"),
        _Limit(resource.RLIMIT_MEMLOCK, 0, 0, "locked memory", "-l", KILOBYTE, "kB"),
    )
    if not limit_threads:
        return set_always
    return (*set_always, _Limit(resource.RLIMIT_NPROC, threads, threads, "threads", "-u", 1, "threads"))


@cache
def _cores() -> int:
    return os.cpu_count() or 1


def _set(pid: int, wanted: tuple[_Limit, ...]) -> None:
    for limit in wanted:
        resource.prlimit(pid, limit.number, (limit.soft, limit.hard))


def _set_as_bot_user(pid: int, wanted: tuple[_Limit, ...], uid: int | None) -> None:
    with as_bot_user(uid):
        _set(pid, wanted)
