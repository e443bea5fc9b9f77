"""Points and words for what somebody on a class list has handed in."""

import pytest

from ladder.views.contests import Grade


def graded(rank: int | None, ranked: int = 3, in_time: int = 1, late: int = 0) -> Grade:
    return Grade("kim", None, None, None, None, None, None, None, rank, ranked, in_time, late)


def test_the_first_has_100_points_each_rank_after_it_an_equal_step_fewer_and_nobody_unranked_any() -> None:
    assert [graded(rank).points for rank in (1, 2, 3, None)] == [100.0, 66.7, 33.3, 0.0]
    assert [graded(rank).points for rank in (1, 1, 3)] == [100.0, 100.0, 33.3], "equal ranks have equal points"
    assert (graded(1, 1).points, graded(None, 0).points) == (100.0, 0.0)


@pytest.mark.parametrize(
    ("rank", "in_time", "late", "words"),
    [
        (1, 1, 0, "in time"),
        (1, 1, 2, "in time"),
        (None, 2, 1, "in time, but not ranked"),
        (None, 0, 1, "late"),
        (None, 0, 0, "nothing"),
    ],
)
def test_whether_something_was_handed_in_is_said_of_each(rank: int | None, in_time: int, late: int, words: str) -> None:
    assert graded(rank, in_time=in_time, late=late).handed_in == words
