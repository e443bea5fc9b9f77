"""Which Ladder this is, and whether it and another one understand each other."""

import re

VERSION = "0.1.0"
HEADER = "Ladder-Version"
"""By it a program says in each request, and a server in each answer, which Ladder it is."""
NUMBERS = re.compile(r"(\d{1,6})\.(\d{1,6})(\.\d{1,6})?")


def compared(other: str, own: str = VERSION) -> int:
    """Return 1 if another Ladder is too new to understand, -1 too old, 0 fits, as what is not a version does."""
    theirs, ours = numbers_of(other), numbers_of(own)
    if theirs is None or ours is None:
        return 0
    return (theirs > ours) - (theirs < ours)


def numbers_of(version: str) -> tuple[int, int] | None:
    number = NUMBERS.fullmatch(version)
    return None if number is None else (int(number[1]), int(number[2]))
