"""Ratings: known values, TrueSkill held to its package, and how far what is left to play can move or teach them."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations, product
from math import erf, erfc, exp, fsum, isfinite, pi, sqrt
from operator import mul
from random import Random
from statistics import NormalDist

import numpy as np
import pytest
import trueskill
from hypothesis import assume, example, given
from hypothesis import strategies as st
from trueskill import TrueSkill, calc_draw_margin

from engine.errors import MissingTool
from ladder.choices import RatingSystem, ScoreFormula
from ladder.matchmaking.information import AllPairs, InformationGain, Model, Neighbourhood, expected_drop
from ladder.ratings.models import (
    SCORE_FORMULAS,
    SYSTEMS,
    PlackettLuceModel,
    Rating,
    RatingModel,
    RatingSettings,
    draw_margin,
    fresh,
    keeps_its_rank,
    model_of,
    score,
    stays_below,
)
from ladder.ratings.trueskill import LEAST_LEFT, SkillModel, beyond, held_within, within

SETTINGS = RatingSettings()
FRESH = fresh(SETTINGS)
ALL_SYSTEMS = [replace(SETTINGS, system=system) for system in SYSTEMS]
every_system = pytest.mark.parametrize("settings", ALL_SYSTEMS, ids=lambda settings: settings.system)
ratings = st.builds(Rating, st.floats(-100, 200), st.floats(0.1, 20))


def rate(settings: RatingSettings, first: Rating, second: Rating, winner: int | None) -> tuple[Rating, Rating]:
    return rate_by(model_of(settings), first, second, winner)


def rate_by(model: RatingModel, first: Rating, second: Rating, winner: int | None) -> tuple[Rating, Rating]:
    first_after, second_after = model.rate([first, second], [1, 1] if winner is None else [1 + winner, 2 - winner])
    return first_after, second_after


def test_a_first_win_gives_the_values_that_trueskill_is_known_for() -> None:
    """Source: the worked example of the TrueSkill paper's calculators, mu 25, sigma 25/3, draw probability 10 %."""
    winner, loser = rate(SETTINGS, FRESH, FRESH, 0)
    assert winner.mu == pytest.approx(29.396, abs=1e-3)
    assert loser.mu == pytest.approx(20.604, abs=1e-3)
    assert winner.sigma == loser.sigma == pytest.approx(7.171, abs=1e-3)


def test_openskill_rates_by_its_own_model() -> None:
    """Source: Weng and Lin (2011), algorithm 4, by hand for two newcomers: half of sigma squared by their spread."""
    winner, loser = rate(replace(SETTINGS, system="openskill", tau=0), FRESH, FRESH, 0)
    step = (25 / 3) ** 2 / (2 * (25 / 3) ** 2 + 2 * (25 / 6) ** 2) ** 0.5 / 2
    assert winner.mu == pytest.approx(25 + step, abs=1e-9)
    assert loser.mu == pytest.approx(25 - step, abs=1e-9)
    assert winner.sigma == loser.sigma < 25 / 3


def test_openskill_says_where_its_package_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openskill", None)
    with pytest.raises(MissingTool, match=r"deploy/setup\.sh openskill$"):
        PlackettLuceModel(SETTINGS)


def by_plain_additions(settings: RatingSettings, before: Sequence[Rating], places: Sequence[int]) -> list[Rating]:
    """Rate by the same algorithm, with one addition after the other, which no version of Python does differently."""
    middle = fsum(rating.mu for rating in before) / len(before)
    order = sorted(range(len(before)), key=lambda seat: places[seat])
    mu = [before[seat].mu - middle for seat in order]
    sigma = [sqrt(before[seat].sigma * before[seat].sigma + settings.tau * settings.tau) for seat in order]
    rank = [places[seat] for seat in order]
    squares = 0.0
    for own in sigma:
        squares += own**2 + settings.beta**2
    spread, weight = sqrt(squares), [0.0] * len(order)
    for one, skill in enumerate(mu):
        for other, place in enumerate(rank):
            weight[other] += exp(skill / spread) if rank[one] >= place else 0.0
    after = {}
    for one, seat in enumerate(order):
        omega = delta = 0.0
        for other, place in enumerate(rank):
            share, level = exp(mu[one] / spread) / weight[other], rank.count(place)
            if place <= rank[one]:
                delta += share * (1 - share) / level
                omega += (1 - share) / level if other == one else -share / level
        omega *= sigma[one] ** 2 / spread
        delta *= sigma[one] ** 2 / spread**2
        delta *= sqrt(sigma[one] ** 2) / spread
        shrunk = sigma[one] * sqrt(max(1 - delta, 0.0001))
        after[seat] = Rating(middle + (mu[one] + omega), shrunk)
    return [after[seat] for seat in range(len(before))]


def test_level_seats_get_the_same_bits_by_openskill_as_by_one_addition_after_the_other() -> None:
    """The package adds up changes of level seats by `sum`, which rounds otherwise from Python 3.12 on: to no effect."""
    settings, chance = replace(SETTINGS, system="openskill"), Random(20)
    for players in (2, 3, 4, 8) * 40:
        before = [Rating(chance.uniform(0, 50), chance.uniform(0.5, 9)) for _ in range(players)]
        places = [chance.randint(1, 2) for _ in before]
        assert [*model_of(settings).rate(before, places)] == by_plain_additions(settings, before, places)


@every_system
@pytest.mark.parametrize("winner", [0, 1, None])
def test_seats_do_not_matter(settings: RatingSettings, winner: int | None) -> None:
    first, second = Rating(30, 4), Rating(22, 6)
    after = rate(settings, first, second, winner)
    swapped = rate(settings, second, first, None if winner is None else 1 - winner)
    assert after[0].mu == pytest.approx(swapped[1].mu, abs=1e-12)
    assert after[1].mu == pytest.approx(swapped[0].mu, abs=1e-12)


@every_system
def test_a_draw_brings_ratings_together(settings: RatingSettings) -> None:
    strong, weak = rate(settings, Rating(30, 5), Rating(20, 5), None)
    assert strong.mu < 30
    assert weak.mu > 20


@every_system
@given(first=ratings, second=ratings)
def test_the_winner_gains_and_the_loser_pays(settings: RatingSettings, first: Rating, second: Rating) -> None:
    winner, loser = rate(settings, first, second, 0)
    assert winner.mu >= first.mu - 1e-9
    assert loser.mu <= second.mu + 1e-9


@every_system
@given(first=ratings, second=ratings)
def test_expectations_add_up_and_favour_the_higher(settings: RatingSettings, first: Rating, second: Rating) -> None:
    model = model_of(settings)
    numbers = (first.mu, first.sigma), (second.mu, second.sigma)
    mine, theirs = (model.expected_points(*one, *other) for one, other in (numbers, numbers[::-1]))
    assert mine + theirs == pytest.approx(1)
    assert mine == pytest.approx(0.5) or (mine > 0.5) == (first.mu > second.mu)


@every_system
def test_the_same_match_gives_the_same_bits(settings: RatingSettings) -> None:
    """Even by a model that was made anew, as in another process: a ledger is reproduced exactly."""
    first, second = Rating(31.4159, 2.71828), Rating(16.18, 5.77)
    anew = SYSTEMS[settings.system](settings)
    assert rate(settings, first, second, 1) == rate_by(anew, first, second, 1) == rate(settings, first, second, 1)


@every_system
def test_every_number_of_a_league_counts(settings: RatingSettings) -> None:
    first, second = Rating(30, 4), Rating(22, 6)
    usual = rate(settings, first, second, 1)
    assert rate(replace(settings, beta=8.0), first, second, 1) != usual
    assert rate(replace(settings, tau=2.0), first, second, 1) != usual
    assert fresh(replace(settings, mu=100.0, sigma=30.0)) == Rating(100, 30)


def test_trueskill_expects_as_many_draws_as_its_league_says() -> None:
    few, many = (rate(replace(SETTINGS, draw_probability=share), FRESH, FRESH, 0) for share in (0.01, 0.5))
    assert many[0].mu > few[0].mu


@every_system
def test_ratings_far_from_usual_are_no_error(settings: RatingSettings) -> None:
    far = replace(settings, mu=10_000.0, beta=0.5)
    first, second = rate(far, Rating(10_000, 30), Rating(9_900, 30), 1)
    assert second.mu > 9_900
    assert first.mu < 10_000


def test_the_default_score_counts_doubt_against_a_version() -> None:
    assert score(SETTINGS, FRESH) == pytest.approx(0)
    assert score(SETTINGS, Rating(25, 1)) == 22


def test_a_board_can_rank_by_skill_alone() -> None:
    assert set(SCORE_FORMULAS) == {"mu - 3 sigma", "mu"}
    assert score(replace(SETTINGS, score_formula="mu"), Rating(25, 8)) == 25


def test_the_packages_global_environment_is_not_touched() -> None:
    before = repr(trueskill.global_env())
    rate(replace(SETTINGS, draw_probability=0.33, beta=1.0), FRESH, FRESH, 0)
    assert repr(trueskill.global_env()) == before


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


def both_of(beta: float, tau: float, draw_probability: float) -> tuple[SkillModel, TrueSkill]:
    package = TrueSkill(25, 8, beta, tau, draw_probability, backend=EXACT)
    return SkillModel(beta, tau, float(calc_draw_margin(draw_probability, 2, package))), package


@given(constants, st.tuples(mus, sigmas), st.tuples(mus, sigmas), winners)
@example((25 / 6, 25 / 300, 0.1), (25.0, 25 / 3), (25.0, 25 / 3), 0)
@example((25 / 6, 25 / 300, 0.05), (60.0, 1.0), (5.0, 1.0), 1)
@example((25 / 6, 25 / 300, 0.05), (60.0, 1.0), (5.0, 1.0), None)
@example((25 / 6, 25 / 300, 0.001), (25.0, 0.5), (25.0, 0.5), None)
def test_it_agrees_with_the_package_to_nine_digits(
    of_model: tuple[float, float, float], first: tuple[float, float], second: tuple[float, float], winner: int | None
) -> None:
    model, package = both_of(*of_model)
    spread = sqrt(first[1] ** 2 + second[1] ** 2 + 2 * model.tau**2 + 2 * model.beta**2)
    apart, margin = abs(first[0] - second[0]) / spread, model.draw_margin / spread
    chance_of_draw = NormalDist().cdf(margin - apart) - NormalDist().cdf(-margin - apart)
    assume(apart + margin < FAR)
    assume(winner is not None or chance_of_draw > LIKELY_DRAW)
    ranks = [0, 0] if winner is None else [winner, 1 - winner]
    groups = [(package.create_rating(*rating),) for rating in (first, second)]
    ((one,), (other,)) = package.rate(groups, ranks=ranks)
    expected = (one.mu, one.sigma, other.mu, other.sigma)
    assert model.after_two(*first, *second, winner) == pytest.approx(expected, rel=1e-9, abs=1e-9)


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
    model, _ = both_of(*of_model)
    after = model.after_two(*first, *second, winner)
    assert all(map(isfinite, after))
    assert 0 < after[1] <= sqrt(first[1] ** 2 + model.tau**2) * (1 + 1e-12)
    assert 0 < after[3] <= sqrt(second[1] ** 2 + model.tau**2) * (1 + 1e-12)
    if winner is not None:
        gain = after[0] - first[0] if winner == 0 else first[0] - after[0]
        assert gain >= 0


@given(constants, st.tuples(mus, sigmas), st.tuples(mus, sigmas), winners)
def test_seats_of_two_do_not_matter(
    of_model: tuple[float, float, float], first: tuple[float, float], second: tuple[float, float], winner: int | None
) -> None:
    model, _ = both_of(*of_model)
    after = model.after_two(*first, *second, winner)
    swapped = model.after_two(*second, *first, None if winner is None else 1 - winner)
    assert after == pytest.approx(swapped[2:] + swapped[:2], rel=1e-12, abs=1e-11)


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
    after = SkillModel(beta=4.0, tau=0.0, draw_margin=0.0).after_two(30, 5, 20, 5, None)
    assert 20 < after[2] < after[0] < 30
    assert after[1] == after[3] < 5


@given(constants, st.tuples(mus, sigmas), st.tuples(mus, sigmas))
def test_both_players_expectations_make_one_point(
    of_model: tuple[float, float, float], first: tuple[float, float], second: tuple[float, float]
) -> None:
    model, _ = both_of(*of_model)
    mine, theirs = model.expected_points(*first, *second), model.expected_points(*second, *first)
    assert mine + theirs == pytest.approx(1)
    assert (mine >= 0.5) == (first[0] >= second[0]) or mine == pytest.approx(0.5)


MATCHES = 2_000
MORE = [pytest.param(seed, marks=pytest.mark.weekly) for seed in range(2, 6)]
"""Seeds: with the first one, which has all shares of draws and both numbers of players, ten thousand matches."""
DRAW_PROBABILITIES = (0.001, 0.01, 0.02, 0.05, 0.1, 0.3)


@st.composite
def matches(draw: st.DrawFn) -> tuple[list[Rating], list[int]]:
    players = draw(st.integers(3, 8))
    each = draw(st.lists(ratings, min_size=players, max_size=players))
    return each, draw(st.lists(st.integers(1, players), min_size=players, max_size=players))


def by_package(package: TrueSkill, rated: list[tuple[float, float]], places: list[int]) -> list[float]:
    after = package.rate([(package.create_rating(*rating),) for rating in rated], ranks=places)
    return [number for (rating,) in after for number in (rating.mu, rating.sigma)]


def a_match(chance: Random, players: int) -> tuple[list[tuple[float, float]], list[int]]:
    rated = [(chance.gauss(25, 8), chance.uniform(0.7, 9)) for _ in range(players)]
    return rated, [chance.randint(1, players) for _ in range(players)]


@pytest.mark.parametrize("seed", [1, *MORE])
def test_random_matches_of_three_and_four_are_rated_as_by_the_package(seed: int) -> None:
    chance = Random(seed)
    packages = [TrueSkill(25, 25 / 3, 25 / 6, 25 / 300, share, backend=EXACT) for share in DRAW_PROBABILITIES]
    chains = [SkillModel(25 / 6, 25 / 300, float(calc_draw_margin(one.draw_probability, 2, one))) for one in packages]
    for number in range(MATCHES):
        rated, places = a_match(chance, chance.choice((3, 4)))
        which = number % len(packages)
        found = [each for rating in chains[which].after_many(rated, places) for each in rating]
        wanted = by_package(packages[which], rated, places)
        assert max(abs(ours - its) for ours, its in zip(found, wanted, strict=True)) < 1e-9, (number, rated, places)


@pytest.mark.parametrize("players", [5, 6, 7, 8])
def test_more_players_are_rated_as_by_the_package_too(players: int) -> None:
    chance = Random(players)
    package = TrueSkill(25, 25 / 3, 25 / 6, 25 / 300, 0.05, backend=EXACT)
    chain = SkillModel(25 / 6, 25 / 300, float(calc_draw_margin(0.05, 2, package)))
    for _ in range(50):
        rated, places = a_match(chance, players)
        found = [each for rating in chain.after_many(rated, places) for each in rating]
        assert found == pytest.approx(by_package(package, rated, places), abs=1e-9)


def test_a_first_match_of_four_gives_the_values_that_trueskill_is_known_for() -> None:
    """Source: the free-for-all of four in the package's own tests, which have it from Microsoft's calculator."""
    settings = RatingSettings()
    after = model_of(settings).rate([fresh(settings)] * 4, [1, 2, 3, 4])
    assert [rating.mu for rating in after] == pytest.approx([33.207, 27.401, 22.599, 16.793], abs=1e-3)
    assert [rating.sigma for rating in after] == pytest.approx([6.348, 5.787, 5.787, 6.348], abs=1e-3)


@every_system
@given(match=matches())
def test_the_first_gains_and_the_last_one_pays(settings: RatingSettings, match: tuple[list[Rating], list[int]]) -> None:
    rated, places = match
    after = model_of(settings).rate(rated, places)
    for before, now, place in zip(rated, after, places, strict=True):
        if places.count(place) == 1 and place == min(places):
            assert now.mu >= before.mu - 1e-9
        if places.count(place) == 1 and place == max(places):
            assert now.mu <= before.mu + 1e-9


@every_system
def test_seats_do_not_matter_where_nobody_is_level(settings: RatingSettings) -> None:
    rated = {1: Rating(30, 4), 2: Rating(22, 6), 3: Rating(27, 2), 4: Rating(10, 7)}
    model = model_of(settings)
    in_order = dict(zip(rated, model.rate(list(rated.values()), list(rated)), strict=True))
    for places in permutations(rated):
        after = model.rate([rated[place] for place in places], places)
        for place, rating in zip(places, after, strict=True):
            assert (rating.mu, rating.sigma) == pytest.approx((in_order[place].mu, in_order[place].sigma), abs=1e-12)


@every_system
def test_the_same_match_gives_the_same_bits_whatever_the_numbers_of_the_places(settings: RatingSettings) -> None:
    """Even by a model that was made anew, as in another process: a ledger is reproduced exactly."""
    rated = [Rating(31.4159, 2.71828), Rating(16.18, 5.77), Rating(25, 8)]
    anew = SYSTEMS[settings.system](settings)
    assert anew.rate(rated, [1, 3, 1]) == model_of(settings).rate(rated, [1, 2, 1])


def test_two_are_rated_in_closed_form_by_their_places() -> None:
    first, second = Rating(31.4159, 2.71828), Rating(16.18, 5.77)
    skills = SkillModel(SETTINGS.beta, SETTINGS.tau, draw_margin(SETTINGS))
    for places, winner in (([1, 2], 0), ([2, 1], 1), ([1, 1], None)):
        mu, sigma, other_mu, other_sigma = skills.after_two(31.4159, 2.71828, 16.18, 5.77, winner)
        assert model_of(SETTINGS).rate([first, second], places) == (Rating(mu, sigma), Rating(other_mu, other_sigma))


wide = st.tuples(st.floats(-1e6, 1e6), st.floats(1e-3, 1e4))


@given(
    st.tuples(st.floats(0.001, 100), st.floats(0, 10), st.floats(0, 100)),
    st.lists(wide, min_size=3, max_size=8),
    st.lists(st.integers(1, 8), min_size=8, max_size=8),
)
@example((4.0, 0.1, 0.0), [(25.0, 8.0), (25.0, 8.0), (25.0, 8.0)], [1] * 8)
@example((0.0038, 0.0, 0.0), [(16.4, 5.4), (22.5, 0.17), (20.8, 0.013), (1.8e4, 4000.0)], [1, 1, 1, 1, 0, 0, 0, 0])
@example(
    (22.7, 0.0, 1e-3), [(23.0, 0.9), (27.0, 9400.0), (30.0, 3.1), (8e5, 173.0), (4e5, 0.5)], [5, 2, 5, 1, 2, 0, 0, 0]
)
def test_no_match_of_many_is_too_surprising_to_be_rated(
    of_model: tuple[float, float, float], rated: list[tuple[float, float]], places: list[int]
) -> None:
    """The package raises FloatingPointError for many of these; a ladder would lose the match."""
    chain = SkillModel(*of_model)
    for (mu, sigma), (_, before) in zip(chain.after_many(rated, places[: len(rated)]), rated, strict=True):
        assert isfinite(mu)
        assert 0 < sigma <= sqrt(before**2 + chain.tau**2) * (1 + 1e-12)


def test_where_draws_have_no_room_level_players_still_come_nearer_to_each_other() -> None:
    after = SkillModel(beta=4.0, tau=0.0, draw_margin=0.0).after_many(
        [(30.0, 5.0), (25.0, 5.0), (20.0, 5.0)], [1, 1, 1]
    )
    assert 20 < after[2][0] < after[1][0] < after[0][0] < 30
    assert after[0][1] == pytest.approx(after[2][1])
    assert after[0][1] < 5


@pytest.mark.parametrize(("centre", "draw_margin"), [(0.5, 1.9054607179632443e-11), (-1.0, 1.445439770745928e-9)])
def test_a_draw_within_hardly_any_margin_brings_them_together_in_doubt(centre: float, draw_margin: float) -> None:
    """What the package's formula leaves of the variance there is nothing, but for rounding errors."""
    step, left = held_within(centre, draw_margin)
    assert step == pytest.approx(-centre, rel=1e-6)
    assert left == LEAST_LEFT


MUS = st.floats(5.0, 45.0)
SIGMAS = st.floats(0.5, 4.0)
RATINGS = st.builds(Rating, MUS, SIGMAS)
ANY_SETTINGS = st.builds(
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
                first, met = rate_by(model, first, met, result)
                met = third
            else:
                first, second = rate_by(model, first, second, result)
        found.add(score(settings, first) < score(settings, second))
    return found


@given(settings=ANY_SETTINGS, own=RATINGS, other=RATINGS, third=RATINGS, matches=st.integers(1, 3))
def test_whoever_stays_below_does_so_after_all_results(
    settings: RatingSettings, own: Rating, other: Rating, third: Rating, matches: int
) -> None:
    everybody = (own, other, third)
    if stays_below(settings, own, other, everybody, matches):
        assert ends(settings, own, other, third, matches) == {True}
    if stays_below(settings, other, own, everybody, matches):
        assert True not in ends(settings, own, other, third, matches)


@given(settings=ANY_SETTINGS, own=RATINGS, gap=st.floats(0.0, 3.0), matches=st.integers(1, 3))
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
    assert not keeps_its_rank(settings, own, [high, Rating(25.0, 25 / 3), low], 10)


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
            after = rate(settings, first, second, winner)
            expected += share * (sigma**2 + other**2 - after[0].sigma ** 2 - after[1].sigma ** 2)
    assert drop_of(gap, sigma, other, draws) == pytest.approx(expected, rel=1e-6, abs=1e-9)


@given(gap=st.floats(-1e4, 1e4), sigma=st.floats(0.01, 100), other=st.floats(0.01, 100), draws=st.floats(0, 0.9))
def test_the_drop_is_a_number_and_no_more_than_there_is(gap: float, sigma: float, other: float, draws: float) -> None:
    assert 0 <= drop_of(gap, sigma, other, draws) <= sigma**2 + other**2


def test_close_opponents_teach_more() -> None:
    assert drop_of(0, 2, 2, 0) > drop_of(5, 2, 2, 0) > drop_of(20, 2, 2, 0)


def test_little_known_opponents_teach_more() -> None:
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
    pairs = AllPairs(some_lessons(3), [[0, 5, 3], [5, 0, 4], [3, 4, 0]])
    assert pairs.rarest_pair([True, True, True], Random(1)) == (0, 2)
    pairs.expect(0, 2)
    assert pairs.rarest_pair([True, True, True], Random(1)) == (1, 2)
    assert pairs.rarest_pair([True, False, False], Random(1)) in {(0, 1), (0, 2)}
