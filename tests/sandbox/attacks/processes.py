"""More of oneself: processes and threads without end, and such as would outlive the match."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from functools import partial

from tests.sandbox.attacks.seat import Seat, reach, system_call

BOMB = 300
CLONE_VM, CLONE_VFORK, CLONE_PARENT = 0x100, 0x4000, 0x8000


def fork_bomb(seat: Seat) -> None:
    """Start processes in every way there is, the easiest one again and again."""
    for _ in range(BOMB):
        with contextlib.suppress(OSError):
            if os.fork() == 0:
                time.sleep(600)
            seat.could("fork again and again")
    calls = seat.known["calls"]
    for name in filter(calls.get, ("fork", "vfork")):
        seat.attempt(f"{name} by its number", partial(become_two, calls[name]))
    for flags in (0, CLONE_PARENT, CLONE_VM | CLONE_VFORK):
        seat.attempt(f"clone with {flags:#x}", partial(become_two, calls["clone"], flags | signal.SIGCHLD))
    seat.attempt("clone3", partial(reach, calls["clone3"]))
    seat.attempt("run a program", partial(subprocess.run, ["sleep", "600"], check=False))


def become_two(number: int, flags: int = 0) -> None:
    """Make a call that returns twice where it works, and let the child go away."""
    if system_call(number, flags, 0, 0, 0, 0) == 0:
        os._exit(0)


def thread_bomb(seat: Seat) -> None:
    """Start threads until no more can be had, and keep them."""
    forever = threading.Event()
    started = 0
    try:
        while started < 10 * int(seat.known["most_threads"]):
            threading.Thread(target=forever.wait, daemon=True).start()
            started += 1
    except RuntimeError:
        seat.tell(f"could not start thread {started + 1}")
    if started >= int(seat.known["most_threads"]):
        seat.could(f"start {started} threads")


def outlive(seat: Seat) -> None:
    """Leave a process behind that is nobody's child, in a session of its own."""
    seat.attempt("leave a daemon", daemon)


def daemon() -> None:
    """Fork twice, with a session of its own in between."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        os._exit(0)
    os.wait()
