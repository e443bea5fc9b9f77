"""What tests and estimates take where nothing is said. It imports nothing, so that help texts can say it too."""

from __future__ import annotations

ERROR_RATE = 0.05
"""Of a sequential test: its alpha, and its beta."""
ELO_MODEL = "logistic"
