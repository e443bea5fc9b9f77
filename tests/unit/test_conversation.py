"""Of matches with two seats and more: places and points, who sits where, and words for how they ended."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bot.clock import Spent
from engine.conversation import (
    OK,
    Outcome,
    SeatOrders,
    ending_words,
    last_turn_words,
    own_turns,
    places_of,
    points_of,
    seat_orders,
)
from engine.text import time_words

SCORES = st.lists(st.integers(-3, 3), min_size=2, max_size=8)


def test_two_seats_have_the_points_of_a_win_a_draw_or_a_defeat() -> None:
    assert points_of(places_of((6, -1))) == (1.0, 0.0)
    assert points_of(places_of((-1, 6))) == (0.0, 1.0)
    assert points_of(places_of((4, 4))) == (0.5, 0.5)


def test_level_seats_share_a_place_and_the_next_one_is_left_out() -> None:
    outcome = Outcome((7, 9, 7, 1), "end", (OK,) * 4)
    assert outcome.places == (2, 1, 2, 4)
    assert outcome.points == (0.5, 1.0, 0.5, 0.0)
    assert outcome.winner == 1
    assert Outcome((7, 9, 9), "end", (OK,) * 3).winner is None, "several share the first place"


@given(SCORES)
def test_a_higher_score_has_a_better_place_and_more_points_of_half_a_point_a_seat(scores: list[int]) -> None:
    places = places_of(scores)
    points = points_of(places)
    assert abs(sum(points) - len(scores) / 2) < 1e-9
    for one, its_score in enumerate(scores):
        for other, other_score in enumerate(scores):
            assert (its_score > other_score) == (places[one] < places[other]) == (points[one] > points[other])


@pytest.mark.parametrize("players", range(2, 9))
def test_by_rotations_each_player_has_each_seat_once(players: int) -> None:
    orders = seat_orders(players)
    assert len(orders) == players
    for seat in range(players):
        assert {order[seat] for order in orders} == set(range(players))
    assert all(set(order) == set(range(players)) for order in orders)


def test_two_players_have_both_orders_all_orders_of_four_are_24_and_one_is_one() -> None:
    assert [seat_orders(2, which) for which in SeatOrders] == [[(0, 1), (1, 0)]] * len(SeatOrders)
    assert len(set(seat_orders(4, SeatOrders.ALL))) == 24
    assert seat_orders(4, SeatOrders.ONE) == [(0, 1, 2, 3)]


@pytest.mark.parametrize(
    ("reason", "verdicts", "words"),
    [
        ("disabled", ("ok", "crashed"), "crash"),
        ("disabled", ("timeout", "ok"), "time-out"),
        ("disabled", ("illegal", "timeout"), "illegal and time-out"),
        ("disabled", ("illegal", "illegal"), "illegal"),
        ("unrecognised", ("ok", "illegal"), "illegal"),
        ("turn_limit", ("ok", "ok"), "turn limit"),
        ("dead", (None, "ok"), "dead"),
    ],
)
def test_a_fault_is_called_by_its_own_word_and_other_ends_by_the_games(
    reason: str, verdicts: tuple[str | None, ...], words: str
) -> None:
    assert ending_words(reason, verdicts) == words


def test_a_bots_own_turns_stand_beside_the_matchs() -> None:
    seats = [0, 1, 0, 0, 1]
    assert own_turns(seats) == [1, 1, 2, 3, 2]
    assert last_turn_words(seats, 0) == "turn 3 (match turn 4)"
    assert last_turn_words(seats[:2], 1) == "first turn (match turn 2)"
    assert last_turn_words([], 0) == ""


def test_times_are_in_milliseconds_and_from_one_second_on_in_seconds() -> None:
    words = {0: "0 ms", 20: "0.02 ms", 600: "0.6 ms", 68_000: "68 ms", 1_000_000: "1 s", 1_340_000: "1.3 s"}
    assert {us: time_words(us) for us in words} == words
    assert Spent(wall_us=70_600, cpu_us=600, wait_us=1_500, late_us=500).words == "it computed 0.6 ms and slept 68 ms"
