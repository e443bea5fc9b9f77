"""Names that are allowed here, and which version of which bot a name of another program means.

How this works. A name is taken as it is where it can be one here. By a pattern, whose first group is the bot and whose
second, if it has one, is the number, many names become versions of one bot. What was imported before keeps the name it
has here by now, and a new name of the same bot joins it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from types import MappingProxyType

from engine.errors import UsageFault
from ladder.names import free_name

LARGEST_NUMBER = 10**9 - 1


@dataclass(frozen=True, slots=True)
class KnownName:
    """A name that was imported before, and the bot that it became."""

    name: str
    bot: str


@dataclass(frozen=True, slots=True)
class Named:
    """What a name means here."""

    name: str
    bot: str
    number: int

    @property
    def version(self) -> str:
        return f"{self.bot}@v{self.number}"

    def is_as_it_was(self, pattern: re.Pattern[str] | None) -> bool:
        return self.bot == base_of(self.name, pattern)[0]


def read_pattern(text: str | None) -> re.Pattern[str] | None:
    """Return the pattern that makes versions out of names. Raises UsageFault for one that cannot."""
    if text is None:
        return None
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise UsageFault(f"--group {text!r} cannot be read: {error}") from error
    if not pattern.groups:
        raise UsageFault(f"--group {text!r} has no group in brackets that is the bot's name, as '(.+)_v(\\d+)' has")
    return pattern


def base_of(name: str, pattern: re.Pattern[str] | None) -> tuple[str, int | None]:
    """Return the bot and the number that a name means; the whole name where the pattern does not fit."""
    found = pattern.fullmatch(name) if pattern is not None else None
    if found is None or not found[1]:
        return name, None
    digits = found[2] if found.re.groups > 1 else None
    is_number = digits is not None and digits.isascii() and digits.isdigit() and 1 <= int(digits) <= LARGEST_NUMBER
    return found[1], int(digits) if digits is not None and is_number else None


def named(
    names: Iterable[str],
    pattern: re.Pattern[str] | None = None,
    known: Sequence[KnownName] = (),
    used: Mapping[str, Collection[int]] = MappingProxyType({}),
) -> list[Named]:
    """`known`: what was imported before; `used`: the numbers that bots have, by name."""
    bots = {base_of(one.name, pattern)[0]: one.bot for one in known}
    in_use = {name.lower() for name in used}
    wanted: list[tuple[str, str, int | None]] = []
    for name in names:
        base, number = base_of(name, pattern)
        if base not in bots:
            bots[base] = free_name(base, in_use)
            in_use.add(bots[base].lower())
        wanted.append((name, bots[base], number))
    return [Named(name, bot, number) for (name, bot, _), number in zip(wanted, numbers_of(wanted, used), strict=True)]


def numbers_of(wanted: Sequence[tuple[str, str, int | None]], used: Mapping[str, Collection[int]]) -> list[int]:
    """Return the numbers of versions: those that their names have, where all of a bot's have one and none twice.

    Otherwise the versions of a bot are numbered in their order, after those that it has.
    """
    of_bot: dict[str, list[int | None]] = defaultdict(list)
    for _, bot, number in wanted:
        of_bot[bot].append(number)
    own: dict[str, Iterator[int]] = {}
    for bot, numbers in of_bot.items():
        given = {number for number in numbers if number is not None}
        is_free = len(given) == len(numbers) and given.isdisjoint(used.get(bot, ()))
        first = max(used.get(bot, ()), default=0) + 1
        own[bot] = iter([number for number in numbers if number is not None]) if is_free else count(first)
    return [next(own[bot]) for _, bot, _ in wanted]
