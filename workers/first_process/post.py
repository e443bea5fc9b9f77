"""Messages between a process and the clerk, each pickled with its length before it, and the socket they come by.

How this works. The clerk must not wait for a process that stands still in the middle of a message. So it takes what has
come in by now, and has the message once all of it has. A process that asks waits for its answer.

Whoever joins makes a pair of its own, keeps one end, and hands the other in at the doorstep; the thread takes it in.
Both ends of the door are made before the first process forks, so every other process has them: it shuts the inner one,
which is the thread's alone.
"""

from __future__ import annotations

import pickle
import socket
import struct
from typing import Any

END = b"end"
JOIN = b"join"


class Door:
    """Made in the first process. `inside` is what the thread waits for: it can be read when somebody is there."""

    def __init__(self) -> None:
        self.inside, self._doorstep = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)

    def hand_in(self, descriptor: int) -> None:
        """Give the thread an end of a pair. The one that is handed in may be closed here then."""
        socket.send_fds(self._doorstep, [JOIN], [descriptor])

    def take_in(self) -> tuple[bool, list[int]]:
        """Wait for who is next; return whether it goes on, and what was handed in."""
        word, descriptors, _, _ = socket.recv_fds(self.inside, len(JOIN), 1, socket.MSG_CMSG_CLOEXEC)
        return word != END, descriptors

    def end(self) -> None:
        """Let the thread know that nobody comes any more."""
        self._doorstep.send(END)

    def leave(self) -> None:
        """Close the doorstep: once the thread has ended."""
        self._doorstep.close()

    def shut(self) -> None:
        """Close the inner end: in the thread when it ends, and in each process that has inherited it."""
        self.inside.close()


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
