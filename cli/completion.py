"""Completion: which words stand before the one that is completed, and in bash words with a colon, such as play:1.

How this works. Bash takes such a word for three: it hands over `play`, `:` and `1`, and replaces only what is behind
the colon. So the words are put together again before the program reads them, and of what it offers only the part behind
the colon is printed.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout

IN_BASH = "complete_bash"
"""What the variable of completion is where bash asks."""


def joined(words: Sequence[str], place: int) -> tuple[list[str], int, str]:
    """Return words joined around colons, the place of the completed one, and what of it bash leaves as it is."""
    found: list[str] = []
    is_open = False
    for word in words[: place + 1]:
        is_colon = bool(word) and not word.strip(":")
        if found and word and (is_colon or is_open):
            found[-1] += word
        else:
            found.append(word)
        is_open = is_colon
    head, colon, _ = found[-1].rpartition(":")
    return found, len(found) - 1, head + colon


def words_before() -> list[str]:
    """Return the words before the one that a shell completes. Bash hands over a list and a place, others the line."""
    place = os.environ.get("COMP_CWORD", "")
    if place.isdecimal():
        return os.environ.get("COMP_WORDS", "").split()[1 : int(place)]
    line = os.environ.get("_TYPER_COMPLETE_ARGS", "")
    return line.split()[1 : None if line.endswith(" ") else -1]


@contextmanager
def colons_joined(variable: str) -> Iterator[None]:
    """Do all this in the block where bash completes a line; else nothing. `variable`: that of completion."""
    words, place = os.environ.get("COMP_WORDS", "").split("\n"), os.environ.get("COMP_CWORD", "")
    if os.environ.get(variable) != IN_BASH or ":" not in words or not place.isdecimal():
        yield
        return
    whole, at, typed = joined(words, int(place))
    os.environ |= {"COMP_WORDS": "\n".join(whole), "COMP_CWORD": str(at)}
    offered = io.StringIO()
    try:
        with redirect_stdout(offered):
            yield
    finally:
        sys.stdout.writelines(f"{line.removeprefix(typed)}\n" for line in offered.getvalue().splitlines())
