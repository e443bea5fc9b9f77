"""The estimate after an early stop, held to known values and to what must be true of any."""

from dataclasses import replace
from math import exp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from ladder.statistics.elo import estimate
from ladder.statistics.sprt import StoppedWalk, log_likelihood_ratio, stopped_walk, unbiased_estimate
from ladder.statistics.sprt_settings import SprtSettings, decision_at
from tests.unit.known_sprt_values import KNOWN, Known

counts_of_pairs = st.lists(st.integers(1, 3000), min_size=5, max_size=5)
tests_of = st.builds(lambda elo0, apart: SprtSettings(elo0, elo0 + apart), st.floats(-20, 20), st.floats(1, 40))
property_of = settings(deadline=None, max_examples=60)
drifts = st.floats(-0.5, 0.5)
walks = st.builds(
    lambda pairs, lower, upper, part: StoppedWalk(pairs, lower + part * (upper - lower), lower, upper, float),
    st.floats(1, 3000),
    st.floats(-60, -2),
    st.floats(2, 60),
    st.floats(0, 1),
)


@pytest.mark.parametrize("known", KNOWN)
def test_the_estimate_as_if_it_stopped_here_agrees_with_fishtest(known: Known) -> None:
    found = unbiased_estimate(known.counts, SprtSettings(known.elo0, known.elo1, model=known.model))
    assert (found.elo, found.low, found.high, found.los) == pytest.approx(known.stopped, abs=1e-6)


@property_of
@given(walks, drifts, drifts)
def test_the_chance_of_a_worse_end_falls_with_the_true_strength(walk: StoppedWalk, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert walk.chance_of_worse(high) >= -1e-9
    assert walk.chance_of_worse(high) <= walk.chance_of_worse(low) + 1e-9
    assert walk.chance_of_worse(low) <= 1 + 1e-9


@property_of
@given(walks, drifts)
def test_seen_from_the_other_side_a_worse_end_is_a_better_one(walk: StoppedWalk, drift: float) -> None:
    turned = replace(walk, place=-walk.place, lower=-walk.upper, upper=-walk.lower)
    assert turned.chance_of_worse(-drift) == pytest.approx(1 - walk.chance_of_worse(drift), abs=1e-9)


@property_of
@given(drifts, st.floats(-30, 30))
def test_far_from_its_bounds_it_is_a_plain_normal_distribution(drift: float, place: float) -> None:
    walk = StoppedWalk(100, place, -1000, 1000, float)
    assert walk.chance_of_worse(drift) == pytest.approx(float(ndtr((place - 100 * drift) / 10)), abs=1e-12)


@property_of
@given(st.floats(0.02, 0.4), st.floats(-20, -5), st.floats(5, 20))
def test_after_very_long_all_that_is_worse_has_stopped_at_the_lower_bound(
    drift: float, lower: float, upper: float
) -> None:
    """Wald's formula for the chance to get there first."""
    walk = StoppedWalk(1e6, 0, lower, upper, float)
    falls, rises = exp(2 * drift * lower), exp(-2 * drift * (upper - lower))
    assert walk.chance_of_worse(drift) == pytest.approx((falls - rises) / (1 - rises), abs=1e-9)


@property_of
@given(counts_of_pairs, tests_of)
def test_the_interval_holds_the_estimate_and_all_turns_with_the_counts(counts: list[int], test: SprtSettings) -> None:
    found = unbiased_estimate(counts, test)
    assert found.low <= found.elo <= found.high
    turned = unbiased_estimate(counts[::-1], SprtSettings(-test.elo1, -test.elo0))
    assert (turned.elo, turned.low, turned.high, turned.los) == pytest.approx(
        (-found.elo, -found.high, -found.low, 1 - found.los), abs=1e-5
    )


def test_a_test_that_was_stopped_by_luck_is_estimated_lower_than_its_score() -> None:
    test = SprtSettings(0, 10)
    lucky, unlucky = (30, 180, 500, 250, 45), (45, 250, 500, 180, 30)
    assert (
        decision_at(log_likelihood_ratio(lucky, test), test),
        decision_at(log_likelihood_ratio(unlucky, test), test),
    ) == ("passed", "failed")
    assert unbiased_estimate(lucky, test).elo < estimate(lucky).elo - 0.5
    assert unbiased_estimate(unlucky, test).elo > estimate(unlucky).elo + 0.5


def test_what_is_played_beyond_a_bound_does_not_count() -> None:
    """Twice as long a walk in the same direction stopped where the first one did."""
    once, twice = (stopped_walk(pairs, 0.6, 0.3, (0.5, 0.52), (-2.9, 2.9)) for pairs in (400, 800))
    assert once == replace(twice, drift_of=once.drift_of)
    assert once.place == pytest.approx(once.upper)


def test_wins_or_losses_alone_are_shown_as_a_thousand_elo_at_most() -> None:
    test = SprtSettings(0, 10)
    assert unbiased_estimate((0, 0, 0, 0, 50), test).elo == pytest.approx(1000)
    assert unbiased_estimate((50, 0, 0, 0, 0), test).elo == pytest.approx(-1000)
