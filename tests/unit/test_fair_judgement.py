"""How `make fair` judges its counts: no false time-out at all, and missed ones by what chance can bring about.

Imports inside functions: this library takes a second, which each process of a run would spend.
"""

from dataclasses import replace

import pytest

from tests.fair import CHANCE_OF_ALARM, MOST_MISSED, Row, faults_of, most_by_chance

ROW = Row("60 computed", 60, 60, 0, 560, 0, (60.0, 61.0), (60.0, 61.0), 1.0, 1.0, 560)


@pytest.mark.parametrize("turns", [0, 1, 10, 100, 560, 1000, 5000, 20_000])
def test_the_bound_is_the_smallest_that_chance_exceeds_once_in_a_thousand_experiments(turns: int) -> None:
    from scipy.stats import binom

    most = most_by_chance(turns)
    assert binom.sf(most, turns, MOST_MISSED) <= CHANCE_OF_ALARM
    assert most == 0 or binom.sf(most - 1, turns, MOST_MISSED) > CHANCE_OF_ALARM


def test_what_chance_can_bring_about_is_no_fault() -> None:
    """Of 560 turns eight were missed once, beside no busy program: one in a hundred, and a bit of bad luck."""
    assert faults_of([replace(ROW, lost=560 - 8)]) == []
    assert most_by_chance(560) == 14


def test_turns_that_are_really_missed_too_often_are_a_fault() -> None:
    assert faults_of([replace(ROW, lost=560 - 15)]) == ["MISSED: 15 of 560 turns of 60 ms and more, 0 busy programs"]
    assert faults_of([replace(ROW, turns=10, lost=7)]), "three of ten are no chance either"


def test_the_rows_of_one_load_are_judged_together_and_those_of_another_apart() -> None:
    rows = [replace(ROW, turns=280, lost=272), replace(ROW, turns=280, lost=272, bot="60 slept")]
    assert faults_of(rows) == ["MISSED: 16 of 560 turns of 60 ms and more, 0 busy programs"]
    assert faults_of([rows[0], replace(rows[1], busy_programs=2)]) == []


def test_a_bot_that_sleeps_too_long_is_missed_on_a_quiet_core_alone() -> None:
    """Beside busy programs nothing proves that it slept."""
    sleeper = replace(ROW, bot="60 slept", computed_ms=0, lost=0)
    assert faults_of([sleeper]) != []
    assert faults_of([replace(sleeper, busy_programs=2)]) == []
    assert faults_of([replace(sleeper, turns=0)]) == ["nothing to judge: 60 slept, 0 busy programs"]


def test_one_false_time_out_is_a_fault_however_many_turns_there_are() -> None:
    assert faults_of([replace(ROW, cost_ms=45, turns=100_000, lost=1)]) != []
