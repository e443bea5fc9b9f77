"""Text as the official referees read it, and as we quote it to people."""

from __future__ import annotations

BLANKS = "".join(map(chr, range(0x21)))  # all that Java's trim removes; it keeps every other kind of white space
_LONGEST_QUOTE = 80


def shortened(text: str) -> str:
    """Return what a bot wrote in a form fit for a message: one line, nothing unprintable, 80 characters at most."""
    quoted = repr(text[:_LONGEST_QUOTE])[1:-1]
    if len(text) <= _LONGEST_QUOTE and len(quoted) <= _LONGEST_QUOTE:
        return quoted
    return quoted[: _LONGEST_QUOTE - 3] + "..."
