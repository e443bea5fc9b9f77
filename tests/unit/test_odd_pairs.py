"""Pairs whose results are not what ratings say: accomplices are found, honest bots are left alone."""

from collections import Counter, defaultdict
from math import comb

import pytest

from ladder.ids import LeagueId
from ladder.matchmaking.odd_pairs import MatchedPair, OddPair, chance_of_as_many, judge, oddest
from ladder.matchmaking.simulation import Ladder, SimulationPlan
from ladder.ratings.models import Rating, RatingSettings

LEAGUE = LeagueId(1)
SETTINGS = RatingSettings()
SURE = Rating(25.0, 0.1)


def met(matches: int, points: float, own: Rating = SURE, other: Rating = SURE) -> MatchedPair:
    seats = ("kraken@v1", "ann", own.mu, own.sigma, "orca@v1", "bob", other.mu, other.sigma)
    return MatchedPair(LEAGUE, "tron/wood", *seats, matches, points)


@pytest.mark.parametrize(("matches", "points", "share"), [(10, 10, 0.5), (20, 13, 0.3), (7, 0, 0.2), (200, 130, 0.5)])
def test_without_doubt_the_chance_is_that_of_the_binomial_distribution(matches: int, points: int, share: float) -> None:
    exact = sum(comb(matches, won) * share**won * (1 - share) ** (matches - won) for won in range(points, matches + 1))
    assert chance_of_as_many(points, matches, share, 0.0) == pytest.approx(exact, rel=0.02)


def test_doubt_of_the_ratings_makes_a_pair_less_odd() -> None:
    certain, doubtful = (judge(met(20, 18, Rating(25, sigma)), SETTINGS).deviations for sigma in (0.1, 4.0))
    assert certain > doubtful > 0


def test_a_pair_is_shown_from_the_side_that_took_more_than_its_ratings_say() -> None:
    ahead, behind = (judge(met(40, points), SETTINGS) for points in (36, 4))
    assert (ahead.version, ahead.player, ahead.points, ahead.expected) == ("kraken@v1", "ann", 36, 20)
    assert (behind.version, behind.player, behind.points, behind.expected) == ("orca@v1", "bob", 36, 20)
    assert ahead.deviations == pytest.approx(behind.deviations)


def test_a_few_upsets_are_not_odd() -> None:
    strong, weak = Rating(40, 0.8), Rating(25, 0.8)
    assert oddest([met(10, 1, weak, strong), met(2, 2), met(12, 9)], {LEAGUE: SETTINGS}) == []
    (found,) = oddest([met(10, 9, weak, strong)], {LEAGUE: SETTINGS})
    assert found.version == "kraken@v1"


class WithAccomplices(Ladder):
    """A ladder on which some bots lose against one on purpose."""

    cheat = 20
    accomplices = range(0)

    def winner(self, first: int, second: int) -> int | None:
        for seat, (own, other) in enumerate(((first, second), (second, first))):
            if own == self.cheat and other in self.accomplices:
                return seat
        return super().winner(first, second)


def found_on(ladder: Ladder) -> list[OddPair]:
    while ladder.step(32):
        pass
    matches, points = Counter[tuple[int, int]](), defaultdict[tuple[int, int], float](float)
    for first, second, half_points in ladder.history:
        pair, share = (first, second), half_points / 2
        if first > second:
            pair, share = (second, first), 1 - share
        matches[pair] += 1
        points[pair] += share
    ratings, pairs = ladder.ratings, list[MatchedPair]()
    for (one, other), count in matches.items():
        own, theirs = ratings[one], ratings[other]
        seats = (str(one), "", own.mu, own.sigma, str(other), "", theirs.mu, theirs.sigma)
        pairs.append(MatchedPair(LEAGUE, "", *seats, count, points[one, other]))
    return oddest(pairs, {LEAGUE: ladder.settings})


PLAN = SimulationPlan(bots=41, battles=200, near_ranks=40)


def test_on_an_honest_ladder_hardly_any_pair_is_odd() -> None:
    assert sum(len(found_on(Ladder(PLAN, "codingame", "trueskill", repeat))) for repeat in range(2)) <= 1


def test_good_accomplices_that_lose_on_purpose_are_found_and_nobody_else() -> None:
    ladder = WithAccomplices(PLAN, "codingame", "trueskill", 1)
    ladder.accomplices = range(1, 11)
    found = found_on(ladder)
    assert {pair.version for pair in found} == {str(ladder.cheat)}
    assert {int(pair.opponent) for pair in found} <= set(ladder.accomplices)
