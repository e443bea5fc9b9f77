"""A file or folder where the name of a version belongs, and the other way round: what to do instead, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.errors import NoSuchFile, UnknownName, UsageFault, WrongLines
from engine.text import counted, one_line
from ladder.names import VERSION

BOT = "bot"
"""The kind of an unknown name that could have been meant as a folder."""
MOST_LINES = 20
"""Of a file that are said to be wrong."""


def sentence(error: UsageFault, words: Sequence[str]) -> str:
    """Return the error's own sentence, or a better one where a file and a version were mistaken for each other.

    `words`: the command line.
    """
    if isinstance(error, UnknownName) and is_file(error.name):
        if tuple(words[:2]) == ("gauntlet", "run") and "--local" not in words:
            return f"{one_line(error.name)} is a file: add --local, or submit it"
        return (
            f"{one_line(error.name)} is a file, and a bot or version is wanted here: submit it first, or name its bot"
        )
    if isinstance(error, UnknownName) and error.kind == BOT and takes_folders(words) and is_folder(error.name):
        return f"{one_line(error.name)} is no version; {folder_advice(error.name)}"
    if isinstance(error, NoSuchFile) and VERSION.fullmatch(error.name):
        return (
            f"{error.name} is a version, and a file is wanted here: `ladder bot source {error.name}` prints its source"
        )
    if isinstance(error, WrongLines):
        more = len(error.lines) - MOST_LINES
        lines = [*error.lines[:MOST_LINES], *([f"and {counted(more, 'more line')}"] if more > 0 else [])]
        return "\n  ".join(map(one_line, [str(error), *lines]))
    return one_line(str(error))


def takes_folders(words: Sequence[str]) -> bool:
    """Say whether a command takes folders beside versions."""
    return tuple(words[:1]) == ("play",) or tuple(words[:2]) == ("gauntlet", "run")


def folder_advice(name: str) -> str:
    """Say how the folder of that name is typed."""
    return f"for the folder of that name write ./{one_line(name)}/"


def is_folder(name: str) -> bool:
    """Say whether there is such a folder; an empty name is none."""
    try:
        return name != "" and Path(name).is_dir()
    except (OSError, ValueError):  # a name that no file can have
        return False


def is_file(name: str) -> bool:
    """Say whether there is such a file; a word is meant as a folder only where it looks like one."""
    try:
        return Path(name).is_file() or ("/" in name and Path(name).is_dir())
    except (OSError, ValueError):  # a name that no file can have
        return False
