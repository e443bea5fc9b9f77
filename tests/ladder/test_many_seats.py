"""Leagues of a game for two to four players: battles, results and records."""

from collections import Counter
from contextlib import nullcontext

import pytest

from cli.texts.bots import seats_text
from engine.conversation import seat_orders
from engine.errors import UsageFault
from ladder.database.connection import Pool, transaction
from ladder.flows.games import apply_league_file
from ladder.ids import VersionId
from ladder.leagues import leagues
from ladder.leagues.file import LeagueFile
from ladder.matches import match_rows
from ladder.matches.archive import result_of as stored_result
from ladder.matches.claims import MatchClaim
from ladder.matches.record import unpack
from ladder.names import NamedVersion
from ladder.promotions.outlook import missing_text
from ladder.ratings import standings
from ladder.ratings.explanation import places_of
from ladder.seasons.ending import unplayed
from ladder.views.bots import read_bot
from ladder.views.progress import version_progress
from ladder.views.summary import summary
from tests.conftest import once_found
from tests.ladder.arena import ByName, claimed, present, rows_of, within
from tests.ladder.foragers import FORAGERS, a_board, play
from tests.ladder.foragers import made as scheduled
from tests.ladder.rated import change

made, board = once_found(a_board)


def test_a_battle_has_one_seed_and_each_version_once_in_each_seat(pool: Pool, board: ByName) -> None:
    battles: dict[int, list[MatchClaim]] = {}
    for match_id in scheduled(pool):
        claim = claimed(pool, match_id)
        row = present(within(pool, match_rows.find_match, match_id))
        assert row.players == claim.players == len(claim.version_ids)
        battles.setdefault(row.pair_id, []).append(claim)
    for battle in battles.values():
        seats = [claim.version_ids for claim in battle]
        assert len({claim.seed for claim in battle}) == 1
        assert set(map(tuple, seats)) == {tuple(seats[0][who] for who in order) for order in seat_orders(len(seats[0]))}
    assert {len(battle[0].version_ids) for battle in battles.values()} == {2, 3, 4}


def test_all_have_their_battles_and_each_opponent_counts_once(pool: Pool, board: ByName) -> None:
    strength = {version_id: number // 2 for number, version_id in enumerate(board.values())}
    expected: dict[VersionId, Counter[str]] = {version_id: Counter() for version_id in strength}
    seats = finished = 0
    while matches := scheduled(pool, seed=finished):
        for match_id in matches:
            claim = play(pool, match_id, strength)
            finished, seats = finished + 1, seats + claim.players
            for own in claim.version_ids:
                for other in claim.version_ids:
                    if own != other:
                        word = "draws" if strength[own] == strength[other] else "wins"
                        expected[own][word if strength[own] >= strength[other] else "losses"] += 1
    with transaction(pool) as connection:
        league = leagues.find_league(connection, FORAGERS.name, "arena")
        rows = standings.board(connection, league.id)
        sums = summary(connection)
        assert match_rows.count_matches(connection, FORAGERS.name).finished == finished
        assert match_rows.count_matches(connection).finished == finished
    assert (sums.rated_seats, sums.ledger_lines, sums.is_complete) == (seats, seats, True)
    for row in rows:
        assert row.counted >= league.battle_matches * league.battles
        record_of = {"wins": row.record.wins, "draws": row.record.draws, "losses": row.record.losses}
        assert record_of == {word: expected[row.version_id][word] for word in record_of}
    counted = {row.version_id: places_by_hand(pool, row.version_id) for row in rows}
    with transaction(pool) as connection:
        assert {row.version_id: places_of(connection, row.version_id) for row in rows} == counted
        seats_of_elk = present(read_bot(connection, NamedVersion("elk")).seats)
    first, *others = seats_of_elk.places
    assert (len(others), sum(others)) == (3, 0), "it is the strongest"
    assert seats_text(seats_of_elk).splitlines()[-1] == f"elk@v1 came 1st {first} times"
    by_score = sorted(rows, key=lambda row: row.score)
    assert [strength[row.version_id] for row in by_score] == sorted(strength.values())


def places_by_hand(pool: Pool, version_id: VersionId) -> tuple[int, ...]:
    """Count the places of a version in matches of more than two, one by one."""
    found = rows_of(
        pool,
        "SELECT place FROM seats JOIN matches ON matches.id = match_id WHERE version_id = %s AND players > 2",
        version_id,
    )
    return tuple(sum(place == one for (one,) in found) for place in (1, 2, 3, 4))


def test_battles_that_lack_are_counted_by_the_matches_of_a_battle(pool: Pool, board: ByName) -> None:
    with transaction(pool) as connection:
        league = leagues.find_league(connection, FORAGERS.name, "arena")
        lacking = unplayed(connection, FORAGERS.name)
        ant = present(version_progress(connection, board["ant"]).outlook)
    assert (league.battles, league.battle_matches) == (6, 3)
    assert (lacking.matches, lacking.battles) == (0, 6 * len(board))
    assert missing_text(ant) == "of its 6 battles 6 to go"


def test_wins_against_a_boss_can_be_as_many_as_battles_have_matches(pool: Pool, board: ByName) -> None:
    for wins in (9, 10):
        file = LeagueFile(FORAGERS.name, {"arena": {"promotion": "boss_wins", "boss_wins": wins}})
        with transaction(pool) as connection, pytest.raises(UsageFault) if wins > 9 else nullcontext():
            apply_league_file(connection, file)


def test_what_is_stored_of_a_match_of_many_is_what_was_played(pool: Pool, board: ByName) -> None:
    strength = {version_id: number for number, version_id in enumerate(board.values())}
    match_id = next(one for one in scheduled(pool) if claimed(pool, one).players == 4)
    change(pool, "UPDATE matches SET state = 'queued', lease_until = NULL, attempt = 0")
    claim = play(pool, match_id, strength)
    with transaction(pool) as connection:
        row = present(match_rows.find_match(connection, match_id))
        seats = match_rows.seats_of(connection, [match_id])
        packed = present(match_rows.match_record(connection, match_id))
    stored = stored_result(FORAGERS, row, seats, unpack(packed))
    assert stored.outcome.scores == tuple(strength[version_id] for version_id in claim.version_ids)
    assert [seat.place for seat in seats] == list(stored.outcome.places)
    assert sorted(seat.result or "" for seat in seats) == ["loss", "loss", "loss", "win"]
