"""What a version on a board is said to need until it goes up: from the board alone."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from engine.text import ordinal
from ladder.ids import VersionId
from ladder.promotions.outlook import missing_text, outlook_of, outlook_text
from ladder.promotions.rules import LeaguePlace, may_play_on, open_neighbours, places
from ladder.ratings.standings import Ranks, SettledChance, Standing
from tests.unit.test_promotion import BRONZE, GUARD, IN_WOOD, LONG_AGO, WEAK, WOOD, a_rated, counted

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
    board = [GUARD, a_rated(5, 24.8, 1.0), a_rated(6, 24.5, 1.0)]
    assert chosen(board) == [(5, 6)]


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
