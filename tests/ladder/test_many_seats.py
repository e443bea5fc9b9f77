"""Leagues of a game for two to four players: battles, results and records."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from engine.errors import Refused
from engine.game import Games
from engine.games.loading import load_game
from engine.seat_orders import seat_orders
from ladder.access import Actor
from ladder.actions.bots import submit
from ladder.database.connection import Pool, transaction
from ladder.flows.recording import record
from ladder.flows.scheduling import schedule
from ladder.flows.submission import Submission, accept
from ladder.ids import MatchId, VersionId
from ladder.leagues import leagues
from ladder.matches import match_rows
from ladder.matches.claims import MatchClaim
from ladder.matches.record import result_of as stored_result
from ladder.matches.record import unpack
from ladder.matchmaking import requesting
from ladder.names import Named
from ladder.ratings import standings
from ladder.views.summary import summary
from tests.catalogue import GAMES
from tests.fakes import RememberingQueue, result_of
from tests.ladder.arena import claimed, claimed_build

FORAGERS = load_game(Path(__file__).parents[1] / "referees" / "foragers")
GAMES_HERE = Games((*GAMES.all, FORAGERS), {})
NAMES = ("ant", "bee", "crow", "deer", "elk")


@pytest.fixture
def board(pool: Pool) -> dict[str, VersionId]:
    """Five versions on the board of a game for two to four, and no other league that makes matches."""
    with transaction(pool) as connection:
        leagues.register(connection, FORAGERS)
        connection.execute("UPDATE versions SET state = 'rejected', message = 'not here' WHERE state = 'building'")
        leagues.set_battles(connection, FORAGERS.name, 6)
    return {name: on_the_board(pool, name) for name in NAMES}


def on_the_board(pool: Pool, name: str) -> VersionId:
    queue = RememberingQueue()
    version_id = submit(Actor("kim"), pool, queue, Submission(FORAGERS.name, name, f"print('{name}')", "python")).row.id
    with transaction(pool) as connection:
        accept(connection, claimed_build(pool, version_id))
    return version_id


def made(pool: Pool, seed: int = 1) -> list[MatchId]:
    return schedule(pool, RememberingQueue(), Random(seed), GAMES_HERE)


def play(pool: Pool, match_id: MatchId, strength: dict[VersionId, int]) -> MatchClaim:
    """Let the stronger ones win; equal strength is level."""
    claim = claimed(pool, match_id)
    scores = [strength[version_id] for version_id in claim.version_ids]
    with transaction(pool) as connection:
        assert record(connection, claim, result_of(claim, scores, games=GAMES_HERE))
    return claim


def test_a_battle_has_one_seed_and_each_version_once_in_each_seat(pool: Pool, board: dict[str, VersionId]) -> None:
    battles: dict[int, list[MatchClaim]] = {}
    for match_id in made(pool):
        claim = claimed(pool, match_id)
        with transaction(pool) as connection:
            row = match_rows.find_match(connection, match_id)
        assert row is not None
        assert row.players == claim.players == len(claim.version_ids)
        battles.setdefault(row.pair_id, []).append(claim)
    for battle in battles.values():
        seated = [claim.version_ids for claim in battle]
        assert len({claim.seed for claim in battle}) == 1
        assert set(map(tuple, seated)) == {
            tuple(seated[0][who] for who in order) for order in seat_orders(len(seated[0]))
        }
    assert {len(battle[0].version_ids) for battle in battles.values()} == {2, 3, 4}


def test_all_have_their_battles_and_every_opponent_of_a_match_counts_once(
    pool: Pool, board: dict[str, VersionId]
) -> None:
    strength = {version_id: number // 2 for number, version_id in enumerate(board.values())}
    expected: dict[VersionId, Counter[str]] = {version_id: Counter() for version_id in strength}
    seats = finished = 0
    while matches := made(pool, seed=finished):
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
    by_score = sorted(rows, key=lambda row: row.score)
    assert [strength[row.version_id] for row in by_score] == sorted(strength.values())


def test_what_is_stored_of_a_match_of_many_is_what_was_played(pool: Pool, board: dict[str, VersionId]) -> None:
    strength = {version_id: number for number, version_id in enumerate(board.values())}
    match_id = next(one for one in made(pool) if claimed(pool, one).players == 4)
    with transaction(pool) as connection:
        connection.execute("UPDATE matches SET state = 'queued', lease_until = NULL, attempt = 0")
    claim = play(pool, match_id, strength)
    with transaction(pool) as connection:
        row = match_rows.find_match(connection, match_id)
        seats = match_rows.seats_of(connection, [match_id])
        packed = match_rows.match_record(connection, match_id)
    assert row is not None
    assert packed is not None
    stored = stored_result(FORAGERS, row, seats, unpack(packed))
    assert stored.outcome.scores == tuple(strength[version_id] for version_id in claim.version_ids)
    assert [seat.place for seat in seats] == list(stored.outcome.places)
    assert sorted(seat.result or "" for seat in seats) == ["loss", "loss", "loss", "win"]


def test_battles_between_two_cannot_be_asked_for_where_every_match_has_more(
    pool: Pool, board: dict[str, VersionId]
) -> None:
    with transaction(pool) as connection:
        connection.execute("UPDATE leagues SET players = '{3,4}' WHERE game = 'foragers'")
        with pytest.raises(Refused, match="matches of foragers have 3 or 4 players"):
            requesting.ask(connection, (Named("ant"), Named("bee")), 2, "kim", FORAGERS.name, None)
