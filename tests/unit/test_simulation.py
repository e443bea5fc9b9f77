"""The simulated ladder: it can be repeated, it finds the truth with enough battles, and it promotes."""

from dataclasses import replace
from itertools import cycle
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.leagues.settings import most_battles_to_settle
from ladder.matchmaking.simulation import (
    MATCHMAKERS,
    ONLINE,
    SETTLE,
    Ladder,
    RankingError,
    Return,
    SimulationPlan,
    kendalls_tau,
    rows,
    run,
)
from ladder.ratings.models import chance_of_being_stronger

SMALL = SimulationPlan(bots=20, battles=20, repeats=1, resubmissions=1)


@pytest.mark.parametrize(("matchmaker", "rating"), [*zip(MATCHMAKERS, cycle(ONLINE), strict=False)])
def test_the_same_seed_gives_the_same_figures_and_another_seed_gives_others(matchmaker: str, rating: str) -> None:
    first, second, other = (
        run(plan, matchmaker, rating, 0, settle=True) for plan in (SMALL, SMALL, replace(SMALL, seed=2))
    )
    assert first == second
    assert first != other


@pytest.mark.parametrize("matchmaker", MATCHMAKERS)
def test_everybody_has_its_battles_and_the_ranking_comes_closer_to_the_truth(matchmaker: str) -> None:
    plan = SimulationPlan(bots=30, battles=100, spread=2, resubmissions=0)
    looks, _ = run(plan, matchmaker, "trueskill", 0, settle=True)
    for rating in ("trueskill", SETTLE):
        errors = [look.rank_error for look in looks if look.rating == rating]
        assert errors[-1] < errors[0]
        assert errors[-1] < 2
    assert looks[-1].tau > 0.85


def test_the_bot_that_is_submitted_again_starts_anew_and_has_all_its_battles() -> None:
    ladder = Ladder(SMALL, "codingame", "trueskill", 0)
    while ladder.step(8):
        pass
    again = ladder.copy(Random(1))
    version = again.resubmit(4)
    while again.step(4):
        pass
    assert again.battles[version] >= SMALL.battles
    assert 4 not in again.ranking()
    assert version in again.ranking()
    assert 4 in ladder.ranking(), "the ladder that it was copied from stays as it was"


def test_idle_battles_bring_the_average_up_and_are_looked_at() -> None:
    looks, returns = run(replace(SMALL, idle=30), "informed", "trueskill", 0, settle=False)
    assert [look.battles for look in looks] == [found.battles for found in returns] == [2, 5, 10, 20, 50]
    assert run(replace(SMALL, idle=30), "codingame", "trueskill", 0, settle=False)[0][-1].battles == 20


@pytest.mark.parametrize("matchmaker", MATCHMAKERS)
def test_with_few_battles_bots_play_on_until_above_or_clearly_below_their_boss_or_at_the_bound(matchmaker: str) -> None:
    plan = SimulationPlan(bots=40, battles=5, leagues=3, spread=2, resubmissions=0)
    ladder = Ladder(plan, matchmaker, "trueskill", 0)
    while ladder.step(8):
        pass
    bound = most_battles_to_settle(plan.battles)
    for bot in range(plan.bots):
        assert not ladder.plays_on(bot)
        league = ladder.leagues[bot]
        if league < plan.leagues - 1 and ladder.battles_in_league[bot] < bound:
            boss = ladder.ratings[ladder.bosses[league]]
            assert chance_of_being_stronger(ladder.ratings[bot], boss) <= 0.05
    assert fmean(ladder.battles[: plan.bots]) < 4 * plan.battles, "few play so often"


def test_stronger_bots_climb_and_weaker_ones_stay_below_their_boss() -> None:
    plan = SimulationPlan(bots=40, battles=40, leagues=3, spread=2, resubmissions=0)
    shares = [run(plan, "codingame", "trueskill", repeat, settle=False)[0][-1].right_league for repeat in range(3)]
    assert fmean(shares) > 0.7
    ladder = Ladder(plan, "codingame", "trueskill", 0)
    while ladder.step(8):
        pass
    assert set(ladder.leagues[:40]) == {0, 1, 2}
    assert fmean(rank for rank in range(40) if ladder.leagues[rank] == 2) < fmean(
        rank for rank in range(40) if ladder.leagues[rank] == 0
    )


def test_being_sure_spares_matches_and_lets_hardly_more_bots_up_that_are_weaker() -> None:
    """Figures of docs/simulation.md in small."""
    plan = SimulationPlan(bots=40, battles=50, leagues=3, resubmissions=0)
    found = [
        [run(replace(plan, sure=sure), "codingame", "trueskill", repeat, settle=False)[0][-1] for repeat in range(3)]
        for sure in (None, 0.999)
    ]
    slow, fast = (fmean(look.matches_to_league or 0 for look in looks) for looks in found)
    assert slow >= 100, "a league's battles at least"
    assert fast < 0.8 * slow
    wrong, wrong_when_sure = (fmean(look.wrong_promotions for look in looks) for looks in found)
    assert wrong_when_sure < wrong + 0.05


def test_the_settled_fit_puts_more_bots_into_their_league_with_fewer_matches() -> None:
    """Figures of docs/simulation.md in small."""
    plan = SimulationPlan(bots=40, battles=80, leagues=2, sure=0.999, resubmissions=0, seed=6)
    live, settled = (
        [run(own, "codingame", "trueskill", repeat, settle=False)[0][-1] for repeat in range(3)]
        for own in (plan, replace(plan, sure=0.99, settled=True))
    )
    assert fmean(look.right_league for look in settled) > fmean(look.right_league for look in live)
    assert fmean(look.wrong_promotions for look in settled) < fmean(look.wrong_promotions for look in live)
    assert fmean(look.matches for look in settled) < fmean(look.matches for look in live)
    assert fmean(look.matches_to_league or 0 for look in settled) < fmean(look.matches_to_league or 0 for look in live)


def test_equal_bots_draw_as_often_as_is_said() -> None:
    ladder = Ladder(replace(SMALL, draws=0.3), "random", "trueskill", 0)
    ladder.strengths = [25.0] * 20
    results = [ladder.winner(0, 1) for _ in range(4000)]
    assert results.count(None) / 4000 == pytest.approx(0.3, abs=0.05)
    assert results.count(0) == pytest.approx(results.count(1), rel=0.15)


@given(st.permutations(range(8)))
def test_kendalls_tau_counts_the_pairs_in_order(ranking: list[int]) -> None:
    pairs = [(a, b) for place, a in enumerate(ranking) for b in ranking[place + 1 :]]
    assert kendalls_tau(ranking) == pytest.approx(sum(1 if a < b else -1 for a, b in pairs) / len(pairs))


def test_repeats_are_joined_to_one_row_each() -> None:
    looks = [RankingError("random", "trueskill", 10, tau, 2 * tau, 1.0, 100 * tau, tau / 2) for tau in (0.4, 0.6)]
    (row,) = rows(looks, [Return("random", "trueskill", 10, rank) for rank in range(1, 102)])
    assert row.tau == pytest.approx(0.5)
    assert row.rank_error == pytest.approx(1.0)
    assert (row.low, row.middle, row.high) == (6, 51, 96)
    assert rows(looks, [])[0].low is None
