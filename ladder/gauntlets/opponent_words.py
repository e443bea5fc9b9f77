"""Words that name a gauntlet's opponents: `predecessor`, `kraken@v7`, `prior:5`, `boss`. Pure.

What a word means, in versions, depends on the candidate and on the board: see `opponents`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from engine.errors import UsageFault

SELECTORS = "BOT@vN (a version), BOT (its present version), predecessor, prior:N, boss, board:topN"
MOST_DIGITS = 6


class Kind(Enum):
    """What a word names. The value of those that take a number is the word's beginning."""

    VERSION = ""
    BOSS = "boss"
    PREDECESSOR = "predecessor"
    PRIOR = "prior:"
    BOARD_TOP = "board:top"


@dataclass(frozen=True, slots=True)
class Word:
    """A word that was read. `most`: the number after `prior:` or `board:top`, else 1."""

    text: str
    kind: Kind
    most: int = 1


def read_word(text: str) -> Word:
    for kind in (Kind.BOSS, Kind.PREDECESSOR):
        if text == kind.value:
            return Word(text, kind)
    for kind in (Kind.PRIOR, Kind.BOARD_TOP):
        if text.startswith(kind.value):
            return Word(text, kind, number_in(text, kind.value))
    if ":" in text or not text:
        raise UsageFault(f"{text!r} names no opponents: there are {SELECTORS}")
    return Word(text, Kind.VERSION)


def number_in(text: str, prefix: str) -> int:
    digits = text.removeprefix(prefix)
    if not digits.isdecimal() or len(digits) > MOST_DIGITS or int(digits) < 1:
        raise UsageFault(f"{text!r} needs a number, as in {prefix}5: there are {SELECTORS}")
    return int(digits)
