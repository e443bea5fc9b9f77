"""Which failed attempts count against a match: not those that something else explains."""

from __future__ import annotations

import pytest

from ladder.database import Pool, connect, transaction
from ladder.recording import record
from ladder.scheduling import sweep
from ladder.storage import matches, versions, workers
from ladder.storage.failures import failures_of
from tests.fakes import RememberingQueue, result_of
from tests.ladder.arena import a_pair, claimed, dead_worker, on_the_board, submitted


@pytest.fixture
def fish(pool: Pool) -> list[int]:
    """Four versions on the board."""
    return [on_the_board(pool, name, name) for name in ("kraken", "orca", "eel", "crab")]


def counted(pool: Pool, match_id: int) -> list[bool]:
    """Say of each failed attempt whether it counts against the match."""
    with transaction(pool) as connection:
        return [failure.counts for failure in failures_of(connection, [match_id])]


def lose_workers(pool: Pool, *match_ids: int) -> None:
    """Let workers claim the matches and die, and sweep."""
    for match_id in match_ids:
        claimed(pool, match_id)
    sweep(pool, RememberingQueue())


def state_of(pool: Pool, match_id: int) -> str:
    with transaction(pool) as connection:
        found = matches.find_match(connection, match_id)
    assert found is not None
    return found.state


def test_a_worker_that_was_lost_alone_counts_against_its_match(pool: Pool, fish: list[int]) -> None:
    match_id = a_pair(pool, fish[0], fish[1])[0]
    for _ in range(3):
        lose_workers(pool, match_id)
    assert counted(pool, match_id) == [True, True, True]
    assert state_of(pool, match_id) == "void"


def test_workers_that_are_lost_together_count_against_no_match(pool: Pool, fish: list[int]) -> None:
    here, there = a_pair(pool, fish[0], fish[1])[0], a_pair(pool, fish[2], fish[3])[0]
    for _ in range(4):
        lose_workers(pool, here, there)
    assert counted(pool, here) == counted(pool, there) == [False] * 4
    assert state_of(pool, here) == "queued"


def test_a_bot_that_spoils_all_its_matches_is_not_excused_by_them(pool: Pool, fish: list[int]) -> None:
    spoiled = [a_pair(pool, fish[0], other)[0] for other in fish[1:]]
    for _ in range(3):
        lose_workers(pool, *spoiled)
    assert [state_of(pool, match_id) for match_id in spoiled] == ["void"] * 3


def test_bots_that_finish_their_other_matches_are_not_to_blame(pool: Pool, fish: list[int]) -> None:
    played, lost = a_pair(pool, fish[0], fish[1])
    lose_workers(pool, lost)
    claim = claimed(pool, played)
    with transaction(pool) as connection:
        assert record(connection, claim, result_of(claim, (1, 0)))
    for _ in range(3):
        lose_workers(pool, lost)
    assert counted(pool, lost) == [True, False, False, False]
    assert state_of(pool, lost) == "queued"


def test_what_a_restart_of_the_database_cut_off_counts_against_nobody(pool: Pool, fish: list[int]) -> None:
    match_id, version_id = a_pair(pool, fish[0], fish[1])[0], submitted(pool, "shark", "s")
    for _ in range(3):
        claimed(pool, match_id)
        with transaction(pool) as connection:
            assert versions.claim_build(connection, version_id, dead_worker(pool)) is not None
            connection.execute("UPDATE matches SET started_at = pg_postmaster_start_time() - interval '1 second'")
            connection.execute("UPDATE versions SET began_at = pg_postmaster_start_time() - interval '1 second'")
        sweep(pool, RememberingQueue())
    assert counted(pool, match_id) == [False] * 3
    assert state_of(pool, match_id) == "queued"
    with transaction(pool) as connection:
        assert versions.find_version(connection, version_id).state == "building"
        assert versions.claim_build(connection, version_id, dead_worker(pool)) is not None


def test_a_result_counts_although_its_worker_seemed_lost_unless_somebody_has_begun_again(
    pool: Pool, fish: list[int]
) -> None:
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


def test_a_match_that_is_being_recorded_is_not_taken_from_its_worker(pool: Pool, fish: list[int]) -> None:
    match_id = a_pair(pool, fish[0], fish[1])[0]
    claim = claimed(pool, match_id)
    with transaction(pool) as connection:
        assert record(connection, claim, result_of(claim, (1, 0)))
        assert sweep(pool, RememberingQueue()).freed == 0
    assert state_of(pool, match_id) == "finished"


def test_a_hung_worker_is_told_from_a_dead_one(pool: Pool, fish: list[int], database_url: str) -> None:
    dead, hung = a_pair(pool, fish[0], fish[1])
    with connect(database_url, autocommit=True) as connection:
        claimed(pool, dead)
        claimed(pool, hung, workers.enlist(connection, "hung", 1))
        connection.execute("UPDATE matches SET lease_until = now() - interval '1 second' WHERE state = 'running'")
        sweep(pool, RememberingQueue())
        whys = [failure.why for failure in failures_of(connection, [dead, hung])]
    assert whys == ["its worker was lost", "its time was over; its worker seems to hang"]
