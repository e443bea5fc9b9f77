"""What a stopwatch makes of a meter's readings in moments that no test can bring about at will."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from unittest.mock import patch

import pytest

from engine.bot import stopwatch
from engine.bot.clock import Spent
from engine.bot.stopwatch import DOUBT_NS, Stopwatch
from engine.sandbox.standstill import TICK_NS

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

    def passes(self, ms: float) -> int:
        """Let time pass; return it in nanoseconds."""
        self.now_ns += round(ms * MS)
        return round(ms * MS)

    def computes(self, ms: float) -> None:
        self.bot.cpu += self.passes(ms)

    def is_idle(self, ms: float) -> None:
        self.idle_ns += self.passes(ms)

    def others_run(self, ms: float) -> None:
        self.passes(ms)

    def keeps_us_waiting(self, ms: float) -> None:
        """As part of the time that has passed."""
        self.own_wait_ns += round(ms * MS)

    def kept_the_bot_waiting(self, ms: float) -> None:
        """By its account, as part of the time that has passed."""
        self.bot.waits["1"] += round(ms * MS)


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


STEPS: dict[str, Callable[[Machine, float], None]] = {
    "computes": Machine.computes,
    "idle": Machine.is_idle,
    "others": Machine.others_run,
    "we wait": Machine.keeps_us_waiting,
    "bot waits": Machine.kept_the_bot_waiting,
    "look": lambda machine, _: look(machine),
    "alarm": lambda machine, ms: look(machine, alarm_us=round(1000 * ms)),
    "look finds it waiting": lambda machine, _: look(machine, bot_was_waiting=True),
    "asleep": lambda machine, _: setattr(machine.bot, "ready", False),
    "ready": lambda machine, _: setattr(machine.bot, "ready", True),
}


def begin(machine: Machine, *steps: str) -> None:
    """Begin a turn in which this happens, each step with its milliseconds: "others 20", "look", "alarm 45"."""
    machine.watch.go()
    go_on(machine, *steps)


def go_on(machine: Machine, *steps: str) -> None:
    for step in steps:
        name, _, ms = step.rpartition(" ") if step[-1].isdigit() else (step, "", "0")
        STEPS[name](machine, float(ms))


def course(machine: Machine, *steps: str) -> Spent:
    """Let a bot have a turn in which this happens, and answer."""
    begin(machine, *steps)
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
    spent = course(machine, "computes 0.4", "others 1", "we wait 1.5")
    assert spent.charged_us == spent.cpu_us == 400
    assert spent.cpu_us + spent.wait_us + spent.late_us <= spent.wall_us, "no time counts twice"


def test_a_turn_that_is_over_at_once_is_charged_its_wall_time(machine: Machine) -> None:
    turn(machine, ("computes", 5))
    spent = course(machine, "computes 0.03", "others 0.05", "we wait 1", "bot waits 1")
    assert spent == Spent(wall_us=80, cpu_us=30)


def test_a_turn_of_a_tenth_of_a_millisecond_and_its_lateness_are_looked_at(machine: Machine) -> None:
    assert course(machine, "others 0.1", "we wait 0.1") == Spent(wall_us=100, late_us=100)


class TestTheSumForEachMatch:
    @staticmethod
    def use_up(machine: Machine) -> None:
        for _ in range(DOUBT_NS // (100 * MS)):
            assert charged_ms(turn(machine, ("others_run", 100))) == 0

    @pytest.mark.parametrize(
        ("steps", "charged"),
        [
            pytest.param([*50 * ["ready", "others 2", "look"]], 0, id="ready at each look"),
            pytest.param([*25 * ["ready", "others 2", "look", "asleep", "others 2", "look"]], 0, id="at every other"),
            pytest.param(["asleep", "others 100"], 0, id="found asleep once, it may have waited until then"),
            pytest.param(
                ["asleep", *4 * ["others 20", "we wait 20", "look"]],
                3 * 20,
                id="what we were late by hides no sleep between two looks, but until it is found asleep first",
            ),
            pytest.param(
                ["asleep", "others 60", "look", *3 * ["others 20", "we wait 20", "look finds it waiting"]],
                0,
                id="a bot that waits for us is not asleep meanwhile",
            ),
        ],
    )
    def test_nobody_pays_for_waits_when_it_is_used_up(self, machine: Machine, steps: list[str], charged: float) -> None:
        self.use_up(machine)
        assert charged_ms(course(machine, *steps)) == charged

    def test_a_bot_that_was_seen_asleep_pays_when_it_is_used_up(self, machine: Machine) -> None:
        machine.bot.ready = False
        self.use_up(machine)
        assert charged_ms(turn(machine, ("others_run", 100))) > 90

    def test_what_it_computed_between_looks_or_before_the_turn_is_not_sleep_even_then(self, machine: Machine) -> None:
        self.use_up(machine)
        machine.bot.ready = False
        machine.bot.cpu += 20 * MS  # after its answer
        spent = course(machine, "look", *4 * ["computes 5", "others 5", "look"])
        assert charged_ms(spent) == 20 + 4 * 5 + 4 * 5
        spent = course(machine, "look", *4 * ["computes 5", "others 20", "look"])
        assert charged_ms(spent) == 4 * 5 + 3 * 20, "all but what passed until it was found asleep first"

    def test_while_the_machine_stood_still_nothing_slept_even_then(self, machine: Machine) -> None:
        self.use_up(machine)
        alarms = [step for ms in (5, 25, 45, 65) for step in ("others 20", f"alarm {ms}")]
        assert charged_ms(course(machine, "asleep", "look", *alarms)) < 3 * 5 + 5

    def test_waits_in_the_accounts_use_nothing_of_it(self, machine: Machine) -> None:
        for _ in range(DOUBT_NS // (50 * MS)):
            assert charged_ms(course(machine, "asleep", "others 100", "bot waits 100")) == 0
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
        begin(machine, "asleep", "others 50.02", "look")
        assert not machine.watch.is_over(LIMIT_US)
        assert charged_ms(machine.watch.stop(LIMIT_US, answered=True)) == 0

    def test_nothing_is_borne_of_a_turn_that_was_given_up(self, machine: Machine) -> None:
        begin(machine, "asleep", f"others {DOUBT_NS // MS}", "look")
        assert charged_ms(machine.watch.stop(LIMIT_US, answered=False)) == DOUBT_NS / MS
        assert charged_ms(turn(machine, ("others_run", 100))) == 0, "it is whole"

    def test_only_a_turn_that_ends_uses_it(self, machine: Machine) -> None:
        begin(machine, "others 1500", "look")
        assert not any(machine.watch.is_over(LIMIT_US) for _ in range(10))
        assert charged_ms(answer(machine)) == 0


class TestTheCoreTellsWhoSlept:
    @pytest.mark.parametrize(
        ("steps", "charged"),
        [
            pytest.param(
                ["computes 30", "look", *3 * ["idle 25", "we wait 25", "look"]],
                30,
                id="a core that is idle while we wait for it too is kept from both, as by a limit of a container",
            ),
            pytest.param(
                ["others 1", "we wait 30", "look", "idle 2", "look", "idle 60"],
                63,
                id="what we waited before we watched the core leaves its idle time the bot's",
            ),
            pytest.param(
                ["idle 2", "look", "others 20", "we wait 20", "alarm 2", "idle 60"],
                2 + TICK_MS + 60 - 20,
                id="an alarm that is late as we waited is late once: the idle time, to a tick, less our wait",
            ),
            pytest.param(
                ["others 2", "look", "idle 10", "others 58", "we wait 5.000001"],
                0,
                id="less than half a tick of idle time proves nothing",
            ),
            pytest.param(
                ["others 2", "look", "idle 10", "others 58", "we wait 5"], 5 + TICK_MS + 2, id="half a tick proves it"
            ),
            pytest.param(
                ["others 1.5", "look", "idle 60"],
                61.5,
                id="from one and a half milliseconds on it is known how long the core was idle",
            ),
            pytest.param(
                ["computes 30", "look", "idle 10", "others 50"],
                30 + 10 + TICK_MS,
                id="what was computed before the first look is not slept",
            ),
            pytest.param(
                ["idle 45", "look", "idle 25"],
                70,
                id="idle time before the first look may have been the bot's: where we came late, nobody knows",
            ),
        ],
    )
    def test_idle_time_is_the_bots_or_nobodys(self, machine: Machine, steps: list[str], charged: float) -> None:
        assert charged_ms(course(machine, *steps)) == charged

    def test_threads_that_feign_waits_pay_for_the_time_in_which_the_core_was_idle(self, machine: Machine) -> None:
        machine.watch.go()
        for _ in range(50):
            machine.is_idle(2)
            for thread in map(str, range(40)):
                machine.bot.waits[thread] = machine.bot.waits.get(thread, 0) + 2 * MS
            look(machine)
        assert charged_ms(answer(machine)) == 80, "98 since the first look, in whole ticks, less one"

    @pytest.mark.parametrize(("late_ms", "slept_ms"), [(1, 6 + TICK_MS + 2), (1.000001, 0)])
    def test_an_alarm_that_is_more_than_a_millisecond_late_shows_that_the_machine_stood_still(
        self, machine: Machine, late_ms: float, slept_ms: float
    ) -> None:
        begin(machine, "others 2", "look", "idle 10", "others 57", f"others {late_ms}", "we wait 4", "alarm 65")
        assert charged_ms(machine.watch.stop(LIMIT_US, answered=True)) == slept_ms

    def test_a_machine_that_stands_still_is_idle_for_nobody(self, machine: Machine) -> None:
        assert charged_ms(course(machine, "computes 30", "look", "idle 80", "alarm 32")) < 35


class TestWaits:
    def test_the_waits_of_one_thread_add_up(self, machine: Machine) -> None:
        spent = course(machine, *4 * ["computes 1", "others 10", "bot waits 10", "look"])
        assert (spent.wait_us, spent.charged_us) == (40_000, 4_000)

    def test_of_threads_that_wait_at_once_the_longest_wait_counts(self, machine: Machine) -> None:
        begin(machine, "others 40")
        machine.bot.waits.update({"1": 10 * MS, "2": 13 * MS, "3": 12 * MS})
        assert answer(machine).wait_us == 13_000

    def test_waits_are_read_at_looks_ever_farther_apart_and_from_10_ms_on_at_each(self, machine: Machine) -> None:
        """At each look another thread has waited: of those between two readings one counts."""
        machine.watch.go()
        for number in range(10):
            machine.others_run(2)
            machine.bot.waits[f"new {number}"] = 2 * MS
            look(machine)
        assert answer(machine).wait_us == 18_000, "that of one thread, between the looks at 4 and at 8 ms, is lost"

    def test_where_no_threads_are_listed_nothing_has_waited(self, machine: Machine) -> None:
        machine.bot.waits.clear()
        assert course(machine, "others 20") == Spent(wall_us=20_000)

    def test_a_wait_from_before_the_turn_counts_no_longer_than_the_turn_has_lasted(self, machine: Machine) -> None:
        """The wait of a bot that was frozen in it is told when it is let go again."""
        assert course(machine, "others 4", "bot waits 70", "look", "others 36", "bot waits 5").wait_us == 9_000

    def test_what_was_read_before_the_turn_does_not_count_in_it(self, machine: Machine) -> None:
        machine.kept_the_bot_waiting(25)
        assert course(machine, "others 30", "look", "others 10").wait_us == 0


class TestLateness:
    @pytest.mark.parametrize(
        ("found", "late_us"),
        [("look finds it waiting", 30_000), ("look", 0)],
        ids=["an answer or a full pipe ends a wait for us", "a look that finds nothing has kept the bot from nothing"],
    )
    def test_only_what_kept_the_bot_waiting_is_late(self, machine: Machine, found: str, late_us: int) -> None:
        spent = course(machine, "others 35", "we wait 30", "bot waits 5", found, "computes 10")
        assert spent.late_us == late_us

    def test_what_the_bot_waited_at_the_same_time_is_its_wait(self, machine: Machine) -> None:
        spent = course(machine, "others 30", "we wait 30", "bot waits 20")
        assert (spent.wait_us, spent.late_us) == (20_000, 10_000)
        assert course(machine, "others 30", "we wait 30", "bot waits 20.000999").late_us == 10_000
        assert course(machine, "others 30", "we wait 30", "bot waits 30").late_us == 0

    def test_what_we_waited_while_we_let_the_bot_go_is_late_too(self, machine: Machine) -> None:
        assert course(machine, "others 100", "we wait 100") == Spent(wall_us=100_000, late_us=100_000)


def test_a_look_tells_how_long_the_turn_has_taken(machine: Machine) -> None:
    begin(machine, "computes 7")
    assert (machine.watch.wall_us(), machine.watch.woke(NEVER_US)) == (7_000, 7_000)


def test_times_are_whole_microseconds(machine: Machine) -> None:
    """What is left of one is in favour of the bot."""
    begin(machine, "computes 0.030999", "others 0.020")
    assert machine.watch.wall_us() == 50
    assert answer(machine) == Spent(wall_us=50, cpu_us=30)
    begin(machine, "computes 3.000999", "others 7", "bot waits 4.000001", "we wait 3", "idle 20")
    assert machine.watch.woke(NEVER_US) == 30_000
    assert machine.watch.stop(LIMIT_US, answered=True) == Spent(wall_us=30_000, cpu_us=3_000, wait_us=4_001)
    assert course(machine, "others 30", "we wait 2.000999").late_us == 2_000


@pytest.mark.parametrize(("answered", "wall_us"), [(True, 20_000), (False, 25_000)])
def test_a_turn_ends_with_the_look_that_found_the_answer_and_without_one_when_it_is_given_up(
    machine: Machine, answered: bool, wall_us: int
) -> None:
    begin(machine, "others 20", "look", "others 5")
    assert machine.watch.stop(LIMIT_US, answered=answered).wall_us == wall_us


def test_what_a_bot_computes_after_its_answer_is_part_of_its_next_turn(machine: Machine) -> None:
    turn(machine, ("computes", 5))
    machine.bot.cpu += 7 * MS
    machine.now_ns += 500 * MS
    spent = turn(machine, ("computes", 20))
    assert (spent.wall_us, spent.cpu_us) == (27_000, 27_000)


class TestGivingUp:
    @staticmethod
    def kept(machine: Machine, *steps: str) -> bool:
        """Whether a bot is kept from its core after a turn of these steps."""
        begin(machine, *steps)
        return machine.watch.is_kept_from_its_core(LIMIT_US)

    def test_a_bot_that_has_computed_too_long_is_over_also_where_it_is_ready(self, machine: Machine) -> None:
        begin(machine, "computes 49", "others 300", "look")
        assert not machine.watch.is_over(LIMIT_US)
        machine.computes(2)
        assert machine.watch.is_over(LIMIT_US)

    def test_a_bot_that_has_used_all_of_its_time_and_no_more_is_not_over(self, machine: Machine) -> None:
        assert self.kept(machine, "computes 50", "look"), "nothing is against it yet"
        assert not machine.watch.is_over(LIMIT_US)
        machine.computes(0.001)
        assert machine.watch.is_over(LIMIT_US)
        assert not machine.watch.is_kept_from_its_core(LIMIT_US)

    def test_a_bot_that_waits_in_no_account_yet_is_not_over(self, machine: Machine) -> None:
        begin(machine, "computes 36", "others 164", "look")
        assert not machine.watch.is_over(LIMIT_US)

    def test_a_bot_that_sleeps_on_an_idle_core_is_over(self, machine: Machine) -> None:
        assert not self.kept(machine, "asleep", *40 * ["idle 2", "look"])
        assert machine.watch.is_over(LIMIT_US)

    def test_a_quarter_is_enough_in_a_later_turn_too(self, machine: Machine) -> None:
        """What the bot computed in earlier ones is not what it computed in this one."""
        turn(machine, ("computes", 900))
        assert self.kept(machine, "computes 4", "look", "others 100", "computes 296", "look")
        go_on(machine, "computes 1", "look")
        assert not machine.watch.is_kept_from_its_core(LIMIT_US)

    @pytest.mark.parametrize(
        ("steps", "kept"),
        [
            pytest.param([*300 * ["others 4.02", "computes 0", "look"]], True, id="others had its core all the time"),
            pytest.param([*300 * ["others 2.02", "computes 2", "look"]], True, id="half of it"),
            pytest.param([*300 * ["others 1.02", "computes 3", "look"]], True, id="a quarter"),
            pytest.param([*300 * ["others 0.9", "idle 3.1", "look"]], False, id="hardly"),
            pytest.param(
                ["others 48", "look", "ready", "others 20", "look", "asleep", *2 * ["others 20", "look"]],
                False,
                id="a bot that was ready at one look of three has slept",
            ),
            pytest.param(
                [*20 * ["idle 50", "we wait 48", "look"]],
                True,
                id="a bot of a container without a core is kept from it though nobody has it",
            ),
        ],
    )
    def test_a_bot_is_kept_from_its_core_where_others_had_that_for_a_quarter_of_the_turn(
        self, machine: Machine, steps: list[str], kept: bool
    ) -> None:
        assert self.kept(machine, *steps) is kept

    @pytest.mark.parametrize(("ready_of_ten", "kept"), [(10, True), (5, True), (4, False), (0, False)])
    def test_a_bot_that_was_hardly_ever_ready_has_slept(self, machine: Machine, ready_of_ten: int, kept: bool) -> None:
        ready = ["ready", *ready_of_ten * ["others 2", "look"], "asleep", *(10 - ready_of_ten) * ["others 2", "look"]]
        assert self.kept(machine, "others 48", "look", *50 * ready) is kept

    def test_a_bot_whose_waits_are_all_in_the_accounts_is_kept_from_its_core(self, machine: Machine) -> None:
        """Though it was asleep when we looked at last, as it waits for us."""
        assert self.kept(machine, "asleep", "others 1000", "we wait 1000", "look finds it waiting")
        go_on(machine, "others 60", "look")
        assert not machine.watch.is_kept_from_its_core(LIMIT_US)
