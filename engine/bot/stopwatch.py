"""Taking the times of a bot's turns. What they mean is in `clock`.

How this works. `go` is called just before the bot may run, `woke` when something is to be looked at, `looked` when that
is done. A turn ends with the look that found the answer. What the bot computed between its last answer and our having
stopped it is on its next turn, which is taken to have begun so much earlier.

CPU time is known exactly. Of the rest the kernel's accounts explain most: the waits of its threads for the core, and
our own wait at the look that found the answer. What they do not explain is sleep, or a wait that is in no account: one
that a thread is in the middle of, those of threads that have ended, the time that the host of a virtual machine took.
Doubt favours the bot, as sleep wins nothing: in a turn that would be too long only as much of it is sleep as the core
stood idle, which nothing in the box can bring about or hide but by computing. That is read from 2 ms on; turns that are
over by then are never too long.

What is not proven is borne up to a sum for each match. Then the stricter reading counts: a bot slept where two looks in
a row, 2 ms apart, found none of its threads ready to run.

Waits may be feigned, by threads that wait for each other. So of the waits between two readings the longest of one
thread counts; one that began before the turn counts as far as the turn has lasted; and a core that was idle for certain
proves sleep whatever the accounts say.
"""

import time

from engine.bot.clock import Spent
from engine.sandbox.meter import Meter, OwnWaits
from engine.sandbox.standstill import TICK_NS, CoreTime

DOUBT_NS = 2_000_000_000
"""How much of a match may be neither explained nor proven to be sleep before the stricter reading counts."""
BRIEF_NS = 100_000
"""A shorter turn is not worth a look at who waited for whom."""
EVIDENCE_NS = 1_500_000
"""From here on it is noted how long the core was idle; the first look of most turns comes at 2 ms."""
OFTEN_NS = 10_000_000
"""From here on the waits are read at each look, before at looks further and further apart."""
LONG_NS = 50_000_000
"""From here on it is noted at each look whether a thread is ready to run."""
STILL_NS = 1_000_000
"""An alarm may come so late on a machine that runs."""
STARVED_SHARE = 4
"""The host is to blame where others had the core for at least this part of the turn: a quarter."""


class Stopwatch:
    """The times of one bot's turns. All calls from one thread."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._left_ns = DOUBT_NS
        self._cpu_ns = meter.cpu_ns()
        self._own = OwnWaits()  # last, as it is to be closed
        self.go()

    def go(self) -> None:
        ahead_ns = max(0, self._meter.cpu_ns() - self._cpu_ns)
        self._meter.waited_ns()
        self._waits_ns = self._meter.waits_ns()
        self._next_reading_ns = STILL_NS
        self._waited_ns = self._late_ns = self._delayed_ns = self._asleep_ns = self._newly_asleep_ns = 0
        self._looks = self._ready_looks = 0
        self._was_asleep = False
        self._core: CoreTime | None = None
        self._own_ns = self._own.waited_ns()
        self._woke_ns = self._seen_ns = self._seen_cpu_ns = 0
        self._began_ns = time.monotonic_ns() - ahead_ns

    def wall_us(self) -> int:
        return self._wall_ns() // 1000

    def woke(self, latest_us: int) -> int:
        """Begin a look, and return the wall time of the turn. `latest_us`: when our alarm should have woken us.

        We may lose the core in between. So our own waits are read first, as a bot that answers meanwhile waits for us.
        """
        self._woke_ns = self._wall_ns()
        if self._woke_ns >= BRIEF_NS:
            own_ns = self._own.waited_ns()
            self._kept_ns, self._own_ns = own_ns - self._own_ns, own_ns
            late_alarm_ns = self._woke_ns - 1000 * latest_us - self._kept_ns
            stood_still_ns = late_alarm_ns if late_alarm_ns > STILL_NS else 0
            if self._core:
                self._delayed_ns += self._kept_ns + stood_still_ns
            if self._woke_ns >= EVIDENCE_NS:
                self._look_closely(stood_still_ns)
        return self._woke_ns // 1000

    def looked(self, *, bot_was_waiting: bool) -> None:
        """End a look, which has found whether the bot had been waiting for it: then it waited while we did."""
        if bot_was_waiting and self._woke_ns >= BRIEF_NS:
            self._late_ns += self._kept_ns
            self._asleep_ns -= min(self._kept_ns, self._newly_asleep_ns)

    def is_over(self, last_us: int) -> bool:
        spent, _ = self._spent(self._wall_ns(), self._meter.cpu_ns(), 1000 * last_us, self._left_ns)
        return spent.charged_us > last_us

    def is_kept_from_its_core(self, last_us: int) -> bool:
        """Say whether a bot that has not answered for very long is not to blame: the accounts explain all of it.

        Or a thread of it was ready for most of the turn, and others had the core for much of it. A bot that hardly ever
        was ready to run when we looked has slept, whatever its threads then waited for.
        """
        spent, _ = self._spent(self._wall_ns(), self._meter.cpu_ns(), 1000 * last_us, None)
        if spent.charged_us <= last_us:
            return True
        if self._core is None or 2 * self._ready_looks < self._looks:
            return False
        others_ns = self._core.others_ns(self._meter.cpu_ns() - self._core_cpu_ns) + self._delayed_ns
        return others_ns * STARVED_SHARE >= self._wall_ns()

    def stop(self, limit_us: int, *, answered: bool) -> Spent:
        """End the turn and return its times. What is neither explained nor proven is off what the match may bear.

        It bears nothing where a bot has not answered and was given up, as nothing is left in doubt then.
        """
        wall_ns, cpu_ns = self._woke_ns if answered else self._wall_ns(), self._meter.cpu_ns()
        if answered and wall_ns < BRIEF_NS:
            spent = Spent(wall_us=wall_ns // 1000, cpu_us=(cpu_ns - self._cpu_ns) // 1000)
        else:
            spent, borne_ns = self._spent(wall_ns, cpu_ns, 1000 * limit_us, self._left_ns if answered else None)
            self._left_ns -= borne_ns
        self._cpu_ns = cpu_ns
        return spent

    def close(self) -> None:
        self._own.close()

    def _wall_ns(self) -> int:
        return time.monotonic_ns() - self._began_ns

    def _look_closely(self, stood_still_ns: int) -> None:
        """Read what shows whether a bot that does not compute waits or sleeps. `stood_still_ns`: when nothing ran."""
        is_asleep = self._is_watched() and not self._meter.is_ready()
        self._looks += self._is_watched()
        self._ready_looks += self._is_watched() and not is_asleep
        if self._woke_ns >= min(self._next_reading_ns, OFTEN_NS):
            self._next_reading_ns = 2 * self._woke_ns
            self._read_waits()
        cpu_ns = self._meter.cpu_ns()
        self._newly_asleep_ns = 0
        if is_asleep and self._was_asleep:
            passed_ns = self._woke_ns - self._seen_ns - (cpu_ns - self._seen_cpu_ns)
            self._newly_asleep_ns = max(0, passed_ns - stood_still_ns)
            self._asleep_ns += self._newly_asleep_ns
        self._was_asleep, self._seen_ns, self._seen_cpu_ns = is_asleep, self._woke_ns, cpu_ns
        if self._core is None:
            self._core, self._core_from_ns, self._core_cpu_ns = CoreTime(), self._woke_ns, cpu_ns

    def _is_watched(self) -> bool:
        return self._woke_ns >= LONG_NS or self._left_ns <= 0

    def _read_waits(self) -> None:
        self._meter.waited_ns()
        before_ns, self._waits_ns = self._waits_ns, self._meter.waits_ns()
        longest_ns = max((wait - before_ns.get(thread, 0) for thread, wait in self._waits_ns.items()), default=0)
        self._waited_ns += min(longest_ns, self._wall_ns())

    def _idle_ns(self) -> tuple[int, int]:
        """Return for how long the core was idle in the turn, at least and at most.

        It is known in whole ticks, and before the first look not at all: so where it was idle later it may have been
        idle then. While we were ready and did not run either, it was not the bot's to use.
        """
        idle_ns = self._core.idle_ns() - self._delayed_ns if self._core else 0
        if idle_ns < TICK_NS // 2:
            return 0, 0
        before_ns = self._core_from_ns - (self._core_cpu_ns - self._cpu_ns)
        return max(0, idle_ns - TICK_NS), idle_ns + TICK_NS + before_ns

    def _spent(self, wall_ns: int, cpu_ns: int, limit_ns: int, left_ns: int | None) -> tuple[Spent, int]:
        """Return the times, and how much is not charged though neither explained nor proven. `left_ns`: how much of
        that the match may still bear; None: it counts as sleep.
        """
        self._read_waits()
        computed_ns = cpu_ns - self._cpu_ns
        spare_ns = max(0, wall_ns - computed_ns)
        idle_least_ns, idle_most_ns = self._idle_ns()
        slept_ns = min(spare_ns, max(idle_least_ns, spare_ns - self._waited_ns - self._late_ns))
        borne_ns = 0
        if left_ns is not None and computed_ns + slept_ns > limit_ns:
            proven_ns = min(slept_ns, idle_most_ns)
            borne_ns = min(slept_ns - proven_ns, left_ns)
            slept_ns = max(proven_ns, min(slept_ns - borne_ns, self._asleep_ns))
        wall_us, cpu_us = wall_ns // 1000, computed_ns // 1000
        excused_us = max(0, wall_us - cpu_us - slept_ns // 1000)
        late_us = min(self._late_ns // 1000, max(0, excused_us - self._waited_ns // 1000))
        return Spent(wall_us, cpu_us, wait_us=excused_us - late_us, late_us=late_us), borne_ns
