"""Numbers that bots print about themselves, by psyleague's convention: lines on stderr that begin with a tag.

    [TDATA] key = value     about the match, as the seat that prints it sees it
    [PDATA] key = value     about the seat that prints it
    [PDATA+] key = value    likewise, but the values are summed

Either way a value belongs to the seat that printed it, and the last one counts.

A tag, a key, `=` and a value are words with single blanks between; what follows the value is ignored, and so is every
line that is not of this form.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

MOST_METRICS = 100
"""This many keys are kept of each seat."""
LONGEST_WORD = 100


def metrics_of(stderr: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for tag, key, value in tagged(stderr):
        if tag == "[PDATA+]":
            add(found, key, value)
        else:
            keep(found, key, value)
    return found


def tagged(text: str) -> Iterable[tuple[str, str, str]]:
    for line in text.split("\n"):
        words = line.strip().split(" ")
        if len(words) >= 4 and words[0] in {"[TDATA]", "[PDATA]", "[PDATA+]"} and words[2] == "=":
            yield words[0], words[1][:LONGEST_WORD], words[3][:LONGEST_WORD]


def keep(kept: dict[str, str], key: str, value: str) -> None:
    if key in kept or len(kept) < MOST_METRICS:
        kept[key] = value


def add(kept: dict[str, str], key: str, value: str) -> None:
    """What is not a number counts for nothing."""
    keep(kept, key, f"{number(kept.get(key, '0')) + number(value):g}")


def number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if math.isfinite(value) else 0.0
