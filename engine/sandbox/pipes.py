"""The pipes between us and a program in a box, and how to look into them without waiting longer than we want."""

from __future__ import annotations

import os
import select


class Pipes:
    """The pipes stdin, stdout, stderr and status of one program: `near` are our ends, `far` its monitor's.

    Python makes descriptors close-on-exec, so no other bot inherits them; our ends are non-blocking.
    """

    def __init__(self) -> None:
        self.near: list[int] = []
        self.far: list[int] = []
        try:
            for we_read in (False, True, True, True):
                reading, writing = os.pipe()
                self.near.append(reading if we_read else writing)
                self.far.append(writing if we_read else reading)
                os.set_blocking(self.near[-1], False)
        except OSError:
            self.hand_over()
            self.close()
            raise

    def hand_over(self) -> None:
        """Close the far ends, which the monitor has now."""
        _close(self.far)

    def close(self) -> None:
        """Close our ends, unless they were taken over."""
        _close(self.near)


def readable(timeout_s: float, *descriptors: int) -> bool:
    """Say whether one of the descriptors has something to read, or has ended, waiting up to `timeout_s`."""
    poll = select.poll()
    for descriptor in descriptors:
        poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(timeout_s * 1000))


def read_now(descriptor: int, most_bytes: int = 4096) -> bytes:
    try:
        return os.read(descriptor, most_bytes)
    except BlockingIOError:
        return b""


def _close(ends: list[int]) -> None:
    for end in ends:
        os.close(end)
