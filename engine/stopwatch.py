"""Taking the times of a bot's turns. What they mean is in `clock`.

How this works. `go` is called just before the bot may run, `looked` after each look at what the bot has said. The
bot's CPU time counts from the end of its turn before, so what it does between its answer and our stopping it is on its
next turn. Our own waits count only up to a look that found what the bot had waited to give or get: late or
not, a look that finds nothing has kept the bot from nothing.
"""

from __future__ import annotations

import time

from engine.clock import Spent
from engine.sandbox.meter import Meter, OwnWaits


class Stopwatch:
    """The times of one bot's turns. All calls from one thread."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._own = OwnWaits()
        self._cpu_ns = meter.cpu_ns()
        self._waited_ns = 0
        self._own_ns = 0
        self._late_ns = 0
        self._began_ns = 0

    def go(self) -> None:
        """Begin a turn: the bot may run from now."""
        self._late_ns = 0
        self._waited_ns = self._meter.waited_ns()
        self._own_ns = self._own.waited_ns()
        self._began_ns = time.monotonic_ns()

    def wall_us(self) -> int:
        """Return how long the turn has taken so far."""
        return (time.monotonic_ns() - self._began_ns) // 1000

    def looked(self, *, bot_was_waiting: bool) -> None:
        """Take note of a look, and of whether the bot had been waiting for it."""
        own_ns = self._own.waited_ns()
        if bot_was_waiting:
            self._late_ns += own_ns - self._own_ns
        self._own_ns = own_ns

    def spent(self) -> Spent:
        """Return the times of the turn so far."""
        wall_ns = time.monotonic_ns() - self._began_ns
        return self._spent(wall_ns, self._meter.cpu_ns(), self._meter.waited_ns())

    def stop(self) -> Spent:
        """End the turn and return its times."""
        wall_ns = time.monotonic_ns() - self._began_ns
        cpu_ns, waited_ns = self._meter.cpu_ns(), self._meter.waited_ns()
        spent = self._spent(wall_ns, cpu_ns, waited_ns)
        self._cpu_ns = cpu_ns
        return spent

    def close(self) -> None:
        """Let go of what is held. Safe to call again."""
        self._own.close()

    def _spent(self, wall_ns: int, cpu_ns: int, waited_ns: int) -> Spent:
        return Spent(
            wall_us=wall_ns // 1000,
            cpu_us=(cpu_ns - self._cpu_ns) // 1000,
            wait_us=(waited_ns - self._waited_ns) // 1000,
            late_us=self._late_ns // 1000,
        )
