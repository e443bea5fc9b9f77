"""Gauntlets on a real database: what is played, where, when they end, and that they count for nothing else."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from engine.errors import Refused, UnknownName, UsageFault
from ladder.access import Actor
from ladder.database.connection import Pool, transaction
from ladder.fleet import workers
from ladder.fleet.workers import fleet_of
from ladder.flows.recording import record
from ladder.flows.scheduling import schedule
from ladder.gauntlets import gauntlets
from ladder.gauntlets.execution import PAIRS_AHEAD, advance, begin, purge, resume, stop
from ladder.gauntlets.gauntlets import Gauntlet
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.order import spec_of
from ladder.gauntlets.plan import PAIRS_OF_A_TEST
from ladder.gauntlets.report import GauntletReport, report_of
from ladder.ids import GauntletId, MatchId, VersionId, WorkerId
from ladder.matches import match_rows
from ladder.matches.claims import MatchClaim
from ladder.promotions.lifecycle import activate
from ladder.statistics.sprt_settings import SprtSettings
from tests.catalogue import GAMES
from tests.conftest import once_found
from tests.fakes import RememberingQueue, result_of
from tests.ladder import arena
from tests.ladder.arena import Versions, claimed, dead_worker, living_worker, on_the_board, rows_of, submitted, within
from tests.ladder.rated import History, change, checked, numbers

QUESTION = SprtSettings(0, 50)


def four_of_kraken_and_orca(pool: Pool) -> Versions:
    return [*(on_the_board(pool, "kraken", f"print({number})") for number in range(1, 5)), on_the_board(pool, "orca")]


made, versions = once_found(four_of_kraken_and_orca)


def begun(
    pool: Pool, candidate: str = "kraken@v4", *against: str, pairs: int | None = None, test: SprtSettings | None = None
) -> Gauntlet:
    request = GauntletRequest(candidate, "kim", against or ("kraken@v3",), pairs=pairs, test=test, seed=7)
    with transaction(pool) as connection:
        return begin(connection, spec_of(connection, request))


def begun_by_default(pool: Pool, candidate: str) -> Gauntlet:
    with transaction(pool) as connection:
        return begin(connection, spec_of(connection, GauntletRequest(candidate, "kim", pairs=8)))


def other(claim: MatchClaim, version_id: VersionId) -> VersionId:
    first, second = claim.version_ids
    return second if first == version_id else first


def opponents(pool: Pool, candidate: str, *against: str) -> list[str]:
    with transaction(pool) as connection:
        gauntlet = begin(connection, spec_of(connection, GauntletRequest(candidate, "kim", against)))
        stop(connection, gauntlet.id)
    return gauntlet.opponents


def stepped(pool: Pool) -> list[MatchId]:
    with transaction(pool) as connection:
        return advance(connection, fleet_of(connection))


def play(pool: Pool, match_id: MatchId, winner: int | None) -> None:
    record_so(pool, claimed(pool, match_id), winner)


def record_so(pool: Pool, claim: MatchClaim, winner: int | None) -> bool:
    scores = (0, 0) if winner is None else (1, 0) if winner == 0 else (0, 1)
    return within(pool, record, claim, result_of(claim, scores))


def play_out(pool: Pool, winner_of: Callable[[MatchClaim], int | None]) -> int:
    """Let the gauntlets go on to their ends; return how many matches were played."""
    played = 0
    while made := stepped(pool):
        for match_id in made:
            claim = claimed(pool, match_id)
            assert record_so(pool, claim, winner_of(claim))
            played += 1
    return played


def seat_of(version_id: VersionId, *, unless: Callable[[], bool] = lambda: False) -> Callable[[MatchClaim], int]:
    return lambda claim: claim.version_ids.index(version_id) ^ int(unless())


def reported(pool: Pool, gauntlet_id: GauntletId) -> GauntletReport:
    with transaction(pool) as connection:
        return report_of(connection, gauntlets.find(connection, gauntlet_id))


def state_of(pool: Pool, gauntlet_id: GauntletId) -> tuple[str, str | None]:
    found = within(pool, gauntlets.find, gauntlet_id)
    return found.state, found.verdict


class TestWhomItIsAgainst:
    def test_by_default_the_version_before_decides_and_others_inform(self, pool: Pool, bosses: None) -> None:
        for number in range(1, 9):
            on_the_board(pool, "kraken", f"print({number})")
        gauntlet = begun_by_default(pool, "kraken@v8")
        assert gauntlet.deciding == ["kraken@v7"]
        assert gauntlet.context == ["kraken@v6", "kraken@v5", "boss-wood-2@v1"]
        assert opponents(pool, "kraken@v8") == [*gauntlet.deciding, *gauntlet.context]

    def test_a_version_off_the_board_would_replace_the_one_on_it(self, pool: Pool, versions: Versions) -> None:
        assert begun_by_default(pool, "kraken@v2").deciding == ["kraken@v4"]
        within(pool, activate, Actor("kim"), "kraken", 2)
        assert begun_by_default(pool, "kraken@v4").deciding == ["kraken@v2"]
        assert begun_by_default(pool, "kraken@v2").deciding == ["kraken@v1"], "it is on the board itself"
        assert begun_by_default(pool, "kraken@v2").context == [], "earlier versions are met once"

    def test_the_boss_decides_over_a_first_version(self, pool: Pool, bosses: None) -> None:
        on_the_board(pool, "kraken")
        gauntlet = begun_by_default(pool, "kraken@v1")
        assert (gauntlet.deciding, gauntlet.context) == (["boss-wood-2@v1"], [])

    def test_the_top_of_the_board_leaves_the_candidate_out(self, pool: Pool, bosses: None) -> None:
        for name in ("kraken", "orca", "eel"):
            on_the_board(pool, name)
        found = opponents(pool, "kraken", "board:top3")
        assert len(found) == 3
        assert "kraken@v1" not in found

    def test_a_bot_alone_is_its_present_version(self, pool: Pool, versions: Versions) -> None:
        assert opponents(pool, "orca", "kraken") == ["kraken@v4"]
        assert opponents(pool, "kraken@v3", "prior:5") == ["kraken@v2", "kraken@v1"]

    def test_unknown_names_are_refused_by_name(self, pool: Pool, versions: Versions) -> None:
        for words in (("nobody", "orca"), ("kraken@v4", "nobody"), ("kraken@v4", "kraken@v77")):
            with pytest.raises(UnknownName):
                opponents(pool, *words)

    def test_a_first_version_without_a_boss_has_no_opponent(self, pool: Pool) -> None:
        on_the_board(pool, "kraken")
        with pytest.raises(Refused, match="no such opponent for kraken@v1 yet; name others with --against"):
            opponents(pool, "kraken")

    def test_how_many_pairs_follows_from_the_question(self, pool: Pool, versions: Versions) -> None:
        usual = begun(pool)
        assert (usual.pairs, usual.test) == (PAIRS_OF_A_TEST, SprtSettings(-20, 20))
        assert begun(pool, pairs=9).test is None
        assert begun(pool, test=QUESTION).pairs == PAIRS_OF_A_TEST
        assert begun(pool, pairs=9, test=QUESTION).pairs == 9
        with pytest.raises(UsageFault, match="5 pairs need as many seeds, but only 2 are given"):
            within(pool, spec_of, GauntletRequest("kraken@v4", "kim", ("orca",), pairs=5, seeds=(1, 2)))


class TestPlaying:
    def test_few_pairs_wait_at_a_time(self, pool: Pool, versions: Versions) -> None:
        begun(pool)
        assert len(stepped(pool)) == 2 * PAIRS_AHEAD
        assert stepped(pool) == []

    def test_all_pairs_are_played_once_with_both_seat_orders(self, pool: Pool, versions: Versions) -> None:
        gauntlet = begun(pool, "kraken@v4", "kraken@v3", "orca", pairs=10)
        assert play_out(pool, seat_of(versions[3])) == 40
        rows = rows_of(
            pool,
            """
            SELECT seed, array_agg(seats.version_id ORDER BY matches.id, seat)
            FROM matches JOIN seats ON seats.match_id = matches.id
            WHERE gauntlet_id = %s GROUP BY seed, slot
            """,
            gauntlet.id,
        )
        assert len({seed for seed, _ in rows}) == 10
        for other in (versions[2], versions[4]):
            assert sum(seated == [versions[3], other, other, versions[3]] for _, seated in rows) == 10
        assert state_of(pool, gauntlet.id) == ("finished", "passed")

    def test_a_sequential_test_stops_early_and_what_waits_is_void(self, pool: Pool, versions: Versions) -> None:
        gauntlet = begun(pool, test=QUESTION)
        chance = Random(4)
        assert play_out(pool, seat_of(versions[3], unless=lambda: chance.random() < 0.2)) < 200
        assert state_of(pool, gauntlet.id) == ("finished", "passed")
        assert within(pool, match_rows.count_matches).waiting == 0
        assert stepped(pool) == []

    def test_its_matches_are_unrated(self, pool: Pool, history: History) -> None:
        """Neither ledger nor standings change, the ledger's check finds nothing, and boards show no waiting match."""
        before = numbers(pool)
        begun(pool, "kraken", "orca", pairs=6)
        for match_id in stepped(pool):
            play(pool, MatchId(match_id), 0)
        assert numbers(pool) == before
        assert checked(pool).differences == []
        assert len(history.matches) == checked(pool).matches

    def test_a_candidate_that_is_still_being_built_is_waited_for(self, pool: Pool, versions: Versions) -> None:
        late = submitted(pool, "kraken", "print(5)")
        gauntlet = begun(pool, "kraken@v5", "kraken@v4")
        assert stepped(pool) == []
        change(pool, "UPDATE versions SET state = 'rejected' WHERE id = %s", late)
        stepped(pool)
        assert state_of(pool, gauntlet.id) == ("stopped", None)

    def test_a_match_that_none_can_play_does_not_keep_it_from_its_end(self, pool: Pool, versions: Versions) -> None:
        gauntlet = begun(pool, pairs=5)
        first, *others = stepped(pool)
        change(pool, "UPDATE matches SET state = 'void', reason = 'lost' WHERE id = %s", first)
        for match_id in others:
            play(pool, MatchId(match_id), 0)
        play_out(pool, lambda _: 0)
        report = reported(pool, gauntlet.id)
        assert report.gauntlet.state == "finished"
        assert report.pairs == 4


class TestStoppingAndResuming:
    def test_what_is_being_played_when_it_stops_is_played_again(self, pool: Pool, versions: Versions) -> None:
        gauntlet = begun(pool, pairs=6)
        first, second, *_ = stepped(pool)
        play(pool, first, 0)
        claim = claimed(pool, second)
        within(pool, stop, gauntlet.id)
        assert not record_so(pool, claim, 0)
        assert stepped(pool) == []
        within(pool, resume, gauntlet.id)
        play_out(pool, seat_of(versions[3]))
        report = reported(pool, gauntlet.id)
        assert report.gauntlet.verdict == "passed"
        assert report.pairs == 6

    def test_stopping_what_is_over_and_resuming_what_runs_is_refused(self, pool: Pool, versions: Versions) -> None:
        gauntlet = begun(pool, pairs=2)
        with transaction(pool) as connection, pytest.raises(Refused, match="nothing to resume"):
            resume(connection, gauntlet.id)
        play_out(pool, lambda _: 0)
        with transaction(pool) as connection, pytest.raises(Refused, match=r"is finished already"):
            stop(connection, gauntlet.id)
        with transaction(pool) as connection, pytest.raises(Refused, match=r"is finished \(undecided\)"):
            resume(connection, gauntlet.id)
        for act in (stop, resume):
            with transaction(pool) as connection, pytest.raises(UnknownName, match="there is no gauntlet 77"):
                act(connection, GauntletId(77))


class TestReports:
    def test_a_regression_is_flagged_even_if_the_whole_is_good(self, pool: Pool, versions: Versions) -> None:
        gauntlet = begun(pool, "kraken@v4", "kraken@v3", "kraken@v2", "kraken@v1", "orca", pairs=12)
        weak = versions[1]
        play_out(pool, lambda claim: claim.version_ids.index(weak if weak in claim.version_ids else versions[3]))
        report = reported(pool, gauntlet.id)
        assert report.gauntlet.verdict == "passed"
        assert [against.opponent for against in report.regressions] == ["kraken@v2"]
        assert {pair.opponent for pair in report.lost} == {"kraken@v2"}
        assert len(report.lost) == 12

    def test_the_version_before_decides_and_the_boss_judges_nobody(self, pool: Pool, bosses: None) -> None:
        old, new = (on_the_board(pool, "kraken", f"print({number})") for number in (1, 2))
        gauntlet = begun_by_default(pool, "kraken@v2")
        assert (gauntlet.opponents, gauntlet.deciding) == (["kraken@v1", "boss-wood-2@v1"], ["kraken@v1"])
        assert gauntlet.context == ["boss-wood-2@v1"]
        play_out(pool, lambda claim: claim.version_ids.index(new if old in claim.version_ids else other(claim, new)))
        report = reported(pool, gauntlet.id)
        assert report.gauntlet.verdict == "passed"
        assert [(row.opponent, row.decides, row.score) for row in report.opponents] == [
            ("kraken@v1", True, 1.0),
            ("boss-wood-2@v1", False, 0.0),
        ]
        assert [row.pairs for row in report.opponents] == [8, 2], "on every fifth seed"

    def test_a_version_that_only_beats_older_ones_does_not_pass(self, pool: Pool, versions: Versions) -> None:
        gauntlet = begun(pool, "kraken@v4", "prior:3", "orca", pairs=8)
        play_out(pool, lambda claim: None if versions[2] in claim.version_ids else claim.version_ids.index(versions[3]))
        assert state_of(pool, gauntlet.id) == ("finished", "undecided")

    def test_without_another_version_of_its_bot_all_opponents_decide(self, pool: Pool, versions: Versions) -> None:
        on_the_board(pool, "eel")
        gauntlet = begun(pool, "kraken@v4", "orca", "eel", pairs=2)
        assert gauntlet.deciding == ["orca@v1", "eel@v1"]
        request = GauntletRequest("kraken@v4", "kim", ("kraken@v2", "orca"), baseline="kraken@v3", pairs=2)
        with transaction(pool) as connection:
            gauntlet = begin(connection, spec_of(connection, request))
        assert gauntlet.deciding == ["kraken@v2", "orca@v1"]

    def test_neither_a_rival_nor_a_later_version_is_a_regression(self, pool: Pool, versions: Versions) -> None:
        gauntlet = begun(pool, "kraken@v3", "kraken@v4", "orca", pairs=12)
        play_out(pool, lambda claim: claim.version_ids.index(other(claim, versions[2])))
        report = reported(pool, gauntlet.id)
        assert report.gauntlet.verdict == "failed"
        assert [row.is_prior for row in report.opponents] == [False, False]
        assert report.regressions == []

    def test_lost_pairs_against_who_decides_come_first(self, pool: Pool, versions: Versions) -> None:
        gauntlet = begun(pool, "kraken@v4", "orca", "kraken@v3", pairs=3)
        play_out(pool, lambda claim: claim.version_ids.index(other(claim, versions[3])))
        assert [pair.opponent for pair in reported(pool, gauntlet.id).lost] == ["kraken@v3"] * 3 + ["orca@v1"] * 3

    def test_lost_pairs_come_worst_first_and_faults_are_counted_apart(self, pool: Pool, versions: Versions) -> None:
        gauntlet = begun(pool, pairs=4)
        made = stepped(pool)
        results = [(0, 1), (0, 0), (0, 1), (1, 0), (1, 0), (0, 1), (0, 0), (0, 0)]
        verdicts = [("timeout", "ok"), ("ok", "crashed"), *[("ok", "ok")] * 6]
        for match_id, scores, pair in zip(made, results, verdicts, strict=True):
            claim = claimed(pool, match_id)
            within(pool, record, claim, result_of(claim, scores, pair))
        stepped(pool)
        report = reported(pool, gauntlet.id)
        assert [(pair.half_points, pair.match_ids) for pair in report.lost] == [(0, made[2:4]), (1, made[0:2])]
        assert report.lost[0].seed == gauntlet.plan.seed_of(1)
        assert report.overall.counts == (1, 1, 1, 0, 1)
        assert [(row.version, row.timeouts, row.faults) for row in report.faults] == [("kraken@v4", 1, 1)]

    def test_equals_are_undecided_and_a_busy_host_is_reported(self, pool: Pool, versions: Versions) -> None:
        gauntlet = begun(pool, pairs=20)
        first = stepped(pool)[0]
        change(pool, "UPDATE matches SET host_faults = 1 WHERE id = %s", first)
        for match_id in range(first, first + 2 * PAIRS_AHEAD):
            play(pool, MatchId(match_id), 0)
        play_out(pool, lambda _: 0)
        report = reported(pool, gauntlet.id)
        assert state_of(pool, gauntlet.id) == ("finished", "undecided")
        assert report.starved == pytest.approx(1 / 40)
        assert report.host_was_too_busy


class TestPurging:
    def test_what_a_machine_played_is_played_and_judged_anew(self, pool: Pool, versions: Versions) -> None:
        gauntlet = begun(pool, pairs=8)
        with pytest.raises(Refused, match="attic has played no pair"):
            within(pool, purge, gauntlet.id, "attic", "kim", "why")
        play_out(pool, seat_of(versions[2]))
        assert state_of(pool, gauntlet.id) == ("finished", "failed"), "the weaker fails"
        assert within(pool, purge, gauntlet.id, "gone", "kim", "a bad machine") == 8
        assert state_of(pool, gauntlet.id) == ("running", None)
        assert play_out(pool, seat_of(versions[3])) == 16
        assert state_of(pool, gauntlet.id) == ("finished", "passed")


def test_gauntlets_survive_a_worker_that_dies(pool: Pool, versions: Versions) -> None:
    gauntlet = begun(pool, pairs=1)
    first, second = stepped(pool)
    claimed(pool, first, dead_worker(pool))
    play(pool, first, 0)
    play(pool, second, 0)
    stepped(pool)
    assert state_of(pool, gauntlet.id) == ("finished", "undecided")
    assert within(pool, workers.live_workers) == []


def test_the_time_there_is_says_which_bounds_it_has(pool: Pool, versions: Versions, database_url: str) -> None:
    """By how long the league's matches took, and how many play them."""
    request = GauntletRequest("kraken@v4", "kim", ("kraken@v3",), minutes=20)
    with pytest.raises(Refused, match=r"--minutes 20 needs to know how long matches take.*--sprt=-20,20"):
        within(pool, spec_of, request)
    gauntlet = begun(pool, pairs=3)
    play_out(pool, lambda _: None)
    change(pool, "UPDATE matches SET started_at = finished_at - interval '6 s' WHERE gauntlet_id = %s", gauntlet.id)
    with living_worker(database_url):
        alone = within(pool, spec_of, request)
        with living_worker(database_url):
            together = within(pool, spec_of, request)
            with pytest.raises(Refused, match=r"--minutes 0\.5 is time for about 5 pairs, too few for any test"):
                within(pool, spec_of, replace(request, minutes=0.5))
            coarse = within(pool, spec_of, replace(request, minutes=1000, pairs=100))
    assert alone.test is not None
    assert together.test is not None
    assert (alone.test.elo0, alone.test.elo1) == (-37, 37)
    assert (together.test.elo0, together.test.elo1) == (-26, 26)
    assert coarse.test == SprtSettings(-37, 37)
    assert (together.plan.pairs, coarse.plan.pairs) == (PAIRS_OF_A_TEST, 100)


PAIRS = 60


def play_on_machines(pool: Pool, candidate: VersionId, machines: dict[str, WorkerId], broken: str | None) -> None:
    """Let the gauntlet go on to its end, pair by pair on machines in turn; on a broken one the candidate loses all.

    Elsewhere it wins two matches of three.
    """
    chance, queue = Random(3), RememberingQueue()
    while schedule(pool, queue, chance, GAMES):
        for number, match_id in enumerate(queue.plays):
            host = sorted(machines)[number // 2 % len(machines)]
            claim = claimed(pool, match_id, machines[host])
            wins = host != broken and chance.random() < 2 / 3
            seat = claim.version_ids.index(candidate) if candidate in claim.version_ids else 0
            assert within(pool, record, claim, result_of(claim, (1, 0) if (seat == 0) == wins else (0, 1)))
        queue.plays.clear()


def test_a_broken_machine_is_reported_and_purged_and_the_verdict_is_found_anew(pool: Pool, versions: Versions) -> None:
    candidate, gauntlet = versions[3], begun(pool, pairs=PAIRS)
    machines = {host: within(pool, arena.enlisted_dead, host) for host in ("attic", "cellar", "lab")}
    play_on_machines(pool, candidate, machines, broken="cellar")

    before = reported(pool, gauntlet.id)
    assert before.gauntlet.verdict == "undecided"
    assert {check.host: check.is_suspicious for check in before.hosts} == {"cellar": True, "attic": False, "lab": False}
    assert sum(sum(check.counts) for check in before.hosts) == PAIRS

    taken = within(pool, purge, gauntlet.id, "cellar", "kim", "its CPU was throttled")
    assert taken == sum(before.hosts[0].counts)
    assert reported(pool, gauntlet.id).pairs == PAIRS - taken

    del machines["cellar"]
    play_on_machines(pool, candidate, machines, broken=None)
    after = reported(pool, gauntlet.id)
    assert after.gauntlet.verdict == "passed"
    assert after.pairs == PAIRS
    assert not any(check.is_suspicious for check in after.hosts)
    assert {check.host for check in after.hosts} == {"attic", "lab"}
