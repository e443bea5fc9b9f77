"""Integers as the official referee reads them."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.games.ocean_of_code.submarine import integer


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("14", 14),
        ("007", 7),
        ("+3", 3),
        ("-3", -3),
        ("-0", 0),
        ("+0", 0),
        ("000", 0),
        ("2147483647", 2147483647),
        ("-2147483648", -2147483648),
        ("\u0663", 3),  # Arabic-Indic
        ("-\uff11\u0662", -12),  # full-width 1, Arabic-Indic 2
        ("0" * 9000 + "5", 5),
        ("\u0660" * 9000 + "5", 5),
    ],
)
def test_integers(text: str, value: int) -> None:
    """A sign, digits of any script, leading zeros."""
    assert integer(text) == value


@pytest.mark.parametrize(
    "text",
    [
        *("", "+", "-", "+-3", "--3", "3-", "3+", " 3", "3 ", "1 2", "\t3", "3\n", "a", "3a", "0x1", "1e2", "1.0"),
        "1_0",
        *("2147483648", "-2147483649", "9" * 9000),
        "\u2212" + "3",  # a minus sign that is not the ASCII one
        "\u00b2",  # a superscript is not a decimal digit
        "\u2163",  # nor is a Roman numeral
        "\U0001d7cf",  # a digit outside the basic multilingual plane
        "1\U0001d7cf",
    ],
)
def test_what_is_no_integer(text: str) -> None:
    """None, whatever Python thinks of it."""
    assert integer(text) is None


def test_the_digits_are_those_of_category_nd_in_the_first_plane() -> None:
    for code in range(0x110000):
        is_digit = code <= 0xFFFF and unicodedata.category(chr(code)) == "Nd"
        assert (integer(chr(code)) is not None) == is_digit


@given(st.integers(-(1 << 33), 1 << 33), st.booleans(), st.integers(0, 12))
def test_integers_read_back_within_32_bits(value: int, plus: bool, zeros: int) -> None:
    sign = "-" if value < 0 else "+" if plus else ""
    expected = value if -(1 << 31) <= value < 1 << 31 else None
    assert integer(f"{sign}{'0' * zeros}{abs(value)}") == expected
