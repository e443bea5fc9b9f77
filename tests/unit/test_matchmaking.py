"""Who plays whom."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.ids import LeagueId, RequestId, VersionId
from ladder.matchmaking.matchmaker import (
    AHEAD,
    ASKED_AHEAD,
    IDLE_AHEAD,
    MATCHES_EACH,
    MOST_WAITING,
    OPPONENTS,
    BoardEntrant,
    Met,
    Pairing,
    PairingBoard,
    PairingTable,
    Room,
    Scheme,
    Wish,
    met_none,
    pairings,
    players_in_turns,
    room_for,
)
from ladder.matchmaking.requests import Unmade, in_turns
from tests.fakes import version_ids

SCHEMES = sorted(OPPONENTS)
LEAGUE = LeagueId(1)
FIRST_ID = 100


def board_of(*battles: int, scheme: Scheme | None = None, league_id: int = 1) -> PairingBoard:
    """A board whose versions, all of one player, have had this many battles. Ids count from 100, the best first."""
    entrants = [
        BoardEntrant(VersionId(FIRST_ID + rank), played, mu=40.0 - rank, sigma=2.0 + 1 / (1 + played))
        for rank, played in enumerate(battles)
    ]
    return PairingBoard(LeagueId(league_id), entrants, scheme or Scheme(battles=10))


def with_players(board: PairingBoard, players: Sequence[str]) -> PairingBoard:
    entrants = [replace(one, player=player) for one, player in zip(board.entrants, players, strict=True)]
    return replace(board, entrants=entrants)


def times_paired(found: list[Pairing]) -> Counter[int]:
    return Counter(version_id for pairing in found for version_id in pairing.version_ids)


def times_made_for(board: PairingBoard, found: list[Pairing]) -> Counter[str]:
    player_of = {entrant.version_id: entrant.player for entrant in board.entrants}
    return Counter(player_of[pairing.made_for] for pairing in found if pairing.made_for is not None)


@pytest.mark.parametrize("matchmaking", SCHEMES)
@given(battles=st.lists(st.integers(0, 12), min_size=2, max_size=30), seed=st.integers())
def test_every_version_gets_its_battles_and_none_plays_itself(matchmaking: str, battles: list[int], seed: int) -> None:
    board = board_of(*battles, scheme=Scheme(matchmaking, battles=10))
    found = pairings([board], 1000, Random(seed))
    counts = times_paired(found)
    assert all(entrant.battles + counts[entrant.version_id] >= 10 for entrant in board.entrants)
    assert all(first != second for first, second in (pairing.version_ids for pairing in found))
    assert all(pairing.made_for == pairing.version_ids[0] for pairing in found)


@pytest.mark.parametrize("matchmaking", SCHEMES)
def test_no_pair_is_made_when_all_have_had_their_battles(matchmaking: str) -> None:
    assert pairings([board_of(10, 11, scheme=Scheme(matchmaking, battles=10))], 5, Random(1)) == []


def test_a_lone_version_and_an_empty_board_have_no_pairings() -> None:
    assert pairings([board_of(0)], 5, Random(1)) == []
    assert pairings([board_of(0, scheme=Scheme("informed"))], 5, Random(1), idle=5) == []
    assert pairings([board_of()], 5, Random(1)) == []
    assert pairings([], 5, Random(1)) == []


@pytest.mark.parametrize("most", [-3, 0, 4])
def test_no_more_pairings_are_made_than_there_is_room_for(most: int) -> None:
    board = board_of(0, 0, 0, scheme=Scheme("informed"))
    for asked in (2, 9):
        requested = [Pairing(LEAGUE, (VersionId(7), VersionId(8)))] * asked
        assert len(pairings([board], most, Random(1), idle=10, requested=requested)) == max(most, 0)


def test_the_version_of_a_player_that_lacks_most_battles_comes_first() -> None:
    (pairing,) = pairings([board_of(5, 2, 7)], 1, Random(1))
    assert pairing.made_for == 101


@pytest.mark.parametrize("matchmaking", SCHEMES)
def test_the_same_chance_gives_the_same_pairings(matchmaking: str) -> None:
    board = board_of(*range(20), scheme=Scheme(matchmaking, battles=30))
    assert pairings([board], 50, Random(7), idle=50) == pairings([board], 50, Random(7), idle=50)


def test_of_one_version_only_some_battles_wait_so_that_later_opponents_follow_from_earlier_results() -> None:
    board = board_of(0, 50, 50, scheme=Scheme(battles=50))
    assert len(pairings([board], 100, Random(1))) == AHEAD
    busy = replace(board, entrants=[replace(board.entrants[0], waiting=AHEAD - 1, battles=20), *board.entrants[1:]])
    assert len(pairings([busy], 100, Random(1))) == 1


def test_requested_battles_come_first_then_lacked_ones_then_what_is_worth_knowing() -> None:
    board = board_of(9, 10, 10, 10, scheme=Scheme("informed", battles=10))
    asked = Pairing(LEAGUE, (VersionId(102), VersionId(103)))
    found = pairings([board], 5, Random(1), requested=[asked], idle=5)
    assert found[0] == asked
    assert found[1].made_for == 100
    assert [pairing.made_for for pairing in found[2:]] == [None] * 3
    board = board_of(0, 10, 10, scheme=Scheme("informed", battles=10))
    found = pairings([board], 20, Random(1), idle=8)
    assert {pairing.made_for for pairing in found} == {100}


def test_idle_capacity_is_used_in_informed_leagues_alone() -> None:
    """So that a ladder whose leagues pair as CodinGame does comes to rest."""
    for_all = [board_of(10, 10, 10, scheme=Scheme(name, battles=10), league_id=n) for n, name in enumerate(SCHEMES)]
    found = pairings(for_all, 20, Random(1), idle=8)
    assert len(found) == 8
    assert {pairing.league_id for pairing in found} == {SCHEMES.index("informed")}


@pytest.mark.parametrize("idle", [-1, 0, 1, 2])
def test_as_many_idle_battles_are_made_as_there_is_room_for(idle: int) -> None:
    board = board_of(10, 10, 10, scheme=Scheme("informed", battles=10))
    assert len(pairings([board], 20, Random(1), idle=idle)) == max(idle, 0)


@given(versions=st.lists(st.integers(1, 6), min_size=2, max_size=6), most=st.integers(1, 32), seed=st.integers())
def test_battles_are_shared_evenly_between_players_however_many_versions_each_has(
    versions: list[VersionId], most: int, seed: int
) -> None:
    players = [f"player {number}" for number, count in enumerate(versions) for _ in range(count)]
    board = with_players(board_of(*[0] * len(players), scheme=Scheme(battles=1000)), players)
    found = pairings([board], most, Random(seed))
    shares, waiting = times_made_for(board, found), times_paired(found)
    for player in set(players):
        has_enough = all(waiting[one.version_id] >= AHEAD for one in board.entrants if one.player == player)
        assert has_enough or max(shares.values()) - shares[player] <= 1


@given(waiting=st.integers(1, 20), seed=st.integers())
def test_a_version_with_battles_waiting_lets_the_others_catch_up(waiting: int, seed: int) -> None:
    board = with_players(board_of(0, 60, 60, 60, scheme=Scheme(battles=100)), ["flood", "kim", "mia", "ben"])
    found = pairings([board], 3, Random(seed), shares={"flood": waiting})
    assert set(times_made_for(board, found)) == {"kim", "mia", "ben"}


def test_one_who_submits_again_and_again_does_not_starve_the_others() -> None:
    """There is a queue of eight battles, played in their order; the flood's version is replaced before it is done."""
    chance = Random(3)
    players = ["flood", "kim", "mia"]
    battles = dict.fromkeys(players, 0)
    queue: list[Pairing] = []
    version_of = {"flood": 0, "kim": 1, "mia": 2}
    owner = {0: "flood", 1: "kim", 2: "mia"}
    served: Counter[str] = Counter()
    for turn in range(240):
        if turn % 5 == 0:  # again: a new version, and what waits for the old one goes on waiting
            version_of["flood"] = 1000 + turn
            owner[version_of["flood"]] = "flood"
            battles["flood"] = 0
        entrants = [
            BoardEntrant(
                VersionId(version_of[player]),
                battles[player],
                sum(version_of[player] in pairing.version_ids for pairing in queue),
                player,
            )
            for player in players
        ]
        shares = Counter(owner[pairing.version_ids[0]] for pairing in queue)
        queue += pairings(
            [PairingBoard(LEAGUE, entrants, Scheme(battles=10_000))], 8 - len(queue), chance, shares=shares
        )
        played = queue.pop(0)
        served[owner[played.version_ids[0]]] += 1
        for player in players:
            battles[player] += version_of[player] in played.version_ids
    assert min(served.values()) >= 0.8 * 240 / 3


@pytest.mark.parametrize("served", [2, 8, 20])
@pytest.mark.parametrize("versions", [5, 20])
def test_one_with_many_new_versions_gets_no_more_battles_than_one_with_a_single_one(versions: int, served: int) -> None:
    """A queue for 32 battles, of which some are played between any two looks of the scheduler."""
    room, idle, chance = 32, 10, Random(1)
    players = [f"veteran {number}" for number in range(30)] + ["single"] + ["many"] * versions
    arranged = Counter({number: 100 if number < 30 else 0 for number in range(len(players))})
    waiting: Counter[int] = Counter()
    shares: Counter[str] = Counter()
    had: Counter[str] = Counter()
    queue: list[Pairing] = []
    while arranged[30] - waiting[30] < 100:
        for played in queue[:served]:
            waiting.subtract(played.version_ids)
            player = players[played.made_for or 0]
            shares[player] -= 1
            had[player] += 1
        del queue[:served]
        entrants = [
            BoardEntrant(VersionId(number), arranged[number], waiting[number], player)
            for number, player in enumerate(players)
        ]
        board = PairingBoard(LEAGUE, chance.sample(entrants, len(entrants)), Scheme())
        for made in pairings([board], room - len(queue), chance, shares=shares, idle=idle - len(queue)):
            queue.append(made)
            arranged.update(made.version_ids)
            waiting.update(made.version_ids)
            shares[players[made.made_for or 0]] += 1
        assert len(queue) >= idle, "machines have work all the time"
    assert had["many"] == pytest.approx(had["single"], abs=AHEAD)


def test_players_with_many_versions_wait_for_one_with_a_single_one_but_not_for_one_who_has_had_its_battles() -> None:
    """Where a single version has all waiting that it may, others get as many; where it lacks none, all there is."""
    full = [
        BoardEntrant(VersionId(1), 20, AHEAD, "single"),
        *(BoardEntrant(VersionId(number), 0, 0, "many") for number in range(2, 22)),
    ]
    board = PairingBoard(LEAGUE, full, Scheme(battles=30))

    def made(board: PairingBoard, idle: int = 0) -> int:
        return len(pairings([board], 32, Random(0), shares={"single": AHEAD}, idle=idle))

    assert made(board) - AHEAD in (0, 1), "whose turn it is among equals is chance"
    assert made(board, idle=15) == 15, "machines come first"
    assert made(replace(board, entrants=[replace(full[0], is_boss=True), *full[1:]])) == 32
    assert made(replace(board, entrants=[replace(full[0], battles=30), *full[1:]])) == 32


def test_all_leagues_share_the_room() -> None:
    busy = with_players(board_of(*[0] * 10, league_id=1), [f"busy {n}" for n in range(10)])
    small = with_players(board_of(0, 0, league_id=2), ["kim", "mia"])
    assert sum(pairing.league_id == 2 for pairing in pairings([busy, small], 12, Random(1))) == 2


def opponent(scheme: Scheme, size: int, rank: int, battles: int, seed: int) -> int:
    played = [100] * size
    played[rank] = battles
    table = PairingTable(board_of(*played, scheme=scheme), met_none)
    return OPPONENTS[scheme.matchmaking](table, rank, Random(seed))


def test_placement_battles_go_through_the_whole_board_from_top_to_bottom() -> None:
    scheme = Scheme(battles=100, placement_battles=10)
    opponents = [opponent(scheme, 101, 50, battle, seed=battle) for battle in range(10)]
    strata = [(rank if rank < 50 else rank - 1) // 10 for rank in opponents]
    assert strata == list(range(10))


@given(st.integers(0, 100), st.integers(0, 60), st.integers(1, 40), st.integers())
def test_after_placement_opponents_are_near_the_own_rank(rank: int, battles: int, near: int, seed: int) -> None:
    scheme = Scheme(battles=100, placement_battles=min(battles, 5), near_ranks=near)
    other = opponent(scheme, 101, rank, battles, seed)
    assert other != rank
    assert abs(other - rank) <= near


@pytest.mark.parametrize("matchmaking", SCHEMES)
@given(size=st.integers(2, 12), battles=st.integers(0, 30), seed=st.integers(), data=st.data())
def test_on_any_board_an_opponent_is_found_who_is_somebody_else(
    matchmaking: str, size: int, battles: int, seed: int, data: st.DataObject
) -> None:
    rank = data.draw(st.integers(0, size - 1))
    other = opponent(Scheme(matchmaking), size, rank, battles, seed)
    assert 0 <= other < size
    assert other != rank


def test_everybody_else_can_be_drawn_at_random() -> None:
    assert {opponent(Scheme("random"), 6, 2, 0, seed) for seed in range(200)} == {0, 1, 3, 4, 5}


def test_informed_gives_a_newcomer_opponents_whose_results_are_open() -> None:
    """The versions' mus are 40, 39, ..., and the newcomer's is 20 with great doubt."""
    board = board_of(*[100] * 40, scheme=Scheme("informed", battles=1000))
    newcomer = BoardEntrant(VersionId(7), 0, mu=20.0)
    found = pairings([replace(board, entrants=[*board.entrants, newcomer])], AHEAD, Random(1))
    own = [pairing.version_ids[1] - FIRST_ID for pairing in found if pairing.made_for == 7]
    assert sum(abs(40 - rank - 20) < 8 for rank in own) >= 0.7 * len(own) > 0


KNOWN_EQUALLY = [BoardEntrant(VersionId(number), 50, mu=25 + number / 10, sigma=1.0) for number in range(50)]


def test_idle_battles_go_first_to_those_of_whom_least_is_known() -> None:
    entrants = [*KNOWN_EQUALLY]
    entrants[20] = replace(entrants[20], battles=2, sigma=6.0)
    found = pairings([PairingBoard(LEAGUE, entrants, Scheme("informed", battles=1))], 20, Random(1), idle=5)
    assert sum(20 in pairing.version_ids for pairing in found) >= 3


def test_idle_battles_are_spread_when_all_are_known_equally_well() -> None:
    board = PairingBoard(LEAGUE, KNOWN_EQUALLY, Scheme("informed", battles=1))
    assert max(times_paired(pairings([board], 100, Random(1), idle=100)).values()) <= 3 * 200 / 50


def test_some_battles_go_to_pairs_that_have_hardly_met() -> None:
    """One opponent is far away and teaches nothing by the ratings, but it is the only one never met."""
    near = [BoardEntrant(VersionId(number), 50, mu=25.0, sigma=1.0) for number in range(10)]
    far = BoardEntrant(VersionId(99), 50, mu=-60.0, sigma=1.0)
    board = PairingBoard(LEAGUE, [*near, far], Scheme("informed", battles=1))
    met = dict.fromkeys(version_ids(*range(10)), 5)
    found = pairings([board], 200, Random(1), idle=200, met=lambda _: met)
    assert 0.02 * 200 < times_paired(found)[99] < 0.3 * 200


def asked(request_id: int, left: int, by: str, made: int = 0) -> Unmade:
    first, second = version_ids(10 * request_id, 10 * request_id + 1)
    versions = (first, second)
    return Unmade(RequestId(request_id), LEAGUE, versions, made, left, by, is_series=False, season_is_closed=False)


def test_requested_battles_are_arranged_oldest_first_and_no_more_often_than_asked() -> None:
    found = in_turns([asked(1, 2, "kim"), asked(2, 1, "kim")], {}, ASKED_AHEAD)
    first, second = (1, (10, 11)), (2, (20, 21))
    assert [(pairing.request_id, pairing.version_ids) for pairing in found] == [first, second, first]
    assert all(pairing.made_for is None for pairing in found), "no version lacked these battles"


def test_requests_of_one_take_turns_so_that_a_small_one_and_every_pair_of_a_series_get_on() -> None:
    """Where a series is broken off, all its pairs have then met about as often."""
    found = in_turns([asked(1, 900, "kim", made=100), asked(2, 2, "kim"), asked(3, 97, "kim", made=1)], {}, ASKED_AHEAD)
    assert [pairing.request_id for pairing in found[:5]] == [2, 2, 3, 3, 3]
    series = in_turns([asked(number, 50, "the season", made=7) for number in range(1, 5)], {}, ASKED_AHEAD)
    assert Counter(pairing.request_id for pairing in series) == dict.fromkeys(range(1, 5), ASKED_AHEAD // 4)


def test_those_who_ask_take_turns_and_who_has_most_waiting_comes_last() -> None:
    found = in_turns(
        [asked(1, 500, "flood"), asked(2, 2, "kim"), asked(3, 2, "mia")], {"flood": 2, "mia": 1}, ASKED_AHEAD - 3
    )
    assert [pairing.request_id for pairing in found[:6]] == [2, 2, 3, 1, 3, 1]


@given(
    left=st.lists(st.integers(1, 40), max_size=6), waiting=st.lists(st.integers(0, 12), max_size=4), seed=st.integers()
)
def test_requested_battles_never_take_all_the_room(left: list[int], waiting: list[int], seed: int) -> None:
    chance = Random(seed)
    all_asked = [asked(number, count, chance.choice("abc")) for number, count in enumerate(left, 1)]
    shares = dict(zip("abcd", waiting, strict=False))
    found = in_turns(all_asked, shares, ASKED_AHEAD - sum(waiting))
    assert len(found) == min(sum(left), max(ASKED_AHEAD - sum(waiting), 0))
    assert all(times <= left[number - 1] for number, times in Counter(one.request_id or 0 for one in found).items())


def always(met: Mapping[VersionId, int]) -> Met:
    return lambda _: met


def battles_with_boss(scheme: Scheme, size: int, seed: int, *, earlier: int = 0, met_before: int = 0) -> int:
    """Let a newcomer have its battles on a board where all others have had theirs; count those against the boss."""
    chance = Random(seed)
    boss = 1 + chance.randrange(size - 1)
    with_boss = battles = 0
    while battles < scheme.battles:
        if chance.random() < 0.2:  # somebody drew it as an opponent
            battles += 1
            continue
        entrants = [
            BoardEntrant(VersionId(number), scheme.battles, is_boss=number == boss, mu=25 - number / 10, sigma=1)
            for number in range(size)
        ]
        entrants[0] = replace(entrants[0], battles=battles, earlier=earlier, lacks_boss=True)
        met = always({VersionId(boss): 2 * (met_before + with_boss)})
        found = pairings([PairingBoard(LEAGUE, entrants, scheme)], 3, chance, met=met)
        assert found
        with_boss += sum(boss in pairing.version_ids for pairing in found)
        battles += len(found)
    return with_boss


@pytest.mark.parametrize("matchmaking", SCHEMES)
@pytest.mark.parametrize("seed", range(3))
def test_where_wins_against_the_boss_promote_every_version_meets_it_equally_often(matchmaking: str, seed: int) -> None:
    """On a board of two hundred chance alone would make it hardly one battle."""
    assert 9 <= battles_with_boss(Scheme(matchmaking, battles=100, boss_wins=10), 200, seed) <= 13


def test_a_version_that_went_back_meets_the_boss_again() -> None:
    assert 9 <= battles_with_boss(Scheme(battles=100, boss_wins=10), 200, 1, earlier=100, met_before=10) <= 13


def with_newcomer(boss: int, *, lacks_boss: bool) -> list[BoardEntrant]:
    others = [BoardEntrant(VersionId(number), 20, is_boss=number == boss) for number in range(1, 60)]
    return [BoardEntrant(VersionId(0), 0, lacks_boss=lacks_boss), *others]


def test_the_first_placement_battle_is_against_the_boss_and_at_most_every_second_one_is() -> None:
    entrants = with_newcomer(7, lacks_boss=True)
    found = pairings([PairingBoard(LEAGUE, entrants, Scheme(battles=20, boss_wins=1000))], 10, Random(1))
    assert found[0].version_ids == (0, 7)
    assert sum(7 in pairing.version_ids for pairing in found) in (5, 6)


def test_a_version_that_needs_no_wins_against_the_boss_meets_it_by_chance_alone() -> None:
    entrants = with_newcomer(59, lacks_boss=False)
    found = pairings([PairingBoard(LEAGUE, entrants, Scheme(battles=20, boss_wins=5))], 8, Random(1))
    assert not any(59 in pairing.version_ids for pairing in found), "the lowest rank is in the last stratum"


def with_open_orders(board: PairingBoard, boss: int, *ranks: int) -> PairingBoard:
    entrants = [replace(one, is_boss=rank == boss, plays_on=rank in ranks) for rank, one in enumerate(board.entrants)]
    return replace(board, entrants=entrants)


@pytest.mark.parametrize("matchmaking", SCHEMES)
def test_those_who_play_on_meet_the_boss_one_battle_at_a_time_and_the_fewest_battles_first(matchmaking: str) -> None:
    board = with_open_orders(board_of(10, 14, 12, 10, scheme=Scheme(matchmaking, battles=10)), 0, 1, 2)
    found = pairings([board], 10, Random(1), settling=10)
    assert [pairing.version_ids for pairing in found] == [(FIRST_ID + 2, FIRST_ID), (FIRST_ID + 1, FIRST_ID)]
    assert [pairing.made_for for pairing in found] == [None, None]
    waiting = replace(board, entrants=[replace(one, waiting=1) for one in board.entrants])
    assert pairings([waiting], 10, Random(1), settling=10) == []


def test_they_come_after_everybody_who_lacks_battles_and_take_no_more_room_than_is_free() -> None:
    board = with_open_orders(board_of(10, 10, 10, 7, scheme=Scheme(battles=10)), 0, 1, 2)
    assert len(pairings([board], 10, Random(1))) == 3, "no room for them"
    found = pairings([board], 10, Random(1), settling=4)
    assert [pairing.made_for for pairing in found] == [FIRST_ID + 3] * 3 + [None]
    assert len(pairings([board], 3, Random(1), settling=10)) == 3, "nor beyond the room that there is at all"


def test_no_version_plays_on_without_a_boss() -> None:
    board = with_open_orders(board_of(10, 10, scheme=Scheme(battles=10)), 9, 1)
    assert pairings([board], 10, Random(1), settling=10) == []


@pytest.mark.parametrize("matchmaking", SCHEMES)
def test_neighbours_whose_order_is_open_play_each_other_last_of_all_and_one_battle_at_a_time(matchmaking: str) -> None:
    board = with_open_orders(board_of(10, 12, 12, 10, scheme=Scheme(matchmaking, battles=10)), 0, 1)
    first, second, third = (VersionId(FIRST_ID + number) for number in (1, 2, 3))
    two, other = (second, third), (first, second)
    board = replace(board, open_pairs=[two, other])
    found = pairings([board], 10, Random(1), settling=2, idle=2)
    assert [pairing.version_ids for pairing in found] == [(FIRST_ID + 1, FIRST_ID), two], "each plays one at a time"
    found = pairings([board], 10, Random(1), settling=1, idle=1)
    assert [pairing.version_ids for pairing in found] == [(FIRST_ID + 1, FIRST_ID)], "no room for them"
    busy = replace(board, entrants=[replace(one, waiting=1, plays_on=False) for one in board.entrants])
    assert {two, other}.isdisjoint(pairing.version_ids for pairing in pairings([busy], 10, Random(1), idle=1))
    lacking = replace(board, entrants=[*board.entrants[:3], replace(board.entrants[3], battles=0)])
    assert {one.made_for for one in pairings([lacking], 5, Random(1), settling=5, idle=5)} == {FIRST_ID + 3}


FOR_MANY = Scheme(battles=10, players=(2, 3, 4), player_weights=(1.0, 1.0, 2.0), battle_matches=3)


@pytest.mark.parametrize("matchmaking", SCHEMES)
@given(battles=st.lists(st.integers(0, 12), min_size=2, max_size=30), seed=st.integers())
def test_a_battle_of_many_has_different_versions_as_many_as_the_game_and_the_board_allow(
    matchmaking: str, battles: list[int], seed: int
) -> None:
    board = board_of(*battles, scheme=replace(FOR_MANY, matchmaking=matchmaking))
    found = pairings([board], 1000, Random(seed))
    counts = times_paired(found)
    assert all(entrant.battles + counts[entrant.version_id] >= 10 for entrant in board.entrants)
    for pairing in found:
        assert len(set(pairing.version_ids)) == len(pairing.version_ids) == min(4, len(battles))
        assert pairing.made_for == pairing.version_ids[0]


def test_a_game_of_three_has_no_battles_between_two() -> None:
    assert pairings([board_of(0, 0, scheme=replace(FOR_MANY, players=(3,)))], 10, Random(1)) == []
    assert pairings([board_of(0, 0, 0, scheme=replace(FOR_MANY, players=(3,)))], 1, Random(1)) != []


def test_those_who_play_as_well_are_near_like_the_first_opponent() -> None:
    board = board_of(*[20] * 30, 0, *[20] * 30, scheme=replace(FOR_MANY, near_ranks=4, placement_battles=0))
    (found,) = pairings([board], 1, Random(1))
    assert found.version_ids[0] == FIRST_ID + 30
    assert all(abs(version_id - found.version_ids[0]) <= 5 for version_id in found.version_ids)


def test_the_number_of_players_is_drawn_from_the_seed_by_its_weights() -> None:
    drawn = Counter(FOR_MANY.players_for(seed, 10) for seed in range(4000))
    assert drawn == Counter(FOR_MANY.players_for(seed, 10) for seed in range(4000))
    assert {number: round(times / 1000) for number, times in drawn.items()} == {2: 1, 3: 1, 4: 2}
    assert {FOR_MANY.players_for(seed, 3) for seed in range(100)} == {2, 3}, "as many as there are on the board"
    assert {replace(FOR_MANY, players=(2, 4), player_weights=()).players_for(seed, 3) for seed in range(100)} == {2}
    assert {Scheme().players_for(seed, 2) for seed in range(10)} == {2}


def owned(owners: Sequence[int], scheme: Scheme) -> PairingBoard:
    board = board_of(*range(len(owners)), scheme=replace(scheme, own_bots_meet=False))
    return with_players(board, [f"player {owner}" for owner in owners])


OWNERS = st.lists(st.integers(0, 5), min_size=2, max_size=30)


@pytest.mark.parametrize("matchmaking", SCHEMES)
@given(owners=OWNERS.filter(lambda owners: len(set(owners)) > 1), seed=st.integers())
def test_bots_of_one_player_do_not_meet_where_a_league_forbids(matchmaking: str, owners: list[int], seed: int) -> None:
    board = owned(owners, Scheme(matchmaking, battles=40, placement_battles=20, near_ranks=3))
    player_of = {entrant.version_id: entrant.player for entrant in board.entrants}
    found = pairings([board], 200, Random(seed), idle=200)
    assert all(player_of[one] != player_of[other] for one, other in (pairing.version_ids for pairing in found))
    assert set(times_paired(found)) == set(player_of), "no version goes without"


@pytest.mark.parametrize("matchmaking", SCHEMES)
@given(owners=OWNERS, seed=st.integers())
def test_in_a_battle_of_many_each_player_has_one_bot_where_the_league_forbids_more(
    matchmaking: str, owners: list[int], seed: int
) -> None:
    board = owned(owners, replace(FOR_MANY, matchmaking=matchmaking, battles=40))
    player_of = {entrant.version_id: entrant.player for entrant in board.entrants}
    found = pairings([board], 200, Random(seed), idle=200)
    assert bool(found) == (len(set(owners)) > 1)
    for pairing in found:
        players = [player_of[version_id] for version_id in pairing.version_ids]
        assert len(set(players)) == len(players) == min(4, len(set(owners)))


@pytest.mark.parametrize("matchmaking", SCHEMES)
def test_a_board_with_bots_of_one_player_alone_rests_where_they_do_not_meet(matchmaking: str) -> None:
    board = owned([1, 1, 1], Scheme(matchmaking))
    assert pairings([board], 10, Random(1), idle=10) == []
    assert pairings([replace(board, scheme=Scheme(matchmaking))], 10, Random(1)) != []


def test_where_wins_against_the_boss_promote_its_players_bots_meet_it_all_the_same() -> None:
    scheme = Scheme(battles=20, boss_wins=5, own_bots_meet=False)
    entrants = [
        BoardEntrant(VersionId(0), 0, player="kim", lacks_boss=True),
        BoardEntrant(VersionId(1), 20, player="kim", is_boss=True),
        BoardEntrant(VersionId(2), 20, player="mia"),
    ]
    found = pairings([PairingBoard(LEAGUE, entrants, scheme)], 10, Random(1))
    assert {pairing.version_ids for pairing in found} == {(0, 1), (0, 2)}


@given(processes=st.integers(0, 5000), finished=st.integers(0, 5000))
def test_what_waits_covers_a_battle_each_and_what_is_played_until_the_next_look(processes: int, finished: int) -> None:
    room = room_for(processes, finished)
    assert room.matches >= max(MOST_WAITING, MATCHES_EACH * processes, finished)
    assert room.matches <= max(MOST_WAITING, MATCHES_EACH * processes, finished + 1)
    assert room.matches % 2 == 0, "matches are made in pairs"


@given(processes=st.integers(0, 5000), finished=st.integers(0, 5000))
def test_each_kind_of_battle_keeps_its_share_of_the_room(processes: int, finished: int) -> None:
    room = room_for(processes, finished)
    assert room.failed * 2 == room.matches
    assert room.asked_battles == room.matches // 4, "half of the room, as a battle is two matches"
    assert room.idle_battles <= room.asked_battles


def test_the_smallest_ladder_has_the_room_that_it_always_had() -> None:
    assert room_for(2, 10) == Room(MOST_WAITING) == Room(64)
    assert (Room().asked_battles, Room().idle_battles, Room().failed) == (ASKED_AHEAD, IDLE_AHEAD, 32)


WISHES = st.lists(
    st.builds(Wish, st.sampled_from("abc"), st.integers(0, 5), st.integers(0, 50), st.integers(0, 6)), max_size=12
)


def shares(wishes: list[Wish], most: int) -> Counter[str]:
    return Counter(wishes[place].by for place in players_in_turns(wishes, most))


def test_a_player_alone_gets_all_that_is_wanted_gauntlet_by_gauntlet() -> None:
    assert players_in_turns([Wish("kim", 2, 9, 2), Wish("kim", 0, 0, 4), Wish("kim", 4, 8, 0)], 4) == [0, 0, 1, 1, 1, 1]


def test_who_runs_ten_gets_no_more_than_who_runs_one() -> None:
    assert shares([*[Wish("flood", 0, 0, 4)] * 10, Wish("kim", 0, 0, 4)], 4) == {"flood": 4, "kim": 4}


def test_gauntlets_whose_last_pairs_are_played_count_no_more() -> None:
    assert shares([*[Wish("flood", 0, 0, 4)] * 10, Wish("kim", 0, 9, 0)], 4) == {"flood": 40}


def test_a_player_whose_gauntlet_is_full_keeps_another_from_more_than_a_share() -> None:
    assert shares([*[Wish("flood", 1, 9, 3)] * 3, Wish("kim", 4, 4, 0)], 4) == {"flood": 1}


def test_players_take_turns_and_who_has_most_waiting_comes_last() -> None:
    wishes = [Wish("flood", 2, 2, 2), Wish("kim", 0, 0, 4), Wish("mia", 1, 1, 3)]
    assert players_in_turns(wishes, 4) == [1, 1, 2, 0, 1, 2, 0, 1, 2]


def test_a_players_gauntlets_take_turns_and_a_new_one_does_not_keep_an_old_one_waiting() -> None:
    wishes = [Wish("flood", 1, 80, 3), Wish("flood", 0, 70, 4), Wish("flood", 0, 5, 4), Wish("kim", 4, 4, 0)]
    assert players_in_turns(wishes, 4) == [2, 1, 2]


@given(wishes=WISHES, most=st.integers(1, 8))
def test_nobody_gets_more_than_is_wanted_and_no_room_is_left_unused(wishes: list[Wish], most: int) -> None:
    found = players_in_turns(wishes, most)
    times = Counter(found)
    assert all(times[place] <= wish.wanted for place, wish in enumerate(wishes))
    if len({wish.by for wish in wishes if wish.waiting or wish.wanted}) > 1:
        for player in "abc":
            own = [(place, wish) for place, wish in enumerate(wishes) if wish.by == player]
            room = max(most - sum(wish.waiting for _, wish in own), 0)
            assert sum(times[place] for place, _ in own) == min(room, sum(wish.wanted for _, wish in own))
