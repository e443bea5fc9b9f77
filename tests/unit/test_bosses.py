"""The judgement of `make bosses`: both ends count, and chance alone fails nobody."""

from collections.abc import Callable
from math import comb

import pytest

from tests.bosses import LEAST_PERCENT, MOST_PERCENT, Trial, accepted_percent, half_of_the_points, newcomers_contests
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


Wanted = Callable[[int], tuple[float, float]]
BOSS, NEWCOMER = accepted_percent, half_of_the_points


@pytest.mark.parametrize(
    ("percent", "wanted", "is_passed"),
    [
        *((64.9, BOSS, False), (65.0, BOSS, True), (80.0, BOSS, True), (80.1, BOSS, False)),
        *((49.9, NEWCOMER, False), (50.0, NEWCOMER, True), (100.0, NEWCOMER, True)),
    ],
)
def test_a_boss_fails_that_is_too_weak_or_too_strong_and_a_newcomer_that_takes_less_than_half(
    percent: float, wanted: Wanted, is_passed: bool
) -> None:
    assert Trial(percent, slowest_ms=1.0, faults=()).is_passed(wanted(400)) is is_passed


def test_a_fault_fails_whatever_the_percent_is() -> None:
    assert not Trial(72.0, slowest_ms=1.0, faults=("seed 1: a bot was late",)).is_passed(accepted_percent(400))


@pytest.mark.parametrize("matches", [20, 60, 100, 200, 400])
@pytest.mark.parametrize(("percent", "wanted"), [(72.0, BOSS), (60.0, NEWCOMER)])
def test_a_boss_that_takes_72_percent_and_a_newcomer_that_takes_60_fail_by_chance_less_than_once_in_500_times(
    percent: float, wanted: Wanted, matches: int
) -> None:
    assert chance_of_failing(percent, matches, wanted(matches)) < 0.002


@pytest.mark.parametrize(("percent", "wanted"), [(55.0, BOSS), (90.0, BOSS), (33.3, NEWCOMER)])
def test_two_hundred_matches_find_out_who_is_far_off(percent: float, wanted: Wanted) -> None:
    assert chance_of_failing(percent, 200, wanted(200)) > 0.95


def test_fewer_matches_widen_both_ends_and_never_narrow_them() -> None:
    for matches in range(1, 1000):
        least, most = accepted_percent(matches)
        assert least <= LEAST_PERCENT
        assert most >= MOST_PERCENT


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
