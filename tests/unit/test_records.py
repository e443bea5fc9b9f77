"""What is kept of a match: packed, and read again."""

import json
import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bot.clock import Spent
from engine.match import Turn
from engine.referees.notes import Notes, Question, Tooltip
from ladder.errors import DamagedRecord
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


NOTES = Notes(
    questions=(Question(0, "1 2\n3\n", 2, 1000), Question(1, "\n", 0, None), Question(0, "", 1, None)),
    summaries=("", "$0 did it", "", ""),
    infos=("x\ny", "", "", ""),
    views=("KEY_FRAME 0", "", "", "end"),
    tooltips=(Tooltip(1, "out", 2),),
    parameters=(("seed", "7"), ("map", "a=b")),
    metadata='{"n":1}',
    stray="hello",
    is_monitored=True,
)


def test_what_a_referee_program_said_is_kept() -> None:
    said = (Turn(0, "a\nb", Spent(4, 3, 2, 1)),)
    for notes in (NOTES, replace(NOTES, views=()), Notes()):
        assert unpack(pack(Recording(said, notes=notes))) == Recording(said, notes=notes)


def test_damaged_notes_damage_their_record() -> None:
    stored = json.loads(zlib.decompress(pack(Recording((Turn(0, "a"),), notes=NOTES))))
    assert len(stored["notes"]) > 1
    for name in stored["notes"]:
        broken = {key: value for key, value in stored["notes"].items() if key != name}
        if name != "views":
            with pytest.raises(DamagedRecord):
                unpack(zlib.compress(json.dumps({**stored, "notes": broken}).encode()))
