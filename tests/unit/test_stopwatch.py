"""What a stopwatch makes of a meter's readings in moments that no test can bring about at will."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from unittest.mock import patch

import pytest

from engine.bot import stopwatch
from engine.bot.stopwatch import Stopwatch
from engine.sandbox.usage.meter import Rests

LIMIT_US = 50_000
MS = 1_000_000


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


class Moment:
    """The time in these tests. It passes where a test says so, and other programs have the core meanwhile."""

    ns = 0


def pass_time(seconds: float) -> None:
    """Let some time pass."""
    Moment.ns += round(seconds * 1e9)


def core_of_others() -> SimpleNamespace:
    """Say of the core that others have it all the time."""
    began_ns = Moment.ns
    return SimpleNamespace(
        own_ns=lambda: 0,
        passed_ns=lambda: Moment.ns - began_ns,
        others_ns=lambda _program_ns: Moment.ns - began_ns,
    )


@pytest.fixture(autouse=True)
def time_of_the_test() -> Iterator[None]:
    """Whatever this machine does meanwhile, no other time passes for the stopwatch."""
    with (
        patch.object(stopwatch, "time", SimpleNamespace(monotonic_ns=lambda: Moment.ns)),
        patch.object(stopwatch, "CoreTime", core_of_others),
        patch.object(stopwatch, "OwnWaits", Lateness),
    ):
        yield


def a_turn_that_nobody_looked_at(readings: Readings, length_s: float = 0.2) -> Stopwatch:
    """Begin a turn and come back after a while in which the bot has computed 36 ms and then waited for the core."""
    watch = Stopwatch(readings)
    watch.go()
    watch.gone()
    pass_time(length_s)
    readings.cpu = 36_000_000
    readings.ready = True
    return watch


class Lateness:
    """Our own waits, as long as a test says."""

    waits_ns = 0

    def waited_ns(self) -> int:
        return self.waits_ns

    def close(self) -> None:
        return


def test_a_bot_that_is_ready_when_we_come_to_look_is_not_given_up_though_its_wait_is_in_no_account_yet() -> None:
    readings = Readings()
    watch = a_turn_that_nobody_looked_at(readings)
    assert not watch.is_over(LIMIT_US)
    assert not watch.is_starved(), "nobody knows yet"
    assert watch.is_ready, "so it is looked at again"
    readings.waited = 150_000_000  # it ran at last, which is when its wait is told, and answered
    readings.cpu = 45_000_000
    readings.ready = False
    watch.woke(10_000_000)
    watch.looked(bot_was_waiting=True)
    spent = watch.stop(answered=True)
    assert spent.wait_us == 150_000
    assert spent.charged_us < spent.wall_us - 140_000


def test_a_bot_that_stays_ready_and_does_not_run_is_starved_in_the_end() -> None:
    watch = a_turn_that_nobody_looked_at(Readings())
    assert not watch.is_over(LIMIT_US)
    assert not watch.is_starved()
    pass_time(0.2)
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
    pass_time(0.004)
    readings.waited = 70_000_000  # it runs at once, and the kernel tells what it had waited since its last answer
    watch.woke(10_000_000)
    first_look_us = watch.wall_us()
    watch.looked(bot_was_waiting=False)
    pass_time(0.2)
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
    pass_time(0.001)
    readings.cpu = 1_000_000
    watch.woke(10_000_000)
    watch.looked(bot_was_waiting=False)
    pass_time(0.2)
    readings.cpu += computed_ns
    watch.woke(2_000)
    watch.looked(bot_was_waiting=False)
    return watch.stop(answered=False).wait_us


def test_a_bot_that_was_computing_when_the_machine_stood_still_is_taken_to_have_waited() -> None:
    assert wait_when_our_alarm_comes_late(Readings(), computed_ns=10_000) > 0
    assert wait_when_our_alarm_comes_late(Readings(ready=True), computed_ns=0) > 0


def test_a_bot_that_slept_while_the_machine_stood_still_and_sleeps_on_has_not_waited() -> None:
    assert wait_when_our_alarm_comes_late(Readings(), computed_ns=0) == 0


def charge_after_sleep(*, bot_was_waiting: bool) -> int:
    """Return the charge of a bot that sleeps through a long turn, at whose looks it had to wait for us or not."""
    lateness = Lateness()
    with patch.object(stopwatch, "OwnWaits", lambda: lateness):
        readings = Readings()
        watch = Stopwatch(readings)
        watch.go()
        watch.gone()
        for _ in range(3):
            pass_time(0.02)
            lateness.waits_ns += 19_000_000
            watch.woke(10_000_000)
            watch.looked(bot_was_waiting=bot_was_waiting)
        lateness.waits_ns += 60_000_000
        watch.woke(10_000_000)
        watch.looked(bot_was_waiting=True)
        return watch.stop(answered=True).charged_us


def test_a_bot_that_slept_while_we_were_late_has_slept() -> None:
    assert charge_after_sleep(bot_was_waiting=False) >= 40_000


def test_a_bot_that_waited_for_us_while_we_were_late_has_not_slept() -> None:
    """It was asleep at each look because its pipe was full."""
    assert charge_after_sleep(bot_was_waiting=True) < 20_000


@contextmanager
def losing_the_core(
    readings: Readings, reading: str, lateness: Lateness, wait_ms: int, meanwhile: Callable[[], None]
) -> Iterator[None]:
    """Let us lose the core for so long after the first such reading of the block; `meanwhile`: what the bot does."""
    read, before_ns = getattr(readings, reading), lateness.waits_ns

    def read_and_wait() -> object:
        found = read()
        if lateness.waits_ns == before_ns:
            meanwhile()
            pass_time(wait_ms / 1000)
            lateness.waits_ns += wait_ms * MS
        return found

    with patch.object(readings, reading, read_and_wait):
        yield


@pytest.mark.parametrize("reading", ["is_ready", "waited_ns", "cpu_ns"])
def test_a_bot_that_runs_and_answers_while_we_look_has_waited_before_and_for_us_afterwards(reading: str) -> None:
    lateness, readings = Lateness(), Readings(ready=True)

    def run_and_answer() -> None:
        readings.waited, readings.cpu, readings.ready = 30 * MS, MS, False

    with patch.object(stopwatch, "OwnWaits", lambda: lateness):
        watch = Stopwatch(readings)
        watch.go()
        watch.gone()
        pass_time(0.031)
        with losing_the_core(readings, reading, lateness, 20, run_and_answer):
            watch.woke(10_000_000)
        watch.looked(bot_was_waiting=False)
        watch.woke(10_000_000)
        watch.looked(bot_was_waiting=True)
        spent = watch.stop(answered=True)
    assert spent.wall_us >= 50_000
    assert spent.charged_us < 10_000


@pytest.mark.parametrize("reading", ["is_ready", "waited_ns", "cpu_ns"])
def test_a_bot_whose_pipe_is_full_waits_for_us_until_we_have_looked(reading: str) -> None:
    """Then it computes for a while, in which we look again and find nothing, and answers."""
    lateness, readings = Lateness(), Readings()
    with patch.object(stopwatch, "OwnWaits", lambda: lateness):
        watch = Stopwatch(readings)
        watch.go()
        watch.gone()
        readings.cpu = 12 * MS
        pass_time(0.012)
        with losing_the_core(readings, reading, lateness, 50, lambda: None):
            watch.woke(10_000_000)
        watch.looked(bot_was_waiting=True)
        readings.ready = True
        pass_time(0.002)
        readings.cpu += 2 * MS
        watch.woke(10_000_000)
        watch.looked(bot_was_waiting=False)
        readings.ready = False
        watch.woke(10_000_000)
        watch.looked(bot_was_waiting=True)
        spent = watch.stop(answered=True)
    assert spent.wall_us >= 64_000
    assert spent.charged_us < 30_000
