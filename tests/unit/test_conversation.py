"""Of matches with two seats and more: places, points, who sits where, how they ended, who does better in a seat."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import conversation
from engine.bot.clock import Spent
from engine.conversation import OK, Outcome, SeatOrders, last_turn_words, own_turns, places_of, points_of, seat_orders
from engine.text import time_words
from ladder.statistics import seats
from ladder.statistics.seats import BySeat, SeatRecord, chance_beyond, differ, every_seat, p_value, records, sentence

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


def test_nobody_wins_where_several_share_the_first_place() -> None:
    assert Outcome((7, 9, 9), "end", (OK,) * 3).winner is None


@given(SCORES)
def test_the_points_of_a_match_add_up_to_half_a_point_a_seat(scores: list[int]) -> None:
    assert abs(sum(points_of(places_of(scores))) - len(scores) / 2) < 1e-9


@given(SCORES)
def test_a_higher_score_has_a_better_place_and_more_points(scores: list[int]) -> None:
    places = places_of(scores)
    points = points_of(places)
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


def test_two_players_have_both_orders() -> None:
    assert [seat_orders(2, which) for which in SeatOrders] == [[(0, 1), (1, 0)]] * len(SeatOrders)


def test_all_orders_of_four_are_24_and_one_is_one() -> None:
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
    assert conversation.ending_words(reason, verdicts) == words


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


def both(first: tuple[int, int, int], second: tuple[int, int, int]) -> tuple[SeatRecord, SeatRecord]:
    return SeatRecord(0, *first), SeatRecord(1, *second)


def test_a_bot_that_loses_only_in_one_seat_is_told_so_in_a_sentence() -> None:
    assert sentence("kraken@v8", both((200, 0, 0), (85, 48, 67))) == (
        "kraken@v8 takes 100 % of the points as player 0 and 55 % as player 1: more than chance. "
        "If the game favours no seat, look for a bug as player 1"
    )
    assert "take" in sentence("a", both((0, 0, 12), (12, 0, 0)))


def test_nothing_is_said_of_what_chance_or_few_matches_bring() -> None:
    none = (0, 0, 0)
    equals = [both((100, 0, 100), (90, 10, 100)), both((50, 0, 0), (50, 0, 0))]
    few = [both((9, 0, 0), (0, 0, 9)), both(none, none), both((30, 0, 0), none)]
    assert [sentence("kraken@v8", pair) for pair in (*equals, *few)] == [""] * 5


def test_of_bots_that_do_equally_well_in_both_seats_few_are_accused() -> None:
    chance = Random(7)
    accused = 0
    for _ in range(2000):
        pairs = [(chance.choice((0, 1, 2, 2)), chance.choice((0, 1, 2, 2))) for _ in range(40)]
        accused += differ(records(pairs))
    assert accused <= 4 * 2000 * seats.RARE


def test_the_chance_is_that_of_dealing_the_results_out_anew() -> None:
    """The approximation is close to the exact one where 6 of 12 wins and losses each could be in either seat."""
    assert p_value(both((9, 0, 3), (3, 0, 9))) == pytest.approx(0.0143, abs=0.02)
    assert p_value(both((6, 0, 6), (6, 0, 6))) == pytest.approx(1)


def test_pairs_are_counted_by_seat() -> None:
    assert records([(2, 0), (2, 1), (1, 2), (0, 0)]) == both((2, 1, 1), (1, 1, 2))


def test_seats_that_were_not_played_stand_empty_between_the_others() -> None:
    assert every_seat([SeatRecord(3, 1)]) == (SeatRecord(0), SeatRecord(1), SeatRecord(2), SeatRecord(3, 1))
    assert every_seat([]) == (SeatRecord(0), SeatRecord(1))


def of_four(chance: Random, matches: int, favour: float = 0.0) -> BySeat:
    """Play matches of four equals in turns of the seats, the last of which is better by so many deviations of luck."""
    points: list[list[float]] = [[], [], [], []]
    for number in range(matches):
        luck = [chance.gauss(0, 1) + favour * (seat == 3) for seat in range(4)]
        seat = number % 4
        points[seat] += [float(luck[seat] > other) for other in luck[:seat] + luck[seat + 1 :]]
    return tuple(SeatRecord(seat, *(own.count(one) for one in (1, 0.5, 0))) for seat, own in enumerate(points))


def test_of_equals_among_four_few_are_accused_although_opponents_of_one_match_share_its_luck() -> None:
    chance = Random(3)
    found = [p_value(of_four(chance, 80)) for _ in range(600)]
    for share in (0.5, 0.1, 0.02):
        error = (share * (1 - share) / 600) ** 0.5
        assert sum(one < share for one in found) / 600 == pytest.approx(share, abs=4 * error)


def test_one_of_four_seats_that_is_better_is_named_with_the_worst() -> None:
    by_seat = of_four(Random(4), 2000, favour=0.6)
    assert differ(by_seat)
    assert "as player 3 and" in sentence("kraken", by_seat)


@pytest.mark.parametrize(("distance", "freedom", "chance"), [(3.841, 1, 0.05), (5.991, 2, 0.05), (18.475, 7, 0.01)])
def test_the_chance_beyond_a_distance_is_that_of_the_tables(distance: float, freedom: int, chance: float) -> None:
    """Source: the usual tables of the chi-square distribution."""
    assert chance_beyond(distance, freedom) == pytest.approx(chance, rel=1e-3)
