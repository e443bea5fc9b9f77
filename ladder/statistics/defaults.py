"""What tests and estimates take where nothing is said. It imports nothing, so that help texts can say it too."""

from __future__ import annotations

ERROR_RATE = 0.05
"""Of a sequential test: its alpha, and its beta."""
ELO_MODEL = "logistic"
CONFIDENCE = 0.95
"""With which somebody is called better, and with which intervals hold the truth."""


def outcomes_of(players: int) -> int:
    """Return how many outcomes a rotation has: `players` matches, each of up to 2 (players - 1) half points."""
    return 2 * players * (players - 1) + 1
