"""What a match that was played here is called, and its file.

`play:1` is the latest, `play:2` the one before, and so on; `local:12` is lasting, by the number of its file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

PLACE, LASTING = "play", "local"
LOCAL_NAME = re.compile(rf"({PLACE}|{LASTING}):([0-9]{{1,18}})")
OWN_FILE = re.compile(r"([1-9][0-9]{0,17})\.match")


@dataclass(frozen=True, slots=True)
class LocalName:
    """How people name one of these matches. `is_lasting`: by its running number, and not counted from the latest."""

    number: int
    is_lasting: bool

    def __str__(self) -> str:
        """Return the words that name it."""
        return f"{LASTING if self.is_lasting else PLACE}:{self.number}"


def lasting_name(number: int) -> str:
    """Return how the match of a running number is called for as long as it is kept."""
    return str(LocalName(number, is_lasting=True))


def read_local_name(words: str) -> LocalName | None:
    """Read `play:1` or `local:12`; None for other words."""
    found = LOCAL_NAME.fullmatch(words)
    return None if found is None else LocalName(int(found[2]), found[1] == LASTING)


def file_name(number: int) -> str:
    """Return the name of the file of a running number."""
    return f"{number}.match"


def numbers_of(names: Iterable[str]) -> list[int]:
    """Return the running numbers among names of files, the largest first."""
    return sorted((int(found[1]) for found in map(OWN_FILE.fullmatch, names) if found), reverse=True)
