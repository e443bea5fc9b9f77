"""Metrics that bots print."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.metrics import LONGEST_WORD, MOST_METRICS, metrics_of


def test_each_tag_has_its_place() -> None:
    found = metrics_of(("[TDATA] size = 15\n[PDATA] depth = 3", "noise\n[PDATA] depth = 7\n"))
    assert found.match == {"size": "15"}
    assert found.seats == ({"depth": "3"}, {"depth": "7"})


def test_the_last_value_counts_and_plus_sums() -> None:
    found = metrics_of(("[PDATA] a = 1\n[PDATA] a = 2\n[PDATA+] b = 1\n[PDATA+] b = 2.5\n[PDATA+] b = -0.5", ""))
    assert found.seats[0] == {"a": "2", "b": "3"}


@pytest.mark.parametrize(
    "line",
    ["TDATA a = 1", "[TDATA]a = 1", "[TDATA] a=1", "[TDATA] a =", "[TDATA] a : 1", "[tdata] a = 1", "x [TDATA] a = 1"],
)
def test_lines_of_another_form_are_only_debug_output(line: str) -> None:
    assert metrics_of((line, line)).match == {}


def test_what_cannot_be_summed_counts_for_nothing() -> None:
    assert metrics_of(("[PDATA+] a = x\n[PDATA+] a = 2\n[PDATA+] a = nan\n[PDATA+] a = inf", "")).seats[0] == {"a": "2"}


def test_a_bot_cannot_fill_the_database_with_metrics() -> None:
    many = "\n".join(f"[PDATA] {'k' * 500}{number} = {'v' * 500}\n[PDATA] {number} = 1" for number in range(1000))
    kept = metrics_of((many, "")).seats[0]
    assert len(kept) <= MOST_METRICS
    assert all(len(key) <= LONGEST_WORD and len(value) <= LONGEST_WORD for key, value in kept.items())


@given(st.text(), st.text())
def test_no_debug_output_is_an_error(first: str, second: str) -> None:
    assert metrics_of((first, f"[PDATA+] {second}")) == metrics_of((first, f"[PDATA+] {second}"))
