"""Patience: what comes is returned, what does not come fails with words, and on a busy machine it lasts longer."""

import os
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from tests import patience
from tests.patience import patience_s, wait_until

CORES = len(os.sched_getaffinity(0))


@pytest.fixture
def passing(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The moments of a clock that goes on by what is slept, in no time."""
    moments = [0.0]

    def sleep(slept_s: float) -> None:
        moments.append(moments[-1] + slept_s)

    monkeypatch.setattr(patience, "time", SimpleNamespace(monotonic=lambda: moments[-1], sleep=sleep))
    return moments


def load(monkeypatch: pytest.MonkeyPatch, a_core: float) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (a_core * CORES, 0.0, 0.0))


def test_what_is_found_at_last_is_returned(passing: list[float]) -> None:
    found = iter([[], [], [3]])
    assert wait_until(lambda: next(found)) == [3]
    assert len(passing) == 3, "the clock's beginning, and two pauses"


def test_a_look_that_takes_long_takes_a_tenth_of_the_time(passing: list[float]) -> None:
    def look() -> bool:
        passing.append(passing[-1] + 0.03125)
        return len(passing) > 4

    assert wait_until(look)
    assert passing == [0, 0.03125, 0.3125, 0.34375, 0.625, 0.65625]


def test_what_is_found_has_to_fit(passing: list[float]) -> None:
    found = iter([1, 2, 3, 4])
    assert wait_until(lambda: next(found), fits=lambda number: number == 3) == 3


@pytest.mark.parametrize("what", ["the moon", lambda: "the moon"], ids=["words", "what gives words"])
def test_what_does_not_come_is_called_by_its_words_and_what_was_seen_last(
    passing: list[float], what: str | Callable[[], str]
) -> None:
    with pytest.raises(AssertionError, match=r"it did not come: the moon; last seen: 0"):
        wait_until(lambda: 0, what)


def lasted_s(moments: list[float]) -> float:
    began_s = moments[-1]
    with pytest.raises(AssertionError):
        wait_until(lambda: False, every_s=0.5)
    return moments[-1] - began_s


def test_patience_follows_the_load_and_a_variable(passing: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PATIENCE", raising=False)
    load(monkeypatch, a_core=1)
    quiet_s, timeout_s = lasted_s(passing), patience_s()
    load(monkeypatch, a_core=0)
    assert (lasted_s(passing), patience_s()) == (quiet_s, timeout_s)
    load(monkeypatch, a_core=8)
    assert lasted_s(passing) / quiet_s == pytest.approx(8, rel=0.05)
    assert patience_s() == 8 * timeout_s
    monkeypatch.setenv("PATIENCE", "0.5")
    assert lasted_s(passing) / quiet_s == pytest.approx(4, rel=0.05)
    assert patience_s() == 4 * timeout_s


def test_a_load_that_comes_while_somebody_waits_makes_patience_longer(
    passing: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    load(monkeypatch, a_core=1)
    quiet_s, began_s = lasted_s(passing), passing[-1]

    def look() -> bool:
        if passing[-1] - began_s > quiet_s / 2:
            load(monkeypatch, a_core=4)
        return passing[-1] - began_s > 2 * quiet_s

    assert wait_until(look, every_s=0.5)


def test_one_more_look_is_taken_when_patience_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the machine stood still between two looks."""
    found = iter([False, True])
    monkeypatch.setenv("PATIENCE", "1e-9")
    assert wait_until(lambda: next(found), every_s=0)


def test_the_limit_is_the_callers_where_it_names_one(passing: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    load(monkeypatch, a_core=0)
    limit_s = patience_s(1)
    with pytest.raises(AssertionError):
        wait_until(lambda: passing[-1] > limit_s + 1, quiet_s=1)
    assert wait_until(lambda: passing[-1] > limit_s + 1)
