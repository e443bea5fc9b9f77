"""Which season is on, who plays a series, and what a final board says."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import Refused, UnknownName
from ladder.ids import LeagueId, SeasonId, VersionId
from ladder.matchmaking.matchmaker import Pairing, Scheme
from ladder.matchmaking.simulation import Ladder, SimulationPlan
from ladder.ratings.counts import Record
from ladder.ratings.standings import SettledLine, Standing
from ladder.seasons.ending import check_number, closed, final_board, running, series
from ladder.seasons.seasons import Season
from tests.unit.test_promotion import GOLD, a_standing

GAME = "ocean-of-code"
MAY = datetime(2027, 5, 1, tzinfo=UTC)
JUNE = datetime(2027, 6, 1, tzinfo=UTC)
FIRST = Season(SeasonId(1), GAME, 1, None, closed_at=MAY)
SECOND = Season(SeasonId(2), GAME, 2, MAY, closed_at=JUNE)
IN_SERIES = Season(SeasonId(3), GAME, 3, JUNE, series_battles=5, series_top=10)


def named(version_id: int, bot: str, score: float) -> Standing:
    record = Record(matches=4, wins=2, draws=1, losses=1, timeouts=1, faults=0)
    return replace(a_standing(version_id, score=score), bot=bot, mu=25.0, sigma=2.0, record=record)


def a_top(size: int, gap: float = 1.0) -> list[Standing]:
    return [replace(named(100 + place, f"bot{place}", 0.0), mu=40 - gap * place) for place in range(size)]


@given(size=st.integers(2, 15), battles=st.integers(1, 40), gap=st.sampled_from([0.0, 1.0, 50.0]), seed=st.integers())
def test_in_a_series_each_has_its_battles_or_one_more(size: int, battles: int, gap: float, seed: int) -> None:
    top = a_top(size, gap)
    found = series(top, battles, Scheme(), Random(seed))
    had: Counter[int] = Counter()
    for pair, count in found.items():
        had.update(dict.fromkeys(pair, count))
    assert {had[row.version_id] - battles for row in top} <= {0, 1}
    assert sum(found.values()) == (size * battles + 1) // 2
    assert all(first < second for first, second in found), "each pair once, the better one first"


def test_the_same_seed_gives_the_same_series_and_another_one_another() -> None:
    first, again, other = (series(a_top(10), 20, Scheme(), Random(seed)) for seed in (1, 1, 2))
    assert first == again != other


def test_a_version_without_an_opponent_has_no_series() -> None:
    assert series(a_top(0), 3, Scheme(), Random(1)) == series(a_top(1), 3, Scheme(), Random(1)) == {}


def test_a_series_is_played_by_those_from_whose_matches_more_is_learnt() -> None:
    """Where results are open: neighbours meet far more often than those of whom it is known who wins."""
    found = series(a_top(12, gap=4.0), 40, Scheme(), Random(1))
    near = sum(count for (first, second), count in found.items() if second - first <= 2)
    far = sum(count for (first, second), count in found.items() if second - first >= 8)
    assert near > 5 * far


def test_in_a_share_of_a_series_those_meet_who_have_hardly_met() -> None:
    """Whatever their ratings promise: the last one of the board meets the first if nobody else is new to it."""
    top = a_top(8, gap=6.0)
    ends = (top[0].version_id, top[-1].version_id)
    often = {row.version_id: 1000 for row in top}

    def met(version_id: VersionId) -> dict[VersionId, int]:
        if version_id not in ends:
            return often
        (other,) = set(ends) - {version_id}
        return {**often, other: 0}

    with_history, without = (series(top, 100, Scheme(), Random(1), *known).get(ends, 0) for known in ((met,), ()))
    assert with_history > 2 * without


def rank_errors(repeat: int) -> list[float]:
    """Return how far the ranks of a simulated ladder's first 21 are from the truth by a fit of all matches.

    At the end of the season, after a series of 20 battles each, and after a round robin, which is as many.
    """
    ladder = Ladder(SimulationPlan(bots=60, battles=30), "codingame", "trueskill", repeat)
    while ladder.step(16):
        pass
    true = sorted(ladder.ranking()[:21])
    rows = [replace(named(bot, str(bot), 0.0), record=Record(2 * ladder.battles[bot])) for bot in true]
    ratings = [ladder.ratings[row.version_id] for row in rows]
    top = [replace(row, mu=one.mu, sigma=one.sigma) for row, one in zip(rows, ratings, strict=True)]
    chosen = list(Counter(series(top, 20, ladder.scheme, Random(repeat))).elements())
    errors: list[float] = []
    series_played: list[Sequence[tuple[int, ...]]] = [[], chosen, list(combinations(true, 2))]
    for battles in series_played:
        after = ladder.copy(Random(repeat))
        for pair in battles:
            after.play(Pairing(LeagueId(0), (VersionId(pair[0]), VersionId(pair[1]))))
        ranking = [bot for bot in after.settled_ranking() if bot in true]
        errors.append(fmean(abs(rank - true.index(bot)) for rank, bot in enumerate(ranking)))
    return errors


def test_after_a_series_ranks_are_closer_to_the_truth_and_no_farther_than_after_a_round_robin() -> None:
    errors = zip(*map(rank_errors, range(12)), strict=True)
    before, after_series, after_round_robin = map(fmean, errors)
    assert after_series < 0.75 * before
    assert after_series < 1.1 * after_round_robin


def test_a_season_begins_when_the_one_before_is_closed() -> None:
    assert running(GAME, []) == Season(None, GAME, 1, None)
    assert running(GAME, [FIRST, SECOND]) == Season(None, GAME, 3, JUNE)
    assert running(GAME, [FIRST, SECOND, IN_SERIES]) == IN_SERIES
    assert [season.state for season in (running(GAME, []), IN_SERIES, FIRST)] == ["open", "series", "closed"]


def test_only_closed_seasons_have_final_boards() -> None:
    begun = [FIRST, SECOND, IN_SERIES]
    assert closed(GAME, 2, begun) == SECOND
    for number, seasons in ((3, begun), (3, begun[:2])):
        with pytest.raises(Refused, match="season 3 of ocean-of-code is not closed yet"):
            closed(GAME, number, seasons)
    with pytest.raises(UnknownName, match=r"known: 1, 2, 3$"):
        closed(GAME, 4, begun)


def test_ending_another_season_than_was_meant_is_refused() -> None:
    check_number(IN_SERIES, None)
    check_number(IN_SERIES, 3)
    with pytest.raises(Refused, match="season 2 of ocean-of-code is closed already; the one that is on is season 3"):
        check_number(IN_SERIES, 2)
    with pytest.raises(Refused, match="season 4 of ocean-of-code has not begun"):
        check_number(IN_SERIES, 4)


def test_a_final_board_holds_the_fit_beside_the_live_board_and_those_without_a_match() -> None:
    board = [named(8, "orca", 20.0), named(7, "eel", 19.0), named(9, "crab", 0.0)]
    settled = [
        SettledLine(1, 1, 1, 2, "eel@v1", 30.0, 9.0, 4, 2, 19.0, 25.0, 2.0),
        SettledLine(1, 2, 1, 2, "orca@v1", -30.0, 9.0, 4, 1, 20.0, 25.0, 2.0),
    ]
    rows = final_board(GOLD, board, settled)
    expected = [("orca@v1", 1, 2, -30.0), ("eel@v1", 2, 1, 30.0), ("crab@v1", 3, None, None)]
    assert [(row.version, row.live_rank, row.rank, row.strength) for row in rows] == expected
    assert (rows[0].rank_low, rows[0].rank_high, rows[0].record.wins, rows[0].record.timeouts) == (1, 2, 2, 1)


@given(owners=st.lists(st.integers(0, 3), min_size=2, max_size=12), seed=st.integers())
def test_in_a_series_bots_of_one_player_do_not_meet_where_the_league_forbids_it(owners: list[int], seed: int) -> None:
    top = [replace(row, player=f"player {owner}") for row, owner in zip(a_top(len(owners)), owners, strict=True)]
    apart = Scheme(players=(2, 3), own_bots_meet=False)
    player_of = {row.version_id: row.player for row in top}
    of_three = replace(apart, players=(3,))
    for found in (series(top, 5, apart, Random(seed)), series(top, 5, of_three, Random(seed))):
        had: Counter[int] = Counter()
        for versions, count in found.items():
            assert len({player_of[version_id] for version_id in versions}) == len(versions)
            had.update(dict.fromkeys(versions, count))
        assert not found or min(had[row.version_id] for row in top) >= 5
    assert bool(series(top, 5, apart, Random(seed))) == (len(set(owners)) > 1)
    assert bool(series(top, 5, of_three, Random(seed))) == (len(set(owners)) > 2)
