"""What a match is expected to teach, held to the rating model itself."""

from math import erf, sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.matchmaking.information import AllPairs, InformationGain, Model, Neighbourhood, expected_drop
from ladder.ratings.models import Rating, RatingSettings, draw_margin, model_of

BETA = 25 / 6


def drop_of(gap: float, sigma: float, other: float, draws: float) -> float:
    found = expected_drop(np.array([gap]), np.array([sigma**2]), np.array([other**2]), Model(BETA, draws))
    return float(found[0])


def chance_below(x: float) -> float:
    return (1 + erf(x / sqrt(2))) / 2


@given(
    gap=st.floats(-20, 20), sigma=st.floats(0.5, 9), other=st.floats(0.5, 9), draws=st.sampled_from([0.0, 0.05, 0.4])
)
def test_the_expected_drop_is_the_mean_over_all_results(gap: float, sigma: float, other: float, draws: float) -> None:
    settings = RatingSettings(tau=0.0, draw_probability=draws)
    margin, spread = draw_margin(settings), sqrt(2 * BETA**2 + sigma**2 + other**2)
    win, loss = chance_below((gap - margin) / spread), chance_below((-gap - margin) / spread)
    first, second = Rating(25 + gap, sigma), Rating(25, other)
    expected = 0.0
    for winner, share in ((0, win), (1, loss), (None, 1 - win - loss)):
        if share > 1e-12 and not (winner is None and draws == 0):
            after = model_of(settings).rate(first, second, winner)
            expected += share * (sigma**2 + other**2 - after[0].sigma ** 2 - after[1].sigma ** 2)
    assert drop_of(gap, sigma, other, draws) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@given(gap=st.floats(-1e4, 1e4), sigma=st.floats(0.01, 100), other=st.floats(0.01, 100), draws=st.floats(0, 0.9))
def test_the_drop_is_a_number_and_no_more_than_there_is(gap: float, sigma: float, other: float, draws: float) -> None:
    assert 0 <= drop_of(gap, sigma, other, draws) <= sigma**2 + other**2


def test_close_opponents_and_little_known_ones_teach_more() -> None:
    assert drop_of(0, 2, 2, 0) > drop_of(5, 2, 2, 0) > drop_of(20, 2, 2, 0)
    assert drop_of(0, 8, 2, 0) > drop_of(0, 4, 2, 0)


def some_lessons(count: int, seed: int = 1) -> InformationGain:
    chance = Random(seed)
    mus, sigmas = [chance.gauss(25, 6) for _ in range(count)], [chance.uniform(0.8, 8) for _ in range(count)]
    return InformationGain(mus, sigmas, [5] * count, [0] * count, Model(BETA, 0.02))


def test_battles_that_wait_count_as_if_they_had_taught_something() -> None:
    waiting, idle = (InformationGain([25.0], [8.0], [10], [count], Model(BETA, 0.0)) for count in (10, 0))
    assert waiting.variances[0] < idle.variances[0]


def test_what_tau_forgets_is_not_taken_for_ignorance() -> None:
    """Two versions with the same sigma: of the one with more battles more is known."""
    lessons = InformationGain([25.0, 25.0], [0.8, 0.8], [100, 800], [0, 0], Model(BETA, 0.0))
    assert lessons.variances[1] < lessons.variances[0]


@given(seed=st.integers(0, 1000))
def test_the_best_neighbours_are_kept_up_to_date_as_battles_are_arranged(seed: int) -> None:
    chance = Random(seed)
    neighbourhood = Neighbourhood(some_lessons(60, seed))
    for _ in range(30):
        neighbourhood.expect(*neighbourhood.best_pair(chance))
    anew = Neighbourhood(neighbourhood.lessons)
    np.testing.assert_allclose(neighbourhood.best, anew.best, rtol=1e-12)


def test_the_best_pair_among_neighbours_is_nearly_the_best_of_all() -> None:
    for seed in range(20):
        lessons = some_lessons(100, seed)
        of_all = max(lessons.with_each(index).max() for index in range(100))
        first, second = Neighbourhood(lessons).best_pair(Random(seed))
        assert lessons.with_each(first)[second] > 0.75 * of_all


@given(seed=st.integers(0, 1000), count=st.integers(2, 12))
def test_all_pairs_are_kept_up_to_date_as_battles_are_arranged(seed: int, count: int) -> None:
    chance = Random(seed)
    pairs = AllPairs(some_lessons(count, seed), [[0] * count for _ in range(count)])
    for _ in range(30):
        pairs.expect(*pairs.best_pair([True] * count, chance))
    anew = AllPairs(pairs.lessons, [[0] * count for _ in range(count)])
    np.testing.assert_allclose(pairs.drops, anew.drops, rtol=1e-12)
    assert pairs.met.sum() == 30 * 2 * 2, "two matches each, seen from both sides"


def test_of_all_pairs_one_that_teaches_nearly_the_most_is_next() -> None:
    for seed in range(20):
        pairs = AllPairs(some_lessons(20, seed), [[0] * 20 for _ in range(20)])
        assert pairs.drops[pairs.best_pair([True] * 20, Random(seed))] >= 0.9 * pairs.drops.max()


@given(seed=st.integers(0, 1000), behind=st.lists(st.booleans(), min_size=2, max_size=9).filter(any))
def test_next_are_two_that_are_behind_or_the_only_one_with_another(seed: int, behind: list[bool]) -> None:
    pairs = AllPairs(some_lessons(len(behind), seed), [[0] * len(behind) for _ in behind])
    for first, second in (pairs.best_pair(behind, Random(seed)), pairs.rarest_pair(behind, Random(seed))):
        assert first < second
        assert behind[first] + behind[second] == min(sum(behind), 2)


def test_the_rarest_pair_is_of_those_that_have_met_least() -> None:
    met = [[0, 5, 3], [5, 0, 4], [3, 4, 0]]
    pairs = AllPairs(some_lessons(3), met)
    assert pairs.rarest_pair([True, True, True], Random(1)) == (0, 2)
    pairs.expect(0, 2)
    assert pairs.rarest_pair([True, True, True], Random(1)) == (1, 2)
    assert pairs.rarest_pair([True, False, False], Random(1)) in {(0, 1), (0, 2)}
