"""The door of a thread of a worker's first process, by which the processes that it forks come to the thread.

How this works. Whoever joins makes a pair of its own, keeps one end, and hands the other in at the doorstep; the thread
takes it in. Both ends of the door are made before the first process forks, so every other process has them: it shuts
the inner one, which is the thread's alone.
"""

from __future__ import annotations

import socket

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
