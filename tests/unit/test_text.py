"""Text as the official referees read it, and as people read it in a message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.text import BLANKS, shortened

ANY_TEXT = st.text(st.characters(exclude_categories=()))


def test_blanks_are_the_first_33_characters() -> None:
    """Other white space stays."""
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


@given(ANY_TEXT)
def test_quotes_are_short_and_printable(text: str) -> None:
    """Any text of any characters."""
    assert len(shortened(text)) <= 80
    assert shortened(text).isprintable()
