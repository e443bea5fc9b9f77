"""Keeping the beginning of what bots write to stderr."""

from __future__ import annotations

from engine.conditions import OutputLimits
from engine.debug_output import DebugOutput

LIMITS = OutputLimits(stderr_turn_bytes=10, stderr_match_bytes=25)


def test_what_is_beyond_a_turns_share_is_counted_and_dropped() -> None:
    output = DebugOutput(LIMITS)
    output.take(b"0123456")
    output.take(b"789abc")
    assert output.text == "0123456789"
    assert output.dropped_bytes == 3


def test_each_turn_has_a_share_of_its_own() -> None:
    output = DebugOutput(LIMITS)
    output.take(b"a" * 12)
    output.new_turn()
    output.take(b"b" * 12)
    assert output.text == "a" * 10 + "b" * 10
    assert output.dropped_bytes == 4


def test_a_match_has_a_share_too() -> None:
    output = DebugOutput(LIMITS)
    for letter in (b"a", b"b", b"c", b"d"):
        output.new_turn()
        output.take(letter * 10)
    assert output.text == "a" * 10 + "b" * 10 + "c" * 5
    assert output.dropped_bytes == 15


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
    assert output.last_words == "the reason"


def test_the_last_words_of_a_bot_that_ended_are_kept_beyond_its_share() -> None:
    output = DebugOutput(LIMITS)
    output.take(b"0123456789abcdefghijKLMNOPQRST")
    output.keep_last_words()
    assert output.text == "0123456789\n[10 bytes were dropped here]\nKLMNOPQRST"
    assert output.dropped_bytes == 10


def test_where_little_was_dropped_nothing_is_missing_in_the_end() -> None:
    output = DebugOutput(LIMITS)
    output.take(b"0123456789abc")
    output.keep_last_words()
    assert output.text == "0123456789abc"
    assert output.dropped_bytes == 0


def test_last_words_that_were_kept_are_not_kept_twice() -> None:
    output = DebugOutput(LIMITS)
    output.take(b"a" * 12)
    output.new_turn()
    output.take(b"the end")
    output.keep_last_words()
    assert output.text == "a" * 10 + "the end"
    assert output.dropped_bytes == 2
