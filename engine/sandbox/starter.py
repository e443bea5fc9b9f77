"""The one thread of a process that starts boxes, so that nothing comes between; and the kernel's limits for programs.

These limits are set from outside before a program begins.

How this works. To start a box a thread joins the box's cgroup for a moment, and takes the bots' account. Interrupted
then, by Ctrl-C say, it could be left there. Python interrupts only the main thread, so another one does this and the
main thread waits for it; if that is interrupted the box is ended as soon as it has begun. Orders go through a queue
that is not written in Python: in one that is, an interrupted thread may leave a lock taken.

The thread lives as long as the process, as boxes die with the thread that has started them. It has its caller's core,
as what it starts has its own; and none of the *ambient* capabilities, with which bubblewrap would refuse to work.

How a thread takes another account. To the kernel every thread has an account of its own; it is the C library whose
`setresuid` changes all of them. So we call the kernel itself. The thread keeps root's number as its *saved* one, by
which it comes back. What it starts cannot: a new program's saved number is the one it runs under, and a program that is
not root's begins with no capability. From then on the kernel takes our process for one that knows secrets: no core is
written of it, and only root may trace it. That is welcome.

What the limit on private memory leaves out has bounds of its own: the stack, which a program could let grow, and the
address space, whose page tables take memory. 32 GB of it are more than any runtime here sets aside (Java: 9 GB) and
need 64 MB of tables.

How the limit on threads works. The kernel counts what an account runs in each user namespace, and what is in a box
counts in the namespace around it too, where the limit is the one that *our* process had when it made the box. So that
one is shared by all boxes, and has to be enough for as many as run at once: two to a core.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import resource
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from queue import SimpleQueue
from typing import Generic, Protocol, TypeVar

from engine.boxes import MEGABYTE, UID_VARIABLE, Limits, bot_uid
from engine.errors import ArenaError, LimitsTooLow, NoBotUser, SandboxFault, plain_words
from engine.immutable import immutable
from engine.sandbox.seccomp import call_number

LIBC = ctypes.CDLL(None, use_errno=True)
AS_IT_IS = -1
POWERS = {"CAP_KILL": 5, "CAP_SETGID": 6, "CAP_SETUID": 7}
"""What it takes to run programs under another account and to end them: the numbers of the capabilities."""
AS_ORDINARY_USER = "setpriv --reuid=1000 --regid=1000 --clear-groups ladder ..."
REMEDY = f"run it as an ordinary user, for instance by `{AS_ORDINARY_USER}`"


@contextmanager
def as_bot_user(chosen_uid: int | None = None) -> Iterator[None]:
    """Have a bot's account for the block, in this thread alone, where we are root. `chosen_uid`: not the first one.
    Raises NoBotUser, UsageFault for one that may not be.
    """
    if (gid := bot_uid()) is None:
        yield
        return
    require_powers()
    groups, gids, uids = os.getgroups(), os.getresgid(), os.getresuid()
    try:
        _become(gid if chosen_uid is None else chosen_uid, gid)
        yield
    finally:
        _call("setresuid", AS_IT_IS, 0, AS_IT_IS)  # first, as root may do the rest
        _call("setresgid", *gids)
        if os.getgroups() != groups:
            _call("setgroups", len(groups), (ctypes.c_uint32 * len(groups))(*groups))
        _call("setresuid", *uids)


@cache
def require_powers() -> None:
    """Raise NoBotUser where root, in a container say, lacks what it takes to run bots under an account of their own."""
    status = Path("/proc/thread-self/status").read_text()
    held = int(status.partition("\nCapEff:")[2].split()[0], 16)
    lacking = [name for name, number in POWERS.items() if not held >> number & 1]
    if lacking:
        raise NoBotUser(
            f"root may not run bots under an account of their own here, as it lacks {' and '.join(lacking)}: add "
            f"{'it' if len(lacking) == 1 else 'them'}, or {REMEDY}"
        )


def _become(uid: int, gid: int) -> None:
    try:
        _call("setgroups", 0, 0)
        _call("setresgid", gid, gid, AS_IT_IS)
        _call("setresuid", uid, uid, 0)
    except OSError as error:
        raise NoBotUser(
            f"root cannot be given up here for the bots' account, {uid}: {plain_words(error)}; {REMEDY}, "
            f"or name another account in {UID_VARIABLE}"
        ) from error


def _call(name: str, *arguments: int | ctypes.Array[ctypes.c_uint32]) -> None:
    if LIBC.syscall(call_number(name), *arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))


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
        try:
            self.results.append(self._act())
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            self.error = error
        self.over.put(None)

    def result(self) -> Result:
        self.over.get()
        if self.error is not None:
            raise self.error
        return self.results[0]


Orders = SimpleQueue["Callable[[], None] | None"]

_starters: list[tuple[Orders, threading.Thread]] = []


class Endable(Protocol):
    def kill(self) -> None: ...


Started = TypeVar("Started", bound=Endable)


def start_by_starter(start: Callable[[], Started]) -> Started:
    cores = os.sched_getaffinity(0)

    def start_on_our_cores() -> Started:
        os.sched_setaffinity(0, cores)
        return start()

    order, orders = _Order(start_on_our_cores), _orders()
    try:
        orders.put(order.carry_out)
        return order.result()
    except BaseException:
        orders.put(partial(_end, order))
        raise


def _orders() -> Orders:
    if not _starters:
        orders: Orders = SimpleQueue()
        thread = threading.Thread(target=_carry_out, args=(orders,), name="starter", daemon=True)
        thread.start()
        atexit.register(_finish)
        _starters.append((orders, thread))
    return _starters[0][0]


def _carry_out(orders: Orders) -> None:
    LIBC.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    while carry_out := orders.get():
        carry_out()


def _finish() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for orders, thread in _starters:
        orders.put(None)
        thread.join(PATIENCE_S)


def _end(order: _Order[Started]) -> None:
    """End what was started after all; the starting thread is done with it when it comes to this."""
    for process in order.results:
        with suppress(ArenaError):  # nothing can be done about it here, and the watchdog does it in the end
            process.kill()


os.register_at_fork(after_in_child=_starters.clear)  # threads are not forked


KILOBYTE = 1024
STACK_BYTES = 64 * MEGABYTE
USUAL_STACK_BYTES = 8 * MEGABYTE
"""What programs get that do not ask for more; runtimes give each thread so much."""
ADDRESS_SPACE_BYTES = 32 * 1024 * MEGABYTE
SIGNALS_PER_THREAD = 4
"""How many may be queued for a program. The kernel also counts those of all programs of an account together."""
BOTS_PER_CORE = 2


@immutable
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
    """Set the limits of a program that runs under the bots' account `uid`, or the first. Raises SandboxFault. Root may
    do so itself only with a capability that containers seldom leave it; else the bot's account does.
    """

    def set_all() -> None:
        for limit in _limits(limits, limit_threads=limit_threads):
            resource.prlimit(pid, limit.number, (limit.soft, limit.hard))

    def set_as_bot_user() -> None:
        with as_bot_user(uid):
            set_all()

    try:
        try:
            set_all()
        except PermissionError:
            order = _Order(set_as_bot_user)
            _orders().put(order.carry_out)
            order.result()
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
    files, threads = limits.open_files, limits.threads
    signals = SIGNALS_PER_THREAD * threads
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
