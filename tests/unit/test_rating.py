"""Ratings."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from math import exp, fsum, sqrt
from random import Random

import pytest
import trueskill
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import MissingTool
from ladder.ratings.models import (
    SCORE_FORMULAS,
    SYSTEMS,
    PlackettLuceModel,
    Rating,
    RatingSettings,
    fresh,
    model_of,
    rate_places,
    score,
)

SETTINGS = RatingSettings()
FRESH = fresh(SETTINGS)
ALL_SYSTEMS = [replace(SETTINGS, system=system) for system in SYSTEMS]
every_system = pytest.mark.parametrize("settings", ALL_SYSTEMS, ids=lambda settings: settings.system)
ratings = st.builds(Rating, st.floats(-100, 200), st.floats(0.1, 20))


def rate(settings: RatingSettings, first: Rating, second: Rating, winner: int | None) -> tuple[Rating, Rating]:
    return model_of(settings).rate(first, second, winner)


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
        assert [*rate_places(model_of(settings), before, places)] == by_plain_additions(settings, before, places)


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
def test_expectations_of_both_make_one_point_and_favour_the_higher(
    settings: RatingSettings, first: Rating, second: Rating
) -> None:
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
    assert rate(settings, first, second, 1) == anew.rate(first, second, 1) == rate(settings, first, second, 1)


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


def test_the_default_score_counts_doubt_against_a_version_and_a_board_can_rank_by_skill_alone() -> None:
    assert score(SETTINGS, FRESH) == pytest.approx(0)
    assert score(SETTINGS, Rating(25, 1)) == 22
    assert set(SCORE_FORMULAS) == {"mu - 3 sigma", "mu"}
    assert score(replace(SETTINGS, score_formula="mu"), Rating(25, 8)) == 25


def test_the_packages_global_environment_is_not_touched() -> None:
    before = repr(trueskill.global_env())
    rate(replace(SETTINGS, draw_probability=0.33, beta=1.0), FRESH, FRESH, 0)
    assert repr(trueskill.global_env()) == before
