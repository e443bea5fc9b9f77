"""What a bot's threads are believed to have waited: only what looks at the bot bear out."""

from __future__ import annotations

from engine.bot.seen_waits import Look, SeenWaits

MS = 1_000_000
SLICE_MS = 2


class Turn:
    """A turn in which somebody looks at the bot every two milliseconds. Times in milliseconds."""

    def __init__(self) -> None:
        self.seen = SeenWaits(Look(0, 0, 0, 0))
        self.wall = self.cpu = self.waited = self.ended = 0.0

    def look(
        self,
        *,
        ready: bool,
        computed: float = 0,
        told: float = 0,
        longest: float | None = None,
        ended: float = 0,
        own_wait: float = 0,
        after: float = SLICE_MS,
        reading: float = 0,
    ) -> None:
        """Look again, having read for so long.

        `told`: waits that turned up since, `longest`: of one thread; `ended`: what threads that have ended computed.
        """
        self.wall += after
        self.cpu += computed
        self.waited += told
        self.ended += ended
        longest = told if longest is None else longest
        numbers = self.wall, self.cpu, self.waited, self.ended, longest, self.wall + reading
        self.seen.look(Look(*(round(number * MS) for number in numbers)), round(own_wait * MS), ready=ready)

    @property
    def disbelieved(self) -> float:
        """How much of the waits that turned up is not believed."""
        return self.seen.disbelieved_ns / MS

    @property
    def asleep(self) -> float:
        """How long the bot has certainly slept between the last two looks."""
        return self.seen.asleep_ns / MS

    @property
    def believed(self) -> float:
        """What the ended threads are believed to have waited."""
        return self.seen.believed_ns / MS


def test_a_thread_that_waited_from_look_to_look_and_ended_is_believed_to_have_waited_all_the_while() -> None:
    turn = Turn()
    for _ in range(10):
        turn.look(ready=True)
    turn.look(ready=False, computed=1, ended=1)
    assert turn.believed == 11 * SLICE_MS - 1


def test_what_has_turned_up_in_an_account_is_not_believed_a_second_time() -> None:
    turn = Turn()
    for _ in range(10):
        turn.look(ready=True)
    turn.look(ready=True, computed=1, told=21)
    turn.look(ready=False, computed=1, ended=2)
    assert turn.believed == SLICE_MS - 1


def test_a_bot_that_sleeps_gains_nothing_by_threads_that_end() -> None:
    turn = Turn()
    turn.look(ready=False)
    for _ in range(100):
        turn.look(ready=False, computed=0.03, ended=0.03)
    assert turn.believed == 0
    assert turn.seen.thread_ended
    assert not turn.seen.was_ready_mostly


def test_a_wait_of_our_own_bears_out_as_much_of_an_unseen_thread() -> None:
    turn = Turn()
    turn.look(ready=False)
    turn.look(ready=False, ended=0.1, own_wait=30, after=40)
    assert turn.believed == 30


def test_a_thread_that_ended_before_the_first_look_may_have_waited_until_then() -> None:
    turn = Turn()
    turn.look(ready=False, computed=1, ended=1, after=10)
    assert turn.believed == 9


def test_waits_that_another_thread_brings_along_in_the_place_of_the_first_are_not_this_turns() -> None:
    turn = Turn()
    turn.look(ready=False)
    turn.look(ready=False, told=100, ended=1)
    assert turn.disbelieved == 100 - SLICE_MS
    turn.look(ready=True, told=-90, ended=1)
    assert turn.believed <= SLICE_MS


def test_waits_that_turn_up_when_a_thread_ends_are_believed_as_far_as_there_was_time_for_them() -> None:
    turn = Turn()
    for _ in range(10):
        turn.look(ready=True)
    turn.look(ready=True, computed=1, told=21, ended=1)
    assert turn.disbelieved == 0


def test_without_a_thread_that_ended_nothing_is_lost() -> None:
    turn = Turn()
    for ready in (True, False, True, True):
        turn.look(ready=ready)
    assert turn.believed == 0
    assert not turn.seen.thread_ended
    assert turn.seen.was_ready_mostly


def test_threads_that_wake_together_hide_no_more_sleep_than_twice_what_one_of_them_waited() -> None:
    turn = Turn()
    turn.look(ready=False)
    turn.look(ready=False, told=40 * 3, longest=3, after=20)
    assert turn.disbelieved == 40 * 3 - 2 * 3
    assert turn.asleep == 20 - 2 * 3


def test_threads_that_wait_together_waited_no_longer_than_there_was_time() -> None:
    turn = Turn()
    for _ in range(5):
        turn.look(ready=True)
    turn.look(ready=True, computed=1, told=4 * 11, longest=11)
    assert turn.disbelieved == 3 * 11
    turn.look(ready=True, computed=0.5, told=4 * 2, longest=2)
    assert turn.disbelieved == 3 * 11 + 4 * 2 - 1.5


def test_threads_that_wait_one_after_the_other_are_believed_while_one_is_always_ready() -> None:
    turn = Turn()
    for _ in range(8):
        turn.look(ready=True, computed=0.1, told=1.9, longest=0.5)
    assert turn.disbelieved == 0


def test_a_wait_that_ends_while_we_read_is_believed_though_our_look_began_before() -> None:
    turn = Turn()
    turn.look(ready=True, computed=1, told=30, reading=29)
    assert turn.disbelieved == 0


def test_what_turns_up_after_the_last_look_is_believed_as_far_as_there_was_time_for_it() -> None:
    turn = Turn()
    turn.look(ready=False, computed=1, told=1)
    assert turn.seen.waited_ns(9 * MS, (SLICE_MS + 3) * MS, 1 * MS) == (1 + 3) * MS
    assert turn.seen.waited_ns(2 * MS, (SLICE_MS + 3) * MS, 1 * MS) == 2 * MS


def test_a_thread_that_ended_while_we_read_may_have_waited_until_we_had_read() -> None:
    turn = Turn()
    turn.look(ready=True, computed=1, ended=1, reading=20)
    assert turn.believed == SLICE_MS + 20 - 1


def test_what_passes_while_we_read_is_no_time_for_two_waits() -> None:
    turn = Turn()
    turn.look(ready=True, told=SLICE_MS + 20, reading=20)
    turn.look(ready=True, told=20 + 30, after=20)
    assert turn.disbelieved == 20 + 30


def test_a_bot_that_wakes_while_we_read_may_wait_from_then_on() -> None:
    turn = Turn()
    turn.look(ready=False, reading=20)
    turn.look(ready=True, computed=1, told=19, after=20)
    assert turn.disbelieved == 0
