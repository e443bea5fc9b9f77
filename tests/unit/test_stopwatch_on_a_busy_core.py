"""What a stopwatch takes a turn's times to be on a core that bot, referee and busy programs share: a model of the core.

How this works. In a model we know what the bot did, to the nanosecond, and any number of programs costs nothing. The
readings and the arithmetic are the real ones.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import SimpleNamespace
from unittest.mock import patch

from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.bot import stopwatch
from engine.bot.clock import Spent, TimeRule
from engine.bot.stopwatch import Stopwatch
from engine.sandbox.standstill import TICK_NS
from tests.unit.test_stopwatch import Readings

MS = 1_000_000
ALARM_NS = 2 * MS
NEVER_NS = 10**15
LIMIT_US = 50_000
ROUNDED_US = 3
"""What a charge loses or gains because all times are whole microseconds."""
INTERRUPTED_SHARE = 0.1
"""On real machines it is far less."""
SHARES_MS = (0.3, 3, 3, 30)
"""For how long at most a program has the core before another one gets it."""

Stretch = tuple[str, int]
"""What a thread does, "compute" or "sleep", and for how many nanoseconds; or which other thread it lets "begin"."""


@dataclass
class Thread:
    """One of a bot's threads. `since_ns`: when it became ready; `wakes_ns`: when it will be, if it is not."""

    stretches: Iterator[Stretch]
    ready: bool = False
    since_ns: int = 0
    wakes_ns: int = NEVER_NS
    left_ns: int = 0
    waited_ns: int = 0


class ReadingsOfThreads(Readings):
    """A meter of a bot of several threads, after each of whose readings something may happen."""

    def __init__(self, threads: Sequence[Thread], interrupt: Callable[[], None]) -> None:
        super().__init__()
        self._threads = threads
        self._interrupt = interrupt
        self._read_waits: Mapping[str, int] = {}

    def cpu_ns(self) -> int:
        found = self.cpu
        self._interrupt()
        return found

    def waited_ns(self) -> int:
        self._read_waits = {str(number): thread.waited_ns for number, thread in enumerate(self._threads)}
        self._interrupt()
        return sum(self._read_waits.values())

    def waits_ns(self) -> Mapping[str, int]:
        return self._read_waits

    def is_ready(self) -> bool:
        ready = any(thread.ready for thread in self._threads)
        self._interrupt()
        return ready


class OneCore:
    """A model of a core that a bot, the referee and busy programs share, so that we know what the bot did in its turn.

    Whoever is ready to run gets the core for a random time, in random order. A wait is in an account when it has ended,
    as Linux does it. The referee looks every 2 ms, and when there is an answer.
    """

    def __init__(
        self,
        work: Sequence[Stretch],
        tidying_ns: int,
        busy_programs: int,
        random: Random,
        *others: Sequence[Stretch],
        interrupted_share: float = 0,
    ) -> None:
        """`work`: what the bot does before its answer; `tidying_ns`: for how long it computes after it.

        `others`: what further threads do, each once another one lets it begin; the first thread answers when all of
        them are over. `interrupted_share`: after how many of the referee's readings another one gets the core.
        """
        self._interrupted_share = interrupted_share
        self._looking = False
        self._unended = len(others)
        self._threads = [Thread(self._of_first(work, tidying_ns), ready=True)]
        self._threads += [Thread(self._of_other(one)) for one in others]
        self.bot = ReadingsOfThreads(self._threads, self._lose_the_core_now_and_then)
        self._busy_programs = busy_programs
        self._random = random
        self._now_ns = self._others_ns = self.our_wait_ns = self.idle_ns = 0
        self._we_since_ns = 0
        self._answered = False

    def turn(self) -> Spent:
        """Let the bot have its turn, and return the times that a stopwatch takes of it."""
        clocks = SimpleNamespace(monotonic_ns=lambda: self._now_ns)
        own_waits = SimpleNamespace(waited_ns=lambda: self.our_wait_ns)
        with (
            patch.object(stopwatch, "time", clocks),
            patch.object(stopwatch, "OwnWaits", lambda: own_waits),
            patch.object(stopwatch, "CoreTime", self._core_time),
        ):
            watch = Stopwatch(self.bot)
            watch.go()
            self._until_we_run(self._now_ns)
            while not self._has_answered_at_a_look(watch):
                pass
            return watch.stop(LIMIT_US, answered=True)

    def _has_answered_at_a_look(self, watch: Stopwatch) -> bool:
        alarm_ns = self._now_ns if self._answered else self._now_ns + ALARM_NS
        self._until_we_run(alarm_ns)
        has_answered = self._answered
        self._looking = True
        watch.woke(alarm_ns // 1000)
        self._looking = False
        watch.looked(bot_was_waiting=has_answered)
        return has_answered

    def _lose_the_core_now_and_then(self) -> None:
        if self._looking and self._random.random() < self._interrupted_share:
            self._until_we_run(self._now_ns)

    def _core_time(self) -> SimpleNamespace:
        idle_ns, others_ns = self.idle_ns, self._others_ns
        return SimpleNamespace(
            idle_ns=lambda: (self.idle_ns // TICK_NS - idle_ns // TICK_NS) * TICK_NS,
            others_ns=lambda _program_ns: self._others_ns - others_ns,
        )

    def _of_first(self, work: Sequence[Stretch], tidying_ns: int) -> Iterator[Stretch]:
        yield from work
        while self._unended:
            yield "rest", 0
        self._answered = True
        self._we_since_ns = min(self._we_since_ns, self._now_ns)
        yield "compute", tidying_ns
        yield "rest", 0

    def _of_other(self, work: Sequence[Stretch]) -> Iterator[Stretch]:
        yield from work
        self._unended -= 1
        if not self._unended:
            yield "begin", 0
        yield "rest", 0

    def _until_we_run(self, alarm_ns: int) -> None:
        """Deal out the core until the referee gets it, which wants it from its alarm on, or the answer."""
        self._we_since_ns = alarm_ns
        while True:
            for thread in self._threads:
                if not thread.ready and thread.wakes_ns <= self._now_ns:
                    self._wake(thread, thread.wakes_ns)
            ready: list[Thread | str] = [thread for thread in self._threads if thread.ready]
            ready += ["we"] * (self._we_since_ns <= self._now_ns)
            ready += ["others"] * self._busy_programs
            if not ready:
                until_ns = min(self._we_since_ns, *(thread.wakes_ns for thread in self._threads))
                self.idle_ns += until_ns - self._now_ns
                self._now_ns = until_ns
                continue
            share_ns = 1 + round(self._random.random() * self._random.choice(SHARES_MS) * MS)
            match self._random.choice(ready):
                case Thread() as thread:
                    self._let_run(thread, self._now_ns + share_ns)
                case "we":
                    self.our_wait_ns += self._now_ns - self._we_since_ns
                    return
                case _:
                    self._now_ns += share_ns
                    self._others_ns += share_ns

    def _let_run(self, thread: Thread, until_ns: int) -> None:
        thread.waited_ns += self._now_ns - thread.since_ns
        while self._now_ns < until_ns:
            while not thread.left_ns:
                kind, number = next(thread.stretches)
                if kind == "compute":
                    thread.left_ns = number
                elif kind == "begin":
                    self._wake(self._threads[number], self._now_ns)
                else:
                    thread.wakes_ns = self._now_ns + number if kind == "sleep" else NEVER_NS
                    thread.ready = False
                    return
            ran_ns = min(thread.left_ns, until_ns - self._now_ns)
            self._now_ns += ran_ns
            thread.left_ns -= ran_ns
            self.bot.cpu += ran_ns
        thread.since_ns = self._now_ns

    @staticmethod
    def _wake(thread: Thread, at_ns: int) -> None:
        if not thread.ready:
            thread.ready, thread.since_ns = True, at_ns


def stretches(kind: str) -> st.SearchStrategy[Stretch]:
    """Up to 80 ms of computing or sleep."""
    return st.tuples(st.just(kind), st.integers(0, 80 * MS))


TIDYING = st.integers(0, 4 * MS)
BUSY_PROGRAMS = st.integers(0, 16)
RANDOMS = st.integers(0, 2**32).map(Random)
WORKS = st.lists(stretches("compute") | stretches("sleep"), max_size=5)


def is_overrun(spent: Spent) -> bool:
    return TimeRule().is_overrun(spent, LIMIT_US // 1000)


def sum_us(work: Sequence[Stretch], wanted: str) -> int:
    return sum(length_ns for kind, length_ns in work if kind == wanted) // 1000


@given(WORKS, TIDYING, BUSY_PROGRAMS, RANDOMS)
def test_however_busy_the_core_is_a_bot_is_charged_for_what_it_computed(
    work: list[Stretch], tidying_ns: int, busy_programs: int, random: Random
) -> None:
    spent = OneCore(work, tidying_ns, busy_programs, random, interrupted_share=INTERRUPTED_SHARE).turn()
    assert spent.charged_us + ROUNDED_US >= sum_us(work, "compute")
    assert spent.cpu_us + spent.wait_us + spent.late_us <= spent.wall_us, "no time counts twice"


@settings(max_examples=1000)
@given(WORKS, TIDYING, BUSY_PROGRAMS, RANDOMS)
def test_however_busy_the_core_is_a_bot_within_its_limit_is_never_late(
    work: list[Stretch], tidying_ns: int, busy_programs: int, random: Random
) -> None:
    spent = OneCore(work, tidying_ns, busy_programs, random, interrupted_share=INTERRUPTED_SHARE).turn()
    if is_overrun(spent):
        assert spent.cpu_us + sum_us(work, "sleep") + ROUNDED_US > LIMIT_US


@example([("compute", 23_785_176), ("sleep", 26_214_825)], 0, Random(2))
@given(WORKS, TIDYING, RANDOMS)
def test_on_a_quiet_core_a_bot_is_charged_for_its_sleep(work: list[Stretch], tidying_ns: int, random: Random) -> None:
    """While we waited for the core, and be it for the bot itself, its idle time is in doubt."""
    core = OneCore(work, tidying_ns, 0, random)
    spent = core.turn()
    used_us = sum_us(work, "compute") + sum_us(work, "sleep")
    assert spent.charged_us + (2 * TICK_NS + core.our_wait_ns) // 1000 + ROUNDED_US >= used_us


@given(st.lists(stretches("compute"), max_size=2), TIDYING, BUSY_PROGRAMS, RANDOMS)
def test_however_busy_the_core_is_a_bot_that_never_sleeps_is_late_by_its_computing_alone(
    work: list[Stretch], tidying_ns: int, busy_programs: int, random: Random
) -> None:
    spent = OneCore(work, tidying_ns, busy_programs, random, interrupted_share=INTERRUPTED_SHARE).turn()
    assert is_overrun(spent) == (spent.cpu_us > LIMIT_US)


@given(st.lists(stretches("compute"), max_size=12), TIDYING, BUSY_PROGRAMS, RANDOMS)
def test_however_busy_the_core_is_a_bot_whose_threads_compute_at_once_is_late_by_their_computing_alone(
    works: list[Stretch], tidying_ns: int, busy_programs: int, random: Random
) -> None:
    """All of them wait at once for the core, and the first one for them."""
    begin_all = [("begin", number) for number in range(1, len(works) + 1)]
    spent = OneCore(begin_all, tidying_ns, busy_programs, random, *([work] for work in works)).turn()
    assert is_overrun(spent) == (spent.cpu_us > LIMIT_US)


@given(st.lists(stretches("compute"), max_size=12), TIDYING, BUSY_PROGRAMS, RANDOMS)
def test_however_busy_the_core_is_a_bot_whose_threads_compute_in_turn_is_late_by_their_computing_alone(
    works: list[Stretch], tidying_ns: int, busy_programs: int, random: Random
) -> None:
    """Each lets the next one begin, so no wait of one thread is as long as the turn."""
    chain = [[work, ("begin", number)] for number, work in enumerate(works[:-1], start=2)] + [works[-1:]] * bool(works)
    spent = OneCore([("begin", 1)][: len(works)], tidying_ns, busy_programs, random, *chain).turn()
    assert is_overrun(spent) == (spent.cpu_us > LIMIT_US)
