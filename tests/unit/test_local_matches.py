"""Matches that were played here: their files, and the folder that holds the last of them."""

import json
import os
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bot.clock import Spent
from engine.conversation import Outcome, SeatVerdict, Verdict
from engine.errors import Refused, UnknownName
from engine.match import MatchResult, MatchSpec, Turn
from engine.parallel import in_processes
from ladder.matches.local_matches import (
    DRAFT_LIFE_S,
    MOST,
    Damaged,
    LocalMatch,
    LocalMatches,
    from_bytes,
    local_match,
    read_local_name,
    to_bytes,
)
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
    long_ago = time.time() - DRAFT_LIFE_S - 60
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


def read(store: LocalMatches, words: str) -> tuple[int, LocalMatch]:
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
