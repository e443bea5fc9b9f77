"""The fit of all matches at once: what it finds, how sure it is, and what makes no difference to it."""

from math import exp, log
from random import Random

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ladder.statistics.davidson import (
    CLOSE,
    ELO,
    FAR,
    NO_PREDECESSOR,
    PRIOR,
    REWRITES,
    Floats,
    Ints,
    SettledStrength,
    fit,
    gaps_to,
    inherited,
    most_likely,
    pairs_of,
    settle,
)

WIN, DRAW, LOSS = 2, 1, 0
Match = tuple[int, int, int]
"""Two versions and the first's half points."""

histories = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.sampled_from([WIN, DRAW, LOSS])).filter(
        lambda match: match[0] != match[1]
    ),
    max_size=60,
)


def settled(matches: list[Match], versions: int, listed: list[int] | None = None) -> list[SettledStrength]:
    shown = None if listed is None else np.isin(np.arange(versions), listed)
    return settle(pairs_of(*columns(matches)), versions, shown)


def columns(matches: list[Match]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    first, second, half_points = np.array(matches, dtype=np.int64).reshape(-1, 3).T
    return first, second, half_points


def draw_result(chance: Random, gap: float, draws: float) -> int:
    return chance.choices((WIN, DRAW, LOSS), (exp(gap / 2), draws, exp(-gap / 2)))[0]


def a_league(seed: int, versions: int = 25, battles: int = 2_000) -> tuple[Floats, list[Match]]:
    """Return strengths around 0 and matches of versions that have them."""
    chance = Random(seed)
    strengths = np.array([chance.gauss(0, 1) for _ in range(versions)])
    strengths -= strengths.mean()
    met = [chance.sample(range(versions), 2) for _ in range(battles)]
    return strengths, [(one, two, draw_result(chance, strengths[one] - strengths[two], 0.3)) for one, two in met]


@pytest.mark.parametrize("seed", [1, 2])
def test_known_strengths_are_found_as_exactly_as_the_errors_say(seed: int) -> None:
    strengths, matches = a_league(seed)
    rows = settled(matches, len(strengths))
    off = np.array([(row.strength - ELO * strengths[row.version]) / row.error for row in rows])
    assert np.abs(off).max() < 4
    assert 0.4 < np.mean(off**2) < 2
    assert max(row.error for row in rows) < 75
    assert sum(row.matches for row in rows) == 2 * len(matches)


def test_true_ranks_lie_in_their_intervals_about_as_often_as_promised() -> None:
    hits, widths = [], []
    for seed in range(10):
        strengths, matches = a_league(seed, versions=20, battles=600)
        true_ranks = (-strengths).argsort().argsort() + 1
        for row in settled(matches, len(strengths)):
            hits.append(row.rank_low <= true_ranks[row.version] <= row.rank_high)
            widths.append(row.rank_high - row.rank_low)
    assert 0.9 < np.mean(hits) <= 1
    assert np.mean(widths) < 10  # of 19: it is not by saying nothing that they are right


def test_a_rank_with_what_the_predecessor_says_lies_in_its_interval_about_as_often_as_promised() -> None:
    """Newcomers differ from their predecessors as `inherited` expects, have played little, and each is ranked alone."""
    held, widths = 0, np.zeros(2)
    for seed in range(40):
        strengths, matches = a_league(seed, versions=20, battles=800)
        chance = Random(seed)
        before = chance.randrange(20)
        own = strengths[before] + chance.gauss(0, (CLOSE if chance.random() > REWRITES else FAR) / ELO)
        met = [chance.choice([one for one in range(20) if one != before]) for _ in range(10)]
        matches += [(20, other, draw_result(chance, own - strengths[other], 0.3)) for other in met]
        others = [one for one in range(20) if one != before]
        pairs, listed = pairs_of(*columns(matches)), np.isin(np.arange(21), [*others, 20])
        predecessors = np.full(21, NO_PREDECESSOR)
        predecessors[20] = before
        alone, joined = (
            next(row for row in settle(pairs, 21, listed, found, together=True) if row.version == 20)
            for found in (None, predecessors)
        )
        held += joined.rank_low <= 1 + sum(strengths[other] > own for other in others) <= joined.rank_high
        widths += [row.rank_high - row.rank_low for row in (alone, joined)]
    assert held >= 35, "95 % of 40 are 38, give or take 1.4"
    assert widths[1] < 0.95 * widths[0]


def test_how_common_draws_are_is_found_too() -> None:
    chance = Random(5)
    matches = [(0, 1, draw_result(chance, log(2), 1.0)) for _ in range(5_000)]
    strengths, _ = fit(pairs_of(*columns(matches)), 2)
    assert strengths[0] - strengths[1] == pytest.approx(log(2), abs=0.1)


def test_results_depend_on_the_odds_and_nothing_else() -> None:
    """Three wins of four: the odds are 3 to 1."""
    strengths, _ = fit(pairs_of(*columns([(0, 1, WIN)] * 3000 + [(0, 1, LOSS)] * 1000)), 2)
    assert exp(strengths[0] - strengths[1]) == pytest.approx(3, rel=0.01)


@given(histories, st.randoms(use_true_random=False))
def test_neither_the_order_of_matches_nor_the_seats_make_any_difference(matches: list[Match], chance: Random) -> None:
    other = [(two, one, 2 - points) if chance.random() < 0.5 else (one, two, points) for one, two, points in matches]
    chance.shuffle(other)
    assert settled(matches, 7) == settled(other, 7)


@given(histories)
def test_a_count_of_matches_rates_like_the_matches_one_by_one(matches: list[Match]) -> None:
    kinds = sorted(set(matches))
    times = np.array([matches.count(kind) for kind in kinds], dtype=np.int64)
    assert settle(pairs_of(*columns(kinds), times), 7) == settled(matches, 7)


@example([(1, 0, 2)] * 3, 65_532)
@given(histories, st.integers(1, 100_000))
def test_every_fit_is_finite_and_its_points_are_those_that_were_made(matches: list[Match], times: int) -> None:
    """At the most likely strengths a version's expected points are its own, but for the prior's pull to the middle."""
    first, second, half_points = columns(matches)
    pairs = pairs_of(first, second, half_points, np.full(len(matches), times, dtype=np.int64))
    strengths, factor = fit(pairs, 7)
    assert np.isfinite(strengths).all()
    assert np.isfinite(factor).all()
    surplus = np.zeros(7)
    log_draws = draw_level(matches, times, strengths)
    for one, two, points in matches:
        gap = (strengths[one] - strengths[two]) / 2
        win, draw, loss = (exp(value) for value in (gap, log_draws, -gap))
        expected = (win + draw / 2) / (win + draw + loss)
        surplus[one] += times * (points / 2 - expected)
        surplus[two] -= times * (points / 2 - expected)
    assert surplus == pytest.approx(PRIOR * strengths, abs=1e-8 * max(times, 100))


def draw_level(matches: list[Match], times: int, strengths: Floats) -> float:
    """Return the most likely logarithm of how common draws are, given strengths: by bisection, the plain way."""
    low, high = -60.0, 60.0
    for _ in range(200):
        middle = (low + high) / 2
        slope = -PRIOR * middle
        for one, two, points in matches:
            gap = (strengths[one] - strengths[two]) / 2
            slope += times * ((points == DRAW) - 1 / (1 + exp(gap - middle) + exp(-gap - middle)))
        low, high = (middle, high) if slope > 0 else (low, middle)
    return low


@given(histories)
def test_each_group_has_every_rank_once_and_intervals_hold_it(matches: list[Match]) -> None:
    rows = settled(matches, 7)
    assert sorted(row.version for row in rows) == list(range(7))
    for group in {row.group for row in rows}:
        own = [row for row in rows if row.group == group]
        assert [row.rank for row in own] == list(range(1, len(own) + 1))
        assert all(1 <= row.rank_low <= row.rank <= row.rank_high <= len(own) for row in own)
        assert sum(row.strength for row in own) == pytest.approx(0, abs=1e-3)
    assert all(row.group == rows[0].group for row in rows) == (len({row.group for row in rows}) == 1)
    groups = {row.version: row.group for row in rows}
    assert all(groups[one] == groups[two] for one, two, _ in matches)


def test_bots_that_no_chain_of_matches_joins_are_ranked_apart() -> None:
    matches = [(0, 4, WIN), (4, 5, WIN), (1, 2, LOSS)] * 4
    rows = settled(matches, 6)
    assert [(row.group, row.version, row.rank) for row in rows] == [
        (1, 0, 1),
        (1, 4, 2),
        (1, 5, 3),
        (2, 2, 1),
        (2, 1, 2),
        (3, 3, 1),
    ]


def test_together_bots_that_no_match_joins_are_ranked_in_one_list_and_none_is_sure() -> None:
    rows = settle(pairs_of(*columns([(0, 1, WIN), (2, 3, WIN)])), 4, together=True)
    assert [(row.group, row.rank) for row in rows] == [(1, 1), (1, 2), (1, 3), (1, 4)]
    assert {row.version for row in rows[:2]} == {0, 2}
    assert {(row.rank_low, row.rank_high) for row in rows} == {(1, 4)}


def test_a_version_that_is_not_listed_still_counts_as_an_opponent_but_takes_no_rank() -> None:
    matches = [(0, 1, WIN)] * 6 + [(1, 2, WIN)] * 6 + [(3, 4, DRAW)]
    rows = settled(matches, 5, listed=[0, 2])
    assert [(row.group, row.version, row.rank) for row in rows] == [(1, 0, 1), (1, 2, 2)]
    assert rows[0].strength == settled(matches, 5)[0].strength


def test_the_undefeated_are_first_and_more_victories_make_surer() -> None:
    def undefeated(wins: int) -> SettledStrength:
        return settled([(0, 1, WIN)] * wins + [(1, 2, WIN), (1, 2, LOSS)] * 10, 3)[0]

    few, many = undefeated(2), undefeated(40)
    assert (few.version, few.rank, many.version, many.rank) == (0, 1, 0, 1)
    assert 0 < few.strength < many.strength < 2000
    assert few.rank_high > many.rank_high == 1


def test_where_all_is_drawn_none_is_stronger_and_no_rank_is_sure() -> None:
    rows = settled([(0, 1, DRAW), (1, 2, DRAW), (2, 0, DRAW)], 3)
    assert [row.strength for row in rows] == pytest.approx([0, 0, 0], abs=1e-6)
    assert [(row.version, row.rank_low, row.rank_high) for row in rows] == [(0, 1, 3), (1, 1, 3), (2, 1, 3)]


def test_one_bot_is_first() -> None:
    assert settled([], 1) == [SettledStrength(0, 1, 1, 1, 1, 0.0, 0.0, 0)]


def test_no_bots_are_no_rows() -> None:
    assert settled([], 0) == []


def test_gaps_have_the_errors_that_the_whole_covariance_gives_them() -> None:
    chance = Random(3)
    met = [chance.sample(range(12), 2) for _ in range(300)]
    pairs = pairs_of(*columns([(one, other, draw_result(chance, (other - one) / 5, 0.2)) for one, other in met]))
    strengths, precision = most_likely(pairs, 12)
    covariance = np.linalg.inv(precision.toarray())
    found, gaps, errors = gaps_to(pairs, 12, 4, np.array([0, 7]))
    assert found.tolist() == strengths.tolist()
    for one, gap, error in zip((0, 7), gaps, errors, strict=True):
        assert gap == strengths[one] - strengths[4]
        whole = covariance[one, one] + covariance[4, 4] - 2 * covariance[one, 4]
        assert error == pytest.approx(whole**0.5, rel=1e-3)
    assert gaps[0] > 0 > gaps[1]


NOBODY = NO_PREDECESSOR


def scattered(*errors_elo: float) -> Floats:
    """Rows of deviations that are exactly as wide as that."""
    noise = np.random.default_rng(7).standard_normal((len(errors_elo), 4000))
    noise = (noise - noise.mean(axis=1, keepdims=True)) / noise.std(axis=1, keepdims=True)
    found: Floats = noise * np.array(errors_elo)[:, None] / ELO
    return found


def joined(strengths_elo: tuple[float, ...], errors_elo: tuple[float, ...], *before: int) -> tuple[Floats, Floats]:
    found, spread = inherited(np.array(strengths_elo) / ELO, scattered(*errors_elo), np.array(before))
    return found * ELO, spread.std(axis=1) * ELO


def test_a_version_that_has_played_little_is_taken_for_about_as_strong_as_its_predecessor() -> None:
    found, errors = joined((100.0, -50.0), (10.0, 200.0), NOBODY, 0)
    assert found[0] == pytest.approx(100)
    assert 60 < found[1] < 100
    assert CLOSE < errors[1] < 100
    known, error = joined((100.0, -50.0), (10.0, 5.0), NOBODY, 0)
    assert known[1] == pytest.approx(-50, abs=1)
    assert error[1] == pytest.approx(5, abs=0.1)


def test_a_rewrite_is_believed_its_own_results_sooner_than_one_normal_prior_would_let_it() -> None:
    found, _ = joined((0.0, 500.0), (10.0, 60.0), NOBODY, 0)
    by_one_normal = 500 * (CLOSE**2 + 10**2) / (CLOSE**2 + 10**2 + 60**2)
    assert found[1] > by_one_normal + 150


def test_a_predecessor_and_everybody_else_are_left_as_they_are_and_successors_follow_one_another() -> None:
    found, errors = joined((100.0, 0.0, -300.0, 7.0), (10.0, 300.0, 300.0, 20.0), NOBODY, 0, 1, NOBODY)
    assert (found[0], found[3]) == (pytest.approx(100), pytest.approx(7))
    assert (errors[0], errors[3]) == (pytest.approx(10), pytest.approx(20))
    assert found[2] > 10, "what its predecessor was taken for counts, not what that did alone"


def test_a_newcomer_ranks_by_its_predecessor_until_its_own_matches_say_otherwise() -> None:
    """Version 0 beats 1 and 2 mostly; 3 comes after it, and has lost its first two matches."""
    rows = [(0, 1, 2, 40), (0, 1, 0, 10), (0, 2, 2, 40), (0, 2, 0, 10), (1, 2, 2, 25), (1, 2, 0, 25), (3, 1, 0, 2)]
    first, second, half_points, times = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    before: Ints = np.array([NOBODY, NOBODY, NOBODY, 0])
    alone = {row.version: row for row in settle(pairs_of(first, second, half_points, times), 4)}
    heir = {row.version: row for row in settle(pairs_of(first, second, half_points, times), 4, predecessors=before)}
    assert alone[3].rank == 4
    assert heir[3].rank == 2
    assert heir[3].rank_high - heir[3].rank_low <= alone[3].rank_high - alone[3].rank_low
    gap = {version: row.strength - heir[0].strength for version, row in heir.items()}
    assert gap[1] == pytest.approx(alone[1].strength - alone[0].strength, abs=1)
