"""What is kept of a match: packed, and read again."""

from __future__ import annotations

import json
import zlib

from hypothesis import given
from hypothesis import strategies as st

from engine.bot.clock import Spent
from engine.match import Turn
from ladder.matches.record import Recording, pack, unpack

microseconds = st.integers(0, 2**40)
times = st.builds(Spent, microseconds, microseconds, microseconds, microseconds, microseconds)
lines = st.none() | st.text(st.characters(codec="utf-8"))
turns = st.lists(st.builds(Turn, st.integers(0, 1), lines, times, st.integers(0, 2**20)), max_size=30)


@given(said=turns, version=st.integers(1, 9))
def test_what_was_packed_is_read_again_with_every_time(said: list[Turn], version: int) -> None:
    recording = Recording(tuple(said), version)
    assert unpack(pack(recording)) == recording


def test_a_record_of_before_the_allowance_for_runtimes_has_all_its_times() -> None:
    columns = {"seat": [0], "line": ["7 7"], "wall_us": [4], "cpu_us": [3], "wait_us": [2], "late_us": [1]}
    assert unpack(zlib.compress(json.dumps(columns).encode())) == Recording((Turn(0, "7 7", Spent(4, 3, 2, 1)),), 1)


def test_a_long_match_takes_few_bytes_a_turn() -> None:
    said = [
        Turn(number % 2, "MOVE N TORPEDO", Spent(900 + number * 37 % 100, 700 + number * 53 % 90, number % 7, 0))
        for number in range(600)
    ]
    assert len(pack(Recording(tuple(said)))) < 10 * len(said)
