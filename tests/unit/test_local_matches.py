"""What is kept of a match: files of those that were played here, for how long, and texts as they are stored."""

import json
import os
import re
import time
import zlib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bot.clock import Spent
from engine.conversation import Outcome, SeatVerdict, Verdict
from engine.errors import Refused, UnknownName, UsageFault
from engine.match import MatchResult, MatchSpec, Turn
from engine.parallel import in_processes
from engine.referees.notes import Notes, Question, Tooltip
from ladder.errors import DamagedRecord
from ladder.matches import local_matches
from ladder.matches.local_matches import MOST, Damaged, LocalMatches, from_bytes, local_match, read_local_name, to_bytes
from ladder.matches.match_rows import packed_text, unpacked_text
from ladder.matches.record import Recording, pack, unpack
from ladder.retention import Retention, retention_from
from tests.catalogue import GAMES

OCEAN = GAMES.find("ocean-of-code")
RESULT = MatchResult(
    MatchSpec(OCEAN, 3, -7, 900, 40),
    Outcome((0, 6), "dead", (SeatVerdict(Verdict.CRASHED, "exit code 1"), SeatVerdict(Verdict.OK))),
    (Turn(0, "7 7", Spent(4, 3, 2, 1), 6), Turn(1, None)),
    ("hello\n", ""),
    (1, 0),
    (0, 17),
    "nested",
    metrics=({"depth": "7"}, {}),
)
AROUND = ("Bronze", ("a.py", "b (DEPTH=6)"), 0, datetime(2026, 1, 2, 3, 4, tzinfo=UTC))
MATCH = local_match(RESULT, *AROUND, host_faults=1)


@pytest.fixture
def store(tmp_path: Path) -> LocalMatches:
    return LocalMatches(tmp_path)


@given(names=st.tuples(st.text(), st.text()), stderr=st.tuples(st.text(), st.text()), seed=st.integers(-(2**63), 2**63))
def test_a_match_is_read_as_it_was_written(names: tuple[str, str], stderr: tuple[str, str], seed: int) -> None:
    head = replace(MATCH.head, players=names, seed=seed)
    match = replace(MATCH, head=head, stderr=stderr)
    assert from_bytes(to_bytes(match)) == match
    assert from_bytes(to_bytes(MATCH)).result(OCEAN) == RESULT


def test_a_file_that_is_cut_or_of_another_kind_is_damaged() -> None:
    data = to_bytes(MATCH)
    for other in (*(data[:end] for end in range(len(data))), b"hello\n", b"[]\n", b'{"format":2}\n' + data, b"\xff\n"):
        with pytest.raises(Damaged):
            from_bytes(other)


@pytest.mark.parametrize(
    "changed",
    [
        {"players": ["a.py", -1]},
        {"players": ["a.py", "b", "c"]},
        {"verdicts": [{"verdict": "ok", "message": ""}]},
        {"scores": [0, {}]},
        {"metrics": [{}]},
        {"metrics": [7, 8]},
        {"turns": True},
        {"clock": "sun"},
        {"own_seat": 2},
        {"finished_at": "2026-01-02T03:04"},
    ],
)
def test_a_head_that_no_match_has_is_damaged(changed: dict[str, object]) -> None:
    line, _, rest = to_bytes(MATCH).partition(b"\n")
    with pytest.raises(Damaged):
        from_bytes(json.dumps(json.loads(line) | changed).encode() + b"\n" + rest)


def test_only_the_last_thousand_stay_and_files_of_others_are_left_alone(store: LocalMatches) -> None:
    (store.folder / "notes.txt").write_text("mine")
    old, young = (store.folder / f".draft-{name}" for name in ("old", "young"))
    old.touch()
    young.touch()
    long_ago = time.time() - local_matches.DRAFT_LIFE_S - 60
    os.utime(old, (long_ago, long_ago))
    for number in range(1, MOST + 1):
        store.file(number).write_bytes(to_bytes(MATCH))
    assert [store.keep(MATCH) for _ in range(3)] == [MOST + 1, MOST + 2, MOST + 3]
    assert store.numbers() == list(range(MOST + 3, 3, -1))
    assert {path.name for path in store.folder.iterdir() if path.suffix != ".match"} == {"notes.txt", young.name}
    assert [path.stat().st_mode & 0o777 for path in store.folder.glob(f"{MOST + 3}.match")] == [0o600]


def test_several_programs_that_keep_matches_at_once_lose_and_overwrite_none(store: LocalMatches) -> None:
    def keep_many(program: int) -> list[int]:
        return [store.keep(replace(MATCH, head=replace(MATCH.head, seed=1000 * program + one))) for one in range(50)]

    numbers = list(in_processes(keep_many, range(4), 4))
    assert sorted(number for own in numbers for number in own) == list(range(1, 201))
    kept = {number: head.seed for number, head in store.heads() if head is not None}
    for program, own in enumerate(numbers):
        assert own == sorted(own)
        assert [kept[number] for number in own] == [1000 * program + one for one in range(50)]


@pytest.fixture
def with_damage(store: LocalMatches) -> LocalMatches:
    """Three matches, of which the second is damaged."""
    for _ in range(3):
        store.keep(MATCH)
    store.file(2).write_bytes(to_bytes(MATCH)[:-5])
    return store


def read(store: LocalMatches, words: str) -> tuple[int, local_matches.LocalMatch]:
    name = read_local_name(words)
    assert name is not None
    return store.read(name)


def test_a_name_counts_back_from_the_latest_or_lasts_and_a_damaged_match_is_told(with_damage: LocalMatches) -> None:
    assert [read(with_damage, words)[0] for words in ("play:1", "play:3", "local:1", "local:3")] == [3, 1, 1, 3]
    for words in ("play:2", "local:2"):
        with pytest.raises(Refused, match=rf"match {words} cannot be read: .*2\.match is damaged"):
            read(with_damage, words)
    for words in ("play:4", "local:9"):
        with pytest.raises(UnknownName, match=f"there is no match {words}: there are play:1 to play:3, and"):
            read(with_damage, words)
    with pytest.raises(UnknownName, match="`ladder play` has played none here yet"):
        read(LocalMatches(with_damage.folder / "none"), "play:1")
    assert read_local_name("play:x") is read_local_name("play:-1") is read_local_name("17") is None


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


def test_every_setting_counts() -> None:
    environment = {"STDERR_DAYS": "forever", "RECORD_DAYS": "365", "KEEP_NEWEST": "0", "STDERR_MB_PER_DAY": "7"}
    environment["ARCHIVE"] = "/mnt/old matches"
    assert retention_from({f"LADDER_{name}": word for name, word in environment.items()}) == Retention(
        None, 365, 0, 7, archive=Path("/mnt/old matches")
    )


def test_records_are_kept_for_ever_by_default_and_stderr_for_a_quarter() -> None:
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


def test_repeated_words_take_little_room() -> None:
    assert len(packed_text("turn 1: 12.5\n" * 1000)) < 200


def test_a_damaged_text_is_said_to_be_that() -> None:
    with pytest.raises(DamagedRecord):
        unpacked_text(packed_text("kraken " * 100)[:20])
