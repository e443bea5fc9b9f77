"""Several matches that are claimed or recorded in one transaction, as a worker's clerk does it for its processes."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from itertools import combinations
from random import Random

import psycopg
import pytest

from engine.errors import ArenaError
from ladder.database.connection import Pool, connect, one, transaction
from ladder.database.worker_sessions import Sessions
from ladder.fleet.workers import fleet_of
from ladder.flows.recording import GATE_CLASS, GATES, MatchOver, summed_up, write_all_down
from ladder.gauntlets.execution import advance, begin
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.order import spec_of
from ladder.ids import MatchId, VersionId
from ladder.leagues import leagues
from ladder.matches import match_rows
from ladder.matches.claims import MatchClaim, claim_matches
from ladder.ratings import standings
from ladder.ratings.replay import verify
from tests.conftest import once_found
from tests.fakes import result_of
from tests.ladder.arena import (
    GAME,
    Versions,
    a_pair,
    claimed,
    dead_worker,
    insert_battle,
    league_named,
    living_worker,
    on_the_board,
    rows_of,
    within,
)
from tests.ladder.rated import change
from tests.patience import patience_s, wait_until

HOLD = "SELECT FROM standings WHERE version_id = ANY(%s) FOR UPDATE NOWAIT"
WAITERS = "SELECT count(*) FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))"


made, versions = once_found(
    lambda pool: [on_the_board(pool, name, name) for name in ("kraken", "orca", "shark", "squid")]
)


def a_round(pool: Pool, versions: Sequence[VersionId]) -> list[MatchId]:
    return [match_id for pair in combinations(versions, 2) for match_id in a_pair(pool, *pair)]


def over(claim: MatchClaim, scores: tuple[int, int] = (1, 0)) -> MatchOver:
    return summed_up(claim, result_of(claim, scores))


def record_all(pool: Pool, matches: Sequence[MatchOver]) -> list[bool]:
    return within(pool, write_all_down, matches)


def wrong_with_the_ledger(pool: Pool) -> list[str]:
    with transaction(pool) as connection:
        report = verify(connection, leagues.leagues(connection, GAME))
    return [difference.first for difference in report.differences]


def states(pool: Pool, match_ids: Sequence[MatchId]) -> set[str]:
    return {match.state for match in within(pool, match_rows.find_matches, match_ids)}


def matches_in_ledger(pool: Pool) -> list[MatchId]:
    return [row[0] for row in rows_of(pool, "SELECT match_id FROM ledger ORDER BY sequence")]


def test_matches_recorded_together_rate_one_after_the_other(pool: Pool, versions: Versions) -> None:
    """Each version is in six of them, and each of these goes by what the one before has made of it."""
    match_ids = a_round(pool, versions)
    matches = [over(claimed(pool, match_id), (number % 3, 1)) for number, match_id in enumerate(match_ids)]
    Random(1).shuffle(matches)
    assert record_all(pool, matches) == [True] * len(match_ids)
    assert matches_in_ledger(pool) == [match_id for match_id in match_ids for _ in range(2)]
    assert wrong_with_the_ledger(pool) == []


def test_matches_of_many_with_the_boss_among_them_count_alike_together_and_one_by_one(pool: Pool, bosses: None) -> None:
    players = [on_the_board(pool, name, name) for name in ("kraken", "orca")]
    with transaction(pool) as connection:
        (boss,) = [row for row in standings.board(connection, league_named(pool, "wood-2").id) if row.is_boss]
        players.append(boss.version_id)
        connection.execute("UPDATE leagues SET players = '{3}' WHERE game = %s", [GAME])
    scores = [(3, 2, 1), (1, 3, 3), (2, 1, 3), (3, 2, 2)]
    verdicts = ["ok", "timeout", "crashed"]

    def play(*, together: bool) -> dict[str, list[int]]:
        before = counts(pool)
        league_id = league_named(pool, "wood-2").id
        matches: list[MatchOver] = []
        for score in scores:
            match_id, *_ = within(pool, insert_battle, league_id, players, seed=7)
            claim = claimed(pool, match_id)
            by_version = dict(zip(players, zip(score, verdicts, strict=True), strict=True))
            ended = [by_version[version_id] for version_id in claim.version_ids]
            result = result_of(claim, [one for one, _ in ended], [verdict for _, verdict in ended])
            matches.append(summed_up(claim, result))
        for some in [matches] if together else [[match] for match in matches]:
            assert record_all(pool, some) == [True] * len(some)
        after = counts(pool)
        return {name: [new - old for new, old in zip(after[name], before[name], strict=True)] for name in after}

    together = play(together=True)
    assert together == {
        # matches, wins, draws, losses, further opponents, time-outs, faults, wins against the boss, 1st, 2nd, 3rd
        "kraken": [4, 5, 0, 3, 4, 0, 0, 2, 2, 1, 1],
        "orca": [4, 2, 2, 4, 4, 4, 0, 1, 1, 2, 1],
        "boss": [4, 3, 2, 3, 4, 0, 4, 0, 2, 1, 1],
    }
    assert wrong_with_the_ledger(pool) == []
    assert play(together=False) == together
    assert wrong_with_the_ledger(pool) == []


def test_who_records_waits_before_holding_any_standing(pool: Pool, database_url: str, versions: Versions) -> None:
    """So that nobody waits for standings of somebody who waits himself."""
    matches = [over(claimed(pool, match_id)) for match_id in a_round(pool, versions)[:2]]
    with ThreadPoolExecutor(1) as thread, connect(database_url) as others:
        for gate in range(GATES):
            others.execute("SELECT pg_advisory_xact_lock(%s, %s)", [GATE_CLASS, gate])
        recording = thread.submit(record_all, pool, matches)
        wait_until(lambda: one(others, WAITERS, {})[0], "a recording that waits")
        others.execute(HOLD, [list(versions)])
        assert not recording.done()
        others.commit()
        assert recording.result(timeout=patience_s()) == [True, True]
    assert wrong_with_the_ledger(pool) == []


def counts(pool: Pool) -> dict[str, list[int]]:
    with transaction(pool) as connection:
        rows = connection.execute(
            """
            SELECT CASE WHEN boss_of IS NULL THEN bots.name ELSE 'boss' END, standings.matches, wins, draws, losses,
                   further_opponents, timeouts, faults, standings.boss_wins,
                   coalesce(places[1], 0), coalesce(places[2], 0), coalesce(places[3], 0)
            FROM standings
            JOIN leagues ON leagues.id = league_id
            JOIN versions ON versions.id = version_id
            JOIN bots ON bots.id = bot_id
            WHERE leagues.game = %s AND leagues.name = 'wood-2'
            """,
            [GAME],
        )
        return {name: found for name, *found in rows}


@pytest.mark.parametrize("work", ["claims", "recordings"])
def test_a_worker_that_stops_in_the_middle_keeps_its_locks_for_no_longer_than_its_limit(
    database_url: str, pool: Pool, versions: Versions, work: str
) -> None:
    """A session that PostgreSQL has ended for idling cannot be committed: nothing of the transaction stays."""
    match_ids = a_round(pool, versions)[:2]
    matches = [over(claimed(pool, match_id)) for match_id in match_ids] if work == "recordings" else []
    before = states(pool, match_ids)
    with (
        living_worker(database_url) as worker_id,
        pytest.raises(psycopg.Error, match="idle"),
        closing(Sessions(database_url, idle_limit_s=1)) as sessions,
        sessions.connection() as connection,
    ):
        if work == "recordings":
            assert write_all_down(connection, matches) == [True, True]
        else:
            assert None not in claim_matches(connection, [(match_id, worker_id) for match_id in match_ids])
        time.sleep(2)
    assert states(pool, match_ids) == before


def test_where_one_of_them_cannot_be_recorded_none_is(pool: Pool, versions: Versions) -> None:
    good, late, again = (claimed(pool, match_id) for match_id in a_round(pool, versions)[:3])
    strange = replace(late, version_ids=[versions[0], VersionId(10**6)])
    with pytest.raises(KeyError):
        record_all(pool, [over(good), replace(over(late), claim=strange), over(again)])
    assert states(pool, [claim.match_id for claim in (good, late, again)]) == {"running"}
    assert matches_in_ledger(pool) == []


def test_of_matches_recorded_together_those_whose_claim_is_over_change_nothing(pool: Pool, versions: Versions) -> None:
    good, late, again = (claimed(pool, match_id) for match_id in a_round(pool, versions)[:3])
    matches = [over(again), over(replace(late, attempt=late.attempt + 1)), over(good), over(again, (0, 1))]
    assert record_all(pool, matches) == [True, False, True, False]
    assert states(pool, [late.match_id]) == {"running"}
    assert matches_in_ledger(pool) == [good.match_id] * 2 + [again.match_id] * 2
    assert wrong_with_the_ledger(pool) == []


def test_standings_are_locked_in_the_order_of_versions(pool: Pool, database_url: str, versions: Versions) -> None:
    """While the first one is held by somebody, the recording holds none of the others."""
    first, second, third, fourth = versions
    pairs = [a_pair(pool, third, fourth), a_pair(pool, first, second)]
    matches = [over(claimed(pool, match_id)) for pair in pairs for match_id in pair]
    with ThreadPoolExecutor(1) as thread, connect(database_url) as holding:
        holding.execute(HOLD, [[first]])
        recorded = thread.submit(record_all, pool, matches)
        wait_until(lambda: one(holding, WAITERS, {})[0] or recorded.done(), "a recording that waits")
        assert not recorded.done()
        holding.execute(HOLD, [[second, third, fourth]])
        holding.commit()
        assert recorded.result() == [True] * len(matches)


def test_lots_recorded_side_by_side_neither_deadlock_nor_lose_an_update(pool: Pool, versions: Versions) -> None:
    lots = [[over(claimed(pool, match_id)) for match_id in a_round(pool, versions)] for _ in range(6)]
    for number, lot in enumerate(lots):
        Random(number).shuffle(lot)
    with ThreadPoolExecutor(len(lots)) as threads:
        assert all(all(recorded) for recorded in threads.map(lambda lot: record_all(pool, lot), lots))
    assert wrong_with_the_ledger(pool) == []


def test_what_several_players_asked_for_is_added_up_for_each(pool: Pool) -> None:
    kraken, orca = on_the_board(pool, "kraken", player="kim"), on_the_board(pool, "orca", player="mia")
    unasked = a_pair(pool, kraken, orca)
    with transaction(pool) as connection:
        for candidate, player, opponent in (("kraken@v1", "kim", "orca"), ("orca@v1", "mia", "kraken")):
            begin(connection, spec_of(connection, GauntletRequest(candidate, player, (opponent,), pairs=1)))
        asked = advance(connection, fleet_of(connection))
    matches = [over(claimed(pool, match_id)) for match_id in (*asked, *unasked)]
    assert record_all(pool, matches) == [True] * 6
    rows = rows_of(
        pool, "SELECT name, usage.matches, cpu_us FROM usage JOIN players ON players.id = player_id ORDER BY name"
    )
    used_us = sum(seat.cpu_us or 0 for seat in matches[0].seats)
    assert rows == [("kim", 2, 2 * used_us), ("mia", 2, 2 * used_us)]


def test_of_matches_claimed_together_each_goes_to_one(pool: Pool, versions: Versions, database_url: str) -> None:
    first, last, taken, *_ = a_round(pool, versions)
    with living_worker(database_url) as ours, living_worker(database_url) as other, transaction(pool) as connection:
        claimed(pool, taken, ours)
        found = claim_matches(connection, [(last, other), (taken, other), (first, ours), (first, other)])
    assert [claim and claim.match_id for claim in found] == [last, None, first, None]
    assert {claim.attempt for claim in found if claim is not None} == {1}


def test_what_dead_workers_held_is_claimed_again_together(pool: Pool, versions: Versions) -> None:
    orphans = a_round(pool, versions)[:3]
    for orphan in orphans:
        claimed(pool, orphan)
    found = within(pool, claim_matches, [(orphan, dead_worker(pool)) for orphan in orphans[:2]])
    assert [claim and (claim.match_id, claim.attempt) for claim in found] == [(orphan, 2) for orphan in orphans[:2]]
    assert states(pool, orphans[2:]) == {"queued"}


def test_where_the_row_of_one_makes_no_sense_none_is_claimed(pool: Pool, versions: Versions) -> None:
    matches = a_round(pool, versions)[:2]
    change(pool, "DELETE FROM seats WHERE match_id = %s AND seat = 1", matches[1])
    with pytest.raises(ArenaError, match="2 seats"):
        within(pool, claim_matches, [(match_id, dead_worker(pool)) for match_id in matches])
    assert states(pool, matches) == {"queued"}
