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

Reading takes a while, in which we may lose the core to the bot or to others. So whether a thread is ready is read
first: if one is, its wait is not lost, whether it turns up at this look or the next. And such a look accounts for all
that passed until it had read. After one that found no thread ready, a thread may have woken while it read.

That no program waits for longer than there was time holds for a thread, too, that starts the program anew: it takes the
place of the first one, with its account, which may be longer or shorter. That looks as if a thread had ended and the
first had waited all at once.
"""

from __future__ import annotations

from dataclasses import dataclass

ENDED_NS = 10_000
"""Less CPU time than any thread uses, from its beginning to its end."""
ONE_BY_ONE = 2
"""This many times the longest wait of one thread is believed of all, where none was ready before and after."""


@dataclass(frozen=True, slots=True)
class Look:
    """What has been read at one look, in nanoseconds since some time before the turn.

    `wall_ns`, `read_ns`: when the look began, and when all was read; the bot may have run meanwhile. `cpu_ns`,
    `waited_ns`: the bot's threads together; `ended_ns`: the CPU time of those that have ended. `longest_ns`: the
    longest wait of one thread that turned up since the last look.
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
        most_ns = self._last.waited_ns + max(0, self._open_ns + self._passed_ns(wall_ns, cpu_ns))
        return min(waited_ns, most_ns) - self.disbelieved_ns

    def look(self, now: Look, own_wait_ns: int, *, ready: bool) -> None:
        """Take in one more look, which found the bot `ready` to run before all else was read.

        `own_wait_ns`: what we waited for the core since the last look.
        """
        last = self._last
        asleep = not (ready or self._was_ready)
        passed_ns = self._passed_ns(now.read_ns, now.cpu_ns)
        waited_ns = self._believable_ns(now, passed_ns, asleep=asleep)
        unexplained_ns = passed_ns - waited_ns
        between_ns = now.wall_ns - last.wall_ns - (now.cpu_ns - last.cpu_ns)
        self.asleep_ns = max(0, between_ns - waited_ns) if asleep else 0
        self._looks += 1
        self._ready_looks += ready
        self._open_ns = max(0, min(unexplained_ns, own_wait_ns) if asleep else self._open_ns + unexplained_ns)
        if now.ended_ns - last.ended_ns > ENDED_NS:
            self.believed_ns += self._open_ns
            self._open_ns = 0
        elif not ready:
            self._open_ns = 0
        self._was_ready = ready
        self._last = now

    def _passed_ns(self, wall_ns: int, cpu_ns: int) -> int:
        """Return for how long the program has not computed since the last look.

        If that look found a thread ready, what passed while it read is in `_open_ns` already.
        """
        since_ns = self._last.read_ns if self._was_ready else self._last.wall_ns
        return wall_ns - since_ns - (cpu_ns - self._last.cpu_ns)

    def _believable_ns(self, now: Look, passed_ns: int, *, asleep: bool) -> int:
        """Return how much is believed of the waits that turned up since the last look; the rest is noted.

        `asleep`: both looks found no thread ready.
        """
        turned_up_ns = max(0, now.waited_ns - self._last.waited_ns)
        most_ns = min(passed_ns, ONE_BY_ONE * now.longest_ns) if asleep else self._open_ns + passed_ns
        believed_ns = min(turned_up_ns, max(0, most_ns))
        self.disbelieved_ns += turned_up_ns - believed_ns
        return believed_ns
