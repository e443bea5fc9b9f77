"""The kernel's own doors: calls that no bot needs."""

import ctypes
import mmap
import signal
from functools import partial

from tests.sandbox.attacks.seat import Seat, reach, system_call

NEW_NAMESPACES = {
    "mounts": 0x20000, "cgroup": 0x2000000, "names": 0x4000000, "ipc": 0x8000000,
    "user": 0x10000000, "processes": 0x20000000, "network": 0x40000000, "time": 0x80,
}  # fmt: skip
X32 = 0x40000000
GETPID_32 = b"\xb8\x14\x00\x00\x00\xcd\x80\xc3"  # mov eax, 20; int 0x80; ret


def make_calls(seat: Seat) -> None:
    """Make each of the calls that are named to us. What counts is not what it does but that the kernel looks at it."""
    calls = seat.known["calls"]
    named = [name for name in seat.known["forbidden"] if name in calls]
    seat.attempt_all("make the call", {name: partial(reach, calls[name], 0, 0, 0, 0, 0, 0) for name in named})


def make_namespaces(seat: Seat) -> None:
    """Make new namespaces, alone and by starting somebody in them."""
    calls = seat.known["calls"]
    for name, flag in NEW_NAMESPACES.items():
        seat.attempt(f"unshare {name}", partial(reach, calls["unshare"], flag))
        seat.attempt(f"clone with new {name}", partial(reach, calls["clone"], flag | signal.SIGCHLD, 0, 0, 0, 0))


def call_as_x32(seat: Seat) -> None:
    """Make a call by the table of x32, where the numbers are other ones."""
    seat.attempt("call by another table", partial(system_call, X32 | seat.known["calls"]["getpid"]))


def call_as_32_bit(seat: Seat) -> None:
    """Make a call in the way of 32-bit programs, where the numbers are other ones."""
    page = mmap.mmap(
        -1, mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
    )
    page.write(GETPID_32)
    start = ctypes.addressof(ctypes.c_char.from_buffer(page))
    if ctypes.CFUNCTYPE(ctypes.c_int)(start)() > 0:
        seat.could("call as a 32-bit program")
