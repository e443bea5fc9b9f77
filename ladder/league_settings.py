"""What an operator can set for each league: names, bounds, and what they mean.

How this works. A setting is a column of the table `leagues` of the same name. What stands in `SETTINGS` is what league
files may hold, what `ladder league list` shows and what is checked before it goes into the database. So a new setting
is a column and a line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from engine.clock import FATAL_OVERRUN, GRACE_MS, Clock, Policy

Value: TypeAlias = int | bool | str


class Setting(Protocol):
    """One thing that can be set. `about`: a sentence for people."""

    @property
    def name(self) -> str:
        """Its name in files, and its column."""
        ...

    @property
    def about(self) -> str:
        """What it means, in one line."""
        ...

    @property
    def wanted(self) -> str:
        """What values it takes, in words that follow "must be"."""
        ...

    def takes(self, value: object) -> bool:
        """Say whether that is a value for it."""
        ...


@dataclass(frozen=True, slots=True)
class Number:
    """A setting that is a whole number between two bounds."""

    name: str
    about: str
    least: int
    most: int

    @property
    def wanted(self) -> str:
        """What values it takes."""
        return f"a whole number from {self.least} to {self.most}"

    def takes(self, value: object) -> bool:
        """Say whether that is a value for it."""
        return isinstance(value, int) and not isinstance(value, bool) and self.least <= value <= self.most


@dataclass(frozen=True, slots=True)
class Switch:
    """A setting that is on or off."""

    name: str
    about: str

    @property
    def wanted(self) -> str:
        """What values it takes."""
        return "true or false"

    def takes(self, value: object) -> bool:
        """Say whether that is a value for it."""
        return isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Choice:
    """A setting that is one of some words."""

    name: str
    about: str
    words: tuple[str, ...]

    @property
    def wanted(self) -> str:
        """What values it takes."""
        return " or ".join(f'"{word}"' for word in self.words)

    def takes(self, value: object) -> bool:
        """Say whether that is a value for it."""
        return isinstance(value, str) and value in self.words


IN_ORDER: tuple[Setting, ...] = (
    Number("battles", "battles that a version plays before it can be promoted; each is two matches", 1, 100_000),
    Number("memory_mb", "memory of one bot, in megabytes", 16, 1_048_576),
    Number("threads", "threads of one bot", 1, 4_096),
    Number("open_files", "files that a bot can have open", 16, 65_536),
    Number("file_size_mb", "the largest file that a bot can write, in megabytes", 1, 65_536),
    Number("line_bytes", "so many bytes without a line end are no answer", 100, 10_000_000),
    Number("stderr_turn_bytes", "debug output that is kept of a bot's turn, in bytes", 0, 10_000_000),
    Number("stderr_match_bytes", "debug output that is kept of a bot's match, in bytes", 0, 10_000_000),
    Switch("early_line_loses", "whether a line that comes before it is asked for loses; else it waits for its turn"),
    Choice(
        "time_policy",
        f"strict: an overrun loses; codingame: {GRACE_MS} ms of grace, overrun number {FATAL_OVERRUN} loses",
        tuple(Policy),
    ),
    Choice("clock", "fair: waiting for a busy host is not charged; wall: all time counts", tuple(Clock)),
)
SETTINGS = {setting.name: setting for setting in IN_ORDER}


@dataclass(frozen=True, slots=True)
class LeagueSettings:
    """A league with all its settings, by name. `rules_level`: as its game counts."""

    id: int
    game: str
    name: str
    title: str
    rules_level: int
    values: Mapping[str, Value]
