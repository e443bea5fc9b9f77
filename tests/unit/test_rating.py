"""Ratings."""

from __future__ import annotations

import pytest
import trueskill

from ladder.rating import FRESH, Rating, rate


def test_a_first_win_gives_the_values_that_trueskill_is_known_for() -> None:
    """Source: the worked example of the TrueSkill paper's calculators, mu 25, sigma 25/3, draw probability 10 %."""
    winner, loser = rate(FRESH, FRESH, 0, 0.10)
    assert winner.mu == pytest.approx(29.396, abs=1e-3)
    assert loser.mu == pytest.approx(20.604, abs=1e-3)
    assert winner.sigma == loser.sigma == pytest.approx(7.171, abs=1e-3)


def test_seats_do_not_matter() -> None:
    first, second = Rating(30, 4), Rating(22, 6)
    after = rate(first, second, 1, 0.05)
    swapped = rate(second, first, 0, 0.05)
    assert after[0].mu == pytest.approx(swapped[1].mu, abs=1e-12)
    assert after[1].mu == pytest.approx(swapped[0].mu, abs=1e-12)


def test_a_draw_brings_ratings_together() -> None:
    strong, weak = rate(Rating(30, 5), Rating(20, 5), None, 0.05)
    assert strong.mu < 30
    assert weak.mu > 20


def test_the_score_counts_doubt_against_a_version() -> None:
    assert Rating(25, 25 / 3).score == pytest.approx(0)
    assert Rating(25, 1).score == 22


def test_the_packages_global_environment_is_not_touched() -> None:
    before = repr(trueskill.global_env())
    rate(FRESH, FRESH, 0, 0.33)
    assert repr(trueskill.global_env()) == before
