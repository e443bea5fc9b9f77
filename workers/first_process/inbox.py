"""The clerk's inbox: what processes have asked for and nobody does yet.

How this works. One of the clerk's threads has the inbox at a time. It waits until a process asks for something or
joins, reads all that has been asked meanwhile, and takes the request that has waited longest, with all others that can
be done together with that. So while a worker has little to do each request has a transaction of its own, at once; the
busier a worker is, the more of them share one.
"""

from __future__ import annotations

import logging
import selectors
import socket
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any

from workers.first_process.post import Door, Post

LOG = logging.getLogger(__name__)

MOST_TOGETHER = 16
"""At most this many requests share a transaction, as its locks are held until its end."""


@dataclass(slots=True, eq=False)
class Asked:
    """A request: a function that takes a connection first, and all its other arguments.

    `answer`: what the function has returned, or the error that it has raised; None until then. `post`: leads to the
    process that asks.
    """

    work: Callable[..., Any]
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    answer: tuple[Any, Exception | None] | None = None
    post: Post | None = None


class Inbox:
    """All processes that have joined, and their requests. To be read by one thread at a time, answered by any."""

    def __init__(self, door: Door, together: Container[Callable[..., Any]]) -> None:
        """`together`: the functions whose requests can be done together."""
        self._door = door
        self._together = together
        self._listening = selectors.DefaultSelector()
        self._listening.register(door.inside, selectors.EVENT_READ)
        self._posts: set[Post] = set()
        self._waiting: list[Asked] = []

    def take(self) -> list[Asked]:
        """Wait until there is something, and take what has waited longest with what can be done together with that.

        It may be nothing, and then somebody has joined or gone, or the end has come.
        """
        for key, _ in self._listening.select(0 if self._waiting else None):
            if isinstance(key.fileobj, Post):
                self._read(key.fileobj)
            else:
                self._let_in()
        return self._taken()

    def close(self) -> None:
        """Close this process's ends: when the clerk ends, and in each process that has inherited them."""
        for post in self._posts:
            post.close()
        self._listening.close()
        self._door.shut()

    def _let_in(self) -> None:
        _, descriptors = self._door.take_in()
        for descriptor in descriptors:
            post = Post(socket.socket(fileno=descriptor))
            self._posts.add(post)
            self._listening.register(post, selectors.EVENT_READ)

    def _read(self, post: Post) -> None:
        """Read what a process has sent, or see it leave. One that sends what makes no sense is left alone."""
        try:
            request = post.fetch_if_whole()
            if request is not None:
                work, arguments, named = request
                self._waiting.append(Asked(work, arguments, named, post=post))
        except Exception as fault:
            if not isinstance(fault, (EOFError, OSError)):
                LOG.exception("a process of this worker asks for what cannot be read")
            self._listening.unregister(post)
            self._posts.remove(post)
            post.close()

    def _taken(self) -> list[Asked]:
        if not self._waiting:
            return []
        first = self._waiting[0]
        taken = [asked for asked in self._waiting if asked is first or self._go_together(first, asked)][:MOST_TOGETHER]
        self._waiting = [asked for asked in self._waiting if asked not in taken]
        return taken

    def _go_together(self, one: Asked, other: Asked) -> bool:
        return one.work is other.work and one.work in self._together and not (one.named or other.named)
