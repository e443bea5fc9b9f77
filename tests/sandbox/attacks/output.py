"""What comes out of a bot: too much of it, or nothing that is a line."""

import os
import threading

from tests.sandbox.attacks.seat import Seat

CHUNK = 2**16


def endless_line(seat: Seat) -> None:
    """Write to stdout for ever, without a line end."""
    while True:
        os.write(1, b"x" * CHUNK)


def long_line(seat: Seat) -> None:
    """Write a line of just the length that is too long."""
    os.write(1, b"x" * seat.known["flood_bytes"] + b"\n")


def nearly_long_line(seat: Seat) -> None:
    """Write a line that is just not too long, and no answer either."""
    os.write(1, b"x" * (seat.known["flood_bytes"] - 1) + b"\n")


def nul_bytes(seat: Seat) -> None:
    """Put NUL bytes around an answer."""
    os.write(1, b"\0004 0\0\n")


def no_utf_8(seat: Seat) -> None:
    """Write bytes that are not text."""
    os.write(1, b"\xff\xfe\xc3\x28\xed\xa0\x80\n")


def control_characters(seat: Seat) -> None:
    """Write line ends that only some programs take for line ends, and commands for terminals."""
    os.write(1, "4 0\x0b\x0c\x1c\x85\u2028\x1b]0;gone\x07\n".encode())


def endless_errors(seat: Seat) -> None:
    """Write to stderr for ever instead of answering."""
    seat.answer()
    seat.hear()
    while True:
        os.write(2, b"x" * CHUNK)


def errors_beside(seat: Seat) -> None:
    """Write to stderr for ever, and answer beside it."""

    def write() -> None:
        while True:
            os.write(2, b"x" * CHUNK)

    for _ in range(3):
        threading.Thread(target=write, daemon=True).start()


def errors_then_answer(seat: Seat) -> None:
    """Write far more to stderr than pipes hold or is kept, in each turn, then answer."""
    while True:
        for _ in range(40):
            os.write(2, b"x" * CHUNK)
        seat.answer()
        seat.hear()
