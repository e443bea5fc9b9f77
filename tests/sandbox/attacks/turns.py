"""The turn and its clock: answers at the wrong time, silence, and using the time of others."""

import contextlib
import ctypes
import os
import signal
import sys
import threading
import time

from tests.sandbox.attacks.seat import PLACEMENT, TURN, Seat, libc, say

CLOCK_MONOTONIC, SIGEV_SIGNAL, SIGEV_THREAD_ID = 1, 0, 4
TICK_NS = 1_000_000
STORM_S = 0.0001
SWITCH_S = 0.0001


def answer_early(seat: Seat) -> None:
    """Give three answers in one turn, and compute on."""
    spin()
    os.write(1, f"{PLACEMENT}\n{TURN}\n{TURN}\n".encode())
    for _ in range(3):
        seat.hear()


def answer_for_ever(seat: Seat) -> None:
    """Write answers for ever, whatever is asked."""
    say(PLACEMENT)
    while True:
        os.write(1, f"{TURN}\n".encode() * 1000)


def half_an_answer(seat: Seat) -> None:
    """Write half a line, then nothing."""
    seat.answer()
    seat.hear()
    os.write(1, b"SURF")
    time.sleep(600)


def end_in_silence(seat: Seat) -> None:
    """End, as if all were well."""
    sys.exit(0)


def close_stdin(seat: Seat) -> None:
    """Close stdin, and be silent when asked."""
    os.close(0)
    seat.answer()
    time.sleep(600)


def close_stdout_and_stay(seat: Seat) -> None:
    """Close stdout, and be silent."""
    seat.answer()
    seat.hear()
    os.close(1)
    os.close(2)
    time.sleep(600)


def close_stdout_and_end(seat: Seat) -> None:
    """Close stdout, and end."""
    os.close(1)
    os._exit(0)


def ignore_signals(seat: Seat) -> None:
    """Ignore every signal that can be ignored, and be silent."""
    seat.answer()
    seat.hear()
    for number in signal.valid_signals():
        with contextlib.suppress(OSError):
            signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(600)


def stop_itself(seat: Seat) -> None:
    """Stop itself, in each way; where that does not work, wait just as still."""
    seat.answer()
    seat.hear()
    for number in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
        os.kill(os.getpid(), number)
    signal.pause()


def spin() -> None:
    """Compute beside everything else, which gets its share of Python's lock soon all the same."""

    def compute() -> None:
        while True:
            pass

    sys.setswitchinterval(SWITCH_S)
    threading.Thread(target=compute, daemon=True).start()


def spin_on(seat: Seat) -> None:
    """Compute beside everything else, also in the time of the other seat."""
    spin()


def wake_by_timer(seat: Seat) -> None:
    """Let timers send it the signal to go on, which need no running program."""
    signal.signal(signal.SIGCONT, lambda *_: None)
    for notify in (SIGEV_SIGNAL, SIGEV_THREAD_ID):
        with contextlib.suppress(OSError):
            set_timer(notify)
    spin()


def wake_by_thread(seat: Seat) -> None:
    """Let a thread send it the signal to go on, for ever: that takes back a stop which has not happened yet."""

    def wake() -> None:
        while True:
            with contextlib.suppress(OSError):
                os.kill(os.getpid(), signal.SIGCONT)

    sys.setswitchinterval(SWITCH_S)
    threading.Thread(target=wake, daemon=True).start()


def set_timer(notify: int) -> None:
    """Make a timer send us the signal to go on, in each millisecond. Raises OSError where that is refused."""

    class Event(ctypes.Structure):
        _fields_ = (
            ("value", ctypes.c_void_p),
            ("number", ctypes.c_int),
            ("notify", ctypes.c_int),
            ("thread", ctypes.c_int),
            ("rest", ctypes.c_char * 44),
        )

    class Times(ctypes.Structure):
        _fields_ = tuple((name, ctypes.c_long) for name in ("again_s", "again_ns", "first_s", "first_ns"))

    timer = ctypes.c_void_p()
    event = Event(None, signal.SIGCONT, notify, threading.get_native_id())
    if libc.timer_create(CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)) != 0:
        raise OSError(ctypes.get_errno(), "no timer")
    libc.timer_settime(timer, 0, ctypes.byref(Times(0, TICK_NS, 0, TICK_NS)), None)


def storm(seat: Seat) -> None:
    """Let signals rain on itself."""
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.signal(signal.SIGUSR1, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, STORM_S, STORM_S)
    for _ in range(10_000):
        os.kill(os.getpid(), signal.SIGUSR1)
    with contextlib.suppress(OSError):
        os.kill(-1, signal.SIGTERM)
    with contextlib.suppress(OSError):
        os.kill(0, signal.SIGUSR1)
