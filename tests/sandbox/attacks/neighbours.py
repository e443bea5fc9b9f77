"""Other processes: harming them, and talking to the other seat or to the match after this one."""

import ctypes
import fcntl
import os
import resource
import signal
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.sandbox.attacks.seat import Seat, call, libc, system_call

PTRACE_ATTACH, PTRACE_SEIZE = 16, 0x4206
FOLDERS = ("/tmp", "/dev/shm", "/dev/mqueue", "/bot", "/var/tmp", "/run")  # noqa: S108
SHARED_FILES = ("/bin/sh", "/usr", "/etc/ld.so.cache", "/dev/null")
EVERYBODY = -1
MANY_PIDS = 5000
GET, CREATE = 0o600, 0o1600
SESSION_KEYRING, USER_KEYRING = -3, -4


def harm(seat: Seat) -> None:
    """Kill, stop, trace, slow down and look into the opponent, the referee and everybody else."""
    for pid in (seat.known["parent"], *seat.known["pids"], 2):
        seat.attempt(f"kill {pid}", partial(os.kill, pid, signal.SIGKILL))
        seat.attempt(f"stop {pid}", partial(os.kill, pid, signal.SIGSTOP))
        seat.attempt(f"kill group {pid}", partial(os.killpg, pid, signal.SIGKILL))
        seat.attempt(f"trace {pid}", partial(call, libc.ptrace, PTRACE_ATTACH, pid, 0, 0))
        seat.attempt(f"seize {pid}", partial(call, libc.ptrace, PTRACE_SEIZE, pid, 0, 0))
        seat.attempt(f"slow {pid} down", partial(os.setpriority, os.PRIO_PROCESS, pid, 19))
        seat.attempt(f"move {pid}", partial(os.sched_setaffinity, pid, {0}))
        seat.attempt(f"limit {pid}", partial(resource.prlimit, pid, resource.RLIMIT_NOFILE, (3, 3)))
        for name in ("process_vm_readv", "process_vm_writev", "pidfd_open", "kcmp", "get_robust_list"):
            if name in seat.known["calls"]:
                seat.attempt(f"{name} {pid}", partial(system_call, seat.known["calls"][name], pid, 0, 0, 0, 0, 0))
    seat.attempt("kill everybody", partial(os.kill, EVERYBODY, signal.SIGKILL))
    seat.attempt_all("see process", {str(pid): partial(os.kill, pid, 0) for pid in range(2, MANY_PIDS)})


def slow_everybody_down(seat: Seat) -> None:
    """Change how the kernel shares out time: for all processes of this user, and for oneself."""
    seat.attempt("slow the user down", partial(os.setpriority, os.PRIO_USER, 0, 19))
    seat.attempt("be first", partial(os.setpriority, os.PRIO_PROCESS, 0, -10))
    seat.attempt("be idle", partial(os.sched_setscheduler, 0, os.SCHED_IDLE, os.sched_param(0)))
    seat.attempt("be real-time", partial(os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(1)))


def leave_core(seat: Seat) -> None:
    """Leave the core that one was put on."""
    cores = os.sched_getaffinity(0)
    for wanted in ({0}, {1}, set(range(os.cpu_count() or 1))):
        seat.attempt(f"move to {wanted}", partial(os.sched_setaffinity, 0, wanted))
    if os.sched_getaffinity(0) != cores:
        seat.could("leave its core")


def leave_and_find(seat: Seat) -> None:
    """Leave a message in every place that the other seat, or the next match, might look at; and look there first."""
    leave: dict[str, Callable[[], object]] = {}
    find: dict[str, Callable[[], object]] = {}
    for path in (f"{folder}/{seat.token}" for folder in FOLDERS):
        leave[f"in {path}"] = Path(path).touch
        find[f"in {path}"] = Path(path).stat
    for path in SHARED_FILES:
        leave |= {f"as {name} on {path}": partial(lock, path) for name, lock in LOCKS.items()}
    key, calls = zlib.crc32(seat.token.encode()) & 2**31 - 1, seat.known["calls"]
    for name, arguments in {"shmget": (4096,), "semget": (1,), "msgget": ()}.items():
        if name in calls:
            leave[f"by {name}"] = partial(system_call, calls[name], key, *arguments, CREATE)
            find[f"by {name}"] = partial(system_call, calls[name], key, *arguments, GET)
    words = [ctypes.create_string_buffer(word) for word in (b"user", seat.token.encode())]
    kind, title = (ctypes.addressof(word) for word in words)
    for ring in (SESSION_KEYRING, USER_KEYRING):
        leave[f"in keyring {ring}"] = partial(system_call, calls["add_key"], kind, title, title, 1, ring)
        find[f"in keyring {ring}"] = partial(system_call, calls["request_key"], kind, title, 0, ring)
    queue = ctypes.addressof(words[1])
    leave["in a queue"] = partial(system_call, calls["mq_open"], queue, os.O_RDWR | os.O_CREAT, 0o666, 0)
    find["in a queue"] = partial(system_call, calls["mq_open"], queue, os.O_RDWR, 0, 0)
    seat.attempt_all("find a message", find)
    seat.attempt_all("leave a message", leave)


def file_of(path: str) -> int:
    """Open a file that the other seat has as well."""
    return os.open(path, os.O_RDONLY)


LOCKS: dict[str, Callable[[str], object]] = {
    "flock": lambda path: fcntl.flock(file_of(path), fcntl.LOCK_EX | fcntl.LOCK_NB),
    "POSIX lock": lambda path: fcntl.lockf(file_of(path), fcntl.LOCK_SH | fcntl.LOCK_NB),
    "lease": lambda path: fcntl.fcntl(file_of(path), fcntl.F_SETLEASE, fcntl.F_RDLCK),
    "notification": lambda path: fcntl.fcntl(file_of(path), fcntl.F_NOTIFY, fcntl.DN_ACCESS),
}
