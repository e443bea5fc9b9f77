"""How many matches may wait: by the fleet and its pace, and never fewer than on the smallest ladder."""

from hypothesis import given
from hypothesis import strategies as st

from ladder.matchmaking.matchmaker import ASKED_AHEAD, IDLE_AHEAD, MATCHES_EACH, MOST_WAITING, Room, room_for


@given(processes=st.integers(0, 5000), finished=st.integers(0, 5000))
def test_what_waits_covers_a_battle_for_each_process_and_what_is_played_until_the_next_look(
    processes: int, finished: int
) -> None:
    room = room_for(processes, finished)
    assert room.matches >= max(MOST_WAITING, MATCHES_EACH * processes, finished)
    assert room.matches <= max(MOST_WAITING, MATCHES_EACH * processes, finished + 1)
    assert room.matches % 2 == 0, "matches are made in pairs"


@given(processes=st.integers(0, 5000), finished=st.integers(0, 5000))
def test_each_kind_of_battle_keeps_its_share_of_the_room(processes: int, finished: int) -> None:
    room = room_for(processes, finished)
    assert room.failed * 2 == room.matches
    assert room.asked_battles == room.matches // 4, "half of the room, as a battle is two matches"
    assert room.idle_battles <= room.asked_battles


def test_the_smallest_ladder_has_the_room_that_it_always_had() -> None:
    assert room_for(2, 10) == Room(MOST_WAITING) == Room(64)
    assert (Room().asked_battles, Room().idle_battles, Room().failed) == (ASKED_AHEAD, IDLE_AHEAD, 32)
