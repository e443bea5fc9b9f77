"""The judgement of `make bosses`: both ends count, and chance alone fails nobody."""

from __future__ import annotations

from math import comb

import pytest

from tests.bosses import (
    LEAST_PERCENT,
    MOST_PERCENT,
    Trial,
    accepted_percent,
    half_of_the_points,
    newcomers_contests,
)
from tests.catalogue import GAMES


def chance_of_failing(percent: float, matches: int, wanted: tuple[float, float]) -> float:
    """Return how likely a bot that truly takes `percent` of the points is outside of `wanted`, all matches decided."""
    least, most = wanted
    share = percent / 100
    return sum(
        comb(matches, won) * share**won * (1 - share) ** (matches - won)
        for won in range(matches + 1)
        if not least <= 100 * won / matches <= most
    )


def test_four_hundred_matches_are_judged_by_65_to_80_percent_and_nothing_else() -> None:
    assert accepted_percent(400) == (65.0, 80.0)
    assert accepted_percent(4000) == (65.0, 80.0)


@pytest.mark.parametrize(("percent", "is_passed"), [(64.9, False), (65.0, True), (80.0, True), (80.1, False)])
def test_a_boss_fails_that_is_too_weak_and_one_that_is_too_strong(percent: float, is_passed: bool) -> None:
    assert Trial(percent, slowest_ms=1.0, faults=()).is_passed(accepted_percent(400)) is is_passed


def test_a_fault_fails_whatever_the_percent_is() -> None:
    assert not Trial(72.0, slowest_ms=1.0, faults=("seed 1: a bot was late",)).is_passed(accepted_percent(400))


@pytest.mark.parametrize("matches", [20, 60, 100, 200, 400])
def test_a_boss_that_takes_72_percent_fails_by_chance_less_than_once_in_500_times(matches: int) -> None:
    assert chance_of_failing(72.0, matches, accepted_percent(matches)) < 0.002


@pytest.mark.parametrize("percent", [55.0, 90.0])
def test_two_hundred_matches_find_out_a_boss_that_is_far_off(percent: float) -> None:
    assert chance_of_failing(percent, 200, accepted_percent(200)) > 0.95


def test_fewer_matches_widen_both_ends_and_never_narrow_them() -> None:
    for matches in range(1, 1000):
        least, most = accepted_percent(matches)
        assert least <= LEAST_PERCENT
        assert most >= MOST_PERCENT


@pytest.mark.parametrize(("percent", "is_passed"), [(49.9, False), (50.0, True), (100.0, True)])
def test_a_newcomer_has_to_take_half_of_the_points_of_400_matches(percent: float, is_passed: bool) -> None:
    assert Trial(percent, slowest_ms=1.0, faults=()).is_passed(half_of_the_points(400)) is is_passed


@pytest.mark.parametrize("matches", [20, 60, 100, 200, 400])
def test_a_newcomer_that_takes_60_percent_fails_by_chance_less_than_once_in_500_times(matches: int) -> None:
    assert chance_of_failing(60.0, matches, half_of_the_points(matches)) < 0.002


def test_two_hundred_matches_find_out_a_newcomer_that_takes_a_third() -> None:
    assert chance_of_failing(33.3, 200, half_of_the_points(200)) > 0.95


def test_newcomers_have_to_take_60_percent_of_all_wood_bosses_but_the_highest() -> None:
    found = [
        (contest.first.file.stem, contest.league.name, contest.wanted[0])
        for contest in newcomers_contests(GAMES.find("ice-and-fire"), 400)
    ]
    assert found == [
        ("ice_and_fire", "wood-3", 60.0),
        ("ice_and_fire", "wood-2", 60.0),
        ("ice_and_fire", "wood-1", 50.0),
        ("starter", "wood-3", 60.0),
        ("starter", "wood-2", 60.0),
    ]
