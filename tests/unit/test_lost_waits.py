"""What threads that have ended are believed to have waited: only what looks at the bot bear out."""

from __future__ import annotations

from engine.bot.lost_waits import Look, LostWaits

MS = 1_000_000
SLICE_MS = 2


class Turn:
    """A turn in which somebody looks at the bot every two milliseconds. Times in milliseconds."""

    def __init__(self) -> None:
        self.lost = LostWaits(Look(0, 0, 0, 0))
        self.wall = self.cpu = self.waited = self.ended = 0.0

    def look(
        self,
        *,
        ready: bool,
        computed: float = 0,
        told: float = 0,
        ended: float = 0,
        own_wait: float = 0,
        after: float = SLICE_MS,
    ) -> None:
        """Look again; `told`: waits that turned up since; `ended`: what threads had computed that have ended since."""
        self.wall += after
        self.cpu += computed
        self.waited += told
        self.ended += ended
        readings = (round(number * MS) for number in (self.wall, self.cpu, self.waited, self.ended))
        self.lost.look(Look(*readings), round(own_wait * MS), lambda: ready)

    @property
    def believed(self) -> float:
        """What the ended threads are believed to have waited."""
        return self.lost.believed_ns / MS


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
    assert turn.lost.has_any
    assert not turn.lost.was_ready_mostly


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
    assert turn.lost.disbelieved_ns == (100 - SLICE_MS) * MS
    turn.look(ready=True, told=-90, ended=1)
    assert turn.believed <= SLICE_MS


def test_waits_that_turn_up_when_a_thread_ends_are_believed_as_far_as_there_was_time_for_them() -> None:
    turn = Turn()
    for _ in range(10):
        turn.look(ready=True)
    turn.look(ready=True, computed=1, told=21, ended=1)
    assert turn.lost.disbelieved_ns == 0


def test_without_a_thread_that_ended_nothing_is_lost() -> None:
    turn = Turn()
    for ready in (True, False, True, True):
        turn.look(ready=ready)
    assert turn.believed == 0
    assert not turn.lost.has_any
    assert turn.lost.was_ready_mostly
