"""How long threads may have waited whose waits could not be read, because they ended first. Pure: readings in.

How this works. The kernel adds a wait to a thread's account when the wait ends, and drops the account with the thread.
So if a thread has ended between two looks, the bot may have waited for all of the time that is not explained; or it has
slept, and let a thread end to hide that. It matters whether a thread was *seen ready to run* at the looks before and
after. As long as there is one at each look the unexplained time adds up, until the wait turns up in an account, or is
lost with its thread and believed. Where no thread is ready none waits; only, if our own look was late for want of the
core, a thread may have wanted it too. Between two looks that both find no thread ready, all that is not explained was
sleep.

And a thread that starts the program anew takes the place of the first one, with its account, which may be longer or
shorter. That looks as if a thread had ended and the first had waited all at once. So where a thread ends, no more waits
are believed to have turned up than there was time for since a thread was first seen ready.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

ENDED_NS = 10_000
"""Less CPU time than any thread uses, from its beginning to its end."""


@dataclass(frozen=True, slots=True)
class Look:
    """What has been read at one look, in nanoseconds since some time before the turn.

    `cpu_ns`, `waited_ns`: the bot's threads together; `ended_ns`: the CPU time of those that have ended.
    """

    wall_ns: int
    cpu_ns: int
    waited_ns: int
    ended_ns: int


class LostWaits:
    """What the threads that end in one turn may have waited. The bot has just been let go, so it is ready to run."""

    def __init__(self, first: Look) -> None:
        self._first = self._last = first
        self._was_ready = True
        self._open_ns = self._ready_for_ns = 0
        self._looks = self._ready_looks = 0
        self.believed_ns = self.disbelieved_ns = 0
        self.asleep_ns = 0
        """How long the program has slept for certain between the last two looks."""

    @property
    def has_any(self) -> bool:
        """Whether a thread has ended in this turn."""
        return self._last.ended_ns - self._first.ended_ns > ENDED_NS

    @property
    def was_ready_mostly(self) -> bool:
        """Whether a thread was seen ready to run in at least half of the looks."""
        return 2 * self._ready_looks >= self._looks

    def look(self, now: Look, own_wait_ns: int, is_ready: Callable[[], bool]) -> None:
        """Take in one more look. `own_wait_ns`: what we waited for the core since the last one."""
        last, self._last = self._last, now
        passed_ns, turned_up_ns = now.wall_ns - last.wall_ns, max(0, now.waited_ns - last.waited_ns)
        unexplained_ns = passed_ns - (now.cpu_ns - last.cpu_ns) - turned_up_ns
        ready = is_ready()
        self.asleep_ns = 0 if ready or self._was_ready else max(0, unexplained_ns)
        self._looks += 1
        self._ready_looks += ready
        if ready or self._was_ready:
            self._open_ns = max(0, self._open_ns + unexplained_ns)
            self._ready_for_ns += passed_ns
        else:
            self._open_ns = max(0, min(unexplained_ns, own_wait_ns))
            self._ready_for_ns = passed_ns
        if now.ended_ns - last.ended_ns > ENDED_NS:
            self.believed_ns += self._open_ns
            self.disbelieved_ns += max(0, turned_up_ns - self._ready_for_ns)
            self._open_ns = 0
        elif not ready:
            self._open_ns = 0
        self._was_ready = ready
