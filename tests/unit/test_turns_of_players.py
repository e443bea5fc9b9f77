"""Whose pairs are made next where gauntlets of several players run."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from ladder.matchmaking.matchmaker import Wish, players_in_turns

WISHES = st.lists(
    st.builds(Wish, st.sampled_from("abc"), st.integers(0, 5), st.integers(0, 50), st.integers(0, 6)), max_size=12
)


def shares(wishes: list[Wish], most: int) -> Counter[str]:
    return Counter(wishes[place].by for place in players_in_turns(wishes, most))


def test_a_player_alone_gets_all_that_is_wanted_gauntlet_by_gauntlet() -> None:
    assert players_in_turns([Wish("kim", 2, 9, 2), Wish("kim", 0, 0, 4), Wish("kim", 4, 8, 0)], 4) == [0, 0, 1, 1, 1, 1]


def test_who_runs_ten_gets_no_more_than_who_runs_one() -> None:
    assert shares([*[Wish("flood", 0, 0, 4)] * 10, Wish("kim", 0, 0, 4)], 4) == {"flood": 4, "kim": 4}


def test_players_take_turns_and_who_has_most_waiting_comes_last() -> None:
    wishes = [Wish("flood", 2, 2, 2), Wish("kim", 0, 0, 4), Wish("mia", 1, 1, 3)]
    assert players_in_turns(wishes, 4) == [1, 1, 2, 0, 1, 2, 0, 1, 2]


def test_a_player_whose_gauntlet_is_full_keeps_another_from_more_than_a_share() -> None:
    assert shares([*[Wish("flood", 1, 9, 3)] * 3, Wish("kim", 4, 4, 0)], 4) == {"flood": 1}


def test_a_players_gauntlets_take_turns_and_a_new_one_does_not_keep_an_old_one_waiting() -> None:
    wishes = [Wish("flood", 1, 80, 3), Wish("flood", 0, 70, 4), Wish("flood", 0, 5, 4), Wish("kim", 4, 4, 0)]
    assert players_in_turns(wishes, 4) == [2, 1, 2]


def test_gauntlets_whose_last_pairs_are_played_count_no_more() -> None:
    assert shares([*[Wish("flood", 0, 0, 4)] * 10, Wish("kim", 0, 9, 0)], 4) == {"flood": 40}


@given(wishes=WISHES, most=st.integers(1, 8))
def test_nobody_gets_more_than_is_wanted_and_no_room_is_left_unused(wishes: list[Wish], most: int) -> None:
    found = players_in_turns(wishes, most)
    times = Counter(found)
    assert all(times[place] <= wish.wanted for place, wish in enumerate(wishes))
    if len({wish.by for wish in wishes if wish.waiting or wish.wanted}) > 1:
        for player in "abc":
            own = [(place, wish) for place, wish in enumerate(wishes) if wish.by == player]
            room = max(most - sum(wish.waiting for _, wish in own), 0)
            assert sum(times[place] for place, _ in own) == min(room, sum(wish.wanted for _, wish in own))
