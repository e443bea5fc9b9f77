"""Metrics that bots print."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bot.output import LONGEST_METRIC_WORD, MOST_METRICS, metrics_of


def test_both_tags_are_metrics_of_the_seat_that_printed_them() -> None:
    assert metrics_of("[TDATA] size = 15\nnoise\n[PDATA] depth = 3\n") == {"size": "15", "depth": "3"}


def test_the_last_value_counts_and_plus_sums() -> None:
    found = metrics_of("[PDATA] a = 1\n[PDATA] a = 2\n[PDATA+] b = 1\n[PDATA+] b = 2.5\n[PDATA+] b = -0.5")
    assert found == {"a": "2", "b": "3"}


@pytest.mark.parametrize(
    "line",
    ["TDATA a = 1", "[TDATA]a = 1", "[TDATA] a=1", "[TDATA] a =", "[TDATA] a : 1", "[tdata] a = 1", "x [TDATA] a = 1"],
)
def test_lines_of_another_form_are_only_debug_output(line: str) -> None:
    assert metrics_of(line) == {}


def test_what_cannot_be_summed_counts_for_nothing() -> None:
    assert metrics_of("[PDATA+] a = x\n[PDATA+] a = 2\n[PDATA+] a = nan\n[PDATA+] a = inf") == {"a": "2"}


def test_a_bot_cannot_fill_the_database_with_metrics() -> None:
    many = "\n".join(f"[PDATA] {'k' * 500}{number} = {'v' * 500}\n[PDATA] {number} = 1" for number in range(1000))
    kept = metrics_of(many)
    assert len(kept) <= MOST_METRICS
    assert all(len(key) <= LONGEST_METRIC_WORD and len(value) <= LONGEST_METRIC_WORD for key, value in kept.items())


@given(st.text())
def test_no_debug_output_is_an_error(said: str) -> None:
    assert len(metrics_of(f"[PDATA+] {said}")) <= 1 + said.count("[")
