"""Text as the official referees read it, and as people read it in a message."""

from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import BLANKS, harmless, one_line, shortened
from tests.unit.conversations import ANY_TEXT


def test_blanks_are_the_first_33_characters() -> None:
    assert all((chr(code) in BLANKS) == (code <= 0x20) for code in range(0x110000))


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("MOVE N TORPEDO", "MOVE N TORPEDO"),
        ("caf\u00e9 \u65e5\u672c", "caf\u00e9 \u65e5\u672c"),
        ("a\tb\x00c", "a\\tb\\x00c"),
        ("\ud800", "\\ud800"),
        ("x" * 80, "x" * 80),
        ("x" * 81, "x" * 77 + "..."),
        ("\x00" * 80, ("\\x00" * 20)[:77] + "..."),
    ],
)
def test_quotes_for_people(text: str, quoted: str) -> None:
    """What can be printed stays, the rest is escaped, and the end of a long text is left out."""
    assert shortened(text) == quoted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("caf\u00e9 \u65e5\u672c\n\tindented", "caf\u00e9 \u65e5\u672c\n\tindented"),
        ("\x1b]0;owned\x07\x1b[2J", "\u241b]0;owned\u2407\u241b[2J"),
        ("one\r\ntwo\rthree\x00\x7f", "one\ntwo\u240dthree\u2400\u2421"),
        ("\x9b2J \u202eright to left \ud800", "\ufffd2J \ufffdright to left \ufffd"),
    ],
)
def test_strangers_words_are_shown_and_steer_nothing(text: str, shown: str) -> None:
    """What is text stays; what a terminal would obey is seen."""
    assert harmless(text) == shown


@given(ANY_TEXT)
def test_harmless_words_can_be_printed_and_have_no_control_characters(text: str) -> None:
    shown = harmless(text)
    assert not any(category(character) in {"Cc", "Cs"} for character in shown if character not in "\n\t")
    assert len(shown) == len(text) - text.count("\r\n")
    assert harmless(shown) == shown


@given(ANY_TEXT)
def test_quotes_are_short_and_printable(text: str) -> None:
    assert len(shortened(text)) <= 80
    assert shortened(text).isprintable()


@given(st.text(st.characters(), max_size=20))
def test_one_line_is_what_harmless_makes_of_it_without_line_ends_and_tabs(text: str) -> None:
    assert one_line(text) == harmless(text).replace("\n", "␊").replace("\t", "␉")
