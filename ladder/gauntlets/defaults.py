"""The defaults of a gauntlet. This module imports nothing, so that help texts can show them too."""

from __future__ import annotations

OPPONENTS = ("predecessor",)
"""As ladder.gauntlets.opponents takes them: the version that the candidate would replace."""
CONTEXT = ("prior:3", "boss")
"""The candidate meets these too, for information, where the order names no opponents."""
OPPONENTS_BESIDE_A_BASELINE = ("boss",)
"""A baseline is an earlier version already, so candidate and baseline are compared by what they do to the boss."""
CONTEXT_EVERY = 5
"""Opponents for information are met on every fifth seed."""
BOUNDS = (-20.0, 20.0)
"""In Elo, of the sequential test that is played where neither bounds nor a number of pairs are given."""
PAIRS = 100
"""This many are played for each two variants."""
PAIRS_OF_A_TEST = 5000
"""A sequential test is given up after this many against each opponent."""
