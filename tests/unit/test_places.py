"""Places and points of matches with two seats and more."""

from hypothesis import given
from hypothesis import strategies as st

from engine.conversation import OK, Outcome, places_of, points_of

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
