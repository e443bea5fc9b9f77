"""From which queue a worker takes its next message."""

import pytest

from workers.deliveries import DEAF_AFTER_S, SURE_AFTER_S, Hearing, UrgentButFair, most_builds

QUEUES = ["control", "build", "first", "play"]


@pytest.fixture
def order() -> UrgentButFair:
    order = UrgentButFair()
    order.update(QUEUES)
    return order


def test_the_most_urgent_queue_comes_first_and_of_four_matches_one_is_nobodys_wish(order: UrgentButFair) -> None:
    taken = []
    for _ in range(8):
        first = next(queue for queue in order.consume(4) if queue in {"first", "play"})
        taken.append(first)
        order.rotate(first)
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
