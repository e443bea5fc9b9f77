"""What a stopwatch makes of a meter's readings in moments that no test can bring about at will."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import SimpleNamespace
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from engine.bot import stopwatch
from engine.bot.clock import TIDYING_US, Spent
from engine.bot.stopwatch import BRIEF_NS, LONG_NS, Stopwatch
from engine.sandbox.usage.meter import Rests

LIMIT_US = 50_000
MS = 1_000_000
ALARM_NS = 2 * MS
NEVER_NS = 10**15
ROUNDED_US = 2
"""What a charge loses or gains because all times are whole microseconds."""
SHARES_MS = (0.3, 3, 3, 30)
"""For how long at most a program has the core before another one gets it."""

Stretch = tuple[str, int]
"""What a bot does, "compute" or "sleep", and for how many nanoseconds."""


@dataclass
class Readings:
    """A meter that reads what it is told to."""

    cpu: int = 0
    waited: int = 0
    ready: bool = False

    def cpu_ns(self) -> int:
        return self.cpu

    def waited_ns(self) -> int:
        return self.waited

    def ended_ns(self) -> int:
        return 0

    def waits_ns(self) -> Mapping[str, int]:
        return {"1": self.waited}

    def is_ready(self) -> bool:
        return self.ready

    def rests(self) -> Rests | None:
        return None

    def memory_bytes(self) -> int:
        return 0

    def close(self) -> None:
        return


def a_turn_that_nobody_looked_at(readings: Readings, length_s: float = 0.2) -> Stopwatch:
    """Begin a turn and come back after a while in which the bot has computed 36 ms and then waited for the core."""
    watch = Stopwatch(readings)
    watch.go()
    watch.gone()
    time.sleep(length_s)
    readings.cpu = 36_000_000
    readings.ready = True
    return watch


def test_a_bot_that_is_ready_when_we_come_to_look_is_not_given_up_though_its_wait_is_in_no_account_yet() -> None:
    readings = Readings()
    watch = a_turn_that_nobody_looked_at(readings)
    assert not watch.is_over(LIMIT_US)
    assert not watch.is_starved(), "nobody knows yet"
    assert watch.is_ready, "so it is looked at again"
    readings.waited = 160_000_000  # it ran at last, which is when its wait is told, and answered
    readings.cpu = 45_000_000
    readings.ready = False
    watch.woke(10_000_000)
    watch.looked(bot_was_waiting=True)
    spent = watch.stop(answered=True)
    assert spent.wait_us == 160_000
    assert spent.charged_us < spent.wall_us - 150_000


def test_a_bot_that_stays_ready_and_does_not_run_is_starved_in_the_end() -> None:
    watch = a_turn_that_nobody_looked_at(Readings())
    assert not watch.is_over(LIMIT_US)
    assert not watch.is_starved()
    time.sleep(0.2)
    assert not watch.is_over(LIMIT_US)
    assert watch.is_starved()


def test_a_bot_that_sleeps_when_we_come_to_look_is_over_and_its_small_waits_do_not_help_it() -> None:
    readings = Readings()
    watch = a_turn_that_nobody_looked_at(readings)
    readings.ready = False
    readings.waited = 10_000_000
    assert watch.is_over(LIMIT_US)
    assert not watch.is_starved()
    assert not watch.is_ready


def test_a_wait_while_the_bot_was_frozen_shows_in_its_next_turn_and_does_not_count_there() -> None:
    readings = Readings()
    watch = Stopwatch(readings)
    watch.go()
    watch.gone()
    time.sleep(0.004)
    readings.waited = 70_000_000  # it runs at once, and the kernel tells what it had waited since its last answer
    watch.woke(10_000_000)
    first_look_us = watch.wall_us()
    watch.looked(bot_was_waiting=False)
    time.sleep(0.2)
    readings.waited += 5_000_000
    watch.woke(10_000_000)
    watch.looked(bot_was_waiting=True)
    spent = watch.stop(answered=True)
    assert 5_000 < spent.wait_us <= first_look_us + 5_000


def wait_when_our_alarm_comes_late(readings: Readings, computed_ns: int) -> int:
    """Return what a bot is taken to have waited in a turn in which the machine stood still for a while."""
    watch = Stopwatch(readings)
    watch.go()
    watch.gone()
    time.sleep(0.001)
    readings.cpu = 1_000_000
    watch.woke(10_000_000)
    watch.looked(bot_was_waiting=False)
    time.sleep(0.2)
    readings.cpu += computed_ns
    watch.woke(2_000)
    watch.looked(bot_was_waiting=False)
    return watch.stop(answered=False).wait_us


def test_a_bot_that_was_computing_when_the_machine_stood_still_is_taken_to_have_waited() -> None:
    assert wait_when_our_alarm_comes_late(Readings(), computed_ns=10_000) > 0
    assert wait_when_our_alarm_comes_late(Readings(ready=True), computed_ns=0) > 0


def test_a_bot_that_slept_while_the_machine_stood_still_and_sleeps_on_has_not_waited() -> None:
    assert wait_when_our_alarm_comes_late(Readings(), computed_ns=0) == 0


class OneCore:
    """A model of a core that a bot, the referee and busy programs share, so that we know what the bot did in its turn.

    Whoever is ready to run gets the core for a random time, in random order. A wait is in an account when it has ended,
    as Linux does it. The referee looks every 2 ms, and when there is an answer.
    """

    def __init__(self, work: Sequence[Stretch], tidying_ns: int, busy_programs: int, random: Random) -> None:
        """`work`: what the bot does before its answer; `tidying_ns`: for how long it computes after it."""
        self.bot = Readings(ready=True)
        self.seen_asleep_ns = 0
        self._program = self._stretches(work, tidying_ns)
        self._busy_programs = busy_programs
        self._random = random
        self._now_ns = self._others_ns = self._own_wait_ns = self._left_ns = self._slept_ns = 0
        self._bot_since_ns = self._bot_wakes_ns = self._we_since_ns = 0
        self._answered = False

    def turn(self) -> Spent:
        """Let the bot have its turn, and return the times that a stopwatch takes of it."""
        clocks = SimpleNamespace(monotonic_ns=lambda: self._now_ns)
        own_waits = SimpleNamespace(waited_ns=lambda: self._own_wait_ns)
        with (
            patch.object(stopwatch, "time", clocks),
            patch.object(stopwatch, "OwnWaits", lambda: own_waits),
            patch.object(stopwatch, "CoreTime", self._core_time),
        ):
            watch = Stopwatch(self.bot)
            watch.go()
            self._until_we_run(self._now_ns)
            watch.gone()
            while not self._has_answered_at_a_look(watch):
                pass
            return watch.stop(answered=True)

    def _has_answered_at_a_look(self, watch: Stopwatch) -> bool:
        alarm_ns = self._now_ns if self._answered else self._now_ns + ALARM_NS
        self._until_we_run(alarm_ns)
        if not self.bot.ready and not self._answered and self._now_ns >= LONG_NS:
            self.seen_asleep_ns = self._slept_ns - (self._bot_wakes_ns - self._now_ns)
        watch.woke(alarm_ns // 1000)
        watch.looked(bot_was_waiting=self._answered)
        return self._answered

    def _core_time(self) -> SimpleNamespace:
        began_ns, others_ns = self._now_ns, self._others_ns
        return SimpleNamespace(
            own_ns=lambda: 0,
            passed_ns=lambda: self._now_ns - began_ns,
            others_ns=lambda _program_ns: self._others_ns - others_ns,
        )

    def _stretches(self, work: Sequence[Stretch], tidying_ns: int) -> Iterator[Stretch]:
        yield from work
        self._answered = True
        self._we_since_ns = min(self._we_since_ns, self._now_ns)
        yield "compute", tidying_ns
        yield "sleep", NEVER_NS

    def _until_we_run(self, alarm_ns: int) -> None:
        """Deal out the core until the referee gets it, which wants it from its alarm on, or the answer."""
        self._we_since_ns = alarm_ns
        while True:
            if not self.bot.ready and self._bot_wakes_ns <= self._now_ns:
                self.bot.ready, self._bot_since_ns = True, self._bot_wakes_ns
            ready = ["bot"] * self.bot.ready + ["we"] * (self._we_since_ns <= self._now_ns)
            ready += ["others"] * self._busy_programs
            if not ready:
                self._now_ns = min(self._bot_wakes_ns, self._we_since_ns)
                continue
            share_ns = 1 + round(self._random.random() * self._random.choice(SHARES_MS) * MS)
            match self._random.choice(ready):
                case "we":
                    self._own_wait_ns += self._now_ns - self._we_since_ns
                    return
                case "bot":
                    self._let_the_bot_run(self._now_ns + share_ns)
                case _:
                    self._now_ns += share_ns
                    self._others_ns += share_ns

    def _let_the_bot_run(self, until_ns: int) -> None:
        self.bot.waited += self._now_ns - self._bot_since_ns
        while self._now_ns < until_ns:
            if not self._left_ns:
                kind, self._left_ns = next(self._program)
                if kind == "sleep":
                    self._bot_wakes_ns = self._now_ns + self._left_ns
                    self._slept_ns += self._left_ns
                    self._left_ns = 0
                    self.bot.ready = False
                    return
            ran_ns = min(self._left_ns, until_ns - self._now_ns)
            self._now_ns += ran_ns
            self._left_ns -= ran_ns
            self.bot.cpu += ran_ns
        self._bot_since_ns = self._now_ns


def stretches(kind: str) -> st.SearchStrategy[Stretch]:
    """Up to 80 ms of computing or sleep."""
    return st.tuples(st.just(kind), st.integers(0, 80 * MS))


TIDYING = st.integers(0, 1000 * TIDYING_US)
BUSY_PROGRAMS = st.integers(0, 16)
RANDOMS = st.integers(0, 2**32).map(Random)


@given(st.lists(stretches("compute") | stretches("sleep"), max_size=5), TIDYING, BUSY_PROGRAMS, RANDOMS)
def test_however_busy_the_core_is_a_bot_is_charged_for_what_it_computed_and_was_seen_to_sleep(
    work: list[Stretch], tidying_ns: int, busy_programs: int, random: Random
) -> None:
    """Our own wait for the core makes none of it cheaper, but for what may have been tidying."""
    core = OneCore(work, tidying_ns, busy_programs, random)
    charged_us = core.turn().charged_us
    computed_ns = sum(length_ns for kind, length_ns in work if kind == "compute")
    assert charged_us + TIDYING_US + ROUNDED_US >= (computed_ns + core.seen_asleep_ns) // 1000


@given(st.lists(stretches("compute"), max_size=2), TIDYING, BUSY_PROGRAMS, RANDOMS)
def test_however_busy_the_core_is_a_bot_that_never_sleeps_is_charged_for_its_computing_alone(
    work: list[Stretch], tidying_ns: int, busy_programs: int, random: Random
) -> None:
    spent = OneCore(work, tidying_ns, busy_programs, random).turn()
    assert spent.charged_us <= max(BRIEF_NS // 1000, spent.cpu_us) + ROUNDED_US
    assert spent.cpu_us + spent.wait_us + spent.late_us <= spent.wall_us + TIDYING_US, "no time counts twice"
