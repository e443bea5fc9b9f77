"""Battles that somebody asks for where every match has more than two players."""

import json
from collections import Counter

import pytest

from cli.texts.matches import played_text, requests_table
from engine.conversation import seat_orders
from engine.errors import Refused
from ladder.database.connection import Pool, transaction
from ladder.leagues import leagues
from ladder.matches.claims import MatchClaim
from ladder.matchmaking import requests
from ladder.matchmaking.requests import BattleRequest, ask
from ladder.names import read_name
from ladder.seasons.ending import begin_series, close
from ladder.seasons.seasons import given_up
from ladder.views.progress import progress
from ladder.views.seasons import given_up_line
from ladder.views.summary import summary
from tests.acceptance.conftest import Desk
from tests.conftest import once_found
from tests.ladder.arena import ByName, insert_battle, within
from tests.ladder.foragers import FORAGERS, a_board, on_the_board, play
from tests.ladder.foragers import made as scheduled
from tests.ladder.rated import change
from tests.ladder.test_requests import now


def of_three_and_four(pool: Pool) -> ByName:
    versions = a_board(pool)
    change(pool, "UPDATE leagues SET players = '{3,4}', battle_matches = 3 WHERE game = 'foragers'")
    change(pool, "UPDATE standings SET counted_from = -1000")
    return versions


made, board = once_found(of_three_and_four)


def asked(pool: Pool, *names: str, battles: int = 1, seed: int | None = None) -> BattleRequest:
    return within(pool, ask, [read_name(name) for name in names], battles, "kim", FORAGERS.name, seed)


def test_each_battle_has_everybody_in_each_seat_and_places_are_counted(pool: Pool, board: ByName) -> None:
    request = asked(pool, "crow", "ant", "bee", battles=2, seed=7)
    assert within(pool, progress).lacking == 6
    claims: list[MatchClaim] = []
    for number, match_id in enumerate(scheduled(pool)):
        crow = 3 if number == 0 else 2  # level with bee from then on
        claims.append(play(pool, match_id, {board["ant"]: 1, board["bee"]: 2, board["crow"]: crow}))
    assert [claim.seed for claim in claims] == [7, 7, 7, 8, 8, 8]
    named = [board[name] for name in ("crow", "ant", "bee")]
    orders = [tuple(named[who] for who in order) for order in seat_orders(3)]
    assert [tuple(claim.version_ids) for claim in claims] == orders * 2
    done = now(pool, request)
    assert (done.is_over, done.finished, done.battle_matches) == (True, 6, 3)
    assert [(side.version, side.places) for side in done.sides] == [
        ("crow@v1", [6, 0, 0]),
        ("ant@v1", [0, 0, 6]),
        ("bee@v1", [5, 1, 0]),
    ]
    assert [side.points for side in done.sides] == pytest.approx([(1 + 5 * 0.75) / 6, 0, (0.5 + 5 * 0.75) / 6])
    assert "crow@v1 79.2 % of the points, 1st 6; ant@v1 0.0 % of the points, 3rd 6; bee@v1 70.8" in played_text(done)
    sums = within(pool, summary)
    assert (sums.finished, sums.rated_seats, sums.ledger_lines) == (6, 0, 0)


def test_orders_of_the_seats_are_those_of_the_game(pool: Pool, board: ByName) -> None:
    change(pool, "UPDATE leagues SET seat_orders = 'all', battle_matches = 6 WHERE game = 'foragers'")
    request = asked(pool, "ant", "bee", "crow", "deer")
    assert (len(scheduled(pool)), now(pool, request).battle_matches) == (24, 24)


def test_the_rest_lapses_when_any_of_them_leaves_the_board(pool: Pool, board: ByName) -> None:
    request = asked(pool, "ant", "bee", "crow", battles=100)
    assert scheduled(pool)
    change(pool, "UPDATE standings SET on_board = false WHERE version_id = %s", board["crow"])
    scheduled(pool)
    assert now(pool, request).lapsed == "crow@v1 left the board"


def test_another_number_of_versions_and_one_twice_are_refused(pool: Pool, board: ByName) -> None:
    for names, why in (
        (("ant", "bee"), "matches of foragers have 3 or 4 players, so name 3 or 4 versions, not 2"),
        (("ant", "bee", "crow", "deer", "elk"), "so name 3 or 4 versions, not 5"),
        (("ant", "bee", "ant@v1"), "ant@v1 cannot play against itself"),
    ):
        with pytest.raises(Refused, match=why):
            asked(pool, *names)
        assert within(pool, requests.count_open) == 0


def test_the_command_takes_a_version_for_each_seat(desk: Desk, pool: Pool, board: ByName) -> None:
    said = json.loads(desk.ok("match", "request", "ant", "bee", "crow", "--json"))
    assert [(side["version"], side["places"]) for side in said["sides"]] == [
        (f"{name}@v1", [0, 0, 0]) for name in ("ant", "bee", "crow")
    ]
    assert (said["first"], said["second"], said["battle_matches"]) == ("ant@v1", "bee@v1", 3)
    assert "1 battle of ant@v1 against bee@v1 and crow@v1 in Arena" in desk.ok("match", "request", "ant", "bee", "crow")
    assert "matches of foragers have 3 or 4 players" in desk.refused(3, "match", "request", "ant", "bee")
    assert "bee@v1, crow@v1" in desk.ok("match", "requests")


def test_a_list_of_requests_of_two_looks_as_before(pool: Pool, board: ByName) -> None:
    change(pool, "UPDATE leagues SET players = '{2,3,4}' WHERE game = 'foragers'")
    on_the_board(pool, "fox")
    two, three = asked(pool, "fox", "ant"), asked(pool, "fox", "ant", "bee")
    assert requests_table([two]).columns[4].head == "second"
    assert requests_table([two, three]).columns[4].head == "others"


def test_a_series_of_a_season_is_made_of_battles_of_many_players(pool: Pool, board: ByName) -> None:
    with transaction(pool) as connection:
        league = leagues.find_league(connection, FORAGERS.name, "arena")
        battle = insert_battle(connection, league.id, [board[name] for name in ("ant", "bee", "crow")], 1)
    for match_id in battle:
        play(pool, match_id, {version_id: number for number, version_id in enumerate(board.values())})
    with transaction(pool) as connection:
        begin_series(connection, FORAGERS.name, battles=30, top=5)
        found = requests.latest(connection, 50)
    had = Counter(side.version for request in found for side in request.sides for _ in range(request.battles))
    assert {len(request.sides) for request in found} == {3}
    assert set(had) == {f"{name}@v1" for name in board}
    assert set(had.values()) <= {30, 31}
    assert scheduled(pool)
    with transaction(pool) as connection:
        lines = [given_up_line(one) for one in given_up(connection, close(connection, FORAGERS.name).row_id)]
    assert lines
    assert all(" and " in line for line in lines), "three are named"
