"""How far the matches that are left can move ratings: bounds, held against all results of a few matches."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.choices import RatingSystem, ScoreFormula
from ladder.ratings.models import Rating, RatingSettings, keeps_its_rank, model_of, score, stays_below

MUS = st.floats(5.0, 45.0)
SIGMAS = st.floats(0.5, 4.0)
RATINGS = st.builds(Rating, MUS, SIGMAS)
SETTINGS = st.builds(
    RatingSettings,
    system=st.sampled_from(list(RatingSystem)),
    tau=st.sampled_from([0.0, 25 / 300]),
    draw_probability=st.sampled_from([0.0, 0.1, 0.5]),
    score_formula=st.sampled_from(list(ScoreFormula)),
)
RESULTS = (0, 1, None)


def ends(settings: RatingSettings, own: Rating, other: Rating, third: Rating, matches: int) -> set[bool]:
    """Play all results of that many matches of the first, against either of the others; say whether it ranks below the
    second after each."""
    model, found = model_of(settings), set[bool]()
    for way in product(product((False, True), RESULTS), repeat=matches):
        first, second, met = own, other, third
        for is_with_third, result in way:
            if is_with_third:
                first, met = model.rate(first, met, result)
                met = third
            else:
                first, second = model.rate(first, second, result)
        found.add(score(settings, first) < score(settings, second))
    return found


@given(settings=SETTINGS, own=RATINGS, other=RATINGS, third=RATINGS, matches=st.integers(1, 3))
def test_whoever_stays_below_does_so_after_all_results(
    settings: RatingSettings, own: Rating, other: Rating, third: Rating, matches: int
) -> None:
    everybody = (own, other, third)
    if stays_below(settings, own, other, everybody, matches):
        assert ends(settings, own, other, third, matches) == {True}
    if stays_below(settings, other, own, everybody, matches):
        assert True not in ends(settings, own, other, third, matches)


@given(settings=SETTINGS, own=RATINGS, gap=st.floats(0.0, 3.0), matches=st.integers(1, 3))
def test_near_ones_are_never_settled_in_vain(settings: RatingSettings, own: Rating, gap: float, matches: int) -> None:
    other = Rating(own.mu + gap, own.sigma)
    if stays_below(settings, own, other, (own, other), matches):
        assert ends(settings, own, other, other, matches) == {True}


@pytest.mark.parametrize("system", list(RatingSystem))
def test_a_gap_that_all_wins_could_not_close_is_settled_and_one_that_they_could_is_not(system: str) -> None:
    settings = RatingSettings(system=system)
    weak, strong = Rating(15.0, 0.9), Rating(30.0, 0.9)
    assert stays_below(settings, weak, strong, (weak, strong), 10)
    assert not stays_below(settings, weak, strong, (weak, strong), 200)
    assert not stays_below(settings, strong, weak, (weak, strong), 1)
    near = Rating(29.95, 0.9)
    assert ends(settings, near, strong, weak, 1) == {True, False}
    assert not stays_below(settings, near, strong, (near, strong), 1)


def test_a_rank_is_kept_where_the_order_with_all_others_is() -> None:
    settings = RatingSettings()
    low, own, high = Rating(10.0, 0.9), Rating(25.0, 0.9), Rating(40.0, 0.9)
    assert keeps_its_rank(settings, own, [high, low], 10)
    newcomer = Rating(25.0, 25 / 3)
    assert not keeps_its_rank(settings, own, [high, newcomer, low], 10)
