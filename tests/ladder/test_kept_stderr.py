"""How much is kept of what bots write to stderr, on a real database."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest

from ladder.database.connection import Pool, transaction
from ladder.flows.recording import record
from ladder.ids import MatchId, VersionId
from ladder.matches import match_rows
from ladder.matches.match_rows import SeatRow
from tests.fakes import result_of
from tests.ladder.arena import a_pair, claimed, on_the_board, within

LONG = "turn 1: depth 5, score 12.5\n" * 1000
NOISE = Random(3).randbytes(300_000).hex()


def played(pool: Pool, match_id: MatchId, stderr: Mapping[VersionId, str]) -> list[SeatRow]:
    claim = claimed(pool, match_id)
    written = tuple(stderr[version_id] for version_id in claim.version_ids)
    assert within(pool, record, claim, replace(result_of(claim, (1, 0)), stderr=written))
    return within(pool, match_rows.seats_of, [match_id])


def stored_bytes(pool: Pool) -> int:
    with transaction(pool) as connection:
        row = connection.execute("SELECT sum(octet_length(stderr)) FROM seats").fetchone()
    assert row is not None
    return int(row[0])


def test_it_is_stored_compressed_and_read_as_it_was(pool: Pool) -> None:
    kraken, orca = on_the_board(pool, "kraken"), on_the_board(pool, "orca")
    seats = played(pool, a_pair(pool, kraken, orca)[0], {kraken: LONG, orca: "short \N{OCTOPUS}"})
    assert {seat.version: seat.stderr for seat in seats} == {"kraken@v1": LONG, "orca@v1": "short \N{OCTOPUS}"}
    assert stored_bytes(pool) < len(LONG) / 50


def test_beyond_a_days_bound_a_players_output_is_dropped_and_counted_and_others_keep_theirs(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LADDER_STDERR_MB_PER_DAY", "1")
    talkative, brief = on_the_board(pool, "kraken", player="kim"), on_the_board(pool, "orca", player="mia")
    matches = [match_id for _ in range(2) for match_id in a_pair(pool, talkative, brief)]
    kept = []
    for match_id in matches:
        for seat in played(pool, match_id, {talkative: NOISE, brief: NOISE[:9]}):
            assert len(seat.stderr) + seat.stderr_dropped_bytes in {len(NOISE), 9}
            kept.append((seat.version, bool(seat.stderr)))
    assert [is_kept for version, is_kept in kept if version == "orca@v1"] == [True] * 4
    first, *_, last = (is_kept for version, is_kept in kept if version == "kraken@v1")
    assert first
    assert not last
    assert stored_bytes(pool) < 1_100_000
    within(pool, lambda connection: connection.execute("UPDATE stderr_usage SET day = day - 1"))
    again, _ = a_pair(pool, talkative, brief)
    assert all(seat.stderr for seat in played(pool, again, {talkative: NOISE, brief: NOISE})), "another day"
