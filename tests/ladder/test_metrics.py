"""What a ladder measures: sums that agree with the rows, no name of a bot or player, how many workers are wanted."""

import re

from engine.conversation import Verdict
from ladder.bots import builds
from ladder.database import tallies
from ladder.database.connection import Pool, connect, one, transaction
from ladder.database.tallies import Tallied
from ladder.fleet import room, workers
from ladder.fleet.workers import fleet_of
from ladder.flows.recording import record
from ladder.flows.scheduling import sweep
from ladder.flows.submission import reject
from ladder.gauntlets.execution import advance, begin
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.order import spec_of
from ladder.ids import LeagueId, MatchId
from ladder.leagues import leagues
from ladder.matches import claims, matches
from ladder.matches.failures import Blame
from ladder.matchmaking.demand import Workload, workers_wanted
from ladder.views import metrics
from ladder.views.metrics import BOUNDS, FROM_ZERO, METRICS, Samples
from tests.catalogue import GAMES
from tests.conftest import once_found
from tests.fakes import RememberingQueue, result_of
from tests.ladder import arena
from tests.ladder.arena import GAME, a_pair, claimed, claimed_build, living_worker, on_the_board, submitted, within
from tests.ladder.rated import change
from workers.embedded.state_file import Running

WAIT_S = 300.0


def measured(pool: Pool) -> Samples:
    return within(pool, metrics.samples, WAIT_S)


def happened(found: Samples, name: str) -> dict[tuple[str, ...], float]:
    return {labels: number for labels, number in found.values[name].items() if number}


def value(found: Samples, name: str, *labels: str) -> float:
    return found.values[name].get(labels, 0)


made, pair = once_found(
    lambda pool: a_pair(pool, on_the_board(pool, "kraken", "a"), on_the_board(pool, "orca", "b")), among_bosses=True
)


def test_a_finished_match_counts_by_its_first_fault_and_no_sample_names_bots(pool: Pool, pair: list[MatchId]) -> None:
    for match_id, verdict in zip(pair, (Verdict.OK, Verdict.TIMEOUT), strict=True):
        claim = claimed(pool, match_id)
        assert within(pool, record, claim, result_of(claim, (1, 0), verdicts=(Verdict.OK, verdict)))
    found = measured(pool)
    assert value(found, "ladder_matches_finished_total", GAME, "ok") == 1
    assert value(found, "ladder_matches_finished_total", GAME, "timeout") == 1
    assert value(found, "ladder_matches", GAME, "wood-2", "finished") == 2
    for name in ("ladder_match_seconds", "ladder_match_wait_seconds"):
        assert found.histograms[name].counts[-1] == 2
    names = {name for (name,) in arena.rows_of(pool, "SELECT name FROM bots UNION SELECT name FROM players")}
    assert {"kraken", "house"} <= names
    for name, series in found.values.items():
        assert all(len(labels) == len(METRICS[name].labels) for labels in series), name
        assert not names & {label for labels in series for label in labels}, name
    assert set(found.values) | set(found.histograms) <= set(METRICS), "every sample belongs to a metric"


def test_sums_are_the_same_before_and_after_a_sweep_and_agree_with_the_rows(pool: Pool, bosses: None) -> None:
    kraken = on_the_board(pool, "kraken", "a")
    on_the_board(pool, "orca", "b")
    within(pool, leagues.set_battles, GAME, 4)
    assert arena.play_all(pool, kraken)
    within(pool, workers.count_lost)
    before = within(pool, tallies.tallies)
    sweep(pool, RememberingQueue())
    assert within(pool, tallies.tallies) != []
    assert sorted(map(repr, within(pool, tallies.tallies))) == sorted(map(repr, before))
    with transaction(pool) as connection:
        assert one(connection, "SELECT count(*) FROM tally_lines", {})[0] == 0
        rows = connection.execute(
            """
            SELECT leagues.game, leagues.name, state, count(*)
            FROM matches JOIN leagues ON leagues.id = league_id GROUP BY 1, 2, 3
            """
        ).fetchall()
    assert measured(pool).values["ladder_matches"] == {(game, name, state): count for game, name, state, count in rows}


def test_sessions_of_all_databases_are_compared_with_how_many_there_can_be(pool: Pool, services: Running) -> None:
    before = sum(measured(pool).values["ladder_database_connections"].values())
    with connect(services.database_url) as first, connect(services.database_url):
        found = measured(pool)
        (most,) = one(first, "SHOW max_connections", {})
    assert sum(found.values["ladder_database_connections"].values()) >= before + 2
    reserved_by_postgresql, left_by_workers = 3, 10
    assert value(found, "ladder_database_connections_limit") == int(most) - reserved_by_postgresql - left_by_workers


def test_of_two_sweeps_at_once_each_line_is_added_by_one(pool: Pool, database_url: str) -> None:
    within(pool, tallies.add, Tallied.REFUSED, "guarantees", number=3)
    with connect(database_url) as first:
        tallies.sum_up(first)
        within(pool, tallies.add, Tallied.REFUSED, "guarantees")
        with connect(database_url) as second:
            second.execute("SET LOCAL lock_timeout = '10s'")
            first.commit()
            tallies.sum_up(second)
    assert value(measured(pool), "ladder_workers_refused_total", "guarantees") == 4


def test_matches_cut_off_and_taken_back_are_void_and_only_the_latter_finished(pool: Pool, pair: list[MatchId]) -> None:
    claim = claimed(pool, pair[0])
    with transaction(pool) as connection:
        assert record(connection, claim, result_of(claim, (1, 0)))
        assert matches.take_back(connection, pair[0], "op", "a mistake") is not None
        matches.void_queued(connection, GAME, "op", "the game is removed")
    found = measured(pool)
    assert value(found, "ladder_matches_void_total") == 2
    assert value(found, "ladder_matches", GAME, "wood-2", "void") == 2
    assert value(found, "ladder_matches", GAME, "wood-2", "finished") == 0
    assert value(found, "ladder_matches_finished_total", GAME, "ok") == 1, "what has happened stays counted"


def test_failed_attempts_are_counted_by_their_cause_and_busy_machines_by_name(pool: Pool, pair: list[MatchId]) -> None:
    claimed(pool, pair[0])  # by a worker that is dead
    claim = claimed(pool, pair[1])
    with transaction(pool) as connection:
        claims.give_back(connection, claim, "the host was too busy", host_busy=True, seat=0)
        claims.free_orphans(connection)
    found = measured(pool)
    assert happened(found, "ladder_failed_attempts_total") == {("host_busy",): 1, ("worker_lost",): 1}
    assert happened(found, "ladder_host_busy_total") == {("gone",): 1}
    claim = claimed(pool, pair[1])
    within(pool, claims.give_back, claim, "the referee broke", blame=Blame.CERTAIN)
    assert value(measured(pool), "ladder_failed_attempts_total", "match") == 1


def test_builds_are_counted_with_their_time_and_why_versions_were_turned_down(pool: Pool, bosses: None) -> None:
    for number in range(2):
        claim = claimed_build(pool, submitted(pool, f"eel{number}", f"source {number}"))
        with transaction(pool) as connection:
            if number:
                assert reject(connection, claim, "it says nothing")
            else:
                connection.execute("UPDATE versions SET strikes = 9 WHERE id = %s", [claim.version_id])
                builds.put_off_build(connection, claim, "no disk")
    before = measured(pool)
    assert happened(before, "ladder_builds_rejected_total") == {("not_tried",): 1, ("bot",): 1}
    submitted(pool, "shark", "source 3")
    claimed_build(pool, submitted(pool, "ray", "source 4"))
    assert measured(pool).values["ladder_builds"] == {("waiting",): 1, ("running",): 1}
    assert measured(pool).histograms["ladder_build_seconds"] == before.histograms["ladder_build_seconds"]


def test_workers_are_counted_by_what_they_do(pool: Pool, database_url: str, pair: list[MatchId]) -> None:
    with living_worker(database_url) as playing, living_worker(database_url):
        claimed(pool, pair[0], playing)
        assert measured(pool).values["ladder_workers"] == {("playing", "unknown"): 1, ("idle", "unknown"): 1}
        change(pool, "UPDATE workers SET out_of_reach = true, tier = 'cgroup' WHERE id = %s", playing)
        assert measured(pool).values["ladder_workers"] == {("out_of_reach", "cgroup"): 1, ("idle", "unknown"): 1}


def test_what_is_counted_by_a_known_cause_is_there_from_the_beginning(pool: Pool) -> None:
    """Else the first time would be the beginning of its series, and no alert would see it."""
    found = measured(pool)
    for rejected in FROM_ZERO["ladder_builds_rejected_total"]:
        assert value(found, "ladder_builds_rejected_total", *rejected) == 0
    assert found.values["ladder_matches_finished_total"] == {(game, "ok"): 0 for game in GAMES.names}
    assert set(FROM_ZERO) <= set(found.values)
    assert value(found, "ladder_no_room") == 0


def test_that_there_is_no_room_is_a_number(pool: Pool) -> None:
    within(pool, room.write_down, "a disk is full")
    assert value(measured(pool), "ladder_no_room") == 1


def test_addresses_for_notices_count_by_how_they_fare(pool: Pool) -> None:
    change(
        pool,
        """
        INSERT INTO hooks (url, events, form, secret, failing_since)
        SELECT 'https://example.org', '{promoted}', 'json', 'x', failing_since
        FROM (VALUES (NULL), (now())) AS both_hooks (failing_since)
        """,
    )
    found = measured(pool)
    assert [value(found, "ladder_hooks", state) for state in ("well", "failing", "disabled")] == [1, 1, 0]


def test_the_bounds_of_times_are_those_of_the_schema(pool: Pool) -> None:
    with transaction(pool) as connection:
        source = one(connection, "SELECT pg_get_functiondef('tally_bound'::regproc)", {})[0]
        bounds = [one(connection, "SELECT tally_bound(%(s)s)", {"s": s})[0] for s in (0.0, 1.0, 1.1, 3600.0, 3601.0)]
    assert tuple(re.findall(r"'([^']+)'::text", source)) == BOUNDS
    assert bounds == ["1", "1", "2", "3600", "+Inf"]


def test_an_imported_ladder_has_its_matches_and_they_were_not_played_here(pool: Pool, pair: list[MatchId]) -> None:
    claim = claimed(pool, pair[0])
    with transaction(pool) as connection:
        assert record(connection, claim, result_of(claim, (1, 0)))
        connection.execute("TRUNCATE tallies, tally_lines")
        tallies.count_what_came(connection)
    found = measured(pool)
    assert value(found, "ladder_matches", GAME, "wood-2", "finished") == 1
    assert not happened(found, "ladder_matches_finished_total")
    assert found.histograms["ladder_match_seconds"].counts[-1] == 0


def wanted(pool: Pool) -> tuple[float, float]:
    found = measured(pool)
    return value(found, "ladder_battles_wanted"), value(found, "ladder_workers_wanted")


def test_workers_are_wanted_while_boards_lack_matches_and_none_when_all_is_played(pool: Pool, bosses: None) -> None:
    within(pool, leagues.set_battles, GAME, 2)
    on_the_board(pool, "kraken", "a")
    found: list[tuple[float, float]] = []
    arena.play_by(pool, lambda _: found.append(wanted(pool)))
    assert found[0][0] > 0
    assert all(processes > 0 for _, processes in found)
    assert wanted(pool) == (0, 0)


def test_a_gauntlet_wants_the_pairs_that_it_has_not_made(pool: Pool, bosses: None) -> None:
    on_the_board(pool, "kraken", "a")
    on_the_board(pool, "orca", "b")
    before = wanted(pool)[0]
    with transaction(pool) as connection:
        gauntlet = begin(connection, spec_of(connection, GauntletRequest("kraken", "kim", ("orca",), pairs=30)))
        assert gauntlet.schedule.slots == 30
    assert wanted(pool)[0] == before + 30
    with transaction(pool) as connection:
        made = len(advance(connection, fleet_of(connection)))
    assert made > 0
    assert wanted(pool)[0] == before + 30 - made / 2


def demand(made: int, unmade: int, each_s: float) -> Workload:
    return Workload(LeagueId(1), made, unmade, each_s)


def test_as_many_workers_are_wanted_as_do_the_work_within_the_accepted_wait() -> None:
    for work, wanted in (
        ([], 0),
        ([demand(0, 0, 10)], 0),
        ([demand(1, 0, 10)], 1),
        ([demand(0, 100, 10)], 4),
        ([demand(50, 50, 10), Workload(None, 10, 0, 100.0)], 7),
        ([demand(2, 0, 10_000)], 2),
    ):
        assert workers_wanted(work, WAIT_S) == wanted
