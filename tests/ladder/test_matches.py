"""Claiming, recording and sweeping: every match is rated exactly once, whatever happens to workers and clocks."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import LiteralString, TypeAlias

import psycopg
import pytest

from engine.bot.clock import Spent
from engine.conversation import SeatVerdict, Verdict
from engine.match import MatchResult, MatchSpec, converse, replay
from engine.referees.notes import Notes
from engine.toolchains.bot_folder import source_hash
from ladder.database.connection import Pool, connect, one, transaction
from ladder.database.worker_sessions import Sessions
from ladder.errors import DatabaseDown
from ladder.fleet import workers
from ladder.fleet.workers import fleet_of
from ladder.flows.recording import record
from ladder.flows.scheduling import sweep
from ladder.gauntlets.execution import advance, begin
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.order import spec_of
from ladder.ids import MatchId, VersionId
from ladder.matches import match_rows
from ladder.matches.archive import result_of as restored
from ladder.matches.claims import MatchClaim, claim_match, give_back
from ladder.matches.match_rows import SeatRow
from ladder.matches.record import unpack
from ladder.matchmaking.requests import ask
from ladder.names import NamedVersion
from ladder.ratings import ledger, standings
from ladder.ratings.models import Rating, model_of
from tests.catalogue import GAMES
from tests.conftest import Made, once
from tests.fakes import RememberingQueue, Scripted, result_of, surface
from tests.ladder.arena import (
    a_pair,
    claimed,
    claimed_build,
    dead_worker,
    insert_battle,
    league_named,
    living_worker,
    on_the_board,
    present,
    rest_is_over,
    rows_of,
    state_of,
    submitted,
    within,
)
from tests.ladder.rated import change
from tests.patience import wait_until

Fish: TypeAlias = tuple[VersionId, VersionId]


def of_kraken_and_orca(pool: Pool) -> tuple[Fish, list[MatchId]]:
    fish = on_the_board(pool, "kraken", "a"), on_the_board(pool, "orca", "b", player="mia")
    return fish, a_pair(pool, *fish)


made = once(of_kraken_and_orca)


@pytest.fixture
def fish(made: Made[tuple[Fish, list[MatchId]]]) -> Fish:
    return made.found[0]


@pytest.fixture
def pair(made: Made[tuple[Fish, list[MatchId]]]) -> list[MatchId]:
    return made.found[1]


def ledger_lines(pool: Pool, match_id: MatchId) -> int:
    return len(rows_of(pool, "SELECT FROM ledger WHERE match_id = %s", match_id))


def test_a_pair_is_one_seed_with_the_seats_swapped(pool: Pool, pair: list[MatchId]) -> None:
    first, second = (claimed(pool, match_id) for match_id in pair)
    assert first.seed == second.seed == -5
    assert first.version_ids == second.version_ids[::-1]
    assert first.source_hashes == second.source_hashes[::-1] == [source_hash("a"), source_hash("b")]


def test_a_live_workers_match_is_its_own_and_a_dead_workers_is_free_at_once_and_rung_for_by_the_sweep(
    pool: Pool, pair: list[MatchId], database_url: str
) -> None:
    with living_worker(database_url) as worker_id:
        claimed(pool, pair[0], worker_id)
        claimed(pool, pair[1], dead_worker(pool))
        assert within(pool, claim_match, pair[0], dead_worker(pool)) is None
        assert [worker.match_id for worker in within(pool, workers.live_workers)] == [pair[0]]
        queue = RememberingQueue()
        assert sweep(pool, queue).freed == 1
        assert [state_of(pool, match_id) for match_id in pair] == ["running", "queued"]
        assert pair[1] in queue.plays
    assert claimed(pool, pair[0]).attempt == 2


def test_of_many_workers_that_get_one_message_one_plays(pool: Pool, pair: list[MatchId], database_url: str) -> None:
    def try_to_claim(_: int) -> bool:
        return within(pool, claim_match, pair[0], worker_id) is not None

    with connect(database_url, autocommit=True) as presence:
        worker_id = workers.enlist(presence, "here", 1)
        with ThreadPoolExecutor(8) as threads:
            assert sum(threads.map(try_to_claim, range(32))) == 1


def test_recording_writes_result_ratings_and_ledger_together(pool: Pool, pair: list[MatchId]) -> None:
    claim = claimed(pool, pair[0])
    result = result_of(claim, (6, -1), ("ok", "timeout"))
    verdicts = (result.outcome.verdicts[0], SeatVerdict(Verdict.TIMEOUT, "la\0te"))
    outcome, notes = replace(result.outcome, verdicts=verdicts), Notes(metadata="{}")
    result = replace(result, outcome=outcome, stderr=("said\0", "[PDATA] a\0b = 9\0"), notes=notes)
    with transaction(pool) as connection:
        assert record(connection, claim, result)
        packed = present(match_rows.match_record(connection, pair[0]))
        seats = match_rows.seats_of(connection, [pair[0]])
        board = {row.version_id: row for row in standings.board(connection, league_named(pool, "wood-2").id)}
    winner, loser = (board[version_id] for version_id in claim.version_ids)
    assert (winner.record.wins, winner.record.losses, winner.record.timeouts) == (1, 0, 0)
    assert (loser.record.wins, loser.record.losses, loser.record.timeouts) == (0, 1, 1)
    assert winner.mu > 25 > loser.mu
    assert [seat.verdict for seat in seats] == ["ok", "timeout"]
    assert [seat.score for seat in seats] == [6, -1]
    assert seats[0].stderr == "said\ufffd", "PostgreSQL's text cannot hold a NUL"
    assert unpack(packed).notes == notes
    assert (seats[1].message, seats[1].metrics) == ("la\ufffdte", {"a\ufffdb": "9\ufffd"})
    assert [seat.slowest_us for seat in seats] == [900, 49_100]
    assert [seat.charged_us for seat in seats] == [900, 40_100], "what the host let it wait is not charged"
    assert ledger_lines(pool, pair[0]) == 2


def drawn_out(claim: MatchClaim, *turns: Spent) -> MatchResult:
    """Return a real match in which seat 1's turns after the first take those times."""
    spec = MatchSpec(GAMES.find(claim.game), claim.rules_level, claim.seed, first_limit_ms=1000, turn_limit_ms=50)
    slow = Scripted(surface, times=[Spent(wall_us=900_000, cpu_us=900_000), *turns])
    outcome, said = converse(spec, (Scripted(surface), slow))
    return MatchResult(spec, outcome, said, stderr_dropped_bytes=(0, 5_000_000_000), sandbox="nested")


def test_turns_over_the_limit_are_counted_by_the_clock_of_the_match(pool: Pool, pair: list[MatchId]) -> None:
    """It is written down too, with the rule of time and where the match was played."""
    waited, computed = Spent(70_000, 20_000, 50_000, 0), Spent(61_000, 61_000, 0, 0)
    for match_id, clock, overruns in zip(pair, ("fair", "wall"), (1, 2), strict=True):
        change(pool, "UPDATE leagues SET time_policy = 'codingame', clock = %s", clock)
        claim = claimed(pool, match_id)
        with transaction(pool) as connection:
            connection.execute("UPDATE leagues SET time_policy = 'strict', clock = 'fair'")
            assert record(connection, claim, drawn_out(claim, waited, computed))
            found = present(match_rows.find_match(connection, match_id))
            first, second = match_rows.seats_of(connection, [match_id])
        assert (found.sandbox, found.time_policy, found.clock) == ("nested", "codingame", clock)
        assert (first.overruns, second.overruns) == (0, overruns), clock
        assert (second.slowest_us, second.charged_us) == (900_000, 900_000)
        assert second.stderr_dropped_bytes == 5_000_000_000


def test_what_was_recorded_can_be_played_again_with_times_and_metrics(pool: Pool, pair: list[MatchId]) -> None:
    claim = claimed(pool, pair[0])
    told = ("[PDATA] depth = 3", "")  # not all that was said is kept
    metrics: tuple[dict[str, str], ...] = ({"depth": "12", "nodes": "15.5"}, {})
    drawn = drawn_out(claim, Spent(40_000, 20_000, 15_000, 5_000))
    result = replace(drawn, stderr=told, early_lines=(0, 4), metrics=metrics)
    with transaction(pool) as connection:
        record(connection, claim, result)
        found = present(match_rows.find_match(connection, pair[0]))
        first, second = match_rows.seats_of(connection, [pair[0]])
        packed = present(match_rows.match_record(connection, pair[0]))
    assert restored(GAMES.find(found.game), found, [first, second], unpack(packed)) == result == replay(result)
    assert (first.metrics, second.metrics) == metrics
    assert (first.early_lines, second.early_lines) == (0, 4)


def test_a_worker_that_comes_back_from_the_dead_changes_nothing(pool: Pool, pair: list[MatchId]) -> None:
    late, current = claimed(pool, pair[0]), claimed(pool, pair[0])
    assert not within(pool, record, late, result_of(late, (1, 0)))
    assert state_of(pool, pair[0]) == "running"
    assert within(pool, record, current, result_of(current, (0, 1)))
    with transaction(pool) as connection:
        assert not record(connection, late, result_of(late, (1, 0)))
        assert [seat.score for seat in match_rows.seats_of(connection, [pair[0]])] == [0, 1]
    assert ledger_lines(pool, pair[0]) == 2


def test_recording_that_fails_halfway_leaves_no_trace(pool: Pool, pair: list[MatchId]) -> None:
    claim = claimed(pool, pair[0])
    with pytest.raises(RuntimeError, match="power cut"), transaction(pool) as connection:
        record(connection, claim, result_of(claim, (1, 0)))
        raise RuntimeError("power cut")
    assert state_of(pool, pair[0]) == "running"
    assert ledger_lines(pool, pair[0]) == 0


def test_the_database_itself_refuses_to_rate_twice(pool: Pool, pair: list[MatchId]) -> None:
    play(pool, pair[0])
    again = """
        INSERT INTO ledger (match_id, version_id, league_id, mu_before, sigma_before, mu_after, sigma_after)
        SELECT match_id, version_id, league_id, mu_before, sigma_before, mu_after, sigma_after FROM ledger
        """
    with pytest.raises(psycopg.errors.UniqueViolation, match="ledger_rates_once"):
        change(pool, again)


def test_a_match_that_always_loses_its_worker_is_put_aside_and_others_go_on(pool: Pool, pair: list[MatchId]) -> None:
    for _ in range(2):
        claimed(pool, pair[0])
    sweep(pool, RememberingQueue())
    rest_is_over(pool)
    claimed(pool, pair[0])
    assert within(pool, claim_match, pair[0], dead_worker(pool)) is None
    sweep(pool, RememberingQueue())
    poisoned = present(within(pool, match_rows.find_match, pair[0]))
    assert (poisoned.state, poisoned.reason) == ("void", "given up after 3 attempts; the last: its worker was lost")
    assert claimed(pool, pair[1]).attempt == 1


def test_a_fault_of_ours_gives_the_match_back_and_the_third_voids_it(pool: Pool, pair: list[MatchId]) -> None:
    broken, busy = "the sandbox is broken", "the host left a bot without a CPU"
    for match_id, why, host_busy, reason in (
        (pair[0], broken, False, f"given up after 3 attempts; the last: {broken}"),
        (pair[1], busy, True, f"given up after 3 attempts, 3 of them because the host was too busy; the last: {busy}"),
    ):
        last = ""
        for tries, state in enumerate(("queued", "queued", "void"), 1):
            within(pool, give_back, claimed(pool, match_id), why, host_busy=host_busy)
            query = "SELECT state, host_faults, reason FROM matches WHERE id = %s"
            ((*found, last),) = rows_of(pool, query, match_id)
            assert found == [state, tries if host_busy else 0]
        assert last == reason
        assert ledger_lines(pool, match_id) == 0
        assert [seat.result for seat in within(pool, match_rows.seats_of, [match_id])] == [None, None]


def test_a_busy_host_is_tried_no_more_often_where_bots_finish_other_matches(pool: Pool, pair: list[MatchId]) -> None:
    claim = claimed(pool, pair[1])
    assert within(pool, record, claim, result_of(claim, (1, 0)))
    for expected in ("queued", "queued", "void"):
        claim = claimed(pool, pair[0])
        within(pool, give_back, claim, "the host was too busy", host_busy=True)
        assert state_of(pool, pair[0]) == expected


def test_a_match_that_was_void_once_is_rung_for_and_counts_when_it_is_played(pool: Pool, pair: list[MatchId]) -> None:
    claim = claimed(pool, pair[0])
    within(pool, give_back, claim, "the host was too busy", host_busy=True)
    queue = RememberingQueue()
    sweep(pool, queue)
    assert queue.plays == [pair[0]]
    again = claimed(pool, pair[0])
    with transaction(pool) as connection:
        assert not record(connection, claim, result_of(claim, (1, 0))), "the void try counts for nothing"
        assert record(connection, again, result_of(again, (0, 1)))
        found = present(match_rows.find_match(connection, pair[0]))
    assert (found.state, found.attempt, found.host_faults, found.reason) == ("finished", 2, 1, "dead")
    assert ledger_lines(pool, pair[0]) == 2


def test_the_host_is_named_also_where_a_match_was_given_up_for_several_reasons(pool: Pool, pair: list[MatchId]) -> None:
    for match_id in pair:
        for _ in range(2):
            claim = claimed(pool, match_id)
            within(pool, give_back, claim, "the host was too busy", host_busy=True)
    claim = claimed(pool, pair[0])
    within(pool, give_back, claim, "the sandbox is broken")
    claimed(pool, pair[1])
    sweep(pool, RememberingQueue())
    reasons = []
    for match_id in pair:
        found = present(within(pool, match_rows.find_match, match_id))
        assert found.state == "void"
        reasons.append(found.reason)
    assert reasons == [
        "given up after 3 attempts, 2 of them because the host was too busy; the last: the sandbox is broken",
        "given up after 3 attempts, 2 of them because the host was too busy; the last: its worker was lost",
    ]


def be_silent(pool: Pool) -> None:
    """Let all messages be an hour older, in their order."""
    change(pool, "UPDATE matches SET enqueued_at = enqueued_at - interval '1 hour'")


def test_no_match_is_rung_for_again_while_as_many_messages_as_matches_wait(pool: Pool, pair: list[MatchId]) -> None:
    queue = RememberingQueue(plays=list(pair))
    for _ in range(3):
        be_silent(pool)
        assert sweep(pool, queue).enqueued == len(queue.builds)
        queue.builds.clear()
    assert queue.plays == pair


def test_as_many_are_rung_for_as_messages_are_lost_the_longest_silent_first(pool: Pool, pair: list[MatchId]) -> None:
    versions = on_the_board(pool, "eel", "c"), on_the_board(pool, "crab", "d")
    waiting = [*pair, *a_pair(pool, *versions), *a_pair(pool, *versions)]
    queue = RememberingQueue()
    sweep(pool, queue)
    assert queue.plays == [], "they were enqueued when they were made"
    be_silent(pool)
    queue.plays = waiting[2:]
    sweep(pool, queue)
    assert queue.plays[4:] == pair
    be_silent(pool)
    sweep(pool, queue)
    assert len(queue.plays) == 6, "no more than there are matches"
    forgetful = RememberingQueue()
    sweep(pool, forgetful)
    assert (forgetful.plays, forgetful.first) == (waiting, []), "all, where all are lost"


def test_a_lost_message_is_replaced_when_its_match_is_the_longest_silent(pool: Pool, pair: list[MatchId]) -> None:
    """A sweep may enqueue the wrong match; that message does nothing, and the next one is for the right match."""
    wrong, lost = pair
    be_silent(pool)
    queue = RememberingQueue(plays=[wrong])
    sweep(pool, queue)
    assert queue.plays == [wrong, wrong]
    claim = claimed(pool, queue.plays.pop(0))
    assert within(pool, record, claim, result_of(claim, (1, 0)))
    queue.plays.pop(0)
    be_silent(pool)
    sweep(pool, queue)
    assert queue.plays == [lost]


RULES: list[tuple[str, LiteralString]] = [
    ("matches_state_is_known", "UPDATE matches SET state = 'lost'"),
    ("matches_finished_has_record", "UPDATE matches SET state = 'finished'"),
    ("matches_finished_has_time_rule", "UPDATE matches SET state = 'finished', record = ''"),
    ("matches_time_policy_is_known", "UPDATE matches SET time_policy = 'kind'"),
    (
        "matches_of_gauntlets_rate_nobody",
        """
        INSERT INTO gauntlets (league_id, candidate_id, asked_by, seed, pairs)
        SELECT league_id, min(version_id), 'kim', 1, 1
        FROM matches JOIN seats ON seats.match_id = matches.id GROUP BY league_id;
        UPDATE matches SET gauntlet_id = (SELECT min(id) FROM gauntlets), slot = 0
        """,
    ),
    ("matches_clock_is_known", "UPDATE matches SET clock = 'sun'"),
    ("matches_running_has_lease", "UPDATE matches SET state = 'running'"),
    ("seats_are_at_most_eight", "UPDATE seats SET seat = seat + 8"),
    ("matches_have_2_to_8_players", "UPDATE matches SET players = 1"),
    ("seats_place_is_known", "UPDATE seats SET place = 0"),
    ("seats_hold_different_versions", "UPDATE seats SET version_id = (SELECT min(version_id) FROM seats)"),
    ("seats_verdict_is_known", "UPDATE seats SET verdict = 'bored'"),
    ("standings_record_adds_up", "UPDATE standings SET wins = wins + 1"),
    (
        "standings_opponents_are_at_most_seven",
        "UPDATE standings SET matches = 1, wins = 8, draws = 0, losses = 0, further_opponents = 7",
    ),
    ("bots_boss_stays_in_its_league", "UPDATE bots SET league_id = league_id + 1 WHERE boss_of = 1"),
]
"""Constraints, each with a statement that breaks it."""


def test_the_schema_holds_the_rules(pool: Pool, pair: list[MatchId]) -> None:
    for constraint, statement in RULES:
        with pytest.raises(psycopg.errors.IntegrityError, match=constraint):
            change(pool, statement)


def test_results_recorded_side_by_side_neither_deadlock_nor_lose_an_update(pool: Pool, fish: Fish) -> None:
    match_ids = [match_id for _ in range(20) for match_id in a_pair(pool, *fish)]
    claims = [claimed(pool, match_id) for match_id in match_ids]

    def record_one(claim: MatchClaim) -> bool:
        return within(pool, record, claim, result_of(claim, (1, 0)))

    with ThreadPoolExecutor(6) as threads:
        assert all(threads.map(record_one, claims))
    with transaction(pool) as connection:
        lines = connection.execute(
            "SELECT version_id, mu_before, sigma_before, mu_after, sigma_after FROM ledger ORDER BY sequence"
        ).fetchall()
        board = {row.version_id: row for row in standings.board(connection, league_named(pool, "wood-2").id)}
    for version_id in fish:
        own = [line for line in lines if line[0] == version_id]
        assert len(own) == 40
        assert own[0][1:3] == (25.0, 25.0 / 3)
        assert all(before[3:5] == after[1:3] for before, after in pairwise(own)), "an unbroken chain"
        assert own[-1][3:5] == (board[version_id].mu, board[version_id].sigma)
        assert board[version_id].record.matches == 40


LONG = "turn 1: depth 5, score 12.5\n" * 1000
NOISE = Random(3).randbytes(300_000).hex()


def played(pool: Pool, match_id: MatchId, stderr: Mapping[VersionId, str]) -> list[SeatRow]:
    claim = claimed(pool, match_id)
    written = tuple(stderr[version_id] for version_id in claim.version_ids)
    assert within(pool, record, claim, replace(result_of(claim, (1, 0)), stderr=written))
    return within(pool, match_rows.seats_of, [match_id])


def stored_bytes(pool: Pool) -> int:
    return int(rows_of(pool, "SELECT sum(octet_length(stderr)) FROM seats")[0][0])


def test_it_is_stored_compressed_and_read_as_it_was(pool: Pool, fish: Fish, pair: list[MatchId]) -> None:
    kraken, orca = fish
    seats = played(pool, pair[0], {kraken: LONG, orca: "short \N{OCTOPUS}"})
    assert {seat.version: seat.stderr for seat in seats} == {"kraken@v1": LONG, "orca@v1": "short \N{OCTOPUS}"}
    assert stored_bytes(pool) < len(LONG) / 50


def test_beyond_a_days_bound_a_players_output_is_dropped_and_counted_and_others_keep_theirs(
    pool: Pool, fish: Fish, pair: list[MatchId], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LADDER_STDERR_MB_PER_DAY", "1")
    talkative, brief = fish
    kept = []
    for match_id in (*pair, *a_pair(pool, *fish)):
        for seat in played(pool, match_id, {talkative: NOISE, brief: NOISE[:9]}):
            assert len(seat.stderr) + seat.stderr_dropped_bytes in {len(NOISE), 9}
            kept.append((seat.version, bool(seat.stderr)))
    assert [is_kept for version, is_kept in kept if version == "orca@v1"] == [True] * 4
    first, *_, last = (is_kept for version, is_kept in kept if version == "kraken@v1")
    assert first
    assert not last
    assert stored_bytes(pool) < 1_100_000
    within(pool, lambda connection: connection.execute("UPDATE stderr_usage SET day = day - 1"))
    again, _ = a_pair(pool, *fish)
    assert all(seat.stderr for seat in played(pool, again, {talkative: NOISE, brief: NOISE})), "another day"


WAITERS = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'standings'::regclass"


def test_a_recording_that_waited_for_other_settings_rates_by_them(pool: Pool, fish: Fish, database_url: str) -> None:
    """It has begun before they were changed, and looks at them and at the ratings in one statement.

    Whether that is planned each time or prepared.
    """
    for prepare_threshold, tau in ((None, 5), (0, 6)):
        claims = [claimed(pool, match_id) for match_id in a_pair(pool, *fish)]
        with connect(database_url, autocommit=True) as connection, ThreadPoolExecutor(1) as thread:
            connection.prepare_threshold = prepare_threshold
            with connection.transaction():
                assert record(
                    connection, claims[0], result_of(claims[0], (1, 0))
                )  # this session knows the old settings
            with transaction(pool) as changing:
                standings.hold(changing)
                waiting = thread.submit(record, connection, claims[1], result_of(claims[1], (1, 0)))
                wait_until(lambda: one(changing, WAITERS, {})[0], "a recording that waits")
                changing.execute("UPDATE leagues SET tau = %s WHERE id = %s", [tau, claims[1].league_id])
                changing.execute("UPDATE standings SET mu = mu + 1 WHERE version_id = %s", [fish[0]])
            assert waiting.result()
            settings = ledger.rating_settings(connection, claims[1].league_id)
            lines = connection.execute(
                """
                SELECT mu_before, sigma_before, mu_after, sigma_after FROM ledger
                JOIN seats USING (match_id, version_id) WHERE match_id = %s ORDER BY seat
                """,
                [claims[1].match_id],
            ).fetchall()
        before = [Rating(*line[:2]) for line in lines]
        assert settings.tau == tau
        assert [Rating(*line[2:]) for line in lines] == list(model_of(settings).rate(before, [1, 2]))


def test_a_ring_that_seems_to_be_in_the_future_is_repeated(pool: Pool, pair: list[MatchId]) -> None:
    version_id = submitted(pool, "eel", "c")
    with transaction(pool) as connection:
        connection.execute("UPDATE matches SET enqueued_at = now() + interval '1 day'")
        connection.execute("UPDATE versions SET enqueued_at = now() + interval '1 day'")
    queue = RememberingQueue()
    sweep(pool, queue)
    assert queue.plays == pair
    assert version_id in queue.builds
    again = RememberingQueue()
    sweep(pool, again)
    assert again.plays == [], "it was put right"


def test_a_lease_that_seems_to_last_too_long_is_shortened(pool: Pool, pair: list[MatchId], database_url: str) -> None:
    with connect(database_url, autocommit=True) as connection:
        claimed(pool, pair[0], workers.enlist(connection, "here", 1))
        claimed_build(pool, submitted(pool, "eel", "c"))
        connection.execute(
            """
            UPDATE matches SET lease_until = lease_until + interval '1 day', started_at = started_at + interval '1 day'
            WHERE state = 'running'
            """
        )
        connection.execute(
            """
            UPDATE versions SET lease_until = lease_until + interval '1 day', began_at = began_at + interval '1 day'
            WHERE state = 'building'
            """
        )
        sweep(pool, RememberingQueue())
        left = connection.execute(
            """
            SELECT lease_until < now() + interval '1 hour' FROM matches WHERE state = 'running'
            UNION ALL SELECT lease_until < now() + interval '1 hour' FROM versions WHERE lease_until IS NOT NULL
            """
        ).fetchall()
    assert left
    assert all(row == (True,) for row in left)


def test_a_process_that_stands_still_in_mid_record_lets_go_of_its_locks(pool: Pool, database_url: str) -> None:
    """A worker that is stopped there would otherwise keep all others from recording for as long as it is."""
    worker_id = dead_worker(pool)
    still = Sessions(database_url, idle_limit_s=1)
    with pytest.raises(DatabaseDown), transaction(still) as standing:
        standing.execute("UPDATE workers SET pid = 2 WHERE id = %s", [worker_id])
        change(pool, "UPDATE workers SET pid = 3 WHERE id = %s", worker_id)
        standing.execute("SELECT")
    still.close()
    assert rows_of(pool, "SELECT pid FROM workers WHERE id = %s", worker_id) == [(3,)]


USED_US = 400 + 300
"""What the two seats of a made-up match have used, see `result_of`; one of them was charged far more, for sleeping."""


def play(pool: Pool, match_id: MatchId) -> None:
    claim = claimed(pool, match_id)
    assert within(pool, record, claim, result_of(claim, (1, 0)))
    assert not within(pool, record, claim, result_of(claim, (1, 0)))


def usage(pool: Pool) -> dict[str, tuple[int, int]]:
    """Return matches and microseconds by player."""
    rows = rows_of(
        pool,
        """
        SELECT name, sum(usage.matches)::int, sum(cpu_us)::int
        FROM usage JOIN players ON players.id = player_id
        WHERE hour <= now() AND extract(minute FROM hour) = 0 GROUP BY name
        """,
    )
    return {name: (played, cpu_us) for name, played, cpu_us in rows}


def test_what_a_player_asked_for_is_added_up_and_nothing_else(pool: Pool, fish: Fish, pair: list[MatchId]) -> None:
    play(pool, pair[0])
    assert usage(pool) == {}
    with transaction(pool) as connection:
        seats = connection.execute("SELECT cpu_us FROM seats WHERE match_id = %s ORDER BY seat", [pair[0]])
        assert [row[0] for row in seats] == [400, 300]
        begin(connection, spec_of(connection, GauntletRequest("kraken@v1", "Kim", ("orca",), pairs=1)))
        in_gauntlet = advance(connection, fleet_of(connection))
        request = ask(connection, [NamedVersion("kraken"), NamedVersion("orca")], 1, "mia")
        others = ask(connection, [NamedVersion("kraken"), NamedVersion("orca")], 1, "nobody-known")
        requested, unknown = (
            insert_battle(connection, league_named(pool, "wood-2").id, fish, 7, request_id=one.id)
            for one in (request, others)
        )
    for match_id in (*in_gauntlet, requested[0], unknown[0]):
        play(pool, match_id)
    assert usage(pool) == {"kim": (2, 2 * USED_US), "mia": (1, USED_US)}
