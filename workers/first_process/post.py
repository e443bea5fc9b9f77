"""Messages between a process and the clerk: each pickled, with its length before it.

How this works. The clerk must not wait for a process that stands still in the middle of a message. So it takes what has
come in by now, and has the message once all of it has. A process that asks waits for its answer.
"""

from __future__ import annotations

import pickle
import socket
import struct
from typing import Any

LENGTH = struct.Struct("!Q")
MOST_AT_ONCE = 1 << 18


class Post:
    """One end of a pair of sockets. Each end sends a message only after it has had the other's."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._come = bytearray()

    def fileno(self) -> int:
        """Return what a selector listens to."""
        return self._end.fileno()

    def send(self, message: object) -> None:
        """Send a message whole. Raises OSError where the other end is gone."""
        words = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        self._end.sendall(LENGTH.pack(len(words)) + words)

    def fetch(self) -> Any:
        """Wait for a message. Raises EOFError or OSError where the other end is gone."""
        while True:
            self._take(0)
            if self._is_whole():
                return self._message()

    def fetch_if_whole(self) -> Any | None:
        """Return the message if all of it has come in, else None. Raises what `fetch` raises."""
        self._take(socket.MSG_DONTWAIT)
        return self._message() if self._is_whole() else None

    def close(self) -> None:
        """Close this end."""
        self._end.close()

    def _take(self, flags: int) -> None:
        words = self._end.recv(MOST_AT_ONCE, flags)
        if not words:
            raise EOFError("the other end is closed")
        self._come += words

    def _is_whole(self) -> bool:
        come = self._come
        return len(come) >= LENGTH.size and len(come) >= LENGTH.size + LENGTH.unpack_from(come)[0]

    def _message(self) -> Any:
        words = memoryview(self._come)[LENGTH.size :]
        self._come = bytearray()
        return pickle.loads(words)  # noqa: S301 - our own
