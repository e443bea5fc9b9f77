"""The gate: a program in a box waits behind it, with nothing of it begun, until it is let go.

How this works. The last thing that bwrap does before it becomes the program is to read the filter of system calls from
a pipe, to the pipe's end. The pipe has room for one page, and we fill it: when there is room again bwrap has come to
the filter, and so the box is whole. The rest of the filter, and the end, it gets when the program is to begin. It comes
in parts that end in the middle of an instruction: bwrap gives up on such a filter, and so it does if we die before.
"""

from __future__ import annotations

import fcntl
import os
import select


class Gate:
    """The filter on its way. `far`: the end that bwrap reads, to be closed with `hand_over`.

    `is_reached`: whether bwrap has come to the gate.
    """

    def __init__(self, filter_of_calls: bytes) -> None:
        """Send its first part, which fills the pipe. It is one instruction of 8 bytes at least. Raises OSError."""
        self._left = filter_of_calls
        self.is_reached = False
        self.far, self._near = os.pipe()
        try:
            os.set_blocking(self._near, False)
            page_bytes = fcntl.fcntl(self._near, fcntl.F_SETPIPE_SZ, 1)  # the least there is
            self._part_bytes = min(page_bytes, len(filter_of_calls)) - 1
            self._send(self._part_bytes)
        except BaseException:
            self.hand_over()
            self.close()
            raise

    def hand_over(self) -> None:
        """Close the far end, which bwrap has now."""
        os.close(self.far)

    def is_decided(self, builder: int, timeout_s: float) -> bool:
        """Say whether it is known by now if bwrap comes to the gate (`is_reached`), waiting so long for what is next.

        `builder`: the pidfd of who builds the box.
        """
        poll = select.poll()
        poll.register(self._near, select.POLLOUT)
        poll.register(builder, select.POLLIN)
        while True:
            woken = dict(poll.poll(timeout_s * 1000))
            if not woken:
                return False
            if woken.get(self._near) != select.POLLOUT:  # the builder alone has woken us, or the reader is gone
                return True
            if len(self._left) <= self._part_bytes:
                self.is_reached = True
                return True
            self._send(self._part_bytes)

    def open(self) -> None:
        """Let the program begin. Raises BrokenPipeError where the other end is gone."""
        self._send(len(self._left))
        self.close()

    def close(self) -> None:
        """Let go of the filter: a program that has not begun never will. Safe to call again."""
        if self._near >= 0:
            os.close(self._near)
        self._near = -1

    def _send(self, most_bytes: int) -> None:
        self._left = self._left[os.write(self._near, self._left[:most_bytes]) :]
