"""Bots that may start processes, which only a cgroup can hold: what they do with them."""

import contextlib
import mmap
import os
import signal
import sys
import time

from tests.sandbox.attacks.memory import MEGABYTE, READ_WRITE, mapped
from tests.sandbox.attacks.processes import daemon
from tests.sandbox.attacks.seat import Seat

BURNT_S = 0.1


def child() -> bool:
    """Start a process; say whether we are it."""
    return os.fork() == 0


def bomb(seat: Seat) -> None:
    """Start processes until no more can be had, and keep them."""
    started = 0
    if child():
        time.sleep(600)
    with contextlib.suppress(BlockingIOError):
        while started < 10 * seat.known["most_threads"]:
            if child():
                time.sleep(600)
            started += 1
    if started >= seat.known["most_threads"]:
        seat.could(f"start {started} processes")
    seat.tell(f"could not start process {started + 1}")


def spin(seat: Seat) -> None:
    """Let children, and theirs, compute in the time of the other seat."""
    if child():
        os.setsid()
        child()
        while True:
            pass


def wake_parent(seat: Seat) -> None:
    """Let a child send its parent the signal to go on, while the parent computes."""
    parent = os.getpid()
    if child():
        os.setpgid(0, 0)
        while True:
            os.kill(parent, signal.SIGCONT)


def outlive(seat: Seat) -> None:
    """Leave daemons behind."""
    for _ in range(3):
        daemon()


def burn(seat: Seat) -> None:
    """Let children compute for it, and tell how much they did."""
    for _ in range(2):
        if child():
            while time.process_time() < BURNT_S:
                pass
            os._exit(0)
        os.wait()


def hoard(seat: Seat) -> None:
    """Fill memory in many processes, each of which stays below the limit; end when one of them is ended."""
    for _ in range(8):
        if child():
            filled = b"x" * (seat.known["memory_mb"] // 3 * MEGABYTE)
            time.sleep(600 if filled else 0)
    os.wait()
    sys.exit(1)


def share(seat: Seat) -> None:
    """Fill memory that is shared, more than is allowed."""
    mapped(2 * seat.known["memory_mb"] * MEGABYTE, READ_WRITE, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS)
    seat.could("fill shared memory")
