"""Gauntlets of a game for two to four players: a seed with the candidate in every seat once."""

from collections.abc import Iterator
from random import Random

import pytest

from engine.errors import UsageFault
from ladder.database.connection import Pool, transaction
from ladder.flows.recording import record
from ladder.gauntlets.execution import begin
from ladder.gauntlets.gauntlets import Gauntlet, find
from ladder.gauntlets.lineup import GauntletRequest
from ladder.gauntlets.order import spec_of
from ladder.gauntlets.plan import FIELD, Plan
from ladder.gauntlets.rendering import cells, columns, comparison_report_of, final_lines
from ladder.ids import VersionId
from ladder.matches.claims import MatchClaim
from ladder.names import NamedVersion
from ladder.statistics.elo import outcomes_of
from ladder.statistics.sprt_settings import SprtSettings
from ladder.web.pages.versus import head_to_head
from tests.conftest import once_found
from tests.fakes import result_of
from tests.ladder.arena import ByName, claimed, within
from tests.ladder.foragers import FORAGERS, GAMES_HERE, a_board
from tests.ladder.test_gauntlets import reported, stepped

made, board = once_found(a_board)


def begun(pool: Pool, **wanted: object) -> Gauntlet:
    request = GauntletRequest("ant@v1", "kim", seed=7, game=FORAGERS.name, **wanted)  # type: ignore[arg-type]
    with transaction(pool) as connection:
        return begin(connection, spec_of(connection, request))


def play_out(pool: Pool, judged: set[VersionId], chance: Random, lead: float) -> Iterator[MatchClaim]:
    """Play to the end: performances are luck, and a lead for who is judged; give the matches."""
    while made := stepped(pool):
        for match_id in made:
            claim = claimed(pool, match_id)
            scores = [round(10 * (chance.gauss(0, 1) + lead * (one in judged))) for one in claim.version_ids]
            assert within(pool, record, claim, result_of(claim, scores, games=GAMES_HERE))
            yield claim


def test_one_opponent_has_all_other_seats_and_the_candidate_each_once(pool: Pool, board: ByName) -> None:
    gauntlet = begun(pool, against=("bee",), pairs=3)
    ant, bee = board["ant"], board["bee"]
    played = [*play_out(pool, {ant}, Random(1), 0.0)]
    assert len(played) == 3 * 4
    for first in range(0, len(played), 4):
        seed = played[first : first + 4]
        assert len({claim.seed for claim in seed}) == 1
        assert sorted(claim.version_ids.index(ant) for claim in seed) == [0, 1, 2, 3]
        assert all(claim.version_ids.count(bee) == 3 for claim in seed)
    report = reported(pool, gauntlet.id)
    assert report.pairs == 3
    assert len(report.overall.counts) == outcomes_of(4)
    assert [record.seat for record in report.overall.by_seat] == [0, 1, 2, 3]
    assert len(cells(report.overall)) == len(columns(report))


def test_points_are_those_of_the_places_in_the_right_seats(pool: Pool, board: ByName) -> None:
    gauntlet = begun(pool, against=("bee",), pairs=1)
    taken: dict[int, int] = {}
    for number, match_id in enumerate(stepped(pool)):
        claim = claimed(pool, match_id)
        seat = claim.version_ids.index(board["ant"])
        scores = [5, 5, 5, 5]
        scores[seat], scores[seat - 1] = (9, 5, 4, 6)[number], (5, 5, 5, 3)[number]
        taken[seat] = (6, 3, 0, 6)[number]
        assert within(pool, record, claim, result_of(claim, scores, games=GAMES_HERE))
    report = reported(pool, gauntlet.id)
    assert report.overall.counts[15] == 1
    assert report.overall.score == pytest.approx(15 / 24)
    assert {record.seat: 2 * record.points for record in report.overall.by_seat} == taken


def test_others_are_drawn_from_the_seed_alike_for_candidate_and_baseline(pool: Pool, board: ByName) -> None:
    gauntlet = begun(pool, against=("crow", "deer", "elk"), baseline="bee@v1", pairs=2)
    judged = {board["ant"], board["bee"]}
    others: dict[int, list[set[VersionId]]] = {}
    for claim in play_out(pool, judged, Random(2), 0.0):
        assert len(set(claim.version_ids)) == 4
        others.setdefault(claim.seed, []).append(set(claim.version_ids) - judged)
    assert {len(drawn) for drawn in others.values()} == {8}
    assert all(one == drawn[0] for drawn in others.values() for one in drawn)
    report = reported(pool, gauntlet.id)
    assert [row.opponent for row in report.opponents] == ["3 drawn from 3"]
    assert report.pairs == 4


def test_a_test_ends_when_its_question_is_answered_and_says_so(pool: Pool, board: ByName) -> None:
    gauntlet = begun(pool, against=("board:top5",), test=SprtSettings(0, 150), pairs=500)
    assert len([*play_out(pool, {board["ant"]}, Random(3), 1.5)]) < 400
    report = reported(pool, gauntlet.id)
    assert report.gauntlet.verdict == "passed"
    assert report.judgement.estimate is not None
    assert report.judgement.estimate.elo > 100
    assert [row.opponent for row in report.opponents] == ["3 drawn from 4"]


def test_matches_have_as_many_players_as_are_asked_for(pool: Pool, board: ByName) -> None:
    gauntlet = begun(pool, against=("board:top5",), pairs=2, players=3)
    played = [*play_out(pool, {board["ant"]}, Random(4), -2.0)]
    assert [len(set(claim.version_ids)) for claim in played] == [3] * 6
    report = reported(pool, gauntlet.id)
    assert report.gauntlet.players == 3
    assert [row.opponent for row in report.opponents] == ["2 drawn from 4"]
    assert len(report.overall.counts) == outcomes_of(3)
    with pytest.raises(UsageFault, match="--players 5: matches of foragers have 2, 3 or 4 players"):
        begun(pool, against=("bee",), players=5)


def test_lost_pairs_name_whom_they_met_each_once(pool: Pool, board: ByName) -> None:
    drawn, alone = begun(pool, against=("bee", "crow", "deer"), pairs=1), begun(pool, against=("bee",), pairs=1)
    assert drawn.deciding == ["bee@v1", "crow@v1", "deer@v1"]
    played = [*play_out(pool, {board["ant"]}, Random(5), -9.0)]
    (lost,) = reported(pool, drawn.id).lost
    assert sorted(lost.against) == ["bee@v1", "crow@v1", "deer@v1"]
    assert lost.points == "0 of 4"
    report = reported(pool, alone.id)
    assert [pair.against for pair in report.lost] == [["bee@v1"]]
    assert "lost against bee@v1 on seed" in "\n".join(final_lines(report))
    (from_whom,) = (line for line in final_lines(reported(pool, drawn.id)) if line.startswith("the others"))
    assert from_whom == "the others of each match were drawn from bee@v1, crow@v1 and deer@v1"
    both = within(pool, head_to_head, NamedVersion("bee", 1), NamedVersion("ant", 1), FORAGERS.name)
    assert sorted(one.match.id for one in both.matches) == sorted(claim.match_id for claim in played)


def test_variants_meet_with_one_in_every_seat_once_and_change_parts(pool: Pool, board: ByName) -> None:
    gauntlet = begun(pool, variants=({"DEPTH": "1"}, {"DEPTH": "2"}), pairs=2)
    alone: list[str] = []
    while made := stepped(pool):
        for match_id in made:
            claim = claimed(pool, match_id)
            depths = [own["DEPTH"] for own in claim.params]
            alone += [depth for depth in depths if depths.count(depth) == 1]
            assert within(pool, record, claim, result_of(claim, list(map(int, depths)), games=GAMES_HERE))
    assert alone == ["1"] * 4 + ["2"] * 4
    with transaction(pool) as connection:
        report = comparison_report_of(connection, find(connection, gauntlet.id))
    (row,) = report.comparison.compared
    assert (row.first, row.second, row.pairs, row.share) == ("DEPTH=1", "DEPTH=2", 2, 0.0)
    assert [one.share for one in report.comparison.variants] == [1.0, 0.0]


def test_a_plan_draws_all_of_a_small_field_before_anybody_twice() -> None:
    ids = [VersionId(number) for number in range(1, 20)]
    plan = Plan(ids[0], None, tuple(ids[1:3]), 50, 7, players=4)
    slots = [plan.slot(number) for number in range(plan.slots)]
    assert len(slots) == 50
    assert {slot.opponent_id for slot in slots} == {FIELD}
    assert all(set(slot.others) == set(ids[1:3]) and len(slot.others) == 3 for slot in slots)
    wide = Plan(ids[0], ids[18], tuple(ids[1:11]), 400, 7, players=4)
    drawn = [wide.slot(number).others for number in range(0, wide.slots, 2)]
    assert all(len(set(others)) == 3 for others in drawn)
    often = [sum(one in others for others in drawn) for one in ids[1:11]]
    assert 80 < min(often) <= max(often) < 160
    assert [wide.slot(number).others for number in range(1, wide.slots, 2)] == drawn
    assert wide.slot(0).player_ids == (ids[0], *drawn[0])
