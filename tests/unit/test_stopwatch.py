"""What a stopwatch makes of a meter's readings in moments that no test can bring about at will."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from unittest.mock import patch

import pytest

from engine.bot import stopwatch
from engine.bot.clock import Spent
from engine.bot.stopwatch import DOUBT_NS, Stopwatch
from engine.sandbox.usage.standstill import TICK_NS

LIMIT_US = 50_000
MS = 1_000_000
SLICE_MS = 2
TICK_MS = TICK_NS / MS
NEVER_US = 10**9


@dataclass
class Readings:
    """A meter that reads what it is told to. `waits`: what each thread has waited."""

    cpu: int = 0
    waits: dict[str, int] = field(default_factory=lambda: {"1": 0})
    ready: bool = True

    def cpu_ns(self) -> int:
        return self.cpu

    def waited_ns(self) -> int:
        return sum(self.waits.values())

    def waits_ns(self) -> Mapping[str, int]:
        return dict(self.waits)

    def is_ready(self) -> bool:
        return self.ready

    def memory_bytes(self) -> int:
        return 0

    def close(self) -> None:
        return


class Machine:
    """A core that bot, referee and others share. Time passes where a test says so."""

    def __init__(self) -> None:
        self.bot = Readings()
        self.now_ns = self.own_wait_ns = self.idle_ns = 0
        self.watch: Stopwatch

    def core_time(self) -> SimpleNamespace:
        idle_ns, now_ns = self.idle_ns, self.now_ns
        return SimpleNamespace(
            idle_ns=lambda: (self.idle_ns - idle_ns) // TICK_NS * TICK_NS,
            others_ns=lambda program_ns: self.now_ns - now_ns - (self.idle_ns - idle_ns) - program_ns,
        )

    def computes(self, ms: float) -> None:
        self.now_ns += round(ms * MS)
        self.bot.cpu += round(ms * MS)

    def is_idle(self, ms: float) -> None:
        self.now_ns += round(ms * MS)
        self.idle_ns += round(ms * MS)

    def others_run(self, ms: float) -> None:
        self.now_ns += round(ms * MS)


@pytest.fixture
def machine() -> Iterator[Machine]:
    """Whatever this machine does meanwhile, no other time passes for the stopwatch than that of the test."""
    one = Machine()
    with (
        patch.object(stopwatch, "time", SimpleNamespace(monotonic_ns=lambda: one.now_ns)),
        patch.object(stopwatch, "CoreTime", one.core_time),
        patch.object(
            stopwatch, "OwnWaits", lambda: SimpleNamespace(waited_ns=lambda: one.own_wait_ns, close=lambda: None)
        ),
    ):
        one.watch = Stopwatch(one.bot)
        yield one


def look(machine: Machine, *, bot_was_waiting: bool = False, alarm_us: int = NEVER_US) -> None:
    machine.watch.woke(alarm_us)
    machine.watch.looked(bot_was_waiting=bot_was_waiting)


def answer(machine: Machine) -> Spent:
    look(machine, bot_was_waiting=True)
    return machine.watch.stop(LIMIT_US, answered=True)


def turn(machine: Machine, *parts: tuple[str, float]) -> Spent:
    """Let a bot have a turn of these parts, looked at every 2 ms, and answer."""
    machine.watch.go()
    for part, ms in parts:
        left_ms = ms
        while left_ms > 0:
            getattr(machine, part)(min(SLICE_MS, left_ms))
            left_ms -= SLICE_MS
            look(machine)
    return answer(machine)


def charged_ms(spent: Spent) -> float:
    return spent.charged_us / 1000


def test_on_a_quiet_core_a_bot_is_charged_what_it_computed_and_slept_to_the_microsecond(machine: Machine) -> None:
    for slept_ms in (9.1, 30.5, 61.7, 200.3):
        assert charged_ms(turn(machine, ("computes", 3), ("is_idle", slept_ms))) == 3 + slept_ms


def test_what_no_account_explains_is_not_charged_beside_busy_programs(machine: Machine) -> None:
    spent = turn(machine, ("computes", 1), ("others_run", 161))
    assert (charged_ms(spent), spent.wait_us) == (1, 161_000)


def test_a_turn_is_never_charged_less_than_what_the_bot_computed(machine: Machine) -> None:
    machine.watch.go()
    machine.computes(0.4)
    machine.others_run(1)
    machine.own_wait_ns += MS + MS // 2
    spent = answer(machine)
    assert spent.charged_us == spent.cpu_us == 400
    assert spent.cpu_us + spent.wait_us + spent.late_us <= spent.wall_us, "no time counts twice"


def test_a_turn_that_is_over_at_once_is_charged_its_wall_time(machine: Machine) -> None:
    turn(machine, ("computes", 5))
    machine.watch.go()
    machine.computes(0.03)
    machine.others_run(0.05)
    machine.own_wait_ns += MS
    machine.bot.waits["1"] += MS
    assert answer(machine) == Spent(wall_us=80, cpu_us=30)


def test_a_turn_of_a_tenth_of_a_millisecond_and_its_lateness_are_looked_at(machine: Machine) -> None:
    machine.watch.go()
    machine.others_run(0.1)
    machine.own_wait_ns += MS // 10
    assert answer(machine) == Spent(wall_us=100, late_us=100)


class TestTheSumForEachMatch:
    @staticmethod
    def use_up(machine: Machine) -> None:
        for _ in range(DOUBT_NS // (100 * MS)):
            assert charged_ms(turn(machine, ("others_run", 100))) == 0

    def test_a_bot_that_was_seen_asleep_pays_when_it_is_used_up(self, machine: Machine) -> None:
        machine.bot.ready = False
        self.use_up(machine)
        assert charged_ms(turn(machine, ("others_run", 100))) > 90

    def test_a_bot_that_was_ready_at_each_look_pays_nothing_for_its_waits_even_then(self, machine: Machine) -> None:
        self.use_up(machine)
        assert charged_ms(turn(machine, ("others_run", 100))) == 0

    def test_a_bot_that_was_asleep_at_every_other_look_pays_nothing_for_waits_even_then(self, machine: Machine) -> None:
        self.use_up(machine)
        machine.watch.go()
        for number in range(50):
            machine.bot.ready = number % 2 == 0
            machine.others_run(2)
            look(machine)
        assert charged_ms(answer(machine)) == 0

    def test_a_bot_that_is_found_asleep_once_may_have_waited_until_then(self, machine: Machine) -> None:
        self.use_up(machine)
        machine.bot.ready = False
        machine.watch.go()
        machine.others_run(100)
        assert charged_ms(answer(machine)) == 0

    def test_what_it_computed_between_looks_or_before_the_turn_is_not_sleep_even_then(self, machine: Machine) -> None:
        self.use_up(machine)
        machine.bot.ready = False
        machine.bot.cpu += 20 * MS  # after its answer
        machine.watch.go()
        look(machine)
        for _ in range(4):
            machine.computes(5)
            machine.others_run(5)
            look(machine)
        assert charged_ms(answer(machine)) == 20 + 4 * 5 + 4 * 5
        machine.watch.go()
        look(machine)
        for _ in range(4):
            machine.computes(5)
            machine.others_run(20)
            look(machine)
        assert charged_ms(answer(machine)) == 4 * 5 + 3 * 20, "all but what passed until it was found asleep first"

    def test_what_we_were_late_by_hides_no_sleep_between_two_looks_then(self, machine: Machine) -> None:
        self.use_up(machine)
        machine.bot.ready = False
        machine.watch.go()
        for _ in range(4):
            machine.others_run(20)
            machine.own_wait_ns += 20 * MS
            look(machine)
        assert charged_ms(answer(machine)) == 3 * 20, "all but what passed until it was found asleep first"

    def test_a_bot_that_waits_for_us_is_not_asleep_meanwhile_even_then(self, machine: Machine) -> None:
        self.use_up(machine)
        machine.bot.ready = False
        machine.watch.go()
        machine.others_run(60)
        look(machine)
        for _ in range(3):
            machine.others_run(20)
            machine.own_wait_ns += 20 * MS
            look(machine, bot_was_waiting=True)
        assert charged_ms(answer(machine)) == 0

    def test_while_the_machine_stood_still_nothing_slept_even_then(self, machine: Machine) -> None:
        self.use_up(machine)
        machine.bot.ready = False
        machine.watch.go()
        look(machine)
        for alarm_ms in (5, 25, 45, 65):
            machine.others_run(20)
            look(machine, alarm_us=1000 * alarm_ms)
        assert charged_ms(answer(machine)) < 3 * 5 + 5

    def test_waits_in_the_accounts_use_nothing_of_it(self, machine: Machine) -> None:
        machine.bot.ready = False
        for _ in range(DOUBT_NS // (50 * MS)):
            machine.watch.go()
            machine.others_run(100)
            machine.bot.waits["1"] += 100 * MS
            assert charged_ms(answer(machine)) == 0
        assert charged_ms(turn(machine, ("others_run", 100))) == 0, "it is whole"

    @pytest.mark.parametrize(
        ("part", "ms"), [("others_run", 50), ("is_idle", 60)], ids=["a turn within its limit", "sleep that is proven"]
    )
    def test_what_is_not_in_doubt_uses_nothing_of_it(self, machine: Machine, part: str, ms: int) -> None:
        machine.bot.ready = False
        for _ in range(DOUBT_NS // (20 * MS)):
            assert charged_ms(turn(machine, (part, ms))) == ms
        assert charged_ms(turn(machine, ("others_run", 100))) == 0

    def test_a_turn_that_is_only_a_moment_over_uses_a_moment_of_it(self, machine: Machine) -> None:
        machine.bot.ready = False
        for _ in range(DOUBT_NS // (51 * MS)):
            assert charged_ms(turn(machine, ("others_run", 51))) == 0
        assert charged_ms(turn(machine, ("others_run", 51 + 51))) > 51

    def test_a_turn_that_is_over_by_less_than_a_thousandth_is_in_doubt_too(self, machine: Machine) -> None:
        machine.bot.ready = False
        machine.watch.go()
        machine.others_run(50.02)
        look(machine)
        assert not machine.watch.is_over(LIMIT_US)
        assert charged_ms(machine.watch.stop(LIMIT_US, answered=True)) == 0

    def test_nothing_is_borne_of_a_turn_that_was_given_up(self, machine: Machine) -> None:
        machine.bot.ready = False
        machine.watch.go()
        machine.others_run(DOUBT_NS / MS)
        look(machine)
        assert charged_ms(machine.watch.stop(LIMIT_US, answered=False)) == DOUBT_NS / MS
        assert charged_ms(turn(machine, ("others_run", 100))) == 0, "it is whole"

    def test_only_a_turn_that_ends_uses_it(self, machine: Machine) -> None:
        machine.watch.go()
        machine.others_run(1500)
        look(machine)
        assert not any(machine.watch.is_over(LIMIT_US) for _ in range(10))
        assert charged_ms(answer(machine)) == 0


class TestTheCoreTellsWhoSlept:
    def test_threads_that_feign_waits_pay_for_the_time_in_which_the_core_was_idle(self, machine: Machine) -> None:
        machine.watch.go()
        for _ in range(50):
            machine.is_idle(2)
            for thread in map(str, range(40)):
                machine.bot.waits[thread] = machine.bot.waits.get(thread, 0) + 2 * MS
            look(machine)
        assert charged_ms(answer(machine)) == 80, "98 since the first look, in whole ticks, less one"

    def test_a_core_that_is_idle_while_we_wait_for_it_too_is_kept_from_both_of_us(self, machine: Machine) -> None:
        """As by a limit on the CPU time of a container."""
        machine.watch.go()
        machine.computes(30)
        look(machine)
        for _ in range(3):
            machine.is_idle(25)
            machine.own_wait_ns += 25 * MS
            look(machine)
        assert charged_ms(answer(machine)) == 30

    def test_what_we_waited_before_we_watched_the_core_leaves_its_idle_time_the_bots(self, machine: Machine) -> None:
        machine.watch.go()
        machine.others_run(1)
        machine.own_wait_ns += 30 * MS
        look(machine)
        machine.is_idle(2)
        look(machine)
        machine.is_idle(60)
        assert charged_ms(answer(machine)) == 63

    def test_an_alarm_that_is_late_as_we_waited_for_the_core_is_late_once(self, machine: Machine) -> None:
        machine.watch.go()
        machine.is_idle(2)
        look(machine)
        machine.others_run(20)
        machine.own_wait_ns += 20 * MS
        look(machine, alarm_us=2_000)
        machine.is_idle(60)
        assert charged_ms(answer(machine)) == 2 + TICK_MS + 60 - 20, "the core's idle time, to a tick, less our wait"

    @pytest.mark.parametrize(("late_ns", "slept_ms"), [(5 * MS + 1, 0), (5 * MS, 5 + TICK_MS + 2)])
    def test_less_than_half_a_tick_of_idle_time_proves_nothing(
        self, machine: Machine, late_ns: int, slept_ms: float
    ) -> None:
        machine.watch.go()
        machine.others_run(2)
        look(machine)
        machine.is_idle(10)
        machine.others_run(58)
        machine.own_wait_ns += late_ns
        assert charged_ms(answer(machine)) == slept_ms

    @pytest.mark.parametrize(("late_ns", "slept_ms"), [(MS, 6 + TICK_MS + 2), (MS + 1, 0)])
    def test_an_alarm_that_is_more_than_a_millisecond_late_shows_that_the_machine_stood_still(
        self, machine: Machine, late_ns: int, slept_ms: float
    ) -> None:
        machine.watch.go()
        machine.others_run(2)
        look(machine)
        machine.is_idle(10)
        machine.others_run(57)
        machine.now_ns += late_ns
        machine.own_wait_ns += 4 * MS
        look(machine, alarm_us=65_000)
        assert charged_ms(machine.watch.stop(LIMIT_US, answered=True)) == slept_ms

    def test_from_one_and_a_half_milliseconds_on_it_is_known_how_long_the_core_was_idle(self, machine: Machine) -> None:
        machine.watch.go()
        machine.others_run(1.5)
        look(machine)
        machine.is_idle(60)
        assert charged_ms(answer(machine)) == 61.5

    def test_what_was_computed_before_the_first_look_is_not_slept(self, machine: Machine) -> None:
        machine.watch.go()
        machine.computes(30)
        look(machine)
        machine.is_idle(10)
        machine.others_run(50)
        assert charged_ms(answer(machine)) == 30 + 10 + TICK_MS

    def test_a_machine_that_stands_still_is_idle_for_nobody(self, machine: Machine) -> None:
        machine.watch.go()
        machine.computes(30)
        look(machine)
        machine.is_idle(80)
        look(machine, alarm_us=32_000)
        assert charged_ms(answer(machine)) < 35

    def test_idle_time_before_the_first_look_may_have_been_the_bots(self, machine: Machine) -> None:
        """Where we came late to look, nobody knows."""
        machine.watch.go()
        machine.is_idle(45)
        look(machine)
        machine.is_idle(25)
        assert charged_ms(answer(machine)) == 70


class TestWaits:
    def test_the_waits_of_one_thread_add_up(self, machine: Machine) -> None:
        machine.watch.go()
        for _ in range(4):
            machine.computes(1)
            machine.others_run(10)
            machine.bot.waits["1"] += 10 * MS
            look(machine)
        spent = answer(machine)
        assert (spent.wait_us, spent.charged_us) == (40_000, 4_000)

    def test_of_threads_that_wait_at_once_the_longest_wait_counts(self, machine: Machine) -> None:
        machine.watch.go()
        machine.others_run(40)
        machine.bot.waits.update({"1": 10 * MS, "2": 13 * MS, "3": 12 * MS})
        assert answer(machine).wait_us == 13_000

    def test_waits_are_read_at_looks_twice_as_far_apart_each_time_and_from_10_ms_on_at_each(
        self, machine: Machine
    ) -> None:
        """At each look another thread has waited: of those between two readings one counts."""
        machine.watch.go()
        for number in range(10):
            machine.others_run(2)
            machine.bot.waits[f"new {number}"] = 2 * MS
            look(machine)
        assert answer(machine).wait_us == 18_000, "that of one thread, between the looks at 4 and at 8 ms, is lost"

    def test_where_no_threads_are_listed_nothing_has_waited(self, machine: Machine) -> None:
        machine.bot.waits.clear()
        machine.watch.go()
        machine.others_run(20)
        assert answer(machine) == Spent(wall_us=20_000)

    def test_a_wait_from_before_the_turn_counts_no_longer_than_the_turn_has_lasted(self, machine: Machine) -> None:
        """The wait of a bot that was frozen in it is told when it is let go again."""
        machine.watch.go()
        machine.others_run(4)
        machine.bot.waits["1"] += 70 * MS
        look(machine)
        machine.others_run(36)
        machine.bot.waits["1"] += 5 * MS
        assert answer(machine).wait_us == 9_000

    def test_what_was_read_before_the_turn_does_not_count_in_it(self, machine: Machine) -> None:
        machine.bot.waits["1"] += 25 * MS
        machine.watch.go()
        machine.others_run(30)
        look(machine)
        machine.others_run(10)
        assert answer(machine).wait_us == 0


class TestLateness:
    @staticmethod
    def late_us(machine: Machine, *, bot_was_waiting: bool) -> int:
        machine.watch.go()
        machine.others_run(35)
        machine.own_wait_ns += 30 * MS
        machine.bot.waits["1"] += 5 * MS
        look(machine, bot_was_waiting=bot_was_waiting)
        machine.computes(10)
        return answer(machine).late_us

    def test_a_look_that_finds_an_answer_or_a_full_pipe_ends_a_wait_for_us(self, machine: Machine) -> None:
        assert self.late_us(machine, bot_was_waiting=True) == 30_000

    def test_a_look_that_finds_nothing_has_kept_the_bot_from_nothing(self, machine: Machine) -> None:
        assert self.late_us(machine, bot_was_waiting=False) == 0

    def test_what_the_bot_waited_at_the_same_time_is_its_wait(self, machine: Machine) -> None:
        machine.watch.go()
        machine.others_run(30)
        machine.own_wait_ns += 30 * MS
        machine.bot.waits["1"] += 20 * MS
        spent = answer(machine)
        assert (spent.wait_us, spent.late_us) == (20_000, 10_000)
        machine.watch.go()
        machine.others_run(30)
        machine.own_wait_ns += 30 * MS
        machine.bot.waits["1"] += 20 * MS + 999
        assert answer(machine).late_us == 10_000
        machine.watch.go()
        machine.others_run(30)
        machine.own_wait_ns += 30 * MS
        machine.bot.waits["1"] += 30 * MS
        assert answer(machine).late_us == 0

    def test_what_we_waited_while_we_let_the_bot_go_is_late_too(self, machine: Machine) -> None:
        machine.watch.go()
        machine.others_run(100)
        machine.own_wait_ns += 100 * MS
        assert answer(machine) == Spent(wall_us=100_000, late_us=100_000)


def test_a_look_tells_how_long_the_turn_has_taken(machine: Machine) -> None:
    machine.watch.go()
    machine.computes(7)
    assert (machine.watch.wall_us(), machine.watch.woke(NEVER_US)) == (7_000, 7_000)


def test_times_are_whole_microseconds(machine: Machine) -> None:
    """What is left of one is in favour of the bot."""
    machine.watch.go()
    machine.computes(0.030_999)
    machine.others_run(0.020)
    assert machine.watch.wall_us() == 50
    assert answer(machine) == Spent(wall_us=50, cpu_us=30)
    machine.watch.go()
    machine.computes(3.000_999)
    machine.others_run(7)
    machine.bot.waits["1"] += 4 * MS + 1
    machine.own_wait_ns += 3 * MS
    machine.is_idle(20)
    assert machine.watch.woke(NEVER_US) == 30_000
    assert machine.watch.stop(LIMIT_US, answered=True) == Spent(wall_us=30_000, cpu_us=3_000, wait_us=4_001)
    machine.watch.go()
    machine.others_run(30)
    machine.own_wait_ns += 2 * MS + 999
    assert answer(machine).late_us == 2_000


def test_a_turn_ends_with_the_look_that_found_the_answer_and_without_one_when_it_is_given_up(machine: Machine) -> None:
    for answered, wall_us in ((True, 20_000), (False, 25_000)):
        machine.watch.go()
        machine.others_run(20)
        look(machine)
        machine.others_run(5)
        assert machine.watch.stop(LIMIT_US, answered=answered).wall_us == wall_us


def test_what_a_bot_computes_after_its_answer_is_part_of_its_next_turn(machine: Machine) -> None:
    turn(machine, ("computes", 5))
    machine.bot.cpu += 7 * MS
    machine.now_ns += 500 * MS
    spent = turn(machine, ("computes", 20))
    assert (spent.wall_us, spent.cpu_us) == (27_000, 27_000)


class TestGivingUp:
    def test_a_bot_that_has_computed_too_long_is_over_also_where_it_is_ready(self, machine: Machine) -> None:
        machine.watch.go()
        machine.computes(49)
        machine.others_run(300)
        look(machine)
        assert not machine.watch.is_over(LIMIT_US)
        machine.computes(2)
        assert machine.watch.is_over(LIMIT_US)

    def test_a_bot_that_has_used_all_of_its_time_and_no_more_is_not_over(self, machine: Machine) -> None:
        machine.watch.go()
        machine.computes(50)
        look(machine)
        assert not machine.watch.is_over(LIMIT_US)
        assert machine.watch.is_kept_from_its_core(LIMIT_US), "nothing is against it yet"
        machine.computes(0.001)
        assert machine.watch.is_over(LIMIT_US)
        assert not machine.watch.is_kept_from_its_core(LIMIT_US)

    def test_a_bot_that_waits_in_no_account_yet_is_not_over(self, machine: Machine) -> None:
        machine.watch.go()
        machine.computes(36)
        machine.others_run(164)
        look(machine)
        assert not machine.watch.is_over(LIMIT_US)

    def test_a_bot_that_sleeps_on_an_idle_core_is_over(self, machine: Machine) -> None:
        machine.bot.ready = False
        machine.watch.go()
        for _ in range(40):
            machine.is_idle(2)
            look(machine)
        assert machine.watch.is_over(LIMIT_US)
        assert not machine.watch.is_kept_from_its_core(LIMIT_US)

    @pytest.mark.parametrize("share", [1, 2, 4])
    def test_a_bot_is_kept_from_its_core_where_others_had_that_for_a_quarter_of_the_turn(
        self, machine: Machine, share: int
    ) -> None:
        machine.watch.go()
        for _ in range(300):
            machine.others_run(4 / share + 0.02)
            machine.computes(4 - 4 / share)
            look(machine)
        assert machine.watch.is_kept_from_its_core(LIMIT_US)

    def test_a_quarter_is_enough_in_a_later_turn_too(self, machine: Machine) -> None:
        """What the bot computed in earlier ones is not what it computed in this one."""
        turn(machine, ("computes", 900))
        machine.watch.go()
        machine.computes(4)
        look(machine)
        machine.others_run(100)
        machine.computes(296)
        look(machine)
        assert machine.watch.is_kept_from_its_core(LIMIT_US)
        machine.computes(1)
        look(machine)
        assert not machine.watch.is_kept_from_its_core(LIMIT_US)

    def test_nobody_is_kept_from_a_core_that_others_hardly_had(self, machine: Machine) -> None:
        machine.watch.go()
        for _ in range(300):
            machine.others_run(0.9)
            machine.is_idle(3.1)
            look(machine)
        assert not machine.watch.is_kept_from_its_core(LIMIT_US)

    @pytest.mark.parametrize(("ready_of_ten", "kept"), [(10, True), (5, True), (4, False), (0, False)])
    def test_a_bot_that_was_hardly_ever_ready_has_slept_whatever_others_did(
        self, machine: Machine, ready_of_ten: int, kept: bool
    ) -> None:
        machine.watch.go()
        machine.others_run(48)
        look(machine)
        for number in range(500):
            machine.bot.ready = number % 10 < ready_of_ten
            machine.others_run(2)
            look(machine)
        assert machine.watch.is_kept_from_its_core(LIMIT_US) is kept

    def test_a_bot_that_was_ready_at_one_look_of_three_has_slept(self, machine: Machine) -> None:
        machine.watch.go()
        machine.others_run(48)
        look(machine)
        for ready in (True, False, False):
            machine.bot.ready = ready
            machine.others_run(20)
            look(machine)
        assert not machine.watch.is_kept_from_its_core(LIMIT_US)

    def test_a_bot_whose_waits_are_all_in_the_accounts_is_kept_from_its_core(self, machine: Machine) -> None:
        """Though it was asleep when we looked at last, as it waits for us."""
        machine.bot.ready = False
        machine.watch.go()
        machine.others_run(1000)
        machine.own_wait_ns += 1000 * MS
        look(machine, bot_was_waiting=True)
        assert machine.watch.is_kept_from_its_core(LIMIT_US)
        machine.others_run(60)
        look(machine)
        assert not machine.watch.is_kept_from_its_core(LIMIT_US)

    def test_a_bot_of_a_container_without_a_core_is_kept_from_it_though_nobody_has_it(self, machine: Machine) -> None:
        machine.watch.go()
        for _ in range(20):
            machine.is_idle(50)
            machine.own_wait_ns += 48 * MS
            look(machine)
        assert machine.watch.is_kept_from_its_core(LIMIT_US)
