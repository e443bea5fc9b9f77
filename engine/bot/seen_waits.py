"""How much of the waits of a bot's threads the looks at it bear out, and what ended threads may have waited. Pure.

How this works. The kernel adds a wait to a thread's account when the wait ends, and drops the account with the thread.
So if a thread has ended between two looks, the bot may have waited for all of the time that is not explained; or it has
slept, and let a thread end to hide that. It matters whether a thread was *seen ready to run* at the looks before and
after. As long as there is one at each look the unexplained time adds up, until the wait turns up in an account, or is
lost with its thread and believed. Where no thread is ready none waits; only, if our own look was late for want of the
core, a thread may have wanted it too. Between two looks that both find no thread ready, all that is not explained was
sleep.

The waits that do turn up are those of all threads, added. So of dozens that sleep and wake together each waits for the
same slice of another program, and for the others, and their sum may hide sleep. But a program cannot wait for longer
than there was time: no more is believed than has passed since a thread was first seen ready, less what the program
computed. And between two looks that both find no thread ready, few waits were not at once: no more is believed than a
small multiple of the longest that one thread had.

The former holds for a thread, too, that starts the program anew: it takes the place of the first one, with its account,
which may be longer or shorter. That looks as if a thread had ended and the first had waited all at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

ENDED_NS = 10_000
"""Less CPU time than any thread uses, from its beginning to its end."""
ONE_BY_ONE = 2
"""This many times the longest wait of one thread is believed of all, where none was ready before and after."""


@dataclass(frozen=True, slots=True)
class Look:
    """What has been read at one look, in nanoseconds since some time before the turn.

    `cpu_ns`, `waited_ns`: the bot's threads together; `ended_ns`: the CPU time of those that have ended.
    `longest_ns`: the longest wait of one thread that turned up since the last look. `read_ns`: the wall time after all
    was read, as we may have been kept waiting meanwhile.
    """

    wall_ns: int
    cpu_ns: int
    waited_ns: int
    ended_ns: int
    longest_ns: int = 0
    read_ns: int = 0


class SeenWaits:
    """What a bot's threads may have waited in one turn. The bot has just been let go, so it is ready to run."""

    def __init__(self, first: Look) -> None:
        self._first = self._last = first
        self._was_ready = True
        self._open_ns = 0
        self._looks = self._ready_looks = 0
        self.believed_ns = self.disbelieved_ns = 0
        self.asleep_ns = 0
        """How long the program has slept for certain between the last two looks."""

    @property
    def thread_ended(self) -> bool:
        """Whether a thread has ended in this turn."""
        return self._last.ended_ns - self._first.ended_ns > ENDED_NS

    @property
    def was_ready_mostly(self) -> bool:
        """Whether a thread was seen ready to run in at least half of the looks."""
        return 2 * self._ready_looks >= self._looks

    def waited_ns(self, waited_ns: int, wall_ns: int, cpu_ns: int) -> int:
        """Return how much is believed of waits that were read after the last look, at that wall time and CPU time."""
        passed_ns = wall_ns - self._last.wall_ns - (cpu_ns - self._last.cpu_ns)
        most_ns = self._last.waited_ns + max(0, self._open_ns + passed_ns)
        return min(waited_ns, most_ns) - self.disbelieved_ns

    def look(self, now: Look, own_wait_ns: int, is_ready: Callable[[], bool]) -> None:
        """Take in one more look. `own_wait_ns`: what we waited for the core since the last one."""
        last, self._last = self._last, now
        ready = is_ready()
        waited_ns = self._believable_ns(last, now, asleep=not (ready or self._was_ready))
        unexplained_ns = now.wall_ns - last.wall_ns - (now.cpu_ns - last.cpu_ns) - waited_ns
        self.asleep_ns = 0 if ready or self._was_ready else max(0, unexplained_ns)
        self._looks += 1
        self._ready_looks += ready
        if ready or self._was_ready:
            self._open_ns = max(0, self._open_ns + unexplained_ns)
        else:
            self._open_ns = max(0, min(unexplained_ns, own_wait_ns))
        if now.ended_ns - last.ended_ns > ENDED_NS:
            self.believed_ns += self._open_ns
            self._open_ns = 0
        elif not ready:
            self._open_ns = 0
        self._was_ready = ready

    def _believable_ns(self, last: Look, now: Look, *, asleep: bool) -> int:
        """Return how much is believed of the waits that turned up between two looks; the rest is noted.

        `asleep`: both looks found no thread ready.
        """
        turned_up_ns = max(0, now.waited_ns - last.waited_ns)
        time_for_it_ns = max(now.wall_ns, now.read_ns) - last.wall_ns - (now.cpu_ns - last.cpu_ns)
        most_ns = min(time_for_it_ns, ONE_BY_ONE * now.longest_ns) if asleep else self._open_ns + time_for_it_ns
        believed_ns = min(turned_up_ns, max(0, most_ns))
        self.disbelieved_ns += turned_up_ns - believed_ns
        return believed_ns
