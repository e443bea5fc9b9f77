"""How often versions took each place: as matches are recorded, taken back, rated again, and carried elsewhere."""

import json
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import pytest

from ladder.access import Actor, Role
from ladder.actions import games as freezing
from ladder.actions import seasons as seasons_actions
from ladder.bots import bots
from ladder.database.connection import Pool, one, transaction
from ladder.flows import departure
from ladder.flows.recording import record
from ladder.ids import MatchId
from ladder.matches.filters import parse
from ladder.ratings.explanation import places_of
from ladder.ratings.replay import recompute, void_match
from ladder.transfer.exporting import export
from ladder.transfer.importing import import_all
from ladder.views.boards import read_pages
from ladder.views.encoding import plain, to_csv
from ladder.views.ratings import board_of
from ladder.views.seasons import final_boards
from ladder.visibility import Sight, look
from ladder.web.pages.versions import one_version
from tests.conftest import cloned, once_found, opened
from tests.fakes import result_of
from tests.ladder.arena import GAME, ByName, board, claimed, insert_battle, league_named, on_the_board, within
from tests.ladder.rated import History, change, checked
from workers.embedded.state_file import Running

BEFORE_PLACES = 53
"""The schema of programs that counted no places."""
OLGA = Actor("olga", Role.OPERATOR)
NAMES = ("kraken", "orca", "eel", "ray")
MATCHES = (
    {"kraken": 7, "orca": 3, "eel": 3, "ray": 1},
    {"ray": 2, "eel": 5, "orca": 2, "kraken": 2},
    {"orca": 4, "kraken": 6, "ray": 5},
    {"kraken": 1, "orca": 2},
)
"""Matches of four, three and two: each version's score, by its seat."""
PLACES = {"kraken": (2, 1, 0, 0), "orca": (0, 2, 1, 0), "eel": (1, 1, 0, 0), "ray": (0, 2, 0, 1)}
"""What they come to by hand: in the first match orca and eel share the second place, in the next one three do."""


def four_that_have_played(pool: Pool) -> History:
    """Each match counts each seat's place, and level seats share one."""
    versions = {name: on_the_board(pool, name, name) for name in NAMES}
    change(pool, "UPDATE leagues SET players = '{2,3,4}' WHERE game = %s", GAME)
    assert counted(pool) == dict.fromkeys(NAMES, (0, 0, 0, 0)), "there are four places before anybody has played"
    return History(versions, [play(pool, versions, scores) for scores in MATCHES])


made, played = once_found(four_that_have_played)


def play(pool: Pool, versions: ByName, scores: dict[str, int]) -> MatchId:
    """Record a match with these scores; the others of its battle are never played."""
    league_id = league_named(pool, "wood-2").id
    match_id, *_ = within(pool, insert_battle, league_id, [versions[name] for name in scores], seed=-5)
    claim = claimed(pool, match_id)
    by_id = {versions[name]: score for name, score in scores.items()}
    assert within(pool, record, claim, result_of(claim, [by_id[version_id] for version_id in claim.version_ids]))
    return match_id


def counted(pool: Pool) -> dict[str, tuple[int, ...]]:
    return {name.partition("@")[0]: row.record.places for name, row in board(pool).items()}


def test_a_recording_counts_each_seats_place_and_level_seats_share(pool: Pool, played: History) -> None:
    assert counted(pool) == PLACES
    assert checked(pool).is_clean
    with transaction(pool) as connection:
        assert {name: places_of(connection, played.versions[name]) for name in NAMES} == PLACES
        assert one_version(connection, "kraken", 1, GAME)["stays"][0].record.places == PLACES["kraken"]
    assert board(pool)["kraken@v1"].record.mean_place == 4 / 3
    rows = within(pool, read_pages, GAME, "wood-2")[0].rows
    assert {row.version: plain(row)["places"] for row in rows} == {
        f"{name}@v1": [*places] for name, places in PLACES.items()
    }
    head, *lines = (line.split(",") for line in to_csv(rows).splitlines())
    cells = {line[head.index("version")]: line[head.index("places")] for line in lines}
    assert cells["kraken@v1"] == "2 1 0 0", "one cell of a CSV"
    found = within(pool, board_of, league_named(pool, "wood-2"), parse("bot = eel"))
    assert {line.version: line.record.places for line in found} == {
        "kraken@v1": (1, 1, 0, 0),
        "orca@v1": (0, 2, 0, 0),
        "eel@v1": (1, 1, 0, 0),
        "ray@v1": (0, 1, 0, 1),
    }, "those of some matches"


def test_in_a_league_of_two_there_are_no_places(pool: Pool) -> None:
    versions = {name: on_the_board(pool, name, name) for name in MATCHES[3]}
    play(pool, versions, MATCHES[3])
    rows = [row for page in within(pool, read_pages, GAME) for row in page.rows]
    assert {row.standing.record.places for row in rows} == {()}
    assert "places" not in to_csv(rows)
    assert all("places" not in plain(row) for row in rows)


def test_a_match_that_is_taken_back_takes_its_places_back(pool: Pool, played: History) -> None:
    within(pool, void_match, played.matches[1], "olga", "a test")
    assert counted(pool) == {"kraken": (2, 0, 0, 0), "orca": (0, 1, 1, 0), "eel": (0, 1, 0, 0), "ray": (0, 1, 0, 1)}
    assert checked(pool).is_clean
    within(pool, void_match, played.matches[0], "olga", "a test")
    assert counted(pool)["ray"] == (0, 1, 0, 0)
    assert checked(pool).is_clean
    play(pool, played.versions, MATCHES[0])
    assert counted(pool)["ray"] == (0, 1, 0, 1)
    assert checked(pool).is_clean


@pytest.mark.usefixtures("played")
def test_places_of_a_disqualified_bots_matches_come_back_with_it(pool: Pool) -> None:
    for deed in ("disqualify", "reinstate"):
        with transaction(pool) as connection:
            eel = bots.find_bot(connection, "eel", GAME)
            if deed == "disqualify":
                departure.disqualify(connection, OLGA, eel, "a test")
            else:
                departure.reinstate(connection, eel)
        assert checked(pool).is_clean
        assert counted(pool)["ray"] == ((0, 1, 0, 0) if deed == "disqualify" else PLACES["ray"])


@pytest.mark.usefixtures("played")
def test_the_check_finds_wrong_places_and_rating_again_mends_them(pool: Pool) -> None:
    change(pool, "UPDATE standings SET places = '{9,1}' WHERE places = '{2,1}'")
    (difference,) = checked(pool).differences
    assert difference.first.endswith("kraken@v1 stands with 9/1 as places, its matches give 2/1")
    change(pool, "UPDATE standings SET places = '{}'")
    assert checked(pool).differences[0].count == len(NAMES)
    assert within(pool, recompute, [league_named(pool, "wood-2").id])[0].changed_standings == len(NAMES)
    assert counted(pool) == PLACES
    assert checked(pool).is_clean


def test_a_frozen_board_keeps_the_places_of_its_moment(pool: Pool, played: History) -> None:
    for sets_it_later in (False, True):
        before, moment = counted(pool), within(pool, one, "SELECT clock_timestamp()", {})[0]
        if not sets_it_later:
            freezing.freeze_boards(OLGA, pool, GAME, moment)
        for scores in MATCHES[2:]:
            play(pool, played.versions, scores)
        if sets_it_later:
            freezing.freeze_boards(OLGA, pool, GAME, moment)
        assert seen_by_kim(pool) == before != counted(pool)
        freezing.thaw_boards(OLGA, pool, GAME)
        assert seen_by_kim(pool) == counted(pool)


def seen_by_kim(pool: Pool) -> dict[str, tuple[int, ...]]:
    with transaction(pool) as connection:
        look(connection, Sight("kim"))
        (page,) = read_pages(connection, GAME, "wood-2")
        return {row.standing.bot: row.standing.record.places for row in page.rows}


def test_a_final_board_keeps_its_places_whatever_is_played_later(pool: Pool, played: History) -> None:
    seasons_actions.close(OLGA, pool, GAME)
    play(pool, played.versions, MATCHES[0])
    with transaction(pool) as connection:
        void_match(connection, played.matches[1], "olga", "a test")
        found = final_boards(connection, GAME, 1, "wood-2").rows
    assert {row.row.bot: plain(row)["places"] for row in found} == {name: [*PLACES[name]] for name in NAMES}


def test_an_export_brings_the_places_also_one_of_a_program_that_counted_none(
    pool: Pool, played: History, services: Running, tmp_path: Path
) -> None:
    folder = tmp_path / "one"
    seasons_actions.close(OLGA, pool, GAME)
    freezing.freeze_boards(OLGA, pool, GAME, datetime.now().astimezone())
    play(pool, played.versions, MATCHES[0])
    within(pool, export, folder)
    for is_old in (False, True):
        if is_old:
            for table in ("standings", "frozen_standings", "season_ranks"):
                without_places(folder, table)
        with cloned(services, "ladder") as name, opened(services, name) as new_pool:
            within(new_pool, import_all, folder, lambda _: lambda: None)
            assert counted(new_pool) == counted(pool) != PLACES
            assert checked(new_pool).is_clean
            found = within(new_pool, final_boards, GAME, 1).rows
            assert found[0].row.record.places == (() if is_old else PLACES[found[0].row.bot])
            assert seen_by_kim(new_pool) == PLACES


def without_places(folder: Path, table: str) -> None:
    path, head = folder / f"{table}.jsonl", folder / "ladder.json"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    path.write_text("".join(json.dumps({key: row[key] for key in row if key != "places"}) + "\n" for row in rows))
    manifest = json.loads(head.read_text("utf-8"))
    manifest |= {"version": 1, "schema": BEFORE_PLACES}
    part = manifest["tables"][table]
    part["columns"].remove("places")
    part["sha256"] = sha256(path.read_bytes()).hexdigest()
    head.write_text(json.dumps(manifest))
