"""Who plays whom."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from ladder.matchmaking import NEAR_RANKS, PLACEMENT_BATTLES, Entrant, choose_opponent, pairings


def board_of(*battles: int) -> list[Entrant]:
    return [Entrant(version_id, played) for version_id, played in enumerate(battles, 100)]


def test_everybody_gets_the_battles_that_are_wanted_and_nobody_plays_itself() -> None:
    board = board_of(0, 0, 3, 20, 0)
    found = pairings(board, 10, most=1000, chance=Random(1))
    counts = Counter(version_id for pairing in found for version_id in pairing.version_ids)
    for entrant in board:
        assert entrant.battles + counts[entrant.version_id] >= 10
    assert all(first != second for first, second in (pairing.version_ids for pairing in found))


def test_nobody_is_paired_when_all_have_had_their_battles() -> None:
    assert pairings(board_of(10, 11), 10, most=5, chance=Random(1)) == []


def test_a_lone_version_and_an_empty_board_have_no_pairings() -> None:
    assert pairings(board_of(0), 10, most=5, chance=Random(1)) == []
    assert pairings([], 10, most=5, chance=Random(1)) == []


def test_no_more_pairings_are_made_than_there_is_room_for() -> None:
    assert len(pairings(board_of(0, 0, 0), 10, most=4, chance=Random(1))) == 4
    assert pairings(board_of(0, 0, 0), 10, most=0, chance=Random(1)) == []


def test_the_version_that_lacks_most_battles_comes_first() -> None:
    (pairing,) = pairings(board_of(5, 2, 7), 10, most=1, chance=Random(1))
    assert pairing.version_ids[0] == 101


def test_the_same_chance_gives_the_same_pairings() -> None:
    board = board_of(*range(20))
    assert pairings(board, 30, 50, Random(7)) == pairings(board, 30, 50, Random(7))


def test_placement_battles_go_through_the_whole_board_from_top_to_bottom() -> None:
    ranking = list(range(101))
    opponents = [choose_opponent(ranking, 50, battle, Random(battle)) for battle in range(PLACEMENT_BATTLES)]
    strata = [(opponent if opponent < 50 else opponent - 1) // 10 for opponent in opponents]
    assert strata == list(range(10))


@given(st.integers(0, 100), st.integers(PLACEMENT_BATTLES, 200), st.integers())
def test_after_placement_opponents_are_near_the_own_rank(rank: int, battles: int, seed: int) -> None:
    opponent = choose_opponent(list(range(101)), rank, battles, Random(seed))
    assert opponent != rank
    assert abs(opponent - rank) <= NEAR_RANKS
