"""Reading golden records, and saying where a game parts from one."""

import gzip
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.conversation import OK, Ask, Outcome, Referee, TimeLimits
from engine.errors import UsageFault
from engine.game import Game
from engine.games.golden import MapRecord, MatchRecord, RecordedAsk, map_difference, numbered_records, open_lines
from engine.records.repeat_match import record_difference

MATCH: dict[str, Any] = {
    "game": "echo",
    "league": 2,
    "seed": -9223372036854775808,
    "id": "echo-1",
    "asks": [[0, ["start", "again"], "a"], [1, ["a"], "b\u2028c"], [0, ["b"], None]],
    "scores": [-1, 3],
    "winner": 1,
    "end": "silence",
}
MAP = {"game": "echo", "seed": 9223372036854775807, "map": ["..", "x."], "spots": [[0, 1]]}
MATCH_RECORD = MatchRecord(
    game="echo",
    id="echo-1",
    rules_level=2,
    seed=-(1 << 63),
    asks=(RecordedAsk(0, ("start", "again"), "a"), RecordedAsk(1, ("a",), "b\u2028c"), RecordedAsk(0, ("b",), None)),
    scores=(-1, 3),
    winner=1,
    end="silence",
)
MAP_RECORD = MapRecord("echo", (1 << 63) - 1, {"map": ["..", "x."], "spots": [[0, 1]]})


def lines_of(*records: dict[str, Any]) -> bytes:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def asking(*asks: list[Any]) -> bytes:
    return lines_of({**MATCH, "asks": asks})


def test_plain_and_packed_files_read_alike(tmp_path: Path) -> None:
    text = lines_of(MATCH, MAP, {**MATCH, "winner": -1})
    (tmp_path / "a.jsonl").write_bytes(text)
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(text))
    expected = [MATCH_RECORD, MAP_RECORD, replace(MATCH_RECORD, winner=None)]
    assert list(numbered_records(tmp_path / "a.jsonl")) == list(enumerate(expected, 1))
    assert list(numbered_records(tmp_path / "a.jsonl.gz")) == list(enumerate(expected, 1))


def test_a_last_line_needs_no_line_end(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(lines_of(MATCH).rstrip())
    assert list(numbered_records(tmp_path / "a.jsonl")) == [(1, MATCH_RECORD)]


ONE = lines_of(MATCH)
PACKED = gzip.compress(ONE * 3, mtime=0)
WRONG = ", line 1: not a golden record ("
NEITHER = "not a golden record (it has neither the fields of a match nor those of a map)"
EARLY = "the gzip data end too early; was the file cut off?"
BAD_FILES = {
    "empty": (b"", ": the file is empty"),
    "text": (b"hello\n", ", line 1: not JSON (Expecting value, column 1)"),
    "cut off": (ONE + ONE[:100], ", line 2: not JSON (Unterminated string starting at, column "),
    "blank line": (ONE + b"\n", ", line 2: not JSON (Expecting value, column "),
    "no object": (b"[1]\n", f", line 1: {NEITHER}"),
    "too deep": (b"[" * 100_000 + b"\n", f"{WRONG}maximum recursion depth exceeded"),
    "too large a number": (b'{"seed": ' + b"9" * 5000 + b"}\n", f"{WRONG}Exceeds the limit"),
    "other encoding": (b"\xff\xfe\n", f"{WRONG}'utf-8' codec can't decode byte 0xff"),
    "packed but not called so": (PACKED, f"{WRONG}'utf-8' codec can't decode byte 0x8b"),
    "seed with a point": (lines_of(MATCH, {**MATCH, "seed": 1.0}), f", line 2: {NEITHER}"),
    "seed too large": (lines_of({**MATCH, "seed": 1 << 63}), f"{WRONG}seed 9223372036854775808 does not "),
    "seed too small": (lines_of({**MAP, "seed": -(1 << 63) - 1}), f"{WRONG}seed -9223372036854775809 does"),
    "winner 2": (lines_of({**MATCH, "winner": 2}), f", line 1: {NEITHER}"),
    "nine scores": (lines_of({**MATCH, "scores": [1] * 9}), f", line 1: {NEITHER}"),
    "seat 2": (asking([0, ["a"], "b"], [2, ["a"], "b"]), f"{WRONG}ask 2 is of seat 2, and scores has 2 seats)"),
    "a line that is not text": (asking([0, ["a", 1], "b"]), f"{WRONG}ask 1 is not [seat, "),
    "an ask without answer": (asking([0, ["a"]]), f"{WRONG}ask 1 is not [seat, "),
}
BAD_PACKED = {
    "empty and called packed": (b"", ": the file is empty"),
    "not packed but called so": (ONE, ", line 1: not gzip data (Not a gzipped file"),
    "packed and cut off in the end": (PACKED[:-4], f", line 4: {EARLY}"),
    "packed and cut off in the middle": (PACKED[:60], f", line 1: {EARLY}"),
    "packed and overwritten": (
        PACKED[:40] + bytes(20) + PACKED[60:],
        ", line 1: not gzip data (Error -3 while decompressing",
    ),
    "packed with another sum": (PACKED[:-8] + bytes(8), ", line 4: not gzip data (CRC check failed"),
}
ROWS = [*(("a.jsonl", *row) for row in BAD_FILES.values()), *(("a.jsonl.gz", *row) for row in BAD_PACKED.values())]


@pytest.mark.parametrize(("name", "content", "message"), ROWS, ids=[*BAD_FILES, *BAD_PACKED])
def test_a_bad_file_is_named_with_the_line(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UsageFault) as caught:
        list(numbered_records(path))
    assert str(caught.value).startswith(f"{path}{message}")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    for path, message in [(tmp_path / "none.jsonl.gz", "No such file or directory"), (tmp_path, "Is a directory")]:
        with pytest.raises(UsageFault) as caught:
            list(numbered_records(path))
        assert str(caught.value) == f"{path}: cannot be read ({message})"


# A game of nothing but echoes, which ends as soon as somebody is silent.


def echo(seed: int, rules_level: int, limits: TimeLimits) -> Referee:
    assert (seed, rules_level) == (-(1 << 63), 2)
    answer: str | None = "start\nagain"
    seat = 1
    while answer is not None:
        seat = 1 - seat
        answer = yield Ask(seat, tuple(answer.split("\u2028")[0].split("\n")), 50)
    return Outcome((-1, 3) if seat == 0 else (3, -1), "silence", (OK, OK))


def at_once(seed: int, rules_level: int, limits: TimeLimits) -> Referee:
    yield from ()
    return Outcome((-1, 3), "silence", (OK, OK))


def game(referee: Callable[[int, int, TimeLimits], Referee] = echo) -> Game:
    return Game("echo", "Echo", Path(), (), 0.1, 10, TimeLimits(1000, 50), referee)


ASKS = MATCH_RECORD.asks
DIFFERENCES: dict[str, dict[str, Any]] = {
    "ask 1, seat 1, question: expected to seat 1, got to seat 0": {
        "asks": (RecordedAsk(1, ("start",), "a"), *ASKS[1:])
    },
    "ask 2, seat 1, line 1: expected 'A', got 'a'": {"asks": (ASKS[0], RecordedAsk(1, ("A",), "b"), ASKS[2])},
    "ask 1, seat 0, line 3: expected 'more', got no such line": {
        "asks": (RecordedAsk(0, ("start", "again", "more"), "a"),)
    },
    "ask 1, seat 0, line 2: expected no such line, got 'again'": {"asks": (RecordedAsk(0, ("start",), "a"),)},
    "ask 3, seat 0, question: expected the end of the game, got 'b'": {"asks": ASKS[:2]},
    "ask 4, seat 1, question: expected 'c\\nd', got the end of the game (silence, scores (-1, 3))": {
        "asks": (*ASKS, RecordedAsk(1, ("c", "d"), "e"))
    },
    "scores: expected (-1, 4), got (-1, 3)": {"scores": (-1, 4)},
    "winner: expected None, got 1": {"winner": None},
    "end: expected x, got silence": {"end": "x"},
}


@pytest.mark.parametrize("sentence", DIFFERENCES)
def test_the_first_difference(sentence: str) -> None:
    """The ask, the seat, and what was expected."""
    assert str(record_difference(replace(MATCH_RECORD, **DIFFERENCES[sentence]), game())) == sentence


def test_a_record_that_is_met() -> None:
    assert record_difference(MATCH_RECORD, game()) is None


def test_a_game_that_asks_nothing() -> None:
    assert record_difference(replace(MATCH_RECORD, asks=()), game(at_once)) is None
    difference = record_difference(MATCH_RECORD, game(at_once))
    assert difference is not None
    assert (difference.ask, difference.seat, difference.what) == (1, 0, "question")


def test_long_lines_are_cut_in_what_is_said() -> None:
    """A map of many lines would fill the screen."""
    for line, expected in (("x" * 999, "'" + "x" * 196 + "..."), ("x" * 198, repr("x" * 198))):
        difference = record_difference(replace(MATCH_RECORD, asks=(RecordedAsk(0, (line,), "a"),)), game())
        assert difference is not None
        assert difference.expected == expected


def test_maps_are_compared_key_by_key() -> None:
    facts = {"map": ["..", "x."], "spots": [[0, 1]]}
    assert map_difference(MAP_RECORD, facts) is None
    moved = map_difference(MAP_RECORD, {**facts, "spots": [[1, 1]]})
    assert str(moved) == "spots of seed 9223372036854775807: expected [[0, 1]], got [[1, 1]]"
    assert str(map_difference(MAP_RECORD, {"map": facts["map"]})).endswith("expected [[0, 1]], got None")
    assert str(map_difference(MAP_RECORD, {**facts, "more": 1})).endswith("expected None, got 1")


def test_the_open_form_holds_the_same_record_line_by_line(tmp_path: Path) -> None:
    """Beside it in one file may stand a record of the packed form."""
    path = tmp_path / "open.jsonl"
    lines = list(open_lines(MATCH_RECORD))
    path.write_text("".join(f"{line}\n" for line in lines) * 2)
    assert list(numbered_records(path)) == [(1, MATCH_RECORD), (1 + len(lines), MATCH_RECORD)]
    assert len(lines) == 2 + len(MATCH_RECORD.asks)


@pytest.mark.parametrize(
    ("kept", "added", "message"),
    [
        (2, "", "the match that begins in line 1 has no end; was the file cut off?"),
        (2, '{"scores": [1, 0]}', "line 3: not a golden record (inside a match a line is a question, or an object"),
        (2, '"words"', "line 3: not a golden record (inside a match a line is a question, or an object"),
        (1, '[8, [], "x"]\n{"scores": [0, 0], "winner": -1, "end": "x"}', "line 3: not a golden record (ask 1 is not "),
    ],
)
def test_a_damaged_match_in_the_open_form_is_named_by_line(tmp_path: Path, kept: int, added: str, message: str) -> None:
    path = tmp_path / "open.jsonl"
    path.write_text("\n".join([*list(open_lines(MATCH_RECORD))[:kept], added]).rstrip("\n") + "\n")
    with pytest.raises(UsageFault, match=re.escape(message)):
        list(numbered_records(path))
