"""How warm a cell of a heat map is: from everything lost to everything won.

How this works. A heat map is a table whose cells hold their numbers and lead on; so it can be read without colours,
and by screen readers. Its colours are classes of the style sheet. A cell of few matches is paler than it would
be with many: what one match says is little.
"""

from __future__ import annotations

CLASSES = 4
"""To each side of the middle."""
FEW = 4.0
"""Matches that are added as half won and half lost."""


def heat(points: float, matches: int) -> str:
    """Return the class of a cell: `heat-0`, all lost, to `heat-8`, all won; "" without a match."""
    if not matches:
        return ""
    share = (points + FEW / 2) / (matches + FEW)
    return f"heat-{round(2 * CLASSES * min(max(share, 0.0), 1.0))}"
