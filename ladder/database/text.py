"""Text as PostgreSQL can hold it."""

from __future__ import annotations


def without_nul(text: str) -> str:
    """Replace the one character that PostgreSQL's text cannot hold."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
