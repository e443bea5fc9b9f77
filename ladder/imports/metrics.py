"""What another program noted of a match, as metrics of its seats: short words, and not too many of them."""

from __future__ import annotations

from collections.abc import Mapping

from engine.metrics import LONGEST_WORD, keep
from engine.text import one_line


def metrics_from(*noted: Mapping[str, object]) -> dict[str, str]:
    """Return what was noted, the later in place of the earlier; values that are no numbers or words are left out."""
    found: dict[str, str] = {}
    for words in noted:
        for key, value in words.items():
            if isinstance(value, str | int | float):
                keep(found, one_line(key)[:LONGEST_WORD], one_line(str(value))[:LONGEST_WORD])
    return found
