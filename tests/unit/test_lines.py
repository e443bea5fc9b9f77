"""Reading lines as CodinGame's runner does."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bot.conditions import FLOOD_BYTES
from engine.bot.output import LineBuffer


def lines_of(*chunks: bytes) -> list[str]:
    buffer = LineBuffer()
    for chunk in chunks:
        buffer.feed(chunk)
    found = []
    while (line := buffer.take()) is not None:
        found.append(line)
    return found


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ((b"a\nb\n",), ["a", "b"]),
        ((b"a\r\nb\r\n",), ["a", "b"]),
        ((b"a\rb\r",), ["a", "b"]),
        ((b"a\r", b"\nb\n"), ["a", "b"]),
        ((b"a\r", b"b\n"), ["a", "b"]),
        ((b"a\r", b"\n", b"\nb\n"), ["a", "", "b"]),
        ((b"a\n\rb\n",), ["a", "", "b"]),
        ((b"\n",), [""]),
        ((b"half", b" a line\n", b"rest"), ["half a line"]),
        ((b"",), []),
    ],
)
def test_three_line_ends_are_understood_however_the_bytes_are_cut(chunks: tuple[bytes, ...], lines: list[str]) -> None:
    assert lines_of(*chunks) == lines


@pytest.mark.parametrize("character", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
def test_no_other_character_ends_a_line(character: str) -> None:
    assert lines_of(f"a{character}b\n".encode()) == [f"a{character}b"]


def test_invalid_utf8_becomes_replacement_characters() -> None:
    assert lines_of(b"MOVE \xff N\n") == ["MOVE \ufffd N"]


def test_a_line_of_9999_bytes_is_a_line_and_one_byte_more_is_a_flood() -> None:
    longest = b"x" * (FLOOD_BYTES - 1)
    assert lines_of(longest + b"\n") == [longest.decode()]
    buffer = LineBuffer()
    buffer.feed(longest)
    assert not buffer.flooded
    buffer.feed(b"x")
    assert buffer.flooded


def test_a_too_long_line_is_a_flood_even_when_its_end_comes_in_the_same_chunk() -> None:
    buffer = LineBuffer()
    buffer.feed(b"x" * (FLOOD_BYTES) + b"\n")
    assert buffer.flooded
    assert buffer.take() is None


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=5))
def test_cutting_the_bytes_elsewhere_gives_the_same_lines(data: bytes, cuts: list[int]) -> None:
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    chunks = [data[start:end] for start, end in pairwise(edges)]
    assert lines_of(*chunks) == lines_of(data)


def test_an_answer_of_several_lines_is_whole_with_its_last_line() -> None:
    buffer = LineBuffer()
    buffer.answer_lines = 3
    assert buffer.lacking == "no complete line"
    buffer.feed(b"one\n")
    assert buffer.lacking == "1 of 3 lines"
    buffer.feed(b"two\nthr")
    assert (buffer.take(), buffer.has_answer, buffer.lacking) == (None, False, "2 of 3 lines")
    buffer.feed(b"ee\r\nfour\n")
    assert buffer.take() == "one\ntwo\nthree"
    buffer.answer_lines = 1
    assert buffer.take() == "four"
    assert buffer.lacking == "no complete line"
