"""Shortens the lists of known names that error messages show."""

from __future__ import annotations

from collections.abc import Iterable

MOST_LISTED = 20
"""This many names are shown."""


def in_short(names: Iterable[str], most: int = MOST_LISTED) -> list[str]:
    """Return names as they come; of more than `most` the first ones and, as the last, how many more there are."""
    known = list(names)
    left = len(known) - most
    return known if left <= 0 else [*known[:most], f"and {left} more"]
