"""The clerk's tray: which requests share a transaction, and when a further session is lent."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial

import pytest

from ladder.database.worker_sessions import Sessions
from workers.first_process import tray
from workers.first_process.tray import MOST_SESSIONS, MOST_TOGETHER, Asked, Tray
from workers.worker_process import open_sessions


def claim(number: int) -> int:
    """Stand for what can be done together."""
    return number


def record(number: int) -> int:
    """Stand for what can be done together with others of its kind."""
    return number


def look(number: int) -> int:
    """Stand for what is done by itself."""
    return number


def asked(work: Callable[[int], int], number: int) -> Asked:
    """Make a request."""
    return Asked(work, (number,), {})


@pytest.fixture
def full(database_url: str) -> Tray:
    """A tray on which requests of all kinds wait."""
    made = Tray(partial(open_sessions, database_url), {claim, record})
    for request in (asked(work, number) for number in range(2) for work in (claim, record, look)):
        made.put(request)
    return made


def turn_of(tray: Tray, request: Asked) -> tuple[Sessions, list[Asked]]:
    """Wait for a turn that there must be."""
    turn = tray.turn(request)
    assert turn is not None
    return turn


def test_requests_of_one_kind_are_taken_together_and_others_one_by_one(full: Tray) -> None:
    last = asked(claim, 2)
    full.put(last)
    taken: list[list[tuple[str, int]]] = []
    for _ in range(4):
        full.put(request := asked(look, 9))
        session, requests = turn_of(full, request)
        taken.append([(one.work.__name__, *one.arguments) for one in requests])
        full.done(session)
    assert taken == [
        [("claim", 0), ("claim", 1), ("claim", 2)],
        [("record", 0), ("record", 1)],
        [("look", 0)],
        [("look", 1)],
    ]


def test_no_more_are_taken_together_than_a_transaction_is_to_hold(database_url: str) -> None:
    tray = Tray(partial(open_sessions, database_url), {record})
    requests = [asked(record, number) for number in range(MOST_TOGETHER + 1)]
    for request in requests:
        tray.put(request)
    assert turn_of(tray, requests[-1])[1] == requests[:-1]


def test_a_request_that_somebody_else_has_done_needs_no_session(full: Tray) -> None:
    mine = asked(claim, 2)
    full.put(mine)
    session, requests = turn_of(full, mine)
    assert mine in requests
    answers: list[object] = []
    waiter = threading.Thread(target=lambda: answers.append(full.turn(mine)))
    waiter.start()
    mine.answer = 2, None
    full.done(session)
    waiter.join()
    assert answers == [None]


def test_a_further_session_is_lent_only_where_none_has_come_back_for_some_time(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tray, "PATIENCE_S", 0.05)
    one = Tray(partial(open_sessions, database_url), set())
    requests = [asked(look, number) for number in range(MOST_SESSIONS + 1)]
    for request in requests:
        one.put(request)
    lent = [turn_of(one, request)[0] for request in requests[:-1]]
    assert len(set(map(id, lent))) == MOST_SESSIONS
    waiter = threading.Thread(target=lambda: lent.append(turn_of(one, requests[-1])[0]))
    waiter.start()
    waiter.join(0.2)
    assert waiter.is_alive(), "that is all there is"
    one.done(lent[0])
    waiter.join()
    assert lent[-1] is lent[0]


def test_where_sessions_come_back_one_is_enough_however_long_requests_wait(database_url: str) -> None:
    one = Tray(partial(open_sessions, database_url), set())
    requests = [asked(look, number) for number in range(50)]
    for request in requests:
        one.put(request)
    lent: set[int] = set()
    for request in requests:
        session, _ = turn_of(one, request)
        lent.add(id(session))
        one.done(session)
    assert len(lent) == 1
