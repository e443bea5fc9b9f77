"""Which of the clerk's threads is on duty: one at a time, and another where that one waits for long."""

from __future__ import annotations

import threading
import time
from queue import Empty, Queue

import pytest

from tests.patience import patience_s
from workers import clerk
from workers.clerk import Duty


class Hand:
    """A thread that stands by, and says when it is on duty."""

    def __init__(self, duty: Duty, seen: Queue[Hand | None]) -> None:
        self._duty = duty
        self._seen = seen
        self._orders = Queue[str]()
        self._answers = Queue[bool]()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while self._duty.comes():
            self._seen.put(self)
            is_on_duty = True
            while is_on_duty and (order := self._orders.get()) != "leave":
                if order == "begin":
                    self._duty.begin()
                else:
                    is_on_duty = self._duty.finish()
                self._answers.put(is_on_duty)
        self._seen.put(None)

    def begin(self) -> None:
        self._orders.put("begin")
        self._answers.get(timeout=patience_s())

    def is_on_duty_when_done(self) -> bool:
        self._orders.put("done")
        return self._answers.get(timeout=patience_s())

    def leave(self) -> None:
        self._orders.put("leave")


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Queue[Hand | None]:
    monkeypatch.setattr(clerk, "PATIENCE_S", 0.05)
    return Queue()


def test_one_stays_on_duty_while_all_that_it_does_comes_to_an_end(seen: Queue[Hand | None]) -> None:
    shift = Duty()
    hands = [Hand(shift, seen) for _ in range(2)]
    first = seen.get(timeout=patience_s())
    assert first is not None
    assert first in hands
    for _ in range(20):
        first.begin()
        threading.Event().wait(0.01)
        assert first.is_on_duty_when_done()
    with pytest.raises(Empty):
        seen.get(timeout=0.2)
    shift.end()
    first.leave()
    assert [seen.get(timeout=patience_s()) for _ in hands] == [None, None]


def test_where_it_waits_another_takes_over_and_it_stands_by_when_it_is_back(seen: Queue[Hand | None]) -> None:
    shift = Duty()
    hands = [Hand(shift, seen) for _ in range(2)]
    first = seen.get(timeout=patience_s())
    assert first is not None
    assert not shift.needs_another()
    first.begin()
    second = seen.get(timeout=patience_s())
    assert second is not None
    assert {first, second} == set(hands)
    assert shift.needs_another(), "nobody stands by while the first one waits"
    assert not first.is_on_duty_when_done()
    second.begin()
    assert seen.get(timeout=patience_s()) is first, "it stood by"
    assert not second.is_on_duty_when_done()
    shift.end()
    first.leave()
    assert [seen.get(timeout=patience_s()) for _ in hands] == [None, None]


def test_where_all_takes_long_patience_is_longer_and_it_returns_when_all_is_quick(seen: Queue[Hand | None]) -> None:
    shift = Duty()
    hands = [Hand(shift, seen)]
    first = seen.get(timeout=patience_s())
    assert first is not None
    assert first is hands[0]
    for took_s, waits_s in [(0.001, 0.05), (2, 10), (0.001, 9), (0.001, 8.1)]:
        first.begin()
        shift._began = time.monotonic() - took_s
        assert first.is_on_duty_when_done()
        assert shift._patience_s() == pytest.approx(waits_s, rel=0.1)
    for _ in range(80):
        first.begin()
        assert first.is_on_duty_when_done()
    assert shift._patience_s() == 0.05
    shift.end()
    first.leave()
    assert seen.get(timeout=patience_s()) is None


def test_at_the_end_nobody_comes_on_duty(seen: Queue[Hand | None]) -> None:
    shift = Duty()
    shift.end()
    assert not shift.comes()
    assert shift.is_over()
    assert seen.empty()
