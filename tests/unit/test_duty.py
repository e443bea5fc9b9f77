"""A worker on duty: which of the clerk's threads is, from which queue the next message comes, and when it is ended."""

from __future__ import annotations

import multiprocessing
import signal
import threading
import time
from queue import Empty, Queue

import pytest

from tests.patience import patience_s
from workers import clerk, worker_process
from workers.app import app
from workers.clerk import Duty
from workers.deliveries import DEAF_AFTER_S, SURE_AFTER_S, Hearing, UrgentButFair, most_builds


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


def on_duty(seen: Queue[Hand | None]) -> Hand:
    hand = seen.get(timeout=patience_s())
    assert hand is not None
    return hand


def test_one_stays_on_duty_while_all_that_it_does_comes_to_an_end(seen: Queue[Hand | None]) -> None:
    shift = Duty()
    hands = [Hand(shift, seen) for _ in range(2)]
    first = on_duty(seen)
    assert first in hands
    for _ in range(20):
        first.begin()
        time.sleep(0.01)
        assert first.is_on_duty_when_done()
    with pytest.raises(Empty):
        seen.get(timeout=0.2)
    shift.end()
    first.leave()
    assert [seen.get(timeout=patience_s()) for _ in hands] == [None, None]


def test_where_it_waits_another_takes_over_and_it_stands_by_when_it_is_back(seen: Queue[Hand | None]) -> None:
    shift = Duty()
    hands = [Hand(shift, seen) for _ in range(2)]
    first = on_duty(seen)
    assert not shift.needs_another()
    first.begin()
    second = on_duty(seen)
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
    hand = Hand(shift, seen)
    first = on_duty(seen)
    assert first is hand
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


def hang() -> None:
    """Never come back, as a referee with a bug may."""
    worker_process.let_alarms_end_us()
    worker_process.SPARE_S = 0
    with worker_process.ended_with(1):
        while True:
            pass


def test_a_process_that_hangs_is_ended_when_its_lease_is_over() -> None:
    process = multiprocessing.get_context("fork").Process(target=hang)
    process.start()
    process.join(patience_s())
    assert process.exitcode == -signal.SIGALRM


def test_after_the_task_nothing_ends_the_process_any_more() -> None:
    def fail() -> None:
        with worker_process.ended_with(1):
            raise ValueError("a referee with a bug")

    with pytest.raises(ValueError, match="a bug"):
        fail()
    with worker_process.ended_with(1):
        pass
    assert signal.alarm(0) == 0


def test_no_setting_of_the_queue_ends_a_match_or_build_before_its_lease() -> None:
    app.loader.import_default_modules()
    endless = {name for name, task in app.tasks.items() if name.startswith("ladder.") and task.time_limit is None}
    assert app.conf.task_time_limit is None
    assert endless == {"ladder.play", "ladder.build"}


QUEUES = ["control", "build", "first", "play"]


@pytest.fixture
def order() -> UrgentButFair:
    order = UrgentButFair()
    order.update(QUEUES)
    return order


def test_the_most_urgent_queue_comes_first_and_of_four_matches_one_is_nobodys_wish(order: UrgentButFair) -> None:
    taken = []
    for _ in range(8):
        taken.append(next(queue for queue in order.consume(4) if queue in {"first", "play"}))
        order.rotate(taken[-1])
    assert taken == ["first", "first", "first", "play"] * 2
    assert order.consume(4)[:2] == ["control", "build"]


def test_while_no_more_builds_may_run_the_others_are_taken_as_ever(order: UrgentButFair) -> None:
    order.note({"build": 2, "play": 2}, 4)
    assert order.consume(4) == ["control", "first", "play"]
    order.note({"build": 1, "first": 3}, 4)
    assert order.consume(4) == QUEUES


@pytest.mark.parametrize(("processes", "most"), [(1, 1), (2, 1), (3, 1), (4, 2), (9, 4)])
def test_half_of_the_processes_may_build_and_at_least_one(processes: int, most: int) -> None:
    assert most_builds(processes) == most


def test_a_worker_is_deaf_when_it_is_idle_and_has_asked_for_nothing_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not at the first look: a process that was stopped asks once it goes on. Nor while the broker is away."""
    now = [1000.0]
    monkeypatch.setattr("workers.deliveries.time.monotonic", lambda: now[0])
    hearing = Hearing()

    def is_deaf_after(seconds: float, *, is_idle: bool = True) -> bool:
        now[0] += seconds
        return hearing.is_deaf(lambda: is_idle)

    assert not is_deaf_after(10 * DEAF_AFTER_S), "it has not begun"
    hearing.asked_at = now[0]
    assert not is_deaf_after(DEAF_AFTER_S + 1)
    assert not is_deaf_after(SURE_AFTER_S)
    assert is_deaf_after(1)
    assert not is_deaf_after(1, is_idle=False)
    assert not is_deaf_after(1), "it has just become idle"
    assert not is_deaf_after(SURE_AFTER_S)
    hearing.asked_at = now[0]
    assert not is_deaf_after(SURE_AFTER_S + 1)
    hearing.asked_at = None
    assert not is_deaf_after(10 * DEAF_AFTER_S)
