"""How `make fleet` judges the number of workers that are wanted: by when it fits, and by whether it swings."""

from math import inf

from tests.fleet.scaling import Course, Phase, Sample


def course(*wanted: int, due: float = 10) -> Course:
    return Course(Phase("burst", 100), [Sample(float(at_s), number, due) for at_s, number in enumerate(wanted)])


def test_a_number_that_comes_late_settles_late_and_one_that_never_fits_never() -> None:
    assert course(600, 9, 10, 12).settled_s == 1
    assert course(*[0] * 70, 10, 10).settled_s == 70
    assert not course(*[0] * 70, 10, 10).is_good
    assert course(0, 10, 0).settled_s == inf


def test_a_number_that_goes_up_and_down_again_swings_and_one_that_trembles_or_falls_does_not() -> None:
    assert course(*[10, 12, 9, 11] * 9).swings == 0
    assert course(*[7, 13] * 9).swings > 1
    assert not course(*[7, 13] * 9).is_good
    falls = Course(Phase("burst", 100), [Sample(float(at_s), 40 - at_s, 40.0 - at_s) for at_s in range(40)])
    assert (falls.swings, falls.is_good) == (0, True)
