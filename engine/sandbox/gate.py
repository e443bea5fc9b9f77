"""The gate: a program in a box waits behind it, with nothing of it begun, until it is let go.

How this works. The last thing that bwrap does before it becomes the program is to read the filter of system calls from
a pipe, to the pipe's end. The pipe has room for one page, and we fill it: when there is room again bwrap has come to
the filter, and so the box is whole. But the end it does not find before the program is to begin. The last byte is kept
back as well: bwrap gives up on a filter that ends with part of an instruction, and so it does if we die before.
"""

from __future__ import annotations

import fcntl
import os
import select


class Gate:
    """The filter on its way. `far`: the end that bwrap reads, to be closed with `hand_over`."""

    def __init__(self, filter_of_calls: bytes) -> None:
        """Fill the pipe. `filter_of_calls` is one instruction of 8 bytes at least. Raises OSError."""
        self.far, self._near = os.pipe()
        try:
            os.set_blocking(self._near, False)
            self._part_bytes = fcntl.fcntl(self._near, fcntl.F_SETPIPE_SZ, 1) - 1  # one byte less: the last finds room
            self._left, self._last = filter_of_calls[:-1], filter_of_calls[-1:]
            self._send(min(self._part_bytes, len(self._left) - 1))
        except BaseException:
            self.hand_over()
            self.close()
            raise

    def hand_over(self) -> None:
        """Close the far end, which bwrap has now."""
        os.close(self.far)

    def is_reached(self, builder: int, timeout_s: float) -> bool:
        """Wait until bwrap is at the gate; False where it has ended instead. Raises TimeoutError.

        `builder`: the pidfd of who builds the box.
        """
        poll = select.poll()
        poll.register(self._near, select.POLLOUT)
        poll.register(builder, select.POLLIN)
        while self._left:
            woken = [descriptor for descriptor, _ in poll.poll(timeout_s * 1000)]
            if not woken:
                raise TimeoutError
            try:
                self._send(self._part_bytes)
            except (BlockingIOError, BrokenPipeError):  # the builder alone has woken us, or nobody reads any more
                return False
        return True

    def open(self) -> None:
        """Let the program begin. Raises BrokenPipeError where nobody waits any more."""
        os.write(self._near, self._last)
        self.close()

    def close(self) -> None:
        """Let go of the filter: a program that has not begun never will. Safe to call again."""
        if self._near >= 0:
            os.close(self._near)
        self._near = -1

    def _send(self, most_bytes: int) -> None:
        self._left = self._left[os.write(self._near, self._left[:most_bytes]) :]
