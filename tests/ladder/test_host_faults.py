"""In whose turns the host was too busy: counted for each version, and by the third opponent its own fault."""

import pytest

from ladder.database.connection import Pool, transaction
from ladder.ids import MatchId, VersionId
from ladder.matches import claims, failures
from tests.ladder.arena import a_pair, claimed, on_the_board, rest_is_over, within

CHEAT, OTHERS = "kraken", ("orca", "eel", "crab", "squid")


@pytest.fixture
def cheat(pool: Pool) -> int:
    return on_the_board(pool, CHEAT, CHEAT, player="kim")


@pytest.fixture
def others(pool: Pool) -> list[int]:
    return [on_the_board(pool, name, name, player=f"owner-of-{name}") for name in OTHERS]


def starve(pool: Pool, match_id: MatchId, seat: int, times: int = 1) -> None:
    for _ in range(times):
        rest_is_over(pool)
        claim = claimed(pool, match_id)
        within(pool, claims.give_back, claim, "the host left a bot without a CPU", host_busy=True, seat=seat)


def suspicions(pool: Pool, match_id: MatchId) -> tuple[str, ...]:
    return within(pool, failures.suspicions, match_id, 2)


def suspects(pool: Pool) -> list[tuple[str, int, int, int]]:
    found = within(pool, failures.suspects)
    return [(one.version, one.own, one.opponents, one.against) for one in found]


def test_the_third_time_against_different_opponents_the_host_is_not_blamed(
    pool: Pool, cheat: VersionId, others: list[VersionId]
) -> None:
    first, second, third = (a_pair(pool, cheat, other)[0] for other in others[:3])
    assert suspicions(pool, third) == ("", "")
    starve(pool, first, 0)
    assert suspicions(pool, third) == ("", "")
    starve(pool, second, 0)
    in_seat_0, in_seat_1 = suspicions(pool, third)
    assert in_seat_0 == f"so it was in matches {first}, {second}, against other opponents"
    assert in_seat_1 == "", "its opponent has done nothing"
    assert claimed(pool, third).suspicions == (in_seat_0, ""), "who plays the match is told"


def test_often_against_one_opponent_is_no_reason_to_blame_a_version(
    pool: Pool, cheat: VersionId, others: list[VersionId]
) -> None:
    again = a_pair(pool, cheat, others[0])
    starve(pool, again[0], 0, times=2)
    starve(pool, again[1], 1)
    assert suspicions(pool, a_pair(pool, cheat, others[1])[0]) == ("", "")
    assert suspects(pool) == []


@pytest.mark.parametrize("owner", ["owner-of-{}", "kim"], ids=["of other players", "of one player alone"])
def test_where_many_bots_are_hit_on_a_machine_the_machine_is_to_blame(pool: Pool, cheat: VersionId, owner: str) -> None:
    others = [on_the_board(pool, name, name, player=owner.format(name)) for name in OTHERS]
    for other in others[:2]:
        starve(pool, a_pair(pool, cheat, other)[0], 0)
    third = a_pair(pool, cheat, others[3])[0]
    assert suspicions(pool, third)[0]
    for one, another in ((0, 1), (1, 2), (2, 0)):
        starve(pool, a_pair(pool, others[one], others[another])[0], 0)
    assert suspicions(pool, third) == ("", "")


def test_a_version_whose_matches_are_void_far_more_often_than_its_opponents_is_named(
    pool: Pool, cheat: VersionId, others: list[VersionId]
) -> None:
    played = [a_pair(pool, cheat, other)[0] for other in others[:3]]
    for match_id in played:
        starve(pool, match_id, 0)
    starve(pool, played[0], 1)
    assert suspects(pool) == [(f"{CHEAT}@v1", 3, 1, 3)]
    starve(pool, played[1], 1)
    assert suspects(pool) == [], "its opponents were hit nearly as often"


def test_it_is_counted_for_each_version_how_often_the_host_was_too_busy_in_whose_turns(
    pool: Pool, cheat: VersionId, others: list[VersionId]
) -> None:
    first, second = a_pair(pool, cheat, others[0])
    starve(pool, first, 0, times=2)
    starve(pool, second, 0)
    with transaction(pool) as connection:
        connection.execute("UPDATE matches SET state = 'void' WHERE id = %s", [first])
        row = connection.execute("SELECT bot_id FROM versions WHERE id = %s", [cheat]).fetchone()
        assert row is not None
        (found,) = failures.host_faults_of(connection, row[0])
    assert (found.version, found.own, found.opponents, found.void) == (f"{CHEAT}@v1", 2, 1, 1)
