"""Seeds as the command line takes them: one number, a range, a list of both, or a file with one in each line."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.errors import UsageFault

LARGEST = 2**63
"""Seeds are signed 64-bit numbers: from -LARGEST to LARGEST - 1."""
LONGEST_FILE_CHARS = 32 * 1024 * 1024
"""More than a million seeds take."""
NO_FORM = "is neither a range as in 1..200, nor a list as in 1,2,3, nor a"
MOST_SEEDS = 1_000_000
"""Of one --seeds."""
NUMBER = re.compile(r"[+-]?[0-9]+")
RANGE = re.compile(rf"(?P<first>{NUMBER.pattern})\s*\.\.\s*(?P<last>{NUMBER.pattern})")
PART = rf"\s*{NUMBER.pattern}\s*(\.\.\s*{NUMBER.pattern}\s*)?"
LIST = re.compile(rf"{PART}(,{PART})*")
LEAST_DRAWN, MOST_DRAWN = 100_000, 999_999
"""A seed that is drawn has six digits: short enough to be typed again."""


def checked_seed(seed: int | None) -> int:
    """Return the seed, or one that is drawn. Raises UsageFault where it does not fit 64 bits."""
    if seed is None:
        return LEAST_DRAWN + secrets.randbelow(MOST_DRAWN - LEAST_DRAWN + 1)
    if not -LARGEST <= seed < LARGEST:
        raise UsageFault(f"the seed {seed} is not a signed 64-bit number")
    return seed


def following_seed(seed: int, steps: int) -> int:
    """Return the seed this many further, wrapping around as 64-bit numbers do."""
    return (seed + steps + LARGEST) % (2 * LARGEST) - LARGEST


def read_seeds(words: str) -> tuple[int, ...]:
    """Read `1..200`, `1,2,3`, or the file of that name: a seed or a range in each line, `#` begins a comment.

    Raises UsageFault where there is none, or there are too many, one is no signed 64-bit number, a range is empty, or a
    seed comes twice: the same pair played again would add nothing.
    """
    found: dict[int, None] = {}
    for seed, where in seeds_in_list(words) if LIST.fullmatch(words) else seeds_in_file(Path(words)):
        if seed in found:
            raise UsageFault(f"{where}the seed {seed} comes a second time")
        found[seed] = None
        if len(found) > MOST_SEEDS:
            raise UsageFault(f"{where}there are more than {MOST_SEEDS:,} seeds; that is the limit")
    if not found:
        raise UsageFault(f"--seeds: there is no seed in {words}")
    return tuple(found)


def seeds_in_list(words: str) -> Iterator[tuple[int, str]]:
    """Give the seeds of a list, each with the words that say where it stands. Raises UsageFault."""
    where = "--seeds: "
    for word in words.split(","):
        yield from ((seed, where) for seed in seeds_in(word.strip(), where))


def seeds_in_file(path: Path) -> Iterator[tuple[int, str]]:
    """Give the seeds of a file in the same way. Raises UsageFault."""
    for number, line in enumerate(text_of(path).splitlines(), 1):
        word = line.partition("#")[0].strip()
        where = f"--seeds: {path}, line {number}: "
        if word:
            yield from ((seed, where) for seed in seeds_in(word, where))


def seeds_in(word: str, where: str) -> Iterable[int]:
    """Read one seed, or a range of them. Raises UsageFault, beginning with `where`."""
    ends = RANGE.fullmatch(word)
    if ends is None:
        return [seed_in(word, where)]
    first, last = seed_in(ends["first"], where), seed_in(ends["last"], where)
    if first > last:
        raise UsageFault(f"{where}{first}..{last} is empty: the lower seed comes first, as in {last}..{first}")
    return range(first, last + 1)


def text_of(path: Path) -> str:
    """Read a file of seeds. Raises UsageFault."""
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(LONGEST_FILE_CHARS + 1)
    except OSError as error:
        raise UsageFault(f"--seeds {path} {NO_FORM} file to read: {error.strerror}") from error
    except ValueError as error:  # not UTF-8, or a name that no file can have
        raise UsageFault(f"--seeds {path} {NO_FORM} text file") from error
    if len(text) > LONGEST_FILE_CHARS:
        raise UsageFault(f"--seeds: {path} has more than {LONGEST_FILE_CHARS} characters")
    return text


def seed_in(word: str, where: str) -> int:
    """Read one seed. Raises UsageFault, beginning with `where`."""
    shown = word if len(word) <= 40 else f"{word[:40]}..."
    if not NUMBER.fullmatch(word):
        raise UsageFault(f"{where}{shown} is not a seed; write one whole number, or a range as in 1..200, in each line")
    if len(word) > 20 or not -LARGEST <= int(word) < LARGEST:
        raise UsageFault(f"{where}{shown} is not a signed 64-bit number")
    return int(word)
