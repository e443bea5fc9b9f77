"""The ledger of matches of three and four: one line for each seat, and all that is read from it."""

from itertools import pairwise
from random import Random
from typing import LiteralString

import pytest

from engine.errors import ArenaError
from ladder.bots import bots
from ladder.database.connection import Pool, transaction
from ladder.flows.recording import record
from ladder.ids import MatchId, VersionId
from ladder.leagues import leagues
from ladder.matches.filters import parse
from ladder.ratings.explanation import explain, explanation_of, meetings_of, seats_of, versus
from ladder.ratings.models import Rating, RatingSettings, fresh, model_of
from ladder.ratings.replay import recompute, verify, void_match
from ladder.ratings.settled_fit import settled_board
from ladder.views.encoding import plain
from ladder.views.ratings import board_of
from tests.conftest import Made, once
from tests.fakes import result_of
from tests.ladder.arena import GAME, ByName, claimed, insert_battle, league_named, on_the_board, rows_of, within
from tests.ladder.rated import History, change, changed_so, checked, kinds, numbers, report_of

NAMES = ("kraken", "orca", "eel", "krait", "ray")
BATTLES = 4


def battles_of_kraken(pool: Pool) -> History:
    """Let kraken and others play matches of two to four."""
    versions = {name: on_the_board(pool, name, name) for name in NAMES}
    chance = Random(5)
    found: list[MatchId] = []
    for number in range(BATTLES):
        others = chance.sample(NAMES[1:], (3, 2, 3, 1)[number])
        for match_id in a_battle(pool, [versions[name] for name in ("kraken", *others)]):
            play(pool, match_id, versions["kraken"], chance)
            found.append(match_id)
    return History(versions, found)


made = once(battles_of_kraken)


@pytest.fixture
def played(made: Made[History]) -> list[MatchId]:
    return made.found.matches


@pytest.fixture
def versions(made: Made[History]) -> ByName:
    return made.found.versions


@pytest.fixture
def fresh_versions(pool: Pool) -> ByName:
    return {name: on_the_board(pool, name, name) for name in NAMES}


def a_battle(pool: Pool, version_ids: list[VersionId]) -> list[MatchId]:
    return within(pool, insert_battle, league_named(pool, "wood-2").id, version_ids, seed=-5)


def play(pool: Pool, match_id: MatchId, strongest: VersionId, chance: Random) -> None:
    claim = claimed(pool, match_id)
    scores = [chance.randint(0, 2) + 2 * (version_id == strongest) for version_id in claim.version_ids]
    verdicts = [chance.choice(("ok", "ok", "timeout")) for _ in scores]
    assert within(pool, record, claim, result_of(claim, scores, verdicts))


def test_what_is_recorded_is_reproduced_seat_by_seat(pool: Pool, played: list[MatchId], versions: ByName) -> None:
    """Each line of a version goes on from the one before, and records by seat go as far as seats were taken."""
    report = checked(pool)
    assert report.is_clean, report.differences
    assert (report.matches, report.lines) == (len(played), 4 * 4 + 3 * 3 + 4 * 4 + 2 * 2)
    lines, rows = numbers(pool)
    own = [line for line in lines if line[1] == versions["kraken"]]
    assert len(own) > 1
    assert all(earlier[5:] == later[3:5] for earlier, later in pairwise(own))
    with transaction(pool) as connection:
        by_seat = seats_of(connection, versions["kraken"])
        assert bots.find_bot(connection, "kraken", GAME).id
    assert [record.seat for record in by_seat] == [0, 1, 2, 3]
    standing = next(row for row in rows if row[0] == versions["kraken"])
    assert [sum(counts) for counts in zip(*((one.won, one.drawn, one.lost) for one in by_seat), strict=True)] == list(
        standing[6:9]
    )


def test_rating_again_from_nothing_gives_the_same_digits(pool: Pool, played: list[MatchId]) -> None:
    before = numbers(pool)
    change(pool, "DELETE FROM ledger")
    within(pool, recompute, [league_named(pool, "wood-2").id])
    assert checked(pool).is_clean
    assert numbers(pool) == before


def test_a_first_match_is_rated_by_places_and_counts_opponents(pool: Pool, fresh_versions: ByName) -> None:
    four = [fresh_versions[name] for name in NAMES[:4]]
    match_id, *_ = a_battle(pool, four)
    claim = claimed(pool, match_id)
    assert within(pool, record, claim, result_of(claim, (7, 3, 3, 9)))
    settings = RatingSettings(draw_probability=0.05)
    after = model_of(settings).rate([fresh(settings)] * 4, [2, 3, 3, 1])
    lines, rows = numbers(pool)
    assert [Rating(*line[5:]) for line in lines] == list(after)
    counts = {row[0]: row[5:9] for row in rows}
    assert [counts[version_id] for version_id in four] == [(1, 2, 0, 1), (1, 0, 1, 2), (1, 0, 1, 2), (1, 3, 0, 0)]


def test_openskill_rates_matches_of_many_alike_live_and_again(pool: Pool, fresh_versions: ByName) -> None:
    versions = fresh_versions
    change(pool, "UPDATE leagues SET rating_system = 'openskill'")
    chance = Random(7)
    for names in (NAMES[:4], NAMES[1:4], NAMES[:3]):
        for match_id in a_battle(pool, [versions[name] for name in names]):
            play(pool, match_id, versions["orca"], chance)
    assert checked(pool).is_clean
    lines, rows = live = numbers(pool)
    settings = RatingSettings(system="openskill", draw_probability=0.05)
    first = {line[1]: Rating(*line[5:]) for line in lines[:4]}
    assert {Rating(*line[3:5]) for line in lines[:4]} == {fresh(settings)}
    places: dict[VersionId, int] = dict(
        rows_of(pool, "SELECT version_id, place FROM seats WHERE match_id = %s", lines[0][0])
    )
    rated = model_of(settings).rate([fresh(settings)] * 4, [places[version_id] for version_id in first])
    assert [*first.values()] == list(rated)
    change(pool, "DELETE FROM ledger")
    within(pool, recompute, [league_named(pool, "wood-2").id])
    assert numbers(pool) == live
    assert checked(pool).is_clean
    assert sum(row[5] for row in rows) == len(lines)


CORRUPTIONS: list[tuple[LiteralString, set[str]]] = [
    ("UPDATE ledger SET mu_after = mu_after + 1e-13 WHERE match_id = %s", {"other number"}),
    ("UPDATE seats SET place = 9 - place WHERE match_id = %s AND seat < 2", {"unclear result", "other count"}),
    ("UPDATE seats SET place = NULL WHERE match_id = %s AND seat = 2", {"unclear result"}),
    ("UPDATE seats SET result = 'win' WHERE match_id = %s", {"unclear result"}),
    ("DELETE FROM seats WHERE match_id = %s AND seat = 2", {"missing seat"}),
    ("DELETE FROM ledger WHERE match_id = %s", {"not rated", "other number"}),
]


def test_a_change_of_one_match_is_found(pool: Pool, played: list[MatchId]) -> None:
    for statement, expected in CORRUPTIONS:
        with changed_so(pool, statement, played[0]) as connection:
            assert expected <= kinds(report_of(connection)), statement


def test_the_messages_about_damaged_seats_count_them(pool: Pool, played: list[MatchId]) -> None:
    change(pool, "DELETE FROM seats WHERE match_id = %s AND seat = 2", played[0])
    with transaction(pool) as connection:
        (difference, *_) = verify(connection, leagues.leagues(connection, GAME)).differences
        assert difference.first.endswith(f"match {played[0]} is finished, but has three seats instead of four")
        with pytest.raises(ArenaError, match=f"match {played[0]} has three seats instead of four"):
            recompute(connection, [league_named(pool, "wood-2").id])


def test_a_match_that_is_taken_back_leaves_no_line(pool: Pool, played: list[MatchId]) -> None:
    voided = within(pool, void_match, played[2], "olga", "the referee was wrong")
    assert voided.rewritten is not None
    assert voided.rewritten.changed_lines >= 4
    assert checked(pool).is_clean
    assert played[2] not in {line[0] for line in numbers(pool)[0]}


def test_boards_count_each_match_in_which_any_seat_fits(pool: Pool, played: list[MatchId], versions: ByName) -> None:
    rows = within(pool, settled_board, league_named(pool, "wood-2"))
    own = {row[0]: row[5] for row in numbers(pool)[1]}
    assert {row.version: row.matches for row in rows} == {f"{name}@v1": own[versions[name]] for name in NAMES}
    assert rows[0].version == "kraken@v1"
    some = within(pool, board_of, league_named(pool, "wood-2"), parse("bot = ray"))
    with_ray = rows_of(pool, "SELECT match_id FROM seats WHERE version_id = %s", versions["ray"])
    assert 0 < len(with_ray) < len(played)
    assert {row.version: row.record.matches for row in some}["ray@v1"] == len(with_ray)


def test_an_explanation_names_places_and_each_opponent(pool: Pool, played: list[MatchId], versions: ByName) -> None:
    league_id = league_named(pool, "wood-2").id
    with transaction(pool) as connection:
        found = [*meetings_of(connection, versions["kraken"], league_id)]
        latest = [*meetings_of(connection, versions["kraken"], league_id, latest=3)]
        story = explanation_of(connection, versions["kraken"], league_id)
        (sigma,) = connection.execute(
            "SELECT sigma FROM standings WHERE version_id = %s AND league_id = %s", [versions["kraken"], league_id]
        ).fetchone() or (0.0,)
        rows = versus(connection, "kraken", [versions["kraken"]])
    assert [meeting.match_id for meeting in found] == played
    assert latest == found[-3:]
    assert {len(meeting.met) for meeting in found} == {1, 2, 3}
    first = found[0]
    assert first.place is not None
    assert first.opponent == ", ".join(one.name for one in first.met[:-1]) + f" and {first.met[-1].name}"
    assert first.expected == pytest.approx(0.5)
    assert story == explain(found, sigma)
    assert sum(row.matches for row in rows) == sum(len(meeting.met) for meeting in found)
    points = sum(one.points for meeting in found for one in meeting.met)
    assert sum(row.points for row in rows) == points
    expected = sum(one.expected for meeting in found for one in meeting.met)
    assert sum(row.expected for row in rows) == pytest.approx(expected)
    assert "several" not in plain(story)["raised"][0]
