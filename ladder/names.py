"""What people call a version: `kraken@v3`, or `kraken` alone for the one that plays for that bot now."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.errors import UnknownName

BOT = re.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,38}")
"""What a bot may be called, as the database has it."""
NUMBER = re.compile(r"v(?P<number>[1-9][0-9]{0,8})")
VERSION = re.compile(r"(?P<bot>[^@]+)@v(?P<number>[1-9][0-9]{0,8})")
"""Numbers begin at 1; one of more digits would not be one of PostgreSQL's."""


@dataclass(frozen=True, slots=True)
class Named:
    """A version as people name it: a bot, or with a number one version of it."""

    bot: str
    number: int | None = None

    def __str__(self) -> str:
        """Return the words that name it."""
        return self.bot if self.number is None else f"{self.bot}@v{self.number}"


def read_name(words: str) -> Named:
    """Read `kraken` or `kraken@v3`. Raises UnknownName for anything else with an @, which no bot's name has."""
    return Named(*read_version(words)) if "@" in words else Named(words)


def read_second(words: str, first: Named) -> Named:
    """Read the version that is named after another one: `v4` alone is of the same bot. Raises as `read_name` does."""
    found = NUMBER.fullmatch(words)
    return read_name(words) if found is None else Named(first.bot, int(found["number"]))


def read_version(words: str) -> tuple[str, int]:
    """Take `kraken@v3` apart into the bot's name and the number. Raises UnknownName."""
    found = VERSION.fullmatch(words)
    if found is None:
        raise UnknownName(f"{words!r} names no version: it should look like kraken@v3", words)
    return found["bot"], int(found["number"])
