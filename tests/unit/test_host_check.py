"""Machines, workers and pairs whose results differ from what is to be expected are found, and sound ones left alone.

Imports inside functions: this library takes a second, which each process of a run would spend.
"""

from collections import Counter, defaultdict
from math import comb

import numpy as np
import pytest

from engine.errors import UsageFault
from ladder.gauntlets.host_check import check_hosts, residuals
from ladder.ids import LeagueId
from ladder.matchmaking.odd_pairs import MatchedPair, OddPair, chance_of_as_many, judge, oddest
from ladder.matchmaking.simulation import Ladder, SimulationPlan
from ladder.ratings.models import Rating, RatingSettings

SOUND = (3, 25, 60, 40, 9)
BROKEN = (40, 25, 15, 10, 2)
SHARES = (0.05, 0.2, 0.5, 0.2, 0.05)


def suspicious(**counts: tuple[int, ...]) -> list[str]:
    return [check.host for check in check_hosts(counts) if check.is_suspicious]


def test_a_broken_machine_is_found_and_comes_first() -> None:
    checks = check_hosts({"attic": SOUND, "lab": SOUND, "cellar": BROKEN})
    assert [check.is_suspicious for check in checks] == [True, False, False]
    assert (checks[0].host, checks[0].counts) == ("cellar", BROKEN)


def test_a_broken_machine_does_not_bring_sound_ones_under_suspicion() -> None:
    """Although they differ from all others together, as one of these others is broken and has played most."""
    most = tuple(20 * count for count in BROKEN)
    assert suspicious(attic=SOUND, lab=SOUND, cellar=most, hall=SOUND) == ["cellar"]


def test_two_broken_machines_are_both_found() -> None:
    assert set(suspicious(a=SOUND, b=SOUND, c=SOUND, d=SOUND, bad=BROKEN, worse=(0, 0, 5, 40, 60))) == {"bad", "worse"}


def test_of_two_that_differ_both_are_named() -> None:
    assert suspicious(attic=SOUND, cellar=BROKEN) == ["attic", "cellar"]


@pytest.mark.parametrize("few", [(4, 0, 0, 0, 0), (0, 0, 0, 0, 7), (0, 0, 0, 0, 0)])
def test_few_pairs_are_never_enough_to_be_accused(few: tuple[int, ...]) -> None:
    checks = check_hosts({"attic": SOUND, "lab": SOUND, "new": few})
    assert not any(check.is_suspicious for check in checks)
    assert {check.host: check.p_value for check in checks}["new"] == 1


def test_one_machine_alone_or_none_has_nothing_to_differ_from() -> None:
    (alone,) = check_hosts({"attic": BROKEN})
    assert (alone.p_value, alone.residual, alone.is_suspicious) == (1.0, 0.0, False)
    assert check_hosts({}) == []


def test_the_p_value_is_that_of_a_chi_square_test_against_all_others() -> None:
    """Where all outcomes are frequent, so that none have to be taken together."""
    from scipy.stats import chi2_contingency

    rows = {"attic": (20, 30, 60, 40, 20), "lab": (25, 28, 55, 41, 18), "hall": (18, 33, 58, 35, 25)}
    checks = check_hosts(rows)
    assert {check.host for check in checks} == rows.keys()
    for check in checks:
        others = np.sum([counts for host, counts in rows.items() if host != check.host], axis=0)
        assert check.p_value == pytest.approx(chi2_contingency([check.counts, others])[1])


def test_the_residual_grows_as_the_p_value_falls() -> None:
    mild, strong = (
        max(check.residual for check in check_hosts({"a": SOUND, "b": SOUND, "c": counts}))
        for counts in ((8, 30, 55, 32, 8), BROKEN)
    )
    assert 0 < mild < 3 < strong < 40


def test_hardly_ever_is_anybody_accused_where_all_are_alike() -> None:
    """However many machines there are: 20 with some 30 pairs each, in 400 gauntlets."""
    chance = np.random.default_rng(6)
    accused = 0
    for _ in range(400):
        drawn = chance.multinomial(chance.integers(1, 60, size=20), SHARES)
        counts = {str(host): tuple(int(count) for count in row) for host, row in enumerate(drawn)}
        accused += any(check.is_suspicious for check in check_hosts(counts))
    assert accused <= 4


ALL_SHARES = (0.05, 0.2, 0.45, 0.22, 0.08)


def drawn(workers: int, pairs: int, seed: int) -> dict[str, list[int]]:
    table = np.random.default_rng(seed).multinomial(pairs, ALL_SHARES, workers)
    return {f"worker {number}": row.tolist() for number, row in enumerate(table)}


def test_a_worker_that_loses_what_others_win_stands_out() -> None:
    found = residuals({**drawn(5, 400, seed=3), "odd": [80, 140, 140, 35, 5]})
    assert min(found, key=lambda worker: found[worker]) == "odd"
    assert found["odd"] < 1e-12
    assert all(value > 1e-3 for worker, value in found.items() if worker != "odd")


def test_the_p_value_of_two_counts_is_the_textbooks() -> None:
    """A table of 2 x 2 with all expected counts 50 and 10 between: chi-square 8, one degree of freedom."""
    found = residuals({"one": [60, 0, 40], "other": [40, 0, 60]})
    assert found["one"] == pytest.approx(0.004677734981047288)
    assert found["one"] == pytest.approx(found["other"])


def test_among_workers_that_are_alike_p_values_are_spread_evenly() -> None:
    """One in ten is below 0.1, also where few pairs leave outcomes with few counts."""
    values = [value for seed in range(60) for value in residuals(drawn(10, 60, seed)).values()]
    assert np.mean(np.array(values) < 0.1) == pytest.approx(0.1, abs=0.03)
    assert np.mean(np.array(values) < 0.01) == pytest.approx(0.01, abs=0.01)


@pytest.mark.parametrize(
    "counts",
    [
        {},
        {"alone": [5, 10, 20, 10, 5]},
        {"one": [0, 0, 0, 0, 0], "other": [5, 10, 20, 10, 5]},
        {"one": [0, 0, 3, 0, 0], "other": [0, 0, 0, 3, 0]},
        {"one": [0, 0, 90, 0, 0], "other": [0, 0, 90, 0, 0]},
    ],
)
def test_where_there_is_too_little_to_compare_none_stands_out(counts: dict[str, list[int]]) -> None:
    assert residuals(counts) == dict.fromkeys(counts, 1.0)


def test_pairs_and_matches_cannot_be_compared() -> None:
    with pytest.raises(UsageFault, match="of the same outcomes"):
        residuals({"one": [1, 2, 3], "other": [1, 2, 3, 4, 5]})


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
