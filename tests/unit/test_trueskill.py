"""TrueSkill in closed form, held to the package that defines it, and to common sense where the package gives up."""

from math import erfc, exp, fsum, isfinite, pi, sqrt
from operator import mul
from statistics import NormalDist

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from trueskill import TrueSkill, calc_draw_margin

from ladder.ratings.trueskill import TwoPlayer, beyond, within

EXACT = (lambda x: 0.5 * erfc(-x / sqrt(2)), lambda x: exp(-x * x / 2) / sqrt(2 * pi), NormalDist().inv_cdf)
"""A normal distribution for the package that is exact to the last digits, which its own is not."""
FAR = 12.0
"""This many deviations from the expected the package still computes ten digits."""

LIKELY_DRAW = 1e-3
"""Of draws that are less likely it does not: it takes the difference of two probabilities that are nearly 1."""

sigmas = st.floats(0.05, 50)
mus = st.floats(-200, 200)
constants = st.tuples(st.floats(0.5, 20), st.floats(0, 3), st.floats(0.001, 0.98))
winners = st.sampled_from([0, 1, None])


def model_of(beta: float, tau: float, draw_probability: float) -> tuple[TwoPlayer, TrueSkill]:
    package = TrueSkill(25, 8, beta, tau, draw_probability, backend=EXACT)
    return TwoPlayer(beta, tau, float(calc_draw_margin(draw_probability, 2, package))), package


def surprise(model: TwoPlayer, first: tuple[float, float], second: tuple[float, float]) -> float:
    spread = sqrt(first[1] ** 2 + second[1] ** 2 + 2 * model.tau**2 + 2 * model.beta**2)
    return (abs(first[0] - second[0]) + model.draw_margin) / spread


def chance_of_draw(model: TwoPlayer, first: tuple[float, float], second: tuple[float, float]) -> float:
    spread = sqrt(first[1] ** 2 + second[1] ** 2 + 2 * model.tau**2 + 2 * model.beta**2)
    apart, margin = abs(first[0] - second[0]) / spread, model.draw_margin / spread
    return NormalDist().cdf(margin - apart) - NormalDist().cdf(-margin - apart)


@given(constants, st.tuples(mus, sigmas), st.tuples(mus, sigmas), winners)
@example((25 / 6, 25 / 300, 0.1), (25.0, 25 / 3), (25.0, 25 / 3), 0)
@example((25 / 6, 25 / 300, 0.05), (60.0, 1.0), (5.0, 1.0), 1)
@example((25 / 6, 25 / 300, 0.05), (60.0, 1.0), (5.0, 1.0), None)
@example((25 / 6, 25 / 300, 0.001), (25.0, 0.5), (25.0, 0.5), None)
def test_it_agrees_with_the_package_to_nine_digits(
    of_model: tuple[float, float, float], first: tuple[float, float], second: tuple[float, float], winner: int | None
) -> None:
    model, package = model_of(*of_model)
    assume(surprise(model, first, second) < FAR)
    assume(winner is not None or chance_of_draw(model, first, second) > LIKELY_DRAW)
    ranks = [0, 0] if winner is None else [winner, 1 - winner]
    groups = [(package.create_rating(*rating),) for rating in (first, second)]
    ((one,), (other,)) = package.rate(groups, ranks=ranks)
    expected = (one.mu, one.sigma, other.mu, other.sigma)
    assert model.update(*first, *second, winner) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(
    st.tuples(st.floats(0.001, 100), st.floats(0, 10), st.floats(0, 0.98)),
    st.tuples(st.floats(-1e6, 1e6), st.floats(1e-3, 1e4)),
    st.tuples(st.floats(-1e6, 1e6), st.floats(1e-3, 1e4)),
    winners,
)
def test_no_match_is_too_surprising_to_be_rated(
    of_model: tuple[float, float, float], first: tuple[float, float], second: tuple[float, float], winner: int | None
) -> None:
    """The package raises FloatingPointError for many of these; a ladder would lose the match."""
    model, _ = model_of(*of_model)
    after = model.update(*first, *second, winner)
    assert all(map(isfinite, after))
    assert 0 < after[1] <= sqrt(first[1] ** 2 + model.tau**2) * (1 + 1e-12)
    assert 0 < after[3] <= sqrt(second[1] ** 2 + model.tau**2) * (1 + 1e-12)
    if winner is not None:
        gain = after[0] - first[0] if winner == 0 else first[0] - after[0]
        assert gain >= 0


@given(constants, st.tuples(mus, sigmas), st.tuples(mus, sigmas), winners)
def test_seats_do_not_matter(
    of_model: tuple[float, float, float], first: tuple[float, float], second: tuple[float, float], winner: int | None
) -> None:
    model, _ = model_of(*of_model)
    after = model.update(*first, *second, winner)
    swapped = model.update(*second, *first, None if winner is None else 1 - winner)
    assert after == pytest.approx(swapped[2:] + swapped[:2], rel=1e-12, abs=1e-12)


def summed(low: float, high: float) -> tuple[float, float]:
    """Return mean and variance of a standard normal variable between two points, by Simpson's rule."""
    steps = 20_000
    width = (high - low) / steps
    offsets = [width * index for index in range(steps + 1)]
    shares = [4 if index % 2 else 2 for index in range(steps + 1)]
    shares[0] = shares[-1] = 1
    weights = [share * exp(-offset * (low + offset / 2)) for share, offset in zip(shares, offsets, strict=True)]
    mean = fsum(map(mul, weights, offsets)) / fsum(weights)
    squares = [weight * (offset - mean) ** 2 for weight, offset in zip(weights, offsets, strict=True)]
    return low + mean, fsum(squares) / fsum(weights)


@pytest.mark.parametrize("point", [-4.999, -5.001, -8, -15, -36, -300, 0, 3, 20])
def test_a_tail_has_the_mean_and_variance_that_summing_it_up_gives(point: float) -> None:
    """On both sides of where the computation changes its way."""
    end = 14 if point > -3 else -point + 40 / -point
    mean, left = beyond(point)
    assert (mean, left) == pytest.approx(summed(max(-point, -14), end), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("centre", [-9, -3, -0.5, 0, 0.5, 3, 5.02, 9])
@pytest.mark.parametrize("half_width", [0.05, 0.3, 1, 2.5])
def test_an_interval_has_the_mean_and_variance_that_summing_it_up_gives(centre: float, half_width: float) -> None:
    assert within(centre, half_width) == pytest.approx(summed(-centre - half_width, -centre + half_width), abs=1e-11)


@pytest.mark.parametrize("centre", [0.0, 0.7, -4.0, 30.0])
def test_narrow_intervals_join_wide_ones_without_a_step(centre: float) -> None:
    edge = 1e-3 / (1 + abs(centre))
    below, above = within(centre, edge * (1 - 1e-9)), within(centre, edge * (1 + 1e-9))
    assert below == pytest.approx(above, rel=1e-9, abs=1e-10)


def test_where_draws_have_no_room_a_draw_still_says_that_both_played_alike() -> None:
    model = TwoPlayer(beta=4.0, tau=0.0, draw_margin=0.0)
    after = model.update(30, 5, 20, 5, None)
    assert 20 < after[2] < after[0] < 30
    assert after[1] == after[3] < 5


@given(constants, st.tuples(mus, sigmas), st.tuples(mus, sigmas))
def test_both_players_expectations_make_one_point(
    of_model: tuple[float, float, float], first: tuple[float, float], second: tuple[float, float]
) -> None:
    model, _ = model_of(*of_model)
    mine, theirs = model.expected_points(*first, *second), model.expected_points(*second, *first)
    assert mine + theirs == pytest.approx(1)
    assert (mine >= 0.5) == (first[0] >= second[0]) or mine == pytest.approx(0.5)
