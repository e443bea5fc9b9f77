"""Which failed attempts count against a match, and against which bot: not those that something else explains."""

from collections.abc import Callable

import pytest

from ladder.bots import builds, versions
from ladder.database.connection import Pool, connect, transaction
from ladder.fleet import workers
from ladder.flows.recording import record
from ladder.flows.scheduling import sweep
from ladder.ids import MatchId, VersionId, WorkerId
from ladder.matches import claims, failures
from ladder.matches.claims import give_back
from ladder.matches.failures import failures_of
from tests.conftest import Made, once
from tests.fakes import RememberingQueue, result_of
from tests.ladder.arena import (
    Versions,
    a_pair,
    claimed,
    dead_worker,
    living_worker,
    on_the_board,
    present,
    rest_is_over,
    state_of,
    submitted,
    within,
)
from tests.ladder.rated import change

CHEAT, OTHERS = "kraken", ("orca", "eel", "crab", "squid")


def kims_cheat_and_others_of_others(pool: Pool) -> Versions:
    others = [on_the_board(pool, name, name, player=f"owner-of-{name}") for name in OTHERS]
    return [on_the_board(pool, CHEAT, CHEAT, player="kim"), *others]


made = once(kims_cheat_and_others_of_others)


@pytest.fixture
def fish(made: Made[Versions]) -> Versions:
    return made.found[:4]


def counted(pool: Pool, match_id: MatchId) -> list[bool]:
    return [failure.counts for failure in within(pool, failures_of, [match_id])]


def lose_workers(pool: Pool, *match_ids: int) -> None:
    rest_is_over(pool)
    for match_id in match_ids:
        claimed(pool, MatchId(match_id))
    sweep(pool, RememberingQueue())


def test_a_worker_that_was_lost_alone_counts_against_its_match(pool: Pool, fish: Versions) -> None:
    match_id = a_pair(pool, fish[0], fish[1])[0]
    for _ in range(3):
        lose_workers(pool, match_id)
    assert counted(pool, match_id) == [True, True, True]
    assert state_of(pool, match_id) == "void"


def test_workers_that_are_lost_together_count_against_no_match(pool: Pool, fish: Versions) -> None:
    here, there = a_pair(pool, fish[0], fish[1])[0], a_pair(pool, fish[2], fish[3])[0]
    for _ in range(4):
        lose_workers(pool, here, there)
    assert counted(pool, here) == counted(pool, there) == [False] * 4
    assert state_of(pool, here) == "queued"


def test_a_bot_that_spoils_all_its_matches_is_not_excused_by_them(pool: Pool, fish: Versions) -> None:
    spoiled = [a_pair(pool, fish[0], other)[0] for other in fish[1:]]
    for _ in range(3):
        lose_workers(pool, *spoiled)
    assert [state_of(pool, match_id) for match_id in spoiled] == ["void"] * 3


def finish(pool: Pool, match_id: MatchId) -> None:
    claim = claimed(pool, match_id)
    assert within(pool, record, claim, result_of(claim, (1, 0)))


def test_a_match_that_always_ends_its_worker_is_put_aside_whatever_else_is_finished(pool: Pool, fish: Versions) -> None:
    bad, *others = [match_id for _ in range(3) for match_id in a_pair(pool, fish[0], fish[1])]
    for _ in range(3):
        assert state_of(pool, bad) == "queued"
        finish(pool, others.pop())
        lose_workers(pool, bad)
    assert (state_of(pool, bad), counted(pool, bad)) == ("void", [True] * 3)
    finish(pool, others.pop())


def test_workers_lost_here_and_there_within_a_minute_count_only_until_that_is_seen(pool: Pool, fish: Versions) -> None:
    """As where somebody kills workers at random; each match shares a bot with the other, which finishes others."""
    unlucky, other = a_pair(pool, fish[0], fish[1])[0], a_pair(pool, fish[0], fish[2])[0]
    for match_id in (*a_pair(pool, fish[0], fish[1]), *a_pair(pool, fish[0], fish[2])):
        finish(pool, match_id)
    lose_workers(pool, unlucky)
    lose_workers(pool, other)
    for _ in range(4):
        lose_workers(pool, unlucky)
        lose_workers(pool, other)
    assert counted(pool, unlucky) == [True] + [False] * 4
    assert counted(pool, other) == [False] * 5
    assert state_of(pool, unlucky) == state_of(pool, other) == "queued"


def test_the_two_matches_of_a_battle_do_not_excuse_each_other(pool: Pool, fish: Versions) -> None:
    """What ends its worker may be their seed, and both have that."""
    pair = a_pair(pool, fish[0], fish[1])
    for _ in range(3):
        lose_workers(pool, *pair)
    assert [state_of(pool, match_id) for match_id in pair] == ["void", "void"]


def test_a_host_that_is_busy_elsewhere_does_not_excuse_a_lost_worker(pool: Pool, fish: Versions) -> None:
    lost, busy = a_pair(pool, fish[0], fish[1])[0], a_pair(pool, fish[2], fish[3])[0]
    within(pool, give_back, claimed(pool, busy), "the host was too busy", host_busy=True)
    lose_workers(pool, lost)
    assert counted(pool, lost) == [True]


def test_a_busy_host_is_not_held_against_bots_that_finish_other_matches(pool: Pool, fish: Versions) -> None:
    """That a sandbox breaks in one match alone is."""
    finished, tried = a_pair(pool, fish[0], fish[1])
    finish(pool, finished)
    for host_busy in (True, False):
        within(pool, give_back, claimed(pool, tried), "it did not work", host_busy=host_busy)
    assert counted(pool, tried) == [False, True]


def test_a_match_that_lost_its_worker_twice_rests_while_others_are_played(pool: Pool, fish: Versions) -> None:
    lost, other = a_pair(pool, fish[0], fish[1])
    lose_workers(pool, lost)
    claimed(pool, lost)
    with transaction(pool) as connection:
        assert claims.claim_match(connection, lost, dead_worker(pool)) is None
        assert claims.claim_match(connection, other, dead_worker(pool)) is not None
    silent = RememberingQueue()
    change(pool, "UPDATE matches SET enqueued_at = now() - interval '11 seconds' WHERE id = %s", lost)
    sweep(pool, silent)
    assert lost not in silent.plays
    rest_is_over(pool)
    heard = RememberingQueue()
    sweep(pool, heard)
    assert lost in heard.first
    assert claimed(pool, lost).attempt == 3


def test_workers_lost_together_excuse_each_other_though_one_match_is_begun_again(pool: Pool, fish: Versions) -> None:
    here, there = a_pair(pool, fish[0], fish[1])[0], a_pair(pool, fish[2], fish[3])[0]
    claimed(pool, here)
    claimed(pool, there)
    claimed(pool, here)  # its message came back before the sweep
    assert counted(pool, here) == counted(pool, there) == [False]


RESTARTED = (
    "UPDATE matches SET started_at = pg_postmaster_start_time() - interval '1 second'",
    "UPDATE versions SET began_at = pg_postmaster_start_time() - interval '1 second'",
)
PROMOTED = ("UPDATE workers SET timeline = '00000000'",)


@pytest.mark.parametrize("statements", [RESTARTED, PROMOTED], ids=["started again", "a standby in its place"])
def test_a_failing_database_counts_against_no_bot(pool: Pool, fish: Versions, statements: tuple[str, ...]) -> None:
    match_id, version_id = a_pair(pool, fish[0], fish[1])[0], submitted(pool, "shark", "s")
    for _ in range(3):
        rest_is_over(pool)
        claimed(pool, match_id)
        with transaction(pool) as connection:
            assert builds.claim_build(connection, version_id, dead_worker(pool)) is not None
            for statement in statements:
                connection.execute(statement.encode())
        sweep(pool, RememberingQueue())
    assert counted(pool, match_id) == [False] * 3
    assert state_of(pool, match_id) == "queued"
    with transaction(pool) as connection:
        assert versions.find_version(connection, version_id).state == "building"
        assert builds.claim_build(connection, version_id, dead_worker(pool)) is not None


def test_a_result_counts_although_its_worker_seemed_lost_unless_begun_again(pool: Pool, fish: Versions) -> None:
    first, second = a_pair(pool, fish[0], fish[1])
    early, late = claimed(pool, first), claimed(pool, second)
    sweep(pool, RememberingQueue())
    assert [state_of(pool, first), state_of(pool, second)] == ["queued", "queued"]
    claimed(pool, second)
    with transaction(pool) as connection:
        assert record(connection, early, result_of(early, (1, 0)))
        assert not record(connection, late, result_of(late, (1, 0)))
        assert not record(connection, early, result_of(early, (0, 1))), "and only once"
    assert [state_of(pool, first), state_of(pool, second)] == ["finished", "running"]


def test_a_match_that_is_being_recorded_is_not_taken_from_its_worker(pool: Pool, fish: Versions) -> None:
    match_id = a_pair(pool, fish[0], fish[1])[0]
    claim = claimed(pool, match_id)
    with transaction(pool) as connection:
        assert record(connection, claim, result_of(claim, (1, 0)))
        assert sweep(pool, RememberingQueue()).freed == 0
    assert state_of(pool, match_id) == "finished"


def test_a_hung_worker_and_a_dead_one_are_distinguished(pool: Pool, fish: Versions, database_url: str) -> None:
    dead, hung = a_pair(pool, fish[0], fish[1])
    with connect(database_url, autocommit=True) as connection:
        claimed(pool, dead)
        claimed(pool, hung, workers.enlist(connection, "hung", 1))
        connection.execute("UPDATE matches SET lease_until = now() - interval '1 second' WHERE state = 'running'")
        sweep(pool, RememberingQueue())
        whys = [failure.why for failure in failures_of(connection, [dead, hung])]
    assert whys == ["its worker was lost", "its time was over; its worker seems to hang"]


def lose_machine(pool: Pool, database_url: str, take: Callable[[WorkerId], object]) -> None:
    rest_is_over(pool)
    with living_worker(database_url) as worker_id:
        take(worker_id)
        sweep(pool, RememberingQueue())
    sweep(pool, RememberingQueue())


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every worker count as out of reach at once, instead of after some seconds without a sign of life."""
    monkeypatch.setattr(workers, "OUT_OF_REACH_AFTER_S", 0)


@pytest.mark.usefixtures("no_patience")
def test_a_lost_machine_or_network_speaks_against_no_match(pool: Pool, database_url: str, fish: Versions) -> None:
    match_id = a_pair(pool, fish[0], fish[1])[0]
    for _ in range(4):
        lose_machine(pool, database_url, lambda worker_id: claimed(pool, match_id, worker_id))
    assert counted(pool, match_id) == [False] * 4
    assert {failure.why for failure in within(pool, failures_of, [match_id])} == {failures.WORKER_OUT_OF_REACH}
    assert state_of(pool, match_id) == "queued"


@pytest.mark.usefixtures("no_patience")
def test_a_machine_or_network_that_was_lost_speaks_against_no_build(pool: Pool, database_url: str) -> None:
    version_id = submitted(pool, "shark", "shark")

    def claim(worker_id: WorkerId) -> None:
        assert within(pool, builds.claim_build, version_id, worker_id) is not None

    for _ in range(4):
        lose_machine(pool, database_url, claim)
    [version] = within(pool, versions.find_versions, [version_id])
    assert version.state == "building"


def test_a_worker_with_signs_of_life_until_it_is_lost_counts(pool: Pool, database_url: str, fish: Versions) -> None:
    match_id = a_pair(pool, fish[0], fish[1])[0]
    for _ in range(3):
        lose_machine(pool, database_url, lambda worker_id: claimed(pool, match_id, worker_id))
    assert counted(pool, match_id) == [True] * 3
    assert state_of(pool, match_id) == "void"


@pytest.fixture
def cheat(made: Made[Versions]) -> VersionId:
    return made.found[0]


@pytest.fixture
def others(made: Made[Versions]) -> Versions:
    return made.found[1:]


def starve(pool: Pool, match_id: MatchId, seat: int, times: int = 1) -> None:
    for _ in range(times):
        rest_is_over(pool)
        claim = claimed(pool, match_id)
        within(pool, claims.give_back, claim, "the host left a bot without a CPU", host_busy=True, seat=seat)


def suspicions(pool: Pool, match_id: MatchId) -> tuple[str, ...]:
    return within(pool, failures.suspicions, match_id, 2)


def suspects(pool: Pool) -> list[tuple[str, int, int, int]]:
    return [(one.version, one.own, one.opponents, one.against) for one in within(pool, failures.suspects)]


def test_the_third_time_against_others_the_host_is_not_blamed(pool: Pool, cheat: VersionId, others: Versions) -> None:
    first, second, third = (a_pair(pool, cheat, other)[0] for other in others[:3])
    assert suspicions(pool, third) == ("", "")
    starve(pool, first, 0)
    assert suspicions(pool, third) == ("", "")
    starve(pool, second, 0)
    in_seat_0, in_seat_1 = suspicions(pool, third)
    assert in_seat_0 == f"so it was in matches {first}, {second}, against other opponents"
    assert in_seat_1 == "", "its opponent has done nothing"
    assert claimed(pool, third).suspicions == (in_seat_0, ""), "who plays the match is told"


def test_often_against_one_opponent_a_version_is_not_blamed(pool: Pool, cheat: VersionId, others: Versions) -> None:
    again = a_pair(pool, cheat, others[0])
    starve(pool, again[0], 0, times=2)
    starve(pool, again[1], 1)
    assert suspicions(pool, a_pair(pool, cheat, others[1])[0]) == ("", "")
    assert suspects(pool) == []


@pytest.mark.parametrize("of_one_player", [False, True], ids=["of other players", "of one player alone"])
def test_where_many_bots_are_hit_on_a_machine_the_machine_is_to_blame(
    pool: Pool, cheat: VersionId, others: Versions, of_one_player: bool
) -> None:
    if of_one_player:
        change(pool, "UPDATE bots SET player_id = (SELECT id FROM players WHERE name = 'kim') WHERE boss_of IS NULL")
    for other in others[:2]:
        starve(pool, a_pair(pool, cheat, other)[0], 0)
    third = a_pair(pool, cheat, others[3])[0]
    assert suspicions(pool, third)[0]
    for one, another in ((0, 1), (1, 2), (2, 0)):
        starve(pool, a_pair(pool, others[one], others[another])[0], 0)
    assert suspicions(pool, third) == ("", "")


def test_a_version_void_far_more_often_than_opponents_is_named(pool: Pool, cheat: VersionId, others: Versions) -> None:
    played = [a_pair(pool, cheat, other)[0] for other in others[:3]]
    for match_id in played:
        starve(pool, match_id, 0)
    starve(pool, played[0], 1)
    assert suspects(pool) == [(f"{CHEAT}@v1", 3, 1, 3)]
    starve(pool, played[1], 1)
    assert suspects(pool) == [], "its opponents were hit nearly as often"


def test_it_is_counted_in_whose_turns_the_host_was_too_busy(pool: Pool, cheat: VersionId, others: Versions) -> None:
    first, second = a_pair(pool, cheat, others[0])
    starve(pool, first, 0, times=2)
    starve(pool, second, 0)
    with transaction(pool) as connection:
        connection.execute("UPDATE matches SET state = 'void' WHERE id = %s", [first])
        row = present(connection.execute("SELECT bot_id FROM versions WHERE id = %s", [cheat]).fetchone())
        (found,) = failures.host_faults_of(connection, row[0])
    assert (found.version, found.own, found.opponents, found.void) == (f"{CHEAT}@v1", 2, 1, 1)
