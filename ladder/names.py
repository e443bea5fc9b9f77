"""What people call a version: `kraken@v3`, or `kraken` alone for the one that plays for that bot now; lists of names.

And names that bots and players can have, near to those that they cannot, and the order of names.
"""

import re
import unicodedata
from collections.abc import Container, Iterable
from itertools import chain, count

from engine.errors import UnknownName
from engine.immutable import immutable

MOST_LISTED = 20


def in_short(names: Iterable[str], most: int = MOST_LISTED) -> list[str]:
    """Return names as they come; of more than `most` the first ones and, as the last, how many more there are."""
    all_names = list(names)
    more = len(all_names) - most
    return all_names if more <= 0 else [*all_names[:most], f"and {more} more"]


DIGITS = re.compile("[0-9]+")


def in_natural_order(name: str) -> str:
    """Return what names are sorted by as people sort them, student2 before student10."""
    return DIGITS.sub(lambda digits: digits[0].zfill(LONGEST), name.lower())


LONGEST = 39
HOUSE = "house"
"""The player to whom the bosses belong."""
BOT = re.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,38}")
PLAYER = "1 to 39 of A-Z a-z 0-9 _ . - and starts with a letter or digit"
NUMBER = re.compile(r"v(?P<number>[1-9][0-9]{0,8})")
VERSION = re.compile(r"(?P<bot>[^@]+)@v(?P<number>[1-9][0-9]{0,8})")
"""Numbers begin at 1; one of more digits would not be one of PostgreSQL's."""


@immutable
class NamedVersion:
    """A version as people name it: a bot, or with a number one version of it."""

    bot: str
    number: int | None = None

    def __str__(self) -> str:
        return self.bot if self.number is None else f"{self.bot}@v{self.number}"


def read_name(words: str) -> NamedVersion:
    """Read `kraken` or `kraken@v3`. Raises UnknownName for anything else with an @, which no bot's name has."""
    return NamedVersion(*read_version(words)) if "@" in words else NamedVersion(words)


def read_second(words: str, first: NamedVersion) -> NamedVersion:
    """Read the version that is named after another one: `v4` alone is of the same bot. Raises as `read_name` does."""
    alone = NUMBER.fullmatch(words)
    return read_name(words) if alone is None else NamedVersion(first.bot, int(alone["number"]))


def read_version(words: str) -> tuple[str, int]:
    """Take `kraken@v3` apart into the bot's name and the number. Raises UnknownName."""
    parts = VERSION.fullmatch(words)
    if parts is None:
        raise UnknownName(f"{words!r} names no version: it should look like kraken@v3", words)
    return parts["bot"], int(parts["number"])


WITHOUT_ACCENT = str.maketrans({"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "Ae", "đ": "d"})
"""Letters that are no other letter with an accent."""


def free_name(name: str, used: Container[str], otherwise: str = "bot") -> str:
    """Return a name as a bot or player may have it: letters without accents and digits, the rest as hyphens.

    It has a number behind it where somebody has it already. `used`: in small letters.
    """
    if not BOT.fullmatch(name):
        ascii_alone = unicodedata.normalize("NFKD", name.translate(WITHOUT_ACCENT)).encode("ascii", "ignore").decode()
        name = re.sub("[^A-Za-z0-9_.-]+", "-", ascii_alone).strip("-_.")[:LONGEST] or otherwise
    numbered = (f"{name[: LONGEST - len(str(number)) - 1]}-{number}" for number in count(2))
    return next(possible for possible in chain([name], numbered) if possible.lower() not in used)
