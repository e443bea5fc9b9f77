"""Taking the times of a bot's turns. What they mean is in `clock`.

How this works. `go` is called just before the bot may run, `gone` just after, `woke` when something is to be looked at
and `looked` when that is done. A turn ends with the look that found the answer. What the bot computes between its
answer and our having stopped it is on its next turn, which is taken to have begun so much earlier. Our own waits count
only up to a look that found what the bot had waited to give or get: late or not, a look that finds nothing has kept the
bot from nothing. Letting the bot go hands it our core, so it may have answered long before we come to look: what we
wait meanwhile is a wait too, less what the bot itself computes.

Both may wait at once, and no time counts twice: our own waits count only as far as the bot neither computed, but for
its tidying, nor waited, nor slept for certain (see `seen_waits`). What else no account explains may have been sleep or
a wait for us, and is taken to be the latter.

The kernel's account of a bot's waits has gaps (see `sandbox.meter`). A bot that has certainly not slept is taken to
have waited whenever it did not compute; for threads that have ended see `seen_waits`. And of a bot that is ready to run
but does not, only its CPU time shows that its time is over, as the wait that it is in is not counted yet.

Threads that wait for each other bring about waits of their own. So in long turns no more is believed than others can
have caused: the time in which somebody else had the core (see `sandbox.core_time`); and our own work, which is more the
more a bot writes, but only up to a part of the turn.

Where the machine itself is a virtual one, its host may let it stand still. No account of its kernel has that, but our
own alarm then comes late, or letting the bot go takes long, without our having waited for a core; and by that much the
bot is taken to have waited. Not so if it slept before and still sleeps, which nothing has kept it from.

All these readings together take longer than a bot that hardly thinks. So a turn of less than a tenth of a millisecond
is charged its wall time, however much of it was waiting.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace

from engine.bot.clock import TIDYING_US, Spent
from engine.bot.seen_waits import Look, SeenWaits
from engine.sandbox.usage.core_time import CoreTime
from engine.sandbox.usage.meter import Meter, OwnWaits, Rests

LONG_NS = 10_000_000
"""After a turn that took this long the next one may as well; only then is it worth a look whether the bot rests."""
BRIEF_NS = 100_000
"""Not worth a look at who waited for whom."""
STILL_NS = 1_000_000
"""An alarm may come so late on a machine that runs."""
VERY_LONG_NS = 30_000_000
"""In a shorter turn a core's idle time, given in hundredths of a second, says too little."""
STARVED_SHARE = 4
"""The host is to blame where one thread waited, and others had the core, for at least this part of the turn: a quarter.
And as much of a turn our own work may take."""


class Stopwatch:
    """The times of one bot's turns. All calls from one thread."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._cpu_ns = meter.cpu_ns()
        self._waited_ns = self._waits_read_ns = meter.waited_ns()
        self._waits_ns: Mapping[str, int] = {}
        self._earlier_ns: dict[str, int] = {}
        self._waited_before_ns: dict[str, int] = {}
        self._next_reading_ns = STILL_NS
        self._rests: Rests | None = None
        self._own_ns = 0
        self._late_ns = 0
        self._held_ns = self._kept_ns = 0
        self._still_ns = self._known_still_ns = 0
        self._slept_ns = 0
        self._ahead_ns = 0
        self._seen_cpu_ns = 0
        self._began_ns = 0
        self._woke_ns = 0
        self._woke_own_ns = 0
        self._was_long = False
        self._stood_still: tuple[int, int] | None = None
        self._most_wait_ns: int | None = None
        self._seen = SeenWaits(Look(0, 0, 0, 0))
        self._core: CoreTime | None = None
        self._core_from_ns = self._core_cpu_ns = self._held_up_ns = 0
        self._reported = Spent()
        self._own = OwnWaits()  # last, as it is to be closed

    def go(self) -> None:
        """Begin a turn: the bot may run from now."""
        self._late_ns = self._held_ns = self._kept_ns = self._held_up_ns = 0
        self._still_ns = self._known_still_ns = 0
        self._slept_ns = 0
        self._core = None
        self._ahead_ns = max(0, self._meter.cpu_ns() - self._cpu_ns)
        self._stood_still = self._most_wait_ns = None
        self._rests = self._meter.rests() if self._was_long else None
        self._waited_ns = self._meter.waited_ns()
        self._waits_ns = self._meter.waits_ns()
        self._seen = SeenWaits(
            Look(
                self._ahead_ns,
                self._cpu_ns + self._ahead_ns,
                self._waited_ns,
                self._meter.ended_ns(),
                read_ns=self._ahead_ns,
            )
        )
        self._earlier_ns.clear()
        self._waited_before_ns.clear()
        self._next_reading_ns = STILL_NS
        self._seen_cpu_ns = self._cpu_ns
        self._own_ns = self._own.waited_ns()
        self._began_ns = time.monotonic_ns() - self._ahead_ns

    def gone(self) -> None:
        """Take note that the bot runs: what we have waited since `go`, it may have waited for us, unless it ran."""
        took_ns = self._wall_ns() - self._ahead_ns
        if took_ns < BRIEF_NS:
            return
        own_ns = self._own.waited_ns()
        waited_ns = own_ns - self._own_ns
        self._held_ns = max(0, waited_ns - (self._meter.cpu_ns() - self._cpu_ns))
        self._stood_still_for(took_ns - waited_ns)
        self._own_ns = own_ns

    def wall_us(self) -> int:
        """Return how long the turn has taken so far."""
        return self._wall_ns() // 1000

    def woke(self, latest_us: int) -> int:
        """Begin a look, and return the wall time of the turn. `latest_us`: when our alarm should have woken us.

        We may lose the core in between. So our own waits are read first, as a bot that answers meanwhile waits for us;
        and that a thread is ready before its wait, which may end meanwhile.
        """
        self._woke_ns = woke_ns = self._wall_ns()
        if woke_ns >= BRIEF_NS:
            self._woke_own_ns = self._own.waited_ns()
            is_long = woke_ns >= LONG_NS
            ready = is_long and self._meter.is_ready()
            if woke_ns >= min(self._next_reading_ns, LONG_NS):
                self._leave_out_earlier_waits()
                self._next_reading_ns = 2 * woke_ns
            overslept_ns = woke_ns - 1000 * latest_us
            cpu_ns = self._meter.cpu_ns()
            if is_long:
                self._look_closely(woke_ns, cpu_ns, ready=ready)
            if overslept_ns > STILL_NS and (cpu_ns > self._seen_cpu_ns or self._meter.is_ready()):
                self._stood_still_for(overslept_ns - (self._woke_own_ns - self._own_ns))
            self._seen_cpu_ns = cpu_ns
        return woke_ns // 1000

    def looked(self, *, bot_was_waiting: bool) -> None:
        """End a look, which has found whether the bot had been waiting for it.

        If so it has waited for us until now, which the next look counts. After an answer it waits no more, and no look
        comes.
        """
        if self._woke_ns < BRIEF_NS:
            return
        late_ns = self._kept_ns + (self._woke_own_ns - self._own_ns + self._held_ns if bot_was_waiting else 0)
        self._late_ns += late_ns
        self._slept_ns += max(0, self._seen.asleep_ns - late_ns - (self._still_ns - self._known_still_ns))
        self._known_still_ns = self._still_ns
        self._own_ns = self._own.waited_ns() if bot_was_waiting else self._woke_own_ns
        self._kept_ns = self._own_ns - self._woke_own_ns
        self._held_ns = 0

    def is_over(self, last_us: int) -> bool:
        """Say whether a bot that has not answered can no longer be in time."""
        spent = self._spent(self._wall_ns(), self._meter.cpu_ns(), answered=False)
        if not self._meter.is_ready():
            self._stood_still = None
            return spent.charged_us > last_us
        if self._stood_still is None or self._stood_still[0] != spent.cpu_us:
            self._stood_still = (spent.cpu_us, spent.wall_us)
        return replace(spent, wait_us=spent.wall_us).charged_us > last_us

    @property
    def is_ready(self) -> bool:
        """Whether the bot was ready to run when `is_over` looked: then it waits now, it is unknown yet for how long.

        We may have been kept from looking for as long as the bot from running. It will run, or be seen to wait.
        """
        return self._stood_still is not None

    def is_starved(self) -> bool:
        """Say whether the host has kept the bot waiting for much of the turn; if not, its waits are hardly believed.

        Their sum means little, as sixty threads that get in each other's way for a moment wait a second. What counts is
        the longest wait of one; or that the bot was ready at an earlier look and has not computed since.
        """
        self._leave_out_earlier_waits()
        longest_ns = max((wait_ns - self._earlier_ns.get(thread, 0) for thread, wait_ns in self._waits()), default=0)
        if self._stood_still is not None:
            longest_ns = max(longest_ns, self._wall_ns() - 1000 * self._stood_still[1])
        starved = longest_ns * STARVED_SHARE >= self._wall_ns()
        self._most_wait_ns = None if starved or self.is_ready else longest_ns
        return starved

    def others_had_the_core(self) -> bool:
        """Say whether something besides the bot and us has had the core for much of the turn, and the bot wanted it.

        A bot that hardly ever was ready to run when we looked has slept, whatever its threads then waited for.
        """
        others_ns = self._others_ns(self._meter.cpu_ns())
        return self._seen.was_ready_mostly and others_ns * STARVED_SHARE >= self._wall_ns()

    @property
    def as_reported(self) -> Spent:
        """The times of the turn that was stopped, had we believed all that its threads say to have waited."""
        return self._reported

    def stop(self, *, answered: bool) -> Spent:
        """End the turn and return its times."""
        wall_ns = self._woke_ns if answered else self._wall_ns()
        cpu_ns = self._meter.cpu_ns()
        if answered and wall_ns < BRIEF_NS:
            spent = self._reported = Spent(wall_us=wall_ns // 1000, cpu_us=(cpu_ns - self._cpu_ns) // 1000)
        else:
            spent = self._spent(wall_ns, cpu_ns, answered=answered)
        self._cpu_ns = cpu_ns
        self._was_long = wall_ns >= LONG_NS
        return spent

    def close(self) -> None:
        """Let go of what is held. Safe to call again."""
        self._own.close()

    def _wall_ns(self) -> int:
        return time.monotonic_ns() - self._began_ns

    def _stood_still_for(self, unexplained_ns: int) -> None:
        if unexplained_ns > STILL_NS:
            self._still_ns += unexplained_ns

    def _waits(self) -> Iterator[tuple[str, int]]:
        """Yield each thread with what it had waited since the turn began, when the waits were last read."""
        for thread, wait_ns in self._meter.waits_ns().items():
            yield thread, wait_ns - self._waits_ns.get(thread, 0)

    def _leave_out_earlier_waits(self) -> None:
        """Read the waits, and note of each thread by how much they are longer than the turn so far."""
        self._waits_read_ns = self._meter.waited_ns()
        wall_ns = self._wall_ns()  # not before, as we may be kept waiting ourselves
        for thread, wait_ns in self._waits():
            if wait_ns - self._earlier_ns.get(thread, 0) > wall_ns:
                self._earlier_ns[thread] = wait_ns - wall_ns

    def _look_closely(self, woke_ns: int, cpu_ns: int, *, ready: bool) -> None:
        """Read what shows, in a long turn, whether a bot that does not compute waits or sleeps."""
        if self._core is None:
            self._core, self._core_from_ns, self._core_cpu_ns = CoreTime(), woke_ns, cpu_ns
        own_wait_ns = self._kept_ns + self._woke_own_ns - self._own_ns
        self._held_up_ns += own_wait_ns
        self._seen.look(self._look(woke_ns, cpu_ns), own_wait_ns, ready=ready)

    def _look(self, woke_ns: int, cpu_ns: int) -> Look:
        """Return what is to be seen at this look, with the waits as they have just been read."""
        waits_ns = {thread: wait_ns - self._earlier_ns.get(thread, 0) for thread, wait_ns in self._waits()}
        before_ns, self._waited_before_ns = self._waited_before_ns, waits_ns
        longest_ns = max((wait_ns - before_ns.get(thread, 0) for thread, wait_ns in waits_ns.items()), default=0)
        waited_ns = self._waits_read_ns - sum(self._earlier_ns.values())
        return Look(woke_ns, cpu_ns, waited_ns, self._meter.ended_ns(), longest_ns, self._wall_ns())

    def _late_beside(self, not_waited_ns: int, computed_ns: int) -> int:
        """Return how much of our waits counts in a turn in which the bot did not wait for `not_waited_ns`."""
        elsewhere_ns = max(0, not_waited_ns - computed_ns - self._slept_ns)
        return min(self._late_ns, elsewhere_ns + min(computed_ns, 1000 * TIDYING_US))

    def _spent(self, wall_ns: int, cpu_ns: int, *, answered: bool) -> Spent:
        computed_ns = cpu_ns - self._cpu_ns
        waited_ns = self._meter.waited_ns() - sum(self._earlier_ns.values())
        if wall_ns >= LONG_NS:
            waited_ns = self._seen.waited_ns(waited_ns, wall_ns, cpu_ns)
        waited_ns = max(0, waited_ns - self._waited_ns)
        if wall_ns >= LONG_NS and self._has_not_slept(answered=answered):
            waited_ns = max(waited_ns, wall_ns - computed_ns)
        unread_ns = self._still_ns + self._seen.believed_ns
        if unread_ns:
            waited_ns = max(waited_ns, min(waited_ns + unread_ns, wall_ns - computed_ns))
        if self._most_wait_ns is not None:
            waited_ns = min(waited_ns, self._most_wait_ns)
        reported = Spent(
            wall_us=wall_ns // 1000,
            cpu_us=computed_ns // 1000,
            wait_us=waited_ns // 1000,
            late_us=self._late_beside(wall_ns - waited_ns, computed_ns) // 1000,
        )
        self._reported = reported
        if wall_ns < VERY_LONG_NS:
            return reported
        return replace(reported, wait_us=min(waited_ns, self._most_ns(cpu_ns)) // 1000)

    def _most_ns(self, cpu_ns: int) -> int:
        """Return for how long at most a bot was kept from its core that has used so much CPU time."""
        if self._core is None:
            return self._wall_ns()
        our_work_ns = min(self._core.own_ns(), self._core.passed_ns() // STARVED_SHARE)
        return self._core_from_ns + self._others_ns(cpu_ns) + our_work_ns

    def _others_ns(self, cpu_ns: int) -> int:
        """Return for how long others had the core: they, or the machine's own host, or what holds us up as well.

        That no process runs though we are ready to is how a limit on the CPU time of a container shows. A bot can hold
        us up itself, but for no longer than it computes.
        """
        others_ns = self._core.others_ns(cpu_ns - self._core_cpu_ns) if self._core else 0
        return others_ns + self._still_ns + self._held_up_ns

    def _has_not_slept(self, *, answered: bool) -> bool:
        """Say whether the bot certainly did not sleep. The rest in which one that has answered is came after that.

        Not of one in which a thread has ended: another one may have taken its place, and its number of rests.
        """
        if self._rests is None or self._seen.thread_ended:
            return False
        now = self._meter.rests()
        return now is not None and (now.ended if answered else now.begun) <= self._rests.begun
