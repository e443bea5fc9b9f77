"""The attacker's seat in a match: what it is told of the host, how it reports what it could do, and how it plays on.

It plays Ocean of Code in the shortest way: it surfaces in each turn, and is dead after six. So an attack that wants to
be judged by its deeds, not by the game, loses to an honest opponent without a fault.
"""

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from typing import Any

PLACEMENT, TURN = "4 0", "SURFACE"
LINES_AT_FIRST, LINES_PER_TURN = 16, 3
REFUSALS = {errno.EPERM, errno.ENOSYS, errno.EAFNOSUPPORT}
"""What a filter of system calls answers. Any other error means that the call got through to the kernel."""

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


class Seat:
    """A seat. `known`: what the attacker has been told of the host. `heard`: how many requests were heard already."""

    MODULE = __name__
    """Where another program finds this class, to play on in our place."""

    def __init__(self, known: dict[str, Any], heard: int = 0) -> None:
        self.known = known
        self._heard = heard

    @property
    def token(self) -> str:
        """The word by which all that this attack leaves behind is known."""
        return str(self.known["token"])

    def hear(self) -> list[str]:
        """Return the lines of the next request; end where there is none."""
        lines = [sys.stdin.readline() for _ in range(LINES_PER_TURN if self._heard else LINES_AT_FIRST)]
        if not lines[-1]:
            sys.exit(0)
        self._heard += 1
        return lines

    def answer(self) -> None:
        """Answer the request that was heard last."""
        say(PLACEMENT if self._heard == 1 else TURN)

    def play_on(self) -> None:
        """Answer all that is left of the match."""
        while True:
            self.answer()
            self.hear()

    def tell(self, what: str) -> None:
        """Report something that happened."""
        os.write(2, f"{what}\n".encode())

    def could(self, what: str) -> None:
        """Report something that should have been impossible."""
        self.tell(f"could {what}")

    def attempt(self, what: str, deed: Callable[[], object]) -> bool:
        """Try something, report it if it worked, and say whether it did."""
        try:
            deed()
        except (OSError, MemoryError, RuntimeError) as error:
            self.tell(f"could not {what}: {getattr(error, 'strerror', None) or error}")
            return False
        self.could(what)
        return True

    def attempt_all(self, what: str, deeds: dict[str, Callable[[], object]]) -> None:
        """Try many things of one kind, and report those that worked, and how many did not."""
        failed = 0
        for name, deed in deeds.items():
            try:
                deed()
            except OSError:
                failed += 1
            else:
                self.could(f"{what} {name}")
        self.tell(f"could not {what} {failed} times")


def say(line: str) -> None:
    """Print a line at once."""
    os.write(1, f"{line}\n".encode())


def call(function: Any, *arguments: Any) -> int:
    """Call a function of the C library. Raises OSError where it fails."""
    ctypes.set_errno(0)
    result = function(*arguments)
    number = ctypes.get_errno()
    if number and result in {-1, None, 2**64 - 1}:
        raise OSError(number, os.strerror(number))
    return int(result or 0)


def system_call(number: int, *arguments: int) -> int:
    """Make a system call by its number. Raises OSError where it fails."""
    return call(libc.syscall, ctypes.c_long(number), *map(ctypes.c_long, arguments))


def reach(number: int, *arguments: int) -> None:
    """Make a system call; raises OSError only where it was refused, not where the kernel looked at it and failed."""
    try:
        system_call(number, *arguments)
    except OSError as error:
        if error.errno in REFUSALS:
            raise
