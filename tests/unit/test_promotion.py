"""Who goes up and who goes back, and what it is said to need for that: decided from a board alone."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import ordinal
from ladder.choices import MoveKind
from ladder.ids import LeagueId, VersionId
from ladder.leagues.leagues import League
from ladder.leagues.settings import most_battles_to_settle
from ladder.promotions.lifecycle import SMALL_BOARD, LeagueBoard
from ladder.promotions.outlook import missing_text, outlook_of, outlook_text
from ladder.promotions.rules import (
    KNOWN_SPAN,
    LeaguePlace,
    Move,
    due,
    eligible,
    is_sure,
    lacking_matches,
    may_play_on,
    moves,
    newly_eligible,
    open_neighbours,
    open_orders,
    places,
    ranks_are_due,
    waits,
)
from ladder.ratings.counts import Record
from ladder.ratings.models import RatingSettings, chance_of_being_stronger
from ladder.ratings.standings import Ranks, SettledChance, SettledRank, Standing

WOOD = League(
    LeagueId(1), "ocean-of-code", "wood", "Wood", 1, 1, 10, 60, "rank_above_boss", 5, demotion=False, is_open=True
)
BRONZE = replace(WOOD, id=LeagueId(2), name="bronze", title="Bronze", position=2)
GOLD = replace(WOOD, id=LeagueId(3), name="gold", title="Gold", position=3)
OTHER_GAME = replace(WOOD, id=LeagueId(4), game="ice-and-fire")
IN_WOOD = LeaguePlace(WOOD, None, BRONZE)
IN_BRONZE = LeaguePlace(replace(BRONZE, demotion=True), WOOD, GOLD)
LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


def a_standing(
    version_id: int = 1, *, score: float = 20.0, wins: int = 10, draws: int = 0, losses: int = 10
) -> Standing:
    return Standing(
        version_id=VersionId(version_id),
        bot=f"bot{version_id}",
        number=1,
        player="kim",
        language="python",
        is_boss=False,
        mu=score,
        sigma=0.0,
        score=score,
        record=Record(matches=wins + draws + losses, wins=wins, draws=draws, losses=losses),
        waiting=0,
        is_rival=False,
        eligible_at=None,
        boss_wins=0,
        counted_from=0,
        demoted_at=None,
    )


def counted(standing: Standing, **counts: Any) -> Standing:
    return replace(standing, record=replace(standing.record, **counts))


BOSS = replace(a_standing(99, score=25.0), is_boss=True)
HIGH = a_standing(1, score=26.0)
LOW = a_standing(2, score=24.0)


def moved(place: LeaguePlace, *board: Standing) -> list[tuple[int, str]]:
    return [(move.version_id, move.kind) for move in moves(place, board)]


def test_battles_are_spared_only_where_they_change_neither_promotion_nor_rank() -> None:
    """A version of which ten battles are over and five are left, far below the boss."""
    settings = RatingSettings()
    league = replace(WOOD, battles=15, sure=0.999)
    place = replace(IN_WOOD, league=league)
    boss = counted(a_rated(99, 30.0, 0.9), matches=30)
    boss = replace(boss, is_boss=True)
    low = a_rated(1, 10.0, 0.9)
    assert LeagueBoard(place, [boss, low], settings).spared == {1}
    assert not LeagueBoard(replace(place, league=replace(league, sure=None)), [boss, low], settings).spared
    assert not LeagueBoard(place, [boss, counted(low, matches=18)], settings).spared, "nine battles are few"
    assert not LeagueBoard(place, [boss, counted(low, matches=30)], settings).spared, "it lacks none"
    assert not LeagueBoard(place, [boss, low, a_rated(2, 9.5, 0.9)], settings).spared, "a neighbour is within reach"
    assert not LeagueBoard(place, [a_rated(1, 50.0, 0.9), boss], settings).spared, "it goes up with its battles"
    assert LeagueBoard(replace(place, above=None), [a_rated(1, 50.0, 0.9), boss], settings).spared == {1}
    demoting = replace(IN_BRONZE, league=replace(IN_BRONZE.league, battles=15, sure=0.999))
    assert not LeagueBoard(demoting, [boss, low], settings).spared, "it may go back by its share of the points"
    by_wins = replace(place, league=replace(league, promotion="boss_wins", boss_wins=12))
    assert not LeagueBoard(by_wins, [boss, replace(low, boss_wins=2)], settings).spared, "ten more wins are enough"
    assert LeagueBoard(by_wins, [boss, replace(low, boss_wins=1)], settings).spared == {1}
    crowd = [a_rated(number, 30.0, 0.9, matches=30) for number in range(2, SMALL_BOARD + 1)]
    assert LeagueBoard(place, [*crowd, low], settings).spared == {1}
    assert not LeagueBoard(place, [boss, *crowd, low], settings).spared, "on a board of more it would take long to look"


def test_leagues_know_their_neighbours_of_the_same_game_alone() -> None:
    assert places([OTHER_GAME, WOOD, BRONZE, GOLD]) == [
        LeaguePlace(OTHER_GAME, None, None),
        LeaguePlace(WOOD, None, BRONZE),
        LeaguePlace(BRONZE, WOOD, GOLD),
        LeaguePlace(GOLD, BRONZE, None),
    ]
    assert places([WOOD, BRONZE, OTHER_GAME])[:2] == [LeaguePlace(WOOD, None, BRONZE), LeaguePlace(BRONZE, WOOD, None)]


def test_versions_that_rank_above_the_boss_go_up_and_no_others() -> None:
    assert moves(IN_WOOD, [HIGH, BOSS, LOW]) == [Move(VersionId(1), MoveKind.PROMOTION, WOOD, BRONZE)]
    assert moved(IN_WOOD, replace(HIGH, score=BOSS.score), BOSS) == []


def test_no_version_goes_up_before_it_and_the_boss_have_had_their_battles() -> None:
    assert moved(IN_WOOD, a_standing(1, score=26.0, losses=9), BOSS) == []
    assert moved(IN_WOOD, HIGH, counted(BOSS, matches=19, losses=9)) == []


def test_a_version_that_is_surely_above_its_boss_goes_up_from_ten_battles_on_before_it_has_had_its_own() -> None:
    place = replace(IN_WOOD, league=replace(WOOD, battles=100, sure=0.999))
    sure, unsure = a_rated(1, 25.0 + 3.1 * 5**0.5, 2.0), a_rated(1, 25.0 + 3.0 * 5**0.5, 2.0)
    assert moved(place, sure, GUARD) == [(1, "promotion")], "99.9 % are 3.09 deviations"
    assert moved(place, unsure, GUARD) == []
    assert moved(place, counted(sure, matches=19), GUARD) == [], "it has had nine battles"
    assert moved(replace(place, league=replace(place.league, sure=None)), sure, GUARD) == [], "CodinGame's number"
    assert moved(replace(place, league=replace(place.league, promotion="boss_wins")), sure, GUARD) == []
    assert moved(place, sure) == [], "without a boss"
    assert moved(place, replace(sure, is_rival=True), GUARD) == []
    above = replace(sure, score=GUARD.score - 0.1)
    assert moved(place, counted(above, matches=200), counted(GUARD, matches=200)) == [], "after that its rank counts"


def test_the_chance_that_a_league_asks_for_is_enough_after_ten_battles() -> None:
    assert is_sure(0.999, 10, 0.999)
    assert not is_sure(0.999, 10, 0.998)
    assert not is_sure(0.999, 9, 1.0)
    assert not is_sure(None, 100, 1.0)


SETTLED_WOOD = replace(WOOD, battles=50, sure=0.99, promotion="settled_above_boss")
BY_FIT = replace(IN_WOOD, league=SETTLED_WOOD)


def fitted(chance: float, matches: int = 20, span: float = KNOWN_SPAN, counted_by_then: int = 20) -> Standing:
    """A version far below the boss by the live rating, and what the last fit against the boss said of it."""
    settled = SettledChance(BOSS.version_id, counted_by_then, chance, span)
    return counted(replace(a_standing(1, score=1.0), settled=settled), matches=matches)


def test_by_the_settled_fit_a_version_goes_up_at_once_or_waits_when_either_is_sure() -> None:
    boss = counted(BOSS, matches=100)
    assert moved(BY_FIT, boss, fitted(0.99)) == [(1, "promotion")]
    assert moved(BY_FIT, boss, fitted(0.98)) == []
    assert moved(BY_FIT, boss, fitted(0.99, matches=18, counted_by_then=18)) == [], "nine battles are few"
    assert moved(BY_FIT, replace(boss, version_id=VersionId(98)), fitted(0.99)) == [], "that was another boss"
    assert moved(BY_FIT, boss, fitted(0.99, counted_by_then=24)) == [], "its battles began again since"
    assert moved(BY_FIT, boss, fitted(0.51, matches=100)) == [(1, "promotion")], "all its battles are over"
    assert moved(BY_FIT, boss, fitted(0.5, matches=100)) == []
    assert moved(BY_FIT, counted(boss, matches=98), fitted(0.51, matches=100)) == []
    assert waits(BY_FIT, fitted(0.01), boss)
    assert LeagueBoard(BY_FIT, [boss, fitted(0.01)], RatingSettings()).spared == {1}
    assert not waits(BY_FIT, fitted(0.011), boss)
    assert not waits(BY_FIT, fitted(0.01, span=KNOWN_SPAN + 0.01), boss), "its rank is not known"
    assert not waits(BY_FIT, fitted(0.01), replace(boss, version_id=VersionId(98)))
    assert not waits(replace(BY_FIT, league=replace(SETTLED_WOOD, sure=None)), fitted(0.01), boss)
    assert not waits(replace(BY_FIT, league=replace(SETTLED_WOOD, promotion="rank_above_boss")), fitted(0.01), boss)
    assert not waits(replace(BY_FIT, below=BRONZE, league=replace(SETTLED_WOOD, demotion=True)), fitted(0.01), boss)
    assert not waits(replace(BY_FIT, above=None), fitted(0.01), boss)


def placed(low: int, high: int, matches: int = 20, **values: Any) -> Standing:
    """A version whose rank is known to be one of these."""
    return replace(counted(a_standing(1), matches=matches), settled_rank=SettledRank(0.0, 30.0, low, high), **values)


def test_battles_end_where_a_rank_is_known_as_narrowly_as_asked_and_no_league_can_be_changed() -> None:
    top = LeaguePlace(replace(WOOD, battles=50, ranked_by="settled", rank_width=7), None, None)
    assert waits(top, placed(12, 19), None)
    assert not waits(top, placed(12, 20), None)
    assert not waits(top, placed(12, 19, matches=19), None), "ten battles at least"
    assert not waits(top, replace(placed(12, 19), settled_rank=None), None), "no fit knows it"
    assert not waits(replace(top, league=replace(top.league, rank_width=None)), placed(12, 12), None)
    assert waits(top, placed(12, 19, is_boss=True), None), "there nobody waits for the boss"
    demoting = replace(top, below=BRONZE, league=replace(top.league, demotion=True))
    assert not waits(demoting, placed(12, 19), None), "it may go back"
    assert waits(replace(top, below=BRONZE), placed(12, 19), None)
    below = replace(top, above=BRONZE)
    boss = counted(BOSS, matches=100)
    assert not waits(below, placed(12, 19), boss), "it may go up, which its predecessor must not decide"
    assert not waits(below, placed(12, 19, is_boss=True), None), "others cannot go up before it has had its own"
    assert not waits(BY_FIT, replace(fitted(0.01), is_boss=True), boss)
    assert waits(below, placed(12, 19, eligible_at=LONG_AGO), boss), "it has earned that"
    assert waits(below, placed(12, 19, is_rival=True), boss)


def test_settled_ranks_are_due_when_something_has_happened_and_in_large_leagues_when_enough_has() -> None:
    league = replace(WOOD, ranked_by="settled")

    def seen(matches: int, fitted: int | None) -> Standing:
        return replace(counted(a_standing(1), matches=matches), fitted=fitted)

    assert ranks_are_due(league, [seen(0, None)]), "it came since"
    assert ranks_are_due(league, [seen(20, 20), seen(21, 20)])
    assert ranks_are_due(league, [seen(19, 20)]), "a match was taken back"
    assert not ranks_are_due(league, [seen(20, 20), seen(0, 0)])
    assert not ranks_are_due(league, [])
    assert ranks_are_due(league, [seen(4_000, 4_000), seen(0, None), seen(0, None)])
    assert not ranks_are_due(league, [seen(4_000, 4_000), seen(0, None)])
    assert not ranks_are_due(league, [seen(4_001, 4_000), seen(0, 0)])
    assert not ranks_are_due(WOOD, [seen(0, None)])


def test_an_order_is_open_by_the_settled_fit_where_that_decides() -> None:
    boss = counted(BOSS, matches=100)
    assert [order.chance for order in open_orders(BY_FIT, [boss, fitted(0.06, matches=100)])] == [0.06]
    assert open_orders(BY_FIT, [boss, fitted(0.05, matches=100)]) == []
    assert open_orders(BY_FIT, [boss, counted(a_standing(1, score=24.9), matches=100)]) == [], "no fit was made"


def test_the_settled_fit_is_due_after_ten_battles_each_five_more_and_all() -> None:
    boss = counted(BOSS, matches=100)
    fresh = counted(a_standing(1), matches=20)
    assert due(BY_FIT, [boss, fresh]) == [fresh]
    assert due(BY_FIT, [boss, counted(fresh, matches=19)]) == []
    assert due(BY_FIT, [boss, fitted(0.5, matches=29)]) == []
    assert due(BY_FIT, [boss, fitted(0.5, matches=30)]) == [fitted(0.5, matches=30)]
    assert due(BY_FIT, [boss, fitted(0.5, matches=100, counted_by_then=99)]) != [], "its last battle is over"
    assert due(BY_FIT, [boss, fitted(0.5, matches=103, counted_by_then=100)]) == [], "it was looked at then"
    both = [fitted(0.5, matches=29), replace(fresh, version_id=VersionId(2))]
    assert due(BY_FIT, [boss, *both]) == both, "what is made for one is read for all"
    large = replace(fitted(0.5, matches=31), settled=SettledChance(BOSS.version_id, 20, 0.5, 0.1, 22_001))
    assert due(BY_FIT, [boss, large]) == [], "11 new matches are few for a fit of 22,001"
    assert due(BY_FIT, [boss, counted(large, matches=32)]) != []
    huge = replace(large, settled=replace(large.settled, fitted=10**9)) if large.settled else large
    assert due(BY_FIT, [boss, counted(huge, matches=99)]) == []
    assert due(BY_FIT, [boss, counted(huge, matches=100)]) != [], "its battles are over"
    assert due(BY_FIT, [boss, replace(fresh, eligible_at=LONG_AGO)]) == []
    assert due(BY_FIT, [fresh]) == [], "nobody guards the league"
    assert due(replace(BY_FIT, above=None), [boss, fresh]) == []
    assert due(IN_WOOD, [boss, fresh]) == [], "there the live rating decides"


def test_matches_from_before_a_bot_went_back_are_no_battles() -> None:
    again = replace(counted(HIGH, matches=39, wins=29), counted_from=20)
    assert lacking_matches(WOOD, again) == 1
    assert moved(IN_WOOD, again, BOSS) == []
    assert moved(IN_WOOD, counted(again, matches=40, wins=30), BOSS) == [(1, "promotion")]


def test_without_a_boss_no_version_ranks_above_it() -> None:
    assert moved(IN_WOOD, HIGH) == []


def test_no_version_goes_up_from_the_highest_league() -> None:
    top = LeaguePlace(GOLD, BRONZE, None)
    assert moved(top, replace(HIGH, eligible_at=LONG_AGO), BOSS) == []
    assert newly_eligible(top, [HIGH, BOSS]) == []


def test_by_boss_wins_it_takes_so_many_wins_and_the_rank_is_nothing() -> None:
    place = replace(IN_WOOD, league=replace(WOOD, promotion="boss_wins"))
    assert moved(place, replace(LOW, boss_wins=5), BOSS) == [(2, "promotion")]
    assert moved(place, replace(HIGH, boss_wins=4), BOSS) == []
    assert moved(place, replace(a_standing(losses=9), boss_wins=5), BOSS) == [], "its battles are not done"


def test_until_a_league_opens_the_eligible_wait_whatever_their_rank_and_then_go_up() -> None:
    closed = replace(IN_WOOD, above=replace(BRONZE, is_open=False))
    assert moved(closed, HIGH, BOSS) == []
    assert newly_eligible(closed, [HIGH, BOSS, LOW]) == [HIGH]
    fallen = replace(LOW, eligible_at=LONG_AGO)
    assert newly_eligible(closed, [BOSS, fallen]) == []
    assert moved(closed, BOSS, fallen) == []
    assert moved(IN_WOOD, BOSS, fallen) == [(2, "promotion")]


def test_bosses_and_kept_versions_never_move() -> None:
    assert moved(IN_WOOD, replace(HIGH, is_rival=True), BOSS) == []
    lost = a_standing(3, score=1.0, wins=0, losses=20)
    assert moved(IN_BRONZE, replace(lost, is_rival=True), BOSS) == []
    assert moved(IN_BRONZE, replace(lost, is_boss=True)) == []


def test_a_version_that_takes_hardly_a_point_goes_back_where_the_league_asks_for_it() -> None:
    lost = a_standing(3, score=1.0, wins=1, draws=1, losses=18)
    assert moves(IN_BRONZE, [BOSS, lost]) == [Move(VersionId(3), MoveKind.DEMOTION, IN_BRONZE.league, WOOD)]
    assert moved(replace(IN_BRONZE, league=BRONZE), BOSS, lost) == [], "by default nobody goes back"
    assert moved(IN_BRONZE, BOSS, a_standing(3, score=1.0, wins=1, draws=2, losses=17)) == [], "a tenth is enough"


def test_no_version_goes_back_to_a_league_that_is_closed() -> None:
    lost = a_standing(3, score=1.0, wins=0, losses=20)
    assert moved(IN_BRONZE, BOSS, lost) == [(3, "demotion")]
    assert moved(replace(IN_BRONZE, below=replace(WOOD, is_open=False)), BOSS, lost) == []


def test_no_version_goes_back_before_its_battles_nor_twice_nor_once_eligible_nor_from_the_lowest_league() -> None:
    lost = a_standing(3, score=1.0, wins=0, losses=20)
    assert moved(IN_BRONZE, BOSS, a_standing(3, score=1.0, wins=0, losses=19)) == []
    assert moved(IN_BRONZE, BOSS, replace(lost, demoted_at=LONG_AGO)) == []
    assert (
        moved(replace(IN_BRONZE, above=replace(GOLD, is_open=False)), BOSS, replace(lost, eligible_at=LONG_AGO)) == []
    )
    assert moved(replace(IN_WOOD, league=replace(WOOD, demotion=True)), BOSS, lost) == []


standings = st.builds(
    lambda version_id, score, wins, draws, losses, flags, owed: replace(
        a_standing(version_id, score=score, wins=wins, draws=draws, losses=losses),
        is_rival=flags[0],
        eligible_at=LONG_AGO if flags[1] else None,
        demoted_at=LONG_AGO if flags[2] else None,
        boss_wins=wins // 2,
        counted_from=min(owed, wins + draws + losses),
    ),
    st.integers(1, 10**6),
    st.floats(-100, 100),
    *[st.integers(0, 30)] * 3,
    st.tuples(st.booleans(), st.booleans(), st.booleans()),
    st.integers(0, 60),
)
boards = st.lists(standings, max_size=12, unique_by=lambda standing: standing.version_id)
rules = st.sampled_from(["rank_above_boss", "boss_wins"])


@given(board=boards, rule=rules, demotion=st.booleans(), is_open=st.booleans())
def test_no_version_moves_both_ways_and_those_that_move_up_are_eligible(
    board: list[Standing], rule: str, demotion: bool, is_open: bool
) -> None:
    place = LeaguePlace(replace(BRONZE, promotion=rule, demotion=demotion), WOOD, replace(GOLD, is_open=is_open))
    found = moves(place, [*board, BOSS])
    assert len({move.version_id for move in found}) == len(found)
    earned = {standing.version_id for standing in eligible(place, [*board, BOSS])}
    for move in found:
        assert (move.version_id in earned) == (move.kind == "promotion")
        assert move.version_id != BOSS.version_id


@given(board=boards, rule=rules, better=st.floats(0, 50))
def test_eligibility_once_written_stays_however_boards_change(board: list[Standing], rule: str, better: float) -> None:
    place = LeaguePlace(replace(BRONZE, promotion=rule), WOOD, replace(GOLD, is_open=False))
    earned = {standing.version_id for standing in eligible(place, [*board, BOSS])}
    later = [
        replace(standing, score=standing.score - better, eligible_at=LONG_AGO)
        if standing.version_id in earned
        else standing
        for standing in board
    ]
    assert earned <= {one.version_id for one in eligible(place, [*later, replace(BOSS, score=BOSS.score + better)])}


def a_rated(version_id: int, mu: float, sigma: float, *, matches: int = 20) -> Standing:
    won = matches // 2
    return replace(a_standing(version_id, score=mu - 3 * sigma, wins=won, losses=matches - won), mu=mu, sigma=sigma)


GUARD = replace(a_rated(99, 25.0, 1.0), is_boss=True)
UNLUCKY = a_rated(1, 28.0, 2.5)
"""It won nearly all and lost the last match: probably the stronger one, but its doubt keeps it below."""
WEAK = a_rated(2, 20.0, 2.0)


def open_ones(*board: Standing, place: LeaguePlace = IN_WOOD) -> list[tuple[int, bool]]:
    return [(order.version_id, order.plays_on) for order in open_orders(place, board)]


def test_a_version_that_ranks_below_the_boss_but_may_be_the_stronger_one_plays_on() -> None:
    (order,) = open_orders(IN_WOOD, [GUARD, UNLUCKY, WEAK])
    assert (order.version_id, order.boss, order.plays_on) == (1, "bot99@v1", True)
    assert (order.battles, order.most_battles) == (10, 40)
    (later,) = open_orders(IN_WOOD, [GUARD, replace(counted(UNLUCKY, matches=24), waiting=1)])
    assert later.battles == 12, "one is half over"
    assert order.chance == pytest.approx(0.867, abs=0.001), "of a normal distribution, 3 above with a deviation of 2.69"


def test_an_order_is_settled_by_a_rank_above_the_boss_or_by_95_percent_below_it() -> None:
    assert open_ones(GUARD, replace(UNLUCKY, score=GUARD.score + 0.1)) == []
    assert open_ones(GUARD, a_rated(1, 25.0 - 1.7 * 5**0.5, 2.0)) == [], "1.7 deviations below"
    assert open_ones(GUARD, a_rated(1, 25.0 - 1.6 * 5**0.5, 2.0)) == [(1, True)], "1.6 deviations below"


def test_no_version_plays_on_for_ever() -> None:
    assert open_ones(GUARD, counted(UNLUCKY, matches=78)) == [(1, True)]
    assert open_ones(GUARD, replace(counted(UNLUCKY, matches=78), waiting=2)) == [(1, False)]
    assert open_ones(GUARD, counted(UNLUCKY, matches=80)) == [(1, False)]
    assert [most_battles_to_settle(battles) for battles in (1, 5, 10, 12, 13, 50, 100)] == [4, 20, 40, 48, 50, 100, 200]


def test_no_version_plays_on_that_cannot_go_up_by_ranking_above_the_boss() -> None:
    top = LeaguePlace(WOOD, None, None)
    by_wins = replace(IN_WOOD, league=replace(WOOD, promotion="boss_wins"))
    assert open_ones(GUARD, UNLUCKY, place=top) == open_ones(GUARD, UNLUCKY, place=by_wins) == []
    assert open_ones(UNLUCKY) == [], "without a boss"
    assert open_ones(counted(GUARD, matches=19), UNLUCKY) == [], "before the boss has had its battles"
    assert open_ones(GUARD, counted(UNLUCKY, matches=19)) == [], "before it has had its own"
    assert open_ones(GUARD, replace(UNLUCKY, is_rival=True)) == []
    assert open_ones(GUARD, replace(UNLUCKY, eligible_at=LONG_AGO)) == []


@given(
    scores=st.lists(st.tuples(st.floats(0, 50), st.floats(0, 8), st.integers(0, 120)), max_size=8),
    boss=st.tuples(st.floats(0, 50), st.floats(0, 8)),
)
def test_a_version_that_has_had_its_battles_is_eligible_or_weaker_or_its_order_is_open(
    scores: list[tuple[float, float, int]], boss: tuple[float, float]
) -> None:
    guard = replace(a_rated(99, *boss), is_boss=True)
    board = [guard, *(a_rated(number, mu, sigma, matches=played) for number, (mu, sigma, played) in enumerate(scores))]
    up = {standing.version_id for standing in eligible(IN_WOOD, board)}
    still_open = {order.version_id for order in open_orders(IN_WOOD, board)}
    assert not up & still_open
    for standing in board[1:]:
        is_weaker = chance_of_being_stronger(standing, guard) <= 0.05
        has_played = lacking_matches(WOOD, standing) == 0
        assert (standing.version_id in up | still_open) or is_weaker or not has_played


def test_who_has_earned_it_waits_below_while_its_player_has_as_many_bots_above_as_may_be_there() -> None:
    board = [a_standing(1, score=30), a_standing(4, score=29), replace(a_standing(5, score=28), player="mia"), BOSS]
    for there, up in ((0, [1, 4, 5]), (1, [1, 5]), (2, [5])):
        place = LeaguePlace(WOOD, None, replace(BRONZE, most_bots=2, bots_of={"kim": there}))
        assert [move.version_id for move in moves(place, board)] == up
        assert len(eligible(place, board)) == 3, "it stays earned"
    four = [replace(standing, player="kim") for standing in (*board[:3], a_standing(6, score=27))]
    place = LeaguePlace(WOOD, None, replace(BRONZE, most_bots=3, bots_of={"kim": 1}))
    assert [move.version_id for move in moves(place, [*four, BOSS])] == [1, 4], "each that goes up takes room"


def test_no_order_is_open_between_versions_that_do_not_meet() -> None:
    close = [replace(a_standing(2, score=20), is_boss=True), replace(a_standing(3, score=19.9), sigma=1.0)]
    assert open_orders(IN_WOOD, close)
    apart = LeaguePlace(replace(WOOD, own_bots_meet=False), None, BRONZE)
    assert not open_orders(apart, close)
    assert open_orders(apart, [replace(close[0], player="mia"), close[1]])


NEAR = a_rated(1, 27.0, 2.0)
"""Half as many points below the guard as there are between it and the weak one, and perhaps stronger than it."""
TOP = LeaguePlace(BRONZE, WOOD, None)


def said(*board: Standing, version_id: int = 1, place: LeaguePlace = IN_WOOD, pace: float | None = None) -> str:
    in_order = sorted(board, key=lambda standing: -standing.score)
    return outlook_text(outlook_of(place, in_order, VersionId(version_id), pace))


def test_a_version_that_lacks_battles_is_said_how_many_and_how_long_that_takes_at_its_pace() -> None:
    young = counted(replace(NEAR, score=30.0), matches=14)
    assert said(GUARD, young, pace=0.3) == (
        "bot1@v1 is 1st of 2 in Wood; goes up when above bot99 with 10 battles (3 to go, about 20 s)"
    )
    assert said(GUARD, young).endswith("with 10 battles (3 to go)"), "where it does not play no time is said"
    shut = replace(IN_WOOD, above=replace(BRONZE, is_open=False))
    assert said(GUARD, young, place=shut).endswith("with 10 battles (3 to go); Bronze is not open yet")
    assert said(GUARD, counted(young, matches=15)).endswith("(3 to go)"), "half a battle is one"
    by_wins = replace(IN_WOOD, league=replace(WOOD, promotion="boss_wins"))
    assert said(GUARD, replace(young, boss_wins=2), place=by_wins) == (
        "bot1@v1 is 1st of 2 in Wood; goes up with 5 wins against bot99 (it has 2) and 10 battles (3 to go)"
    )
    assert said(GUARD, young, place=TOP) == "bot1@v1 is 1st of 2 in Bronze; of its 10 battles 3 to go"
    assert said(counted(GUARD, matches=2), version_id=99).endswith("of its 10 battles 9 to go")


def test_battles_to_go_are_counted_by_the_matches_that_a_battle_of_the_league_has() -> None:
    of_three = replace(WOOD, battle_matches=3)
    place = replace(IN_WOOD, league=of_three)
    young = counted(replace(NEAR, score=30.0), matches=14)
    assert said(GUARD, young, place=place).endswith("with 10 battles (6 to go)")
    assert said(GUARD, young, place=replace(TOP, league=of_three)).endswith("of its 10 battles 6 to go")
    over = counted(replace(NEAR, score=30.0), matches=30)
    assert said(counted(GUARD, matches=25), over, place=place).endswith("(2 battles to go)")


def test_where_certainty_is_enough_for_a_promotion_it_is_said_how_certain_that_is() -> None:
    place = replace(IN_WOOD, league=replace(WOOD, battles=100, sure=0.999))
    assert said(GUARD, NEAR, place=place) == (
        "bot1@v1 is 2nd of 2 in Wood; goes up when above bot99 with 100 battles (90 to go), or from 10 on when that is "
        "99.9% sure (now 81.4%)"
    )
    few = replace(place, league=replace(place.league, battles=10))
    assert "sure" not in said(GUARD, counted(NEAR, matches=10), place=few), "its own battles are no more than those"


def test_where_the_settled_fit_decides_its_chance_is_said() -> None:
    league = replace(WOOD, battles=100, sure=0.99, promotion="settled_above_boss")
    place = replace(IN_WOOD, league=league)
    goes_up = "goes up when the settled fit has it above bot99 with 100 battles (90 to go), or from 10 on when that is "
    assert said(GUARD, NEAR, place=place).endswith(f"{goes_up}99.0% sure"), "no fit was made yet"
    near = replace(NEAR, settled=SettledChance(GUARD.version_id, 20, 0.25, 0.1))
    assert said(GUARD, near, place=place).endswith(f"{goes_up}99.0% sure (now 25.0%)")
    below = replace(NEAR, settled=SettledChance(GUARD.version_id, 20, 0.004, 0.1))
    assert said(GUARD, below, place=place).endswith(
        "its chance of being above bot99 is 0.4%, so its last 90 battles are spared until others' battles raise it"
    )
    few = replace(place, league=replace(league, battles=10))
    assert "its battles are over; its chance of being above bot99 is 0.4%" in said(GUARD, below, place=few)


def test_a_version_whose_battles_are_over_is_said_how_far_it_is_from_going_up() -> None:
    assert said(GUARD, NEAR) == (
        "bot1@v1 is 2nd of 2 in Wood; its battles are over; 1.0 points below bot99, plays on while machines are idle"
    )
    assert said(GUARD, WEAK, version_id=2).endswith("its battles are over; 8.0 points below bot99")
    assert said(counted(GUARD, matches=17), replace(NEAR, score=30.0)).endswith(
        "its battles are over; it can go up when bot99 has had its own (2 battles to go)"
    )
    assert said(NEAR).endswith("no bot guards Wood, so no version goes up from there")
    assert said(GUARD, replace(NEAR, score=30.0)).endswith("; it goes up to Bronze now")
    closed = replace(IN_WOOD, above=replace(BRONZE, is_open=False))
    assert said(GUARD, replace(NEAR, eligible_at=LONG_AGO), place=closed).endswith(
        "it has earned its promotion and goes up when Bronze opens"
    )


def test_neighbours_that_may_be_in_the_wrong_order_play_on_in_every_league_up_to_the_bound() -> None:
    upper, lower = a_rated(3, 26.0, 1.0), a_rated(4, 25.5, 1.0)
    board = [upper, lower, WEAK]
    (two,) = open_neighbours(TOP, board)
    assert two.version_ids == (3, 4)
    assert two.chance == pytest.approx(0.362, abs=0.001), "half a point apart with a deviation of 1.41"
    assert said(*board, version_id=4, place=TOP).endswith("its battles are over, plays on while machines are idle")
    assert said(*board, version_id=2, place=TOP).endswith("its battles are over")
    assert not open_neighbours(TOP, [counted(upper, matches=19), lower]), "one has its own battles to play"
    bound = [counted(upper, matches=80), counted(lower, matches=79)]
    assert open_neighbours(TOP, bound), "one of them may play on"
    assert not open_neighbours(TOP, [bound[0], counted(lower, matches=80)])
    assert not open_neighbours(TOP, [bound[0], replace(bound[1], waiting=1)]), "what waits counts"


def test_neighbours_of_one_player_are_not_put_in_order_where_they_do_not_meet() -> None:
    upper, lower = a_rated(3, 26.0, 1.0), a_rated(4, 25.5, 1.0)
    apart = replace(TOP, league=replace(BRONZE, own_bots_meet=False))
    assert chosen([upper, lower], apart) == []
    assert chosen([upper, replace(lower, player="mia")], apart) == [(3, 4)]


def test_of_several_neighbours_those_come_first_whose_order_is_the_most_open() -> None:
    board = [a_rated(3, 27.0, 1.0), a_rated(4, 26.0, 1.0), a_rated(5, 25.9, 1.0), a_rated(6, 25.4, 1.0)]
    assert chosen(board, TOP) == [(4, 5), (5, 6), (3, 4)]


def test_two_that_play_on_against_the_boss_are_neighbours_of_each_other_all_the_same() -> None:
    assert chosen([GUARD, a_rated(5, 24.8, 1.0), a_rated(6, 24.5, 1.0)]) == [(5, 6)]


def test_the_boss_is_a_neighbour_too_but_nothing_is_settled_for_its_own_sake() -> None:
    near = replace(a_rated(5, 25.5, 1.0), eligible_at=LONG_AGO)
    assert chosen([near, GUARD]) == [(5, 99)], "it waits for the league above to open, above its boss"
    assert chosen([counted(near, matches=80), GUARD]) == []
    assert not may_play_on(WOOD, GUARD)
    assert chosen([GUARD, a_rated(5, 24.5, 1.0)]) == [], "it plays on against the boss by another rule"
    by_wins = replace(IN_WOOD, league=replace(WOOD, promotion="boss_wins"))
    assert chosen([GUARD, a_rated(5, 24.5, 1.0)], by_wins) == [], "patience is to earn no wins against the boss"


def chosen(board: Sequence[Standing], place: LeaguePlace = IN_WOOD) -> list[tuple[int, int]]:
    return [two.version_ids for two in open_neighbours(place, board)]


def test_ranks_are_written_as_people_say_them() -> None:
    assert [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111)] == (
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th"]
    )


def test_of_a_rule_without_words_of_its_own_it_is_said_what_the_rule_means() -> None:
    by_wins = replace(IN_WOOD, league=replace(WOOD, promotion="boss_wins", boss_wins=0))
    means = "a version that has won `boss_wins` matches against the boss goes up"
    young = counted(NEAR, matches=14)
    assert said(GUARD, young, place=by_wins).endswith(f"; can go up with 10 battles (3 to go): {means}")
    (place, *_) = places([WOOD, BRONZE])
    no_way_up = outlook_of(replace(place, league=by_wins.league), [GUARD, NEAR], VersionId(1))
    assert missing_text(replace(no_way_up, goes_up_now=False)) == f"its battles are over; {means}"


def test_a_version_in_the_highest_league_is_promised_nothing() -> None:
    (place, *_) = places([BRONZE])
    assert missing_text(outlook_of(place, [NEAR], VersionId(1))) == "its battles are over"


def test_the_part_of_a_board_around_a_version_says_the_same_as_all_of_it() -> None:
    """Its neighbours and the boss are enough: with them stands whether its order with any of these is open."""
    crowd = [a_rated(number, 35.0 - number / 2, 1.0) for number in range(2, 30)]
    board = sorted([GUARD, NEAR, *crowd], key=lambda row: -row.score)
    ranks = {row.version_id: rank for rank, row in enumerate(board, 1)}
    for rank, own in enumerate(board, 1):
        near = [row for row in board if row.is_boss or abs(ranks[row.version_id] - rank) <= 1]
        part = Ranks({row.version_id: ranks[row.version_id] for row in near}, len(board))
        assert outlook_of(IN_WOOD, near, own.version_id, ranks=part) == outlook_of(IN_WOOD, board, own.version_id)
