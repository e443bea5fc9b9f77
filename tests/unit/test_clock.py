"""The rules of time, on numbers: what a turn is charged, what is too much, and whose fault it was."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bot import clock
from engine.bot.clock import FATAL_OVERRUN, Clock, Policy, Spent, TimeRule, allowed_us, backstop_us, whose_fault

LIMIT_MS = 50
STRICT = TimeRule()
CODINGAME = TimeRule(Policy.CODINGAME)
MICROSECONDS = st.integers(0, 2_000_000)
TURNS = st.builds(Spent, MICROSECONDS, MICROSECONDS, MICROSECONDS, MICROSECONDS, MICROSECONDS)


def turn(wall_ms: float, cpu_ms: float, wait_ms: float = 0, late_ms: float = 0) -> Spent:
    """Return the times of a turn, given in milliseconds."""
    wall_us, cpu_us, wait_us, late_us = (round(1000 * time_ms) for time_ms in (wall_ms, cpu_ms, wait_ms, late_ms))
    return Spent(wall_us, cpu_us, wait_us, late_us)


@pytest.mark.parametrize(
    ("spent", "charged_ms"),
    [
        pytest.param(turn(40, 40), 40, id="computing is charged"),
        pytest.param(turn(60, 0), 60, id="sleeping is charged"),
        pytest.param(turn(60, 30), 60, id="computing and sleeping are charged together"),
        pytest.param(turn(150, 40, wait_ms=110), 40, id="waiting for the host is not charged"),
        pytest.param(turn(150, 20, wait_ms=110), 40, id="sleeping is charged beside a busy host"),
        pytest.param(turn(30, 60), 60, id="two threads on two cores are charged for both"),
        pytest.param(turn(60, 60, wait_ms=55), 60, id="threads that wait for each other are charged what they compute"),
        pytest.param(turn(90, 0, late_ms=30), 60, id="our lateness is not charged"),
        pytest.param(turn(90, 45, late_ms=5), 85, id="only as much as we were late is forgiven"),
        pytest.param(turn(60, 46, wait_ms=8, late_ms=6), 46, id="of two charges the greater one counts"),
        pytest.param(turn(99, 60, late_ms=99), 60, id="lateness hides no computing"),
        pytest.param(turn(118, 55, wait_ms=62, late_ms=12), 55, id="a tenth beyond 50 ms is too long on any host"),
        pytest.param(turn(5, 1, wait_ms=9, late_ms=9), 1, id="nobody is owed time"),
        pytest.param(turn(0, 0), 0, id="nothing costs nothing"),
        pytest.param(replace(turn(60, 60), runtime_us=15_000), 45, id="what the allowance bears is not charged"),
        pytest.param(replace(turn(60, 20), runtime_us=15_000), 45, id="nor is it where the bot slept"),
        pytest.param(replace(turn(5, 5), runtime_us=15_000), 0, id="an allowance is no credit"),
    ],
)
def test_a_turn_is_charged_what_the_bot_did(spent: Spent, charged_ms: float) -> None:
    assert spent.charged_us == 1000 * charged_ms


class TestTheAllowanceForTheRuntimesWork:
    @pytest.mark.parametrize(
        ("spent", "worked_ms", "left_ms", "allowed_ms"),
        [
            pytest.param(turn(60, 60), 20, 1000, 10, id="what is over the limit is allowed"),
            pytest.param(turn(45, 45), 20, 1000, 0, id="within the limit nothing is drawn"),
            pytest.param(turn(80, 80), 20, 1000, 20, id="no more than the runtime has computed"),
            pytest.param(turn(60, 60), 20, 4, 4, id="no more than is left"),
            pytest.param(turn(60, 60), 0, 1000, 0, id="a bot that computes alone gets nothing"),
            pytest.param(turn(70, 20), 20, 1000, 20, id="a bot that slept while the runtime collected garbage"),
            pytest.param(turn(90, 45, wait_ms=45), 20, 1000, 0, id="waiting for the host is no matter of the runtime"),
        ],
    )
    def test_a_turn_draws(self, spent: Spent, worked_ms: int, left_ms: int, allowed_ms: int) -> None:
        assert allowed_us(spent, LIMIT_MS, 1000 * worked_ms, 1000 * left_ms) == 1000 * allowed_ms

    @given(TURNS, MICROSECONDS, MICROSECONDS)
    def test_what_the_bots_own_threads_computed_is_charged(self, spent: Spent, worked_us: int, left_us: int) -> None:
        plain = replace(spent, cpu_us=max(spent.cpu_us, worked_us), late_us=0, runtime_us=0)
        drawn = replace(plain, runtime_us=allowed_us(plain, LIMIT_MS, worked_us, left_us))
        assert drawn.charged_us >= plain.cpu_us - worked_us
        assert drawn.charged_us >= min(plain.charged_us, 1000 * LIMIT_MS)
        assert drawn.charged_us >= plain.charged_us - left_us


@given(TURNS)
def test_neither_clock_counts_more_than_wall_time_or_less_than_nothing(spent: Spent) -> None:
    assert 0 <= spent.counted_us(Clock.FAIR) <= spent.counted_us(Clock.WALL) == spent.wall_us


@given(TURNS, MICROSECONDS)
def test_waiting_longer_for_the_host_costs_no_more(spent: Spent, longer_us: int) -> None:
    waited = replace(spent, wall_us=spent.wall_us + longer_us, wait_us=spent.wait_us + longer_us)
    assert waited.charged_us == spent.charged_us


@given(TURNS, MICROSECONDS)
def test_computing_or_sleeping_longer_costs_no_less(spent: Spent, longer_us: int) -> None:
    slept = replace(spent, wall_us=spent.wall_us + longer_us)
    computed = replace(slept, cpu_us=spent.cpu_us + longer_us)
    assert spent.charged_us <= slept.charged_us <= computed.charged_us


def test_over_the_limit_means_both_by_wall_time_and_by_charge() -> None:
    assert not STRICT.is_overrun(turn(50, 50), LIMIT_MS), "to use all of it is allowed"
    assert STRICT.is_overrun(turn(50.001, 50.001), LIMIT_MS)
    assert not STRICT.is_overrun(turn(90, 40, wait_ms=50), LIMIT_MS), "by wall time only"
    assert not STRICT.is_overrun(turn(90, 50, wait_ms=40), LIMIT_MS), "by wall time only: all of the limit was used"
    assert not STRICT.is_overrun(turn(30, 60), LIMIT_MS), "by charge only: two threads that were quick together"


def test_the_wall_clock_counts_every_time() -> None:
    waited = turn(90, 40, wait_ms=50)
    assert TimeRule(clock=Clock.WALL).is_overrun(waited, LIMIT_MS)
    assert TimeRule(clock=Clock.WALL).loses(waited, LIMIT_MS, 0)
    assert not STRICT.loses(waited, LIMIT_MS, 0)


def test_strict_loses_by_the_first_overrun() -> None:
    assert not STRICT.loses(turn(50, 50), LIMIT_MS, 0)
    assert STRICT.loses(turn(50.001, 50.001), LIMIT_MS, 0)
    assert STRICT.last_us(LIMIT_MS) == 50_000


def test_codingame_loses_by_the_third_overrun_within_the_grace() -> None:
    slow = turn(51, 51)
    assert [CODINGAME.loses(slow, LIMIT_MS, earlier) for earlier in range(FATAL_OVERRUN)] == [False, False, True]
    assert not CODINGAME.loses(turn(50, 50), LIMIT_MS, FATAL_OVERRUN), "a turn in time never loses"


def test_codingame_loses_at_once_beyond_the_grace() -> None:
    assert CODINGAME.last_us(LIMIT_MS) == 1000 * (LIMIT_MS + clock.GRACE_MS)
    assert not CODINGAME.loses(turn(100, 100), LIMIT_MS, 0)
    assert CODINGAME.loses(turn(100.001, 100.001), LIMIT_MS, 0)
    assert not CODINGAME.loses(turn(300, 90, wait_ms=210), LIMIT_MS, 0), "the grace is by the same clock"
    assert TimeRule(Policy.CODINGAME, Clock.WALL).loses(turn(300, 90, wait_ms=210), LIMIT_MS, 0)


@given(TURNS, st.sampled_from(Policy), st.sampled_from(Clock), st.integers(0, 5))
def test_only_an_overrun_loses_and_codingame_is_never_the_harder_policy(
    spent: Spent, policy: Policy, clock: Clock, earlier: int
) -> None:
    rule = TimeRule(policy, clock)
    if rule.loses(spent, LIMIT_MS, earlier):
        assert rule.is_overrun(spent, LIMIT_MS)
        assert TimeRule(Policy.STRICT, clock).loses(spent, LIMIT_MS, earlier)
    if spent.counted_us(clock) > rule.last_us(LIMIT_MS):
        assert rule.loses(spent, LIMIT_MS, earlier)


@pytest.mark.parametrize(
    ("spent", "culprit"),
    [
        (turn(50, 50), ""),
        (turn(60, 60), "bot"),
        (turn(50.001, 50.001), "bot"),
        (turn(60, 50, wait_ms=10), "host"),
        (turn(60, 0), "bot"),
        (turn(90, 40, wait_ms=50), "host"),
        (turn(70, 5, late_ms=40), "host"),
        (turn(150, 60, wait_ms=90), "bot"),
        (turn(200, 51, wait_ms=149), "bot"),
        (replace(turn(60, 60), runtime_us=10_000), "runtime"),
        (replace(turn(60, 60), runtime_us=9_999), "bot"),
        (replace(turn(90, 60, wait_ms=30), runtime_us=10_000), "runtime"),
    ],
)
def test_whose_fault_an_overrun_was(spent: Spent, culprit: str) -> None:
    assert whose_fault(spent, LIMIT_MS) == culprit


def test_an_answer_is_waited_for_until_the_grace_is_over() -> None:
    assert TimeRule().patience_words(LIMIT_MS) == "50 ms"
    assert CODINGAME.patience_words(LIMIT_MS) == "100 ms, the limit and its grace"


@given(TURNS, st.sampled_from(Policy), st.sampled_from(Clock), st.integers(0, FATAL_OVERRUN - 1))
def test_an_overrun_is_forgiven_or_loses_in_words(spent: Spent, policy: Policy, clock: Clock, earlier: int) -> None:
    rule = TimeRule(policy, clock)
    pardoned = rule.is_overrun(spent, LIMIT_MS) and not rule.loses(spent, LIMIT_MS, earlier)
    assert rule.pardon(spent, LIMIT_MS, earlier) == (f"forgiven, {earlier + 1} of 2" if pardoned else "")
    assert (rule.breach(spent.counted_us(clock), LIMIT_MS) == "") == (policy is Policy.STRICT)


def test_codingame_says_which_overrun_it_forgives() -> None:
    slow, late = turn(51, 51), turn(101, 101)
    assert [CODINGAME.pardon(slow, LIMIT_MS, past) for past in range(3)] == ["forgiven, 1 of 2", "forgiven, 2 of 2", ""]
    assert CODINGAME.pardon(late, LIMIT_MS, 0) == CODINGAME.pardon(turn(50, 50), LIMIT_MS, 0) == ""


def test_codingame_says_why_an_overrun_loses() -> None:
    slow, late = turn(51, 51), turn(101, 101)
    assert CODINGAME.breach(late.charged_us, LIMIT_MS) == "beyond the limit and 50 ms of grace"
    assert CODINGAME.breach(100_000, LIMIT_MS) == CODINGAME.breach(slow.charged_us, LIMIT_MS) == "the third overrun"
    assert STRICT.breach(late.charged_us, LIMIT_MS) == ""


def test_the_backstop_is_twenty_limits_and_at_least_a_second() -> None:
    assert [backstop_us(limit_ms) for limit_ms in (1, 50, 51, 1000)] == [1_000_000, 1_000_000, 1_020_000, 20_000_000]


@given(st.integers(1, 60_000))
def test_the_backstop_leaves_a_starved_bot_many_times_its_limit(limit_ms: int) -> None:
    assert backstop_us(limit_ms) >= max(20 * 1000 * limit_ms, clock.BACKSTOP_LEAST_US)
    assert backstop_us(limit_ms) > TimeRule(Policy.CODINGAME).last_us(limit_ms)
