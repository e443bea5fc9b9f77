"""The defaults of a gauntlet. This module imports nothing, so that help texts can show them too."""

from __future__ import annotations

OPPONENTS = ("prior:5", "boss")
"""As ladder.gauntlets.opponents takes them."""
PAIRS = 100
"""This many are played against each opponent."""
PAIRS_OF_A_TEST = 5000
"""A sequential test is given up after this many against each opponent."""
