"""The clerk's inbox: which requests share a transaction, and what is heard of processes."""

import pickle
import socket
from collections.abc import Iterator

import pytest

from tests.patience import wait_until
from workers.clerk import LENGTH, MOST_TOGETHER, ClerkRequest, Door, Inbox, Post


def claim(number: int) -> int:
    return number


def record(number: int) -> int:
    return number


def look(number: int) -> int:
    return number


class Office:
    """An inbox, and processes that have joined."""

    def __init__(self) -> None:
        self.door = Door()
        self.inbox = Inbox(self.door, {claim, record})
        self.ends: list[socket.socket] = []

    def join(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            self.door.hand_in(theirs.fileno())
        assert self.inbox.take() == []
        self.ends.append(ours)
        return ours

    def ask(self, work: object, number: int, named: dict[str, object] | None = None) -> None:
        Post(self.join()).send((work, (number,), named or {}))

    def take(self) -> list[tuple[str, int]]:
        return [(asked.work.__name__, *asked.arguments) for asked in self.inbox.take()]


@pytest.fixture
def office() -> Iterator[Office]:
    office = Office()
    yield office
    for end in office.ends:
        end.close()
    office.inbox.close()
    office.door.leave()


def test_requests_of_one_kind_are_taken_together_and_others_one_by_one(office: Office) -> None:
    ends = [office.join() for _ in range(6)]
    kinds = [(work, number) for number in range(2) for work in (claim, record, look)]
    for end, (work, number) in zip(ends, kinds, strict=True):
        Post(end).send((work, (number,), {}))
    taken = [office.take() for _ in range(4)]
    rounds = sorted(map(sorted, taken))
    assert rounds == [[("claim", 0), ("claim", 1)], [("look", 0)], [("look", 1)], [("record", 0), ("record", 1)]]


def test_what_is_asked_while_others_wait_is_taken_with_those_of_its_kind(office: Office) -> None:
    ends = [office.join() for _ in range(4)]
    for end, (work, number) in zip(ends, [(look, 0), (claim, 0)], strict=False):
        Post(end).send((work, (number,), {}))
    first = office.take()
    Post(ends[2]).send((claim, (1,), {}))
    second = office.take()
    assert sorted([first, second]) in ([[("claim", 0), ("claim", 1)], [("look", 0)]], [[("claim", 0)], [("look", 0)]])
    if len(second) == 1:
        assert office.take() == [("claim", 1)]


def test_a_request_with_named_arguments_is_done_by_itself(office: Office) -> None:
    ends = [office.join() for _ in range(2)]
    Post(ends[0]).send((claim, (0,), {}))
    Post(ends[1]).send((claim, (1,), {"named": 1}))
    assert sorted([office.take(), office.take()]) == [[("claim", 0)], [("claim", 1)]]


def test_no_more_are_taken_together_than_a_transaction_is_to_hold(office: Office) -> None:
    ends = [office.join() for _ in range(MOST_TOGETHER + 1)]
    for number, end in enumerate(ends):
        Post(end).send((record, (number,), {}))
    assert [len(office.take()), len(office.take())] == [MOST_TOGETHER, 1]


def test_half_a_request_keeps_nobody_waiting_and_is_taken_once_it_is_whole(office: Office) -> None:
    slow, quick = office.join(), office.join()
    words = pickle.dumps((claim, (0,), {}))
    slow.send((LENGTH.pack(len(words)) + words)[:-1])
    assert office.take() == []
    Post(quick).send((look, (1,), {}))
    assert office.take() == [("look", 1)]
    slow.send(words[-1:])
    assert office.take() == [("claim", 0)]


def test_a_large_request_arrives_whole(office: Office) -> None:
    large = b"x" * 5_000_000
    end = office.join()
    end.settimeout(0)
    words = pickle.dumps((claim, (large,), {}))
    left = memoryview(LENGTH.pack(len(words)) + words)

    def taken() -> list[ClerkRequest]:
        nonlocal left
        if left:
            left = left[end.send(left) :]
        return office.inbox.take()

    assert wait_until(taken, "the whole request", 0)[0].arguments == (large,)


def test_what_a_process_asked_for_before_it_died_is_taken_and_then_it_is_forgotten(office: Office) -> None:
    end = office.join()
    Post(end).send((claim, (0,), {}))
    end.close()
    assert office.take() == [("claim", 0)]
    assert office.take() == []
    office.ask(look, 1)
    assert office.take() == [("look", 1)], "the other's end is heard no more"


def test_a_process_that_sends_what_cannot_be_read_is_left_alone_and_others_are_heard(office: Office) -> None:
    end = office.join()
    end.send(LENGTH.pack(5) + b"no so")
    assert office.take() == []
    assert end.recv(1) == b"", "it sees that nobody listens any more"
    office.ask(look, 1)
    assert office.take() == [("look", 1)]
