"""More memory than allowed: private, shared, nameless, or where nobody looks for it."""

import ctypes
import mmap
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.sandbox.attacks.seat import Seat, call, libc, system_call

MEGABYTE = 2**20
PIECE = 8 * MEGABYTE
READ, READ_WRITE = mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE
ANONYMOUS = mmap.MAP_ANONYMOUS
NO_RESERVE, GROWS_DOWN, HUGE = 0x4000, 0x100, 0x40000
NO_HUGE_PAGES = 15
PAGE_TABLE = 2 * MEGABYTE
"""The stretch of addresses that one page of the tables is for."""


def hoard(seat: Seat) -> None:
    """Fill private memory until there is no more, and fail as an honest program would."""
    pieces: list[bytes] = []
    while len(pieces) * PIECE < 10 * seat.known["memory_mb"] * MEGABYTE:
        pieces.append(b"x" * PIECE)
    seat.could(f"hoard {len(pieces) * PIECE // MEGABYTE} MB")


def hoard_quietly(seat: Seat) -> None:
    """Fill private memory until there is no more, and go on with what there is."""
    pieces: list[bytes] = []
    try:
        while len(pieces) * PIECE < 10 * seat.known["memory_mb"] * MEGABYTE:
            pieces.append(b"x" * PIECE)
    except MemoryError:
        seat.tell("could not hoard more")
    if len(pieces) * PIECE >= seat.known["memory_mb"] * MEGABYTE:
        seat.could(f"hoard {len(pieces) * PIECE // MEGABYTE} MB")


def hoard_in_processes(seat: Seat) -> None:
    """Fill a part of what is allowed in each of many processes, which hold it."""
    for number in range(8):
        seat.attempt(f"fill memory in process {number}", partial(fill_in_a_child, seat.known["memory_mb"] // 2))


def fill_in_a_child(size_mb: int) -> None:
    """Start a process that fills memory and stays."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        filled = b"x" * (size_mb * MEGABYTE)
        os.write(writing, filled[:1])
        while True:
            os.read(reading, 1)
    os.close(writing)


def share(seat: Seat) -> None:
    """Fill memory that is not private, of every kind."""
    size = 2 * seat.known["memory_mb"] * MEGABYTE
    kinds: dict[str, Callable[[], object]] = {
        "anonymous": partial(mapped, size, READ_WRITE, mmap.MAP_SHARED | ANONYMOUS),
        "anonymous, made writable later": partial(mapped_first_to_read, size, mmap.MAP_SHARED | ANONYMOUS),
        "of /dev/zero": partial(of_zero, size, READ_WRITE),
        "of /dev/zero, made writable later": partial(of_zero, size, READ),
        "in /dev/shm": partial(in_a_file, size, f"/dev/shm/{seat.token}"),  # noqa: S108
        "in huge pages": partial(mapped, size, READ_WRITE, mmap.MAP_PRIVATE | ANONYMOUS | HUGE),
        "that grows like a stack": partial(mapped, size, READ_WRITE, mmap.MAP_PRIVATE | ANONYMOUS | GROWS_DOWN),
        "of a memfd": partial(in_a_memfd, size, seat.known["calls"].get("memfd_create")),
        "of a secret memfd": partial(in_a_memfd, size, seat.known["calls"].get("memfd_secret")),
        "of System V": partial(of_system_v, size, seat.known["calls"].get("shmget")),
    }
    for name, deed in kinds.items():
        seat.attempt(f"fill shared memory {name}", deed)


def mapped(size: int, protection: int, flags: int, file: int = -1) -> int:
    """Map memory, fill it where it is writable, and return where it is."""
    address = call(libc.mmap, None, size, protection, flags, file, 0)
    if protection & mmap.PROT_WRITE:
        ctypes.memset(address, 1, size)
    return address


def mapped_first_to_read(size: int, flags: int, file: int = -1) -> None:
    """Map memory to read it, then make it writable and fill it."""
    address = mapped(size, READ, flags, file)
    call(libc.mprotect, address, size, READ_WRITE)
    ctypes.memset(address, 1, size)


def of_zero(size: int, protection: int) -> None:
    """Fill a shared mapping of /dev/zero, which is memory with no name."""
    file = os.open("/dev/zero", os.O_RDWR)
    if protection == READ:
        mapped_first_to_read(size, mmap.MAP_SHARED, file)
    else:
        mapped(size, protection, mmap.MAP_SHARED, file)


def in_a_file(size: int, path: str) -> None:
    """Fill a file that is in memory."""
    with Path(path).open("wb") as file:
        file.truncate(size)


def in_a_memfd(size: int, number: int | None) -> None:
    """Fill a file that has no name and is in memory."""
    if number is None:
        raise OSError(0, "there is no such call")
    name = ctypes.create_string_buffer(b"hoard")
    file = system_call(number, ctypes.addressof(name))
    os.ftruncate(file, size)
    mapped(size, READ_WRITE, mmap.MAP_SHARED, file)


def of_system_v(size: int, number: int | None) -> None:
    """Get shared memory of System V."""
    if number is None:
        raise OSError(0, "there is no such call")
    system_call(number, 0, size, 0o1600)


def page_tables(seat: Seat) -> None:
    """Read a byte here and there in a huge empty mapping: its pages cost nothing, the tables of its pages do."""
    tables_mb = 2 * seat.known["memory_mb"]
    size = tables_mb * MEGABYTE // mmap.PAGESIZE * PAGE_TABLE
    seat.attempt(f"have {tables_mb} MB of page tables", partial(touch, size))


def touch(size: int) -> None:
    """Map so much, and read one byte per page of its tables."""
    address = mapped(size, READ, mmap.MAP_PRIVATE | ANONYMOUS | NO_RESERVE)
    call(libc.madvise, address, size, NO_HUGE_PAGES)
    for offset in range(0, size, PAGE_TABLE):
        ctypes.c_char.from_address(address + offset).value  # noqa: B018 - this is what touches it
