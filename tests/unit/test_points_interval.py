"""How well a share of points is known: an interval that holds the truth as often as it promises."""

from __future__ import annotations

import random

import pytest

from ladder.statistics.points import interval, wilson


def test_independent_trials_give_wilsons_interval_as_it_is_printed_in_books() -> None:
    assert wilson(0.9, 10) == pytest.approx((0.5958, 0.9821), abs=1e-4)
    assert wilson(0.0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)


def test_one_seed_says_nothing_and_a_clean_sweep_is_not_certain() -> None:
    assert interval([1.0]) is None
    low, high = interval([1.0] * 10) or (0.0, 0.0)
    assert 0.7 < low < 0.75
    assert high == 1.0


def test_seeds_that_favour_a_seat_are_known_better_than_as_many_single_matches() -> None:
    low, high = interval([0.5] * 40 + [0.75] * 10 + [0.25] * 10) or (0.0, 0.0)
    assert high - low < wilson(0.5, 120)[1] - wilson(0.5, 120)[0]


@pytest.mark.parametrize("strength", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("unfair", [0.0, 0.6])
@pytest.mark.parametrize("seeds", [5, 20, 100])
def test_the_interval_holds_the_truth_about_as_often_as_it_says(strength: float, unfair: float, seeds: int) -> None:
    """A seed is with the chance `unfair` a map on which the seat decides both matches."""
    dice = random.Random(f"{strength} {unfair} {seeds}")

    def share() -> float:
        if dice.random() < unfair:
            return 0.5
        return (float(dice.random() < strength) + float(dice.random() < strength)) / 2

    truth = unfair / 2 + (1 - unfair) * strength
    bounds = [interval([share() for _ in range(seeds)]) or (0.0, 0.0) for _ in range(1000)]
    assert sum(low <= truth <= high for low, high in bounds) >= 900
