"""What is kept of a match, for how long, and as texts are stored."""

import json
import re
import zlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bot.clock import Spent
from engine.errors import UsageFault
from engine.match import Turn
from engine.referees.notes import Notes, Question, Tooltip
from ladder.errors import DamagedRecord
from ladder.matches.record import Recording, pack, unpack
from ladder.matches.stderr import packed_text, unpacked_text
from ladder.retention import Retention, retention_from

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
    times = [Spent(900 + number * 37 % 100, 700 + number * 53 % 90, number % 7, 0) for number in range(600)]
    turns = tuple(Turn(number % 2, "MOVE N TORPEDO", spent) for number, spent in enumerate(times))
    assert len(pack(Recording(turns))) < 10 * len(turns)


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
    for name in set(stored["notes"]) - {"views"}:
        broken = {key: value for key, value in stored["notes"].items() if key != name}
        with pytest.raises(DamagedRecord):
            unpack(zlib.compress(json.dumps({**stored, "notes": broken}).encode()))


def test_every_setting_counts_and_by_default_records_stay_for_ever_and_stderr_for_a_quarter() -> None:
    environment = {"STDERR_DAYS": "forever", "RECORD_DAYS": "365", "KEEP_NEWEST": "0", "STDERR_MB_PER_DAY": "7"}
    environment["ARCHIVE"] = "/mnt/old matches"
    assert retention_from({f"LADDER_{name}": word for name, word in environment.items()}) == Retention(
        None, 365, 0, 7, archive=Path("/mnt/old matches")
    )
    assert retention_from({}) == Retention(stderr_days=90, record_days=None)


def test_an_archive_is_named_by_its_full_path_as_each_worker_runs_elsewhere() -> None:
    with pytest.raises(UsageFault, match=r"LADDER_ARCHIVE is 'old'; it must be the full path of a folder"):
        retention_from({"LADDER_ARCHIVE": "old"})


@pytest.mark.parametrize("word", ["-1", "1.5", "never", "²", "1000001", " 3"])
@pytest.mark.parametrize("name", ["LADDER_STDERR_DAYS", "LADDER_RECORD_DAYS", "LADDER_KEEP_NEWEST"])
def test_a_number_that_cannot_be_is_refused_in_one_sentence(name: str, word: str) -> None:
    with pytest.raises(UsageFault, match=re.escape(f"{name} is {word!r}; it must be a number from 0 to")) as refused:
        retention_from({name: word})
    assert ("forever" in str(refused.value)) == ("DAYS" in name)


@pytest.mark.parametrize("text", ["", "x", "x\x9c short", "turn 1: 12.5\n" * 1000, "\x00\ud800"])
def test_a_text_comes_back_as_it_was_and_is_never_longer_than_it_was(text: str) -> None:
    stored, plain = packed_text(text), text.encode("utf-8", "replace")
    assert unpacked_text(stored) == plain.decode()
    assert len(stored) <= len(plain)


def test_repeated_words_take_little_room_and_a_damaged_text_is_said_to_be_that() -> None:
    assert len(packed_text("turn 1: 12.5\n" * 1000)) < 200
    with pytest.raises(DamagedRecord):
        unpacked_text(packed_text("kraken " * 100)[:20])
