"""Integers as the official referee reads them, which is Java's way and not quite Python's."""

from __future__ import annotations

import unicodedata

_TOO_LARGE = 1 << 31
_LAST_OF_BMP = "\uffff"


def integer(text: str) -> int | None:
    """Read a 32-bit integer, or return None if it is none.

    A sign or not, then digits of any script in the basic multilingual plane, leading zeros allowed. Python's own `int`
    takes underscores, blanks, other planes and any size, and refuses very long runs of zeros.
    """
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits.isdecimal() or max(digits) > _LAST_OF_BMP:
        return None
    value = 0
    for digit in digits:
        value = 10 * value + unicodedata.decimal(digit)
        if value > _TOO_LARGE:
            return None
    if text[0] == "-":
        return -value
    return value if value < _TOO_LARGE else None
