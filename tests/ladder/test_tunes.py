"""Tunes on a real database: which pairs are made, how they count, and what confirms the result."""

from random import Random
from typing import Any

import pytest

from engine.errors import Refused, UnknownName, UsageFault
from ladder.access import Actor, Role
from ladder.actions import tunes as acts
from ladder.database.connection import Pool, transaction
from ladder.errors import NotAllowed
from ladder.fleet.workers import fleet_of
from ladder.flows.recording import record
from ladder.flows.scheduling import schedule
from ladder.flows.submission import accept
from ladder.gauntlets import gauntlets
from ladder.gauntlets.execution import advance, purge
from ladder.ids import GauntletId, MatchId, VersionId
from ladder.matches import claims, match_rows
from ladder.tuning import execution, tunes
from ladder.tuning.execution import go_further
from ladder.tuning.parameters import TuneRequest
from ladder.views.tunes import latest, read_report
from tests.catalogue import GAMES
from tests.conftest import once_found
from tests.fakes import RememberingQueue, result_of
from tests.ladder.arena import claimed, claimed_build, on_the_board, submitted, within

KIM = Actor("kim", Role.PLAYER)
RANGES = ("K=0.5..4.0", "SURE=1..20")


def kraken_with_parameters(pool: Pool) -> VersionId:
    version_id = submitted(pool, "kraken", params={"K": "1", "SURE": "5", "DEPTH": "4"})
    within(pool, accept, claimed_build(pool, version_id))
    return version_id


made, kraken = once_found(kraken_with_parameters)


def begun(pool: Pool, *against: str, pairs: int = 50, ranges: tuple[str, ...] = RANGES) -> GauntletId:
    return acts.begin(KIM, pool, RememberingQueue(), TuneRequest("kraken", ranges, (), against, pairs, 7)).tune


def stepped(pool: Pool) -> list[MatchId]:
    with transaction(pool) as connection:
        return advance(connection, fleet_of(connection), go_further)


def play_out(pool: Pool, best: float = 3.0) -> int:
    """Play until all is over, also in the gauntlet that confirms: who is nearer to the best K wins.

    Returns how many matches were played.
    """
    played = 0
    while made := stepped(pool) or stepped(pool):
        for match_id in made:
            claim = claimed(pool, match_id)
            away = [abs(float(params.get("K", "0.6")) - best) for params in claim.params]
            scores = (0, 0) if away[0] == away[1] else (1, 0) if away[0] < away[1] else (0, 1)
            within(pool, record, claim, result_of(claim, scores))
            played += 1
    return played


def test_both_ends_of_a_pair_meet_each_other_with_their_parameters(pool: Pool, kraken: VersionId) -> None:
    begun(pool)
    first = claimed(pool, stepped(pool)[0])
    assert first.version_ids == [kraken, kraken]
    assert [params["K"] for params in first.params] == ["4", "0.5"]
    assert [params["SURE"] for params in first.params] == ["5", "5"], "it starts with the version's own"
    assert [params["DEPTH"] for params in first.params] == ["4", "4"]


def test_values_follow_the_results_and_the_result_meets_the_start(pool: Pool, kraken: VersionId) -> None:
    number = begun(pool)
    assert play_out(pool) == 100, "40 pairs that look for values, and 10 that confirm"
    report = within(pool, read_report, number)
    k, sure = report.parameters
    assert (report.tune.state, report.pairs_played, report.confirming_played) == ("finished", 40, 10)
    assert (k.start, sure.start) == ("1", "5")
    assert float(k.value) > 1.5
    assert report.confirmed is not None
    assert report.confirmed.share == 1.0
    assert report.sentence.startswith(f"K={k.value}, SURE={sure.value}: better by ")
    assert report.sentence.endswith(" Elo (10 pairs)")
    assert report.submit == (
        f"ladder submit kraken.py --game ocean-of-code --bot kraken --param DEPTH=4 --param K={k.value} "
        f"--param SURE={sure.value}"
    )
    confirming = within(pool, gauntlets.find, report.tune.confirming_id or GauntletId(0))
    assert confirming.variants == [{"K": k.value, "SURE": sure.value}, {"K": "1", "SURE": "5"}]
    assert confirming.seed != within(pool, gauntlets.find, number).seed
    assert [one.state for one in within(pool, latest, 5)] == ["finished"]


def test_a_version_that_cannot_be_made_better_stays_as_it_is(pool: Pool, kraken: VersionId) -> None:
    number = begun(pool, ranges=("K=0.5..1.5",))
    play_out(pool, best=1.0)
    assert within(pool, read_report, number).sentence.partition(": ")[2].startswith("no better than the start")


def test_both_ends_meet_the_same_opponents_in_turn_on_the_same_seed(pool: Pool, kraken: VersionId) -> None:
    orca, eel = on_the_board(pool, "orca"), on_the_board(pool, "eel")
    number = begun(pool, "orca", "eel", "kraken", pairs=20)
    claims = [claimed(pool, match_id) for match_id in stepped(pool)]
    assert len(claims) == 8
    pairs = [claims[first : first + 4] for first in range(0, len(claims), 4)]
    for place, pair in enumerate(pairs):
        assert {claim.seed for claim in pair} == {pair[0].seed}
        assert {frozenset(claim.version_ids) for claim in pair} == {frozenset({kraken, (orca, eel)[place % 2]})}
    for claim in claims:
        within(pool, record, claim, result_of(claim, (1, 0)))
    play_out(pool)
    assert within(pool, read_report, number).tune.state == "finished"


def test_what_was_played_counts_once_and_late_results_with_their_own_number(pool: Pool, kraken: VersionId) -> None:
    number = begun(pool)
    claims = [claimed(pool, match_id) for match_id in stepped(pool)]
    late, others = claims[4:6], claims[:4] + claims[6:]
    for claim in others:
        within(pool, record, claim, result_of(claim, (1, 0)))
    stepped(pool)
    assert [pair.number for pair in within(pool, tunes.pairs_of, number)] == [0, 1, 3]
    stepped(pool)
    for claim in late:
        within(pool, record, claim, result_of(claim, (1, 0)))
    stepped(pool)
    counted = within(pool, tunes.pairs_of, number)
    assert [pair.number for pair in counted] == [0, 1, 3, 2]
    plan = within(pool, tunes.find, number).plan(within(pool, gauntlets.find, number))
    last, before = counted[-1], counted[-2]
    assert last.places == pytest.approx(plan.rule.moved(2, before.places, plan.lead(last.ends.points)))


def test_a_pair_that_ends_during_a_look_counts(pool: Pool, kraken: VersionId, monkeypatch: pytest.MonkeyPatch) -> None:
    number = begun(pool, pairs=20, ranges=RANGES[:1])
    unplayed: list[claims.MatchClaim] = []
    counting = execution.let_pairs_count

    def count_and_play_on(*given: Any) -> None:
        counting(*given)
        while unplayed:
            claim = unplayed.pop()
            within(pool, record, claim, result_of(claim, (1, 0)))

    monkeypatch.setattr(execution, "let_pairs_count", count_and_play_on)
    while within(pool, gauntlets.find, number).state == "running":
        unplayed.extend(claimed(pool, match_id) for match_id in stepped(pool))
    report = within(pool, read_report, number)
    assert (report.pairs_played, report.tune.pairs) == (16, 16)


def test_a_tune_is_stopped_and_goes_on_where_it_was(pool: Pool, kraken: VersionId) -> None:
    number = begun(pool, pairs=20)
    stepped(pool)
    assert acts.stop(KIM, pool, number).state == "stopped"
    assert stepped(pool) == []
    assert within(pool, read_report, number).sentence.startswith("stopped: K=1, SURE=5 after 0 of 16 pairs")
    with pytest.raises(Refused, match=f"tune {number} is stopped already"):
        acts.stop(KIM, pool, number)
    acts.resume(KIM, pool, number)
    with pytest.raises(Refused, match=f"tune {number} runs"):
        acts.resume(KIM, pool, number)
    play_out(pool)
    assert within(pool, read_report, number).tune.state == "finished"
    with pytest.raises(Refused, match=f"tune {number} is finished"):
        acts.resume(KIM, pool, number)
    with pytest.raises(NotAllowed):
        acts.stop(Actor("pat", Role.PLAYER), pool, number)


def test_the_gauntlet_that_confirms_is_stopped_with_its_tune(pool: Pool, kraken: VersionId) -> None:
    number = begun(pool, pairs=20)
    while within(pool, read_report, number).tune.state == "running":
        for match_id in stepped(pool):
            claim = claimed(pool, match_id)
            within(pool, record, claim, result_of(claim, (0, 1) if claim.params[0]["K"] == "0.5" else (1, 0)))
    assert within(pool, read_report, number).tune.state == "confirming"
    acts.stop(KIM, pool, number)
    assert within(pool, read_report, number).tune.state == "stopped"
    acts.resume(KIM, pool, number)
    assert within(pool, read_report, number).tune.state == "confirming"


def test_its_matches_come_after_those_of_the_boards_and_take_no_room_from_them(pool: Pool, kraken: VersionId) -> None:
    on_the_board(pool, "orca")
    number = begun(pool)
    queue = RememberingQueue()
    schedule(pool, queue, Random(1), GAMES)
    matches = [within(pool, match_rows.find_match, match_id) for match_id in queue.plays]
    of_tune = {match.id for match in matches if match is not None and match.gauntlet_id == number}
    assert of_tune
    assert not of_tune & set(queue.first)
    lots = within(pool, match_rows.queued)
    assert sum(lot.tuning for lot in lots) == len(of_tune) < sum(lot.matches for lot in lots)
    assert {one.first for one in within(pool, claims.matches_to_enqueue, 0) if one.id in of_tune} == {False}


def test_what_cannot_be_tuned_is_refused(pool: Pool, kraken: VersionId) -> None:
    with pytest.raises(UsageFault, match="is backwards"):
        begun(pool, ranges=("K=4..1",))
    with pytest.raises(UsageFault, match=r"K starts with 1, which is not in 2\.\.4"):
        begun(pool, ranges=("K=2.0..4.0",))
    with pytest.raises(UnknownName, match="there is no tune 99"):
        acts.stop(KIM, pool, GauntletId(99))
    number = begun(pool)
    with pytest.raises(Refused, match="is a tune: where its pairs have led it stays"):
        within(pool, purge, number, "here", "ops", "why")
