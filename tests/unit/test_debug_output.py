"""Keeping the beginning of what bots write to stderr."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.bot.conditions import OutputLimits
from engine.bot.output import LAST_WORDS_BYTES, DebugOutput

LIMITS = OutputLimits(stderr_turn_bytes=10, stderr_match_bytes=25)


@pytest.mark.parametrize(
    ("turns", "text", "dropped_bytes"),
    [
        pytest.param([[b"0123456", b"789abc"]], "0123456789", 3, id="a turn's share"),
        pytest.param([[b"a" * 12], [b"b" * 12]], "a" * 10 + "b" * 10, 4, id="each turn has its own"),
        pytest.param(
            [[one * 10] for one in (b"a", b"b", b"c", b"d")], "a" * 10 + "b" * 10 + "c" * 5, 15, id="a match's"
        ),
    ],
)
def test_what_is_beyond_a_share_is_counted_and_dropped(turns: list[list[bytes]], text: str, dropped_bytes: int) -> None:
    output = DebugOutput(LIMITS)
    for chunks in turns:
        for chunk in chunks:
            output.take(chunk)
        output.new_turn()
    assert output.text == text
    assert output.dropped_bytes == dropped_bytes


def test_bytes_that_are_no_text_are_replaced() -> None:
    output = DebugOutput(LIMITS)
    output.take(b"\xff\x00ok")
    assert output.text == "\ufffd\0ok"


def test_the_last_words_are_the_end_of_what_was_said_kept_or_not() -> None:
    output = DebugOutput(LIMITS)
    output.take(b"first turn, with much in it")
    output.new_turn()
    output.take(b"chatter and ")
    output.take(b"the reason")
    assert output.last_words.endswith("in itchatter and the reason")


@pytest.mark.parametrize(
    ("said", "text", "dropped_bytes"),
    [
        (b"0123456789abcdefghijKLMNOPQRST", "0123456789\n[10 bytes were dropped here]\nKLMNOPQRST", 10),
        (b"0123456789abc", "0123456789abc", 0),
    ],
)
def test_last_words_of_a_bot_that_ended_are_kept_beyond_its_share(said: bytes, text: str, dropped_bytes: int) -> None:
    output = DebugOutput(LIMITS)
    output.take(said)
    output.keep_last_words()
    assert output.text == text
    assert output.dropped_bytes == dropped_bytes


@pytest.mark.parametrize("turn_bytes", [0, 10_000_000])
def test_the_last_words_take_little_memory_whatever_a_league_keeps(turn_bytes: int) -> None:
    output = DebugOutput(OutputLimits(stderr_turn_bytes=turn_bytes, stderr_match_bytes=0))
    for _ in range(20):
        output.take(b"x" * 65_536)
    assert len(output.last_words) == LAST_WORDS_BYTES
    output.keep_last_words()
    assert len(output.text) < 2 * LAST_WORDS_BYTES


def test_a_league_that_keeps_nothing_keeps_no_last_words() -> None:
    output = DebugOutput(OutputLimits(stderr_turn_bytes=0))
    output.take(b"the end")
    output.keep_last_words()
    assert (output.text, output.dropped_bytes, output.last_words) == ("", 7, "the end")


def test_last_words_that_were_kept_are_not_kept_twice() -> None:
    output = DebugOutput(LIMITS)
    output.take(b"a" * 12)
    output.new_turn()
    output.take(b"the end")
    output.keep_last_words()
    assert output.text == "a" * 10 + "the end"
    assert output.dropped_bytes == 2


@given(st.lists(st.lists(st.binary(max_size=15) | st.text(max_size=5).map(str.encode), max_size=3), max_size=6))
def test_the_characters_of_all_turns_are_those_that_are_kept(said: list[list[bytes]]) -> None:
    output = DebugOutput(LIMITS)
    for turn in said:
        output.new_turn()
        for chunk in turn:
            output.take(chunk)
    if said:
        output.keep_last_words()
    assert len(output.turn_chars) == len(said)
    assert sum(output.turn_chars) == len(output.text)


def test_each_turn_has_the_characters_that_it_wrote() -> None:
    output = DebugOutput(LIMITS)
    for chunk in (b"abc", b"", "d\N{EURO SIGN}".encode()[:2], "\N{EURO SIGN}f".encode()[1:]):
        output.new_turn()
        output.take(chunk)
    assert output.text == "abcd\N{EURO SIGN}f"
    assert output.turn_chars == [3, 0, 1, 2], "a character that two turns share is the later one's"
