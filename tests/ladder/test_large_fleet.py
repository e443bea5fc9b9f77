"""A large fleet: everybody has something to play."""

from collections.abc import Iterator
from random import Random

import pytest

from ladder.database.connection import Pool, connect, one, transaction
from ladder.fleet import workers
from ladder.flows.scheduling import schedule
from ladder.leagues import leagues
from ladder.matches import claims, match_rows, matches
from ladder.matches.matches import NewBattle
from ladder.matchmaking.matchmaker import MATCHES_EACH, MOST_WAITING
from tests.bench.full_ladder import put_on_board
from tests.catalogue import GAMES
from tests.conftest import Made, once
from tests.fakes import RememberingQueue
from tests.ladder.arena import GAME, league_named, on_the_board, scheduled, within
from tests.ladder.rated import change

PROCESSES = 100


@pytest.fixture
def fleet(database_url: str) -> Iterator[list[int]]:
    with connect(database_url, autocommit=True) as holder:
        yield [workers.enlist(holder, "somewhere", number, ["python"], ["python"]) for number in range(PROCESSES)]


def eighty_that_want_battles(pool: Pool) -> None:
    within(pool, leagues.set_battles, GAME, 1_000_000)
    within(pool, put_on_board, league_named(pool, "wood-2").id, 80)


made = once(eighty_that_want_battles)


@pytest.fixture
def wanting(made: Made[None], pool: Pool) -> Pool:
    return pool


def play_what_waits(pool: Pool, fleet: list[int], queue: RememberingQueue) -> int:
    """Let each process that plays nothing claim a match; return how many play then."""
    with transaction(pool) as connection:
        idle = [worker.id for worker in workers.live_workers(connection) if worker.match_id is None]
        for worker_id, match_id in zip(idle, queue.plays, strict=False):
            assert claims.claim_match(connection, match_id, worker_id) is not None
        del queue.plays[: len(idle)]
        return match_rows.count_matches(connection).running


def test_every_process_of_a_fleet_plays_and_a_battle_for_each_waits(wanting: Pool, fleet: list[int]) -> None:
    queue = RememberingQueue()
    for _ in range(3):
        schedule(wanting, queue, Random(1), GAMES)
        play_what_waits(wanting, fleet, queue)
    schedule(wanting, queue, Random(1), GAMES)
    counts = within(wanting, match_rows.count_matches)
    assert counts.running == PROCESSES > MOST_WAITING
    assert counts.queued == MATCHES_EACH * PROCESSES


def test_quick_matches_widen_what_waits_to_the_pace_of_the_fleet(wanting: Pool) -> None:
    scheduled(wanting)
    change(
        wanting,
        """
        INSERT INTO matches (league_id, pair_id, seed, state, attempt, record, sandbox, time_policy, clock,
                             rules_level, finished_at)
        SELECT league_id, 0, 0, 'finished', 1, '', 'bubblewrap', 'strict', 'fair', 1, now() - interval '1 s'
        FROM (SELECT min(league_id) AS league_id FROM matches) AS any_league, generate_series(1, 300)
        """,
    )
    scheduled(wanting, 2)
    assert within(wanting, match_rows.count_matches).queued == 300


def test_few_matches_wait_where_fewer_are_queued_than_are_being_played(wanting: Pool, fleet: list[int]) -> None:
    queue = RememberingQueue()
    schedule(wanting, queue, Random(1), GAMES)
    assert not within(wanting, match_rows.few_wait, 16)
    assert play_what_waits(wanting, fleet, queue) == PROCESSES
    with transaction(wanting) as connection:
        assert match_rows.few_wait(connection, 16) == (MATCHES_EACH * PROCESSES - PROCESSES < PROCESSES)
        connection.execute("DELETE FROM seats WHERE match_id = ANY(%s)", [queue.plays[:1]])
        connection.execute("DELETE FROM matches WHERE id = ANY(%s)", [queue.plays[:1]])
        assert match_rows.few_wait(connection, 16)


def test_battles_that_are_made_at_once_are_those_that_are_made_one_by_one(pool: Pool) -> None:
    first, second, third = (on_the_board(pool, name, name) for name in ("kraken", "orca", "wahoo"))
    columns = """
        SELECT array_agg(matches.pair_id ORDER BY matches.id) AS pairs, array_agg(matches.seed ORDER BY matches.id),
               array_agg(matches.made_for ORDER BY matches.id), array_agg(matches.players ORDER BY matches.id),
               (SELECT array_agg(ARRAY[seat, version_id] ORDER BY match_id, seat)
                FROM seats WHERE match_id = ANY(%(ids)s))
        FROM matches WHERE id = ANY(%(ids)s)
        """
    with transaction(pool) as connection:
        league_id = one(connection, "SELECT min(league_id) FROM standings", {})[0]
        wanted = [
            NewBattle(league_id, [third, first], 2**63 - 1, third),
            NewBattle(league_id, [first, second, third], -(2**63), first),
            NewBattle(league_id, [third, first], 7),
        ]
        made = matches.insert_battles(connection, wanted)
        again = [match_id for battle in wanted for match_id in matches.insert_battles(connection, [battle])]
        pairs, *at_once = one(connection, columns, {"ids": made})
        other_pairs, *one_by_one = one(connection, columns, {"ids": again})
    assert made == sorted(made)
    assert at_once == one_by_one
    assert [pairs.count(pair) for pair in sorted(set(pairs))] == [2, 3, 2]
    assert not set(pairs) & set(other_pairs)
