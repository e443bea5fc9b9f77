"""How well a mean is known: intervals that hold the truth as often as they promise, claims that are rarely wrong."""

import random
from collections.abc import Iterator, Sequence
from math import factorial, prod

import pytest

from ladder.gauntlets.variants import compared
from ladder.gauntlets.verdict import fixed_verdict
from ladder.statistics.elo import Estimate, estimate, known_mean, score_of
from ladder.statistics.sprt import unbiased_estimate
from ladder.statistics.sprt_settings import SprtSettings

NO_DRAWS = (0.25, 0, 0.5, 0, 0.25)
SOME_DRAWS = (0.1, 0.2, 0.4, 0.2, 0.1)
UNFAIR_MAPS = (0.05, 0.2, 0.5, 0.2, 0.05)
FLAT = (0.2, 0.2, 0.2, 0.2, 0.2)
EQUALS = (NO_DRAWS, SOME_DRAWS, UNFAIR_MAPS, FLAT)
"""How often pairs of two equal versions end in each way."""


def tables(pairs: int, outcomes: int = 5) -> Iterator[tuple[int, ...]]:
    if outcomes == 1:
        yield (pairs,)
        return
    for first in range(pairs + 1):
        for rest in tables(pairs - first, outcomes - 1):
            yield first, *rest


def chance_of(counts: Sequence[int], shares: Sequence[float]) -> float:
    ways = factorial(sum(counts)) / prod(map(factorial, counts))
    return ways * prod(share**count for share, count in zip(shares, counts, strict=True))


def drawn(dice: random.Random, pairs: int, shares: Sequence[float]) -> tuple[int, ...]:
    found = dice.choices(range(5), shares, k=pairs)
    return tuple(found.count(outcome) for outcome in range(5))


@pytest.mark.parametrize("shares", EQUALS)
@pytest.mark.parametrize("pairs", [5, 6, 8, 12])
def test_of_two_equals_one_is_rarely_called_better_after_a_few_pairs(pairs: int, shares: Sequence[float]) -> None:
    """Exactly, by all ways in which the pairs can end."""
    claims = held = 0.0
    for counts in tables(pairs):
        found, chance = estimate(counts), chance_of(counts, shares)
        claims += chance * (fixed_verdict(found, pairs) == "passed")
        held += chance * (found.low <= 0 <= found.high)
    assert claims <= 0.045
    assert 0.945 <= held <= 0.999
    if pairs == 5 and shares == SOME_DRAWS:
        assert claims == pytest.approx(0.022, abs=0.005)


@pytest.mark.parametrize("pairs", [50, 200])
def test_from_fifty_pairs_on_one_in_twenty_claims_is_wrong(pairs: int) -> None:
    dice = random.Random(pairs)
    found = [estimate(drawn(dice, pairs, SOME_DRAWS)) for _ in range(2000)]
    assert sum(one.los >= 0.95 for one in found) / 2000 == pytest.approx(0.05, abs=0.015)
    assert sum(one.low <= 0 <= one.high for one in found) / 2000 == pytest.approx(0.95, abs=0.015)


@pytest.mark.parametrize(
    ("counts", "most"), [((0, 0, 4, 0, 2), 0.9), ((0, 0, 2, 0, 4), 0.985), ((0, 0, 0, 0, 4), 0.995)]
)
@pytest.mark.parametrize("test", [None, SprtSettings(0, 10), SprtSettings(-100, 100)])
def test_few_pairs_are_not_believed_too_much(counts: tuple[int, ...], most: float, test: SprtSettings | None) -> None:
    found: Estimate = estimate(counts) if test is None else unbiased_estimate(counts, test)
    assert found.los <= most
    assert found.low < 100


def test_one_pair_says_nothing() -> None:
    for counts in ((0, 0, 0, 0, 1), (1, 0, 0), (0, 0, 0, 0, 0)):
        found = estimate(counts)
        assert found.los == 0.5
        assert found.low < -1000 < 1000 < found.high
    assert compared("a", "b", [4], 4).elo is None


def test_a_clean_sweep_is_not_certain() -> None:
    known = known_mean([1.0] * 10)
    assert 0.8 < known.low < 0.9
    assert known.chance < 1


def test_two_variants_have_the_interval_that_a_gauntlet_of_the_two_has() -> None:
    of_two, found = compared("a", "b", [4, 2, 2, 3, 4, 1], 4).elo, estimate((0, 1, 2, 1, 2))
    assert of_two is not None
    assert (of_two.elo, of_two.low, of_two.high) == (found.elo, found.low, found.high)


@pytest.mark.parametrize("strength", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("unfair", [0.0, 0.6])
@pytest.mark.parametrize("seeds", [5, 20, 100])
def test_the_interval_holds_the_truth_about_as_often_as_it_says(strength: float, unfair: float, seeds: int) -> None:
    """A seed is with the chance `unfair` a map on which the seat decides both matches.

    Of five seeds all are such in one series of twelve, and then nothing is known of the rest.
    """
    dice = random.Random(f"{strength} {unfair} {seeds}")

    def share() -> float:
        if dice.random() < unfair:
            return 0.5
        return (float(dice.random() < strength) + float(dice.random() < strength)) / 2

    truth = unfair / 2 + (1 - unfair) * strength
    found = [known_mean([share() for _ in range(seeds)]) for _ in range(1000)]
    assert sum(known.low <= truth <= known.high for known in found) >= (870 if seeds == 5 else 920)


@pytest.mark.parametrize("elo", [0, 50, 150])
def test_the_interval_of_a_difference_holds_it_too(elo: int) -> None:
    dice, chance = random.Random(elo), score_of(elo)
    shares = ((1 - chance) ** 2, 0, 2 * chance * (1 - chance), 0, chance**2)
    for pairs in (5, 10, 30):
        found = [estimate(drawn(dice, pairs, shares)) for _ in range(1000)]
        assert sum(one.low <= elo <= one.high for one in found) >= 930
