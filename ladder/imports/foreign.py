"""What another league manager keeps in its folder: bots, matches in the order in which it rated them, and settings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256

from engine.conversation import places_of
from ladder.ratings.models import Rating, RatingSettings

MOST_OF_A_SEED = 2**63


@dataclass(frozen=True, slots=True)
class ForeignBot:
    """A bot by the name it has there. `note`: a description in one line, "" where it has none.

    `is_active`: whether it is to play on. `created_at`: None where that is not known. `source`: None where there is
    none, and then `why_no_source` says why. `language`: by the name it has here, "" where there is no source.
    `rating`: None where the other program keeps none.
    """

    name: str
    note: str = ""
    is_active: bool = True
    created_at: datetime | None = None
    source: str | None = None
    language: str = ""
    why_no_source: str = ""
    rating: Rating | None = None


@dataclass(frozen=True, slots=True)
class ForeignMatch:
    """A match. `players`, `ranks` (0 is best, equal is level), `faults` and `metrics` are in the order of its seats.

    `key`: the same for the same match whenever it is read, and another one for each match. `seed`: None where it is
    not known.
    """

    key: str
    players: tuple[str, ...]
    ranks: tuple[float, ...]
    faults: tuple[bool, ...]
    metrics: tuple[Mapping[str, str], ...]
    seed: int | None = None

    @property
    def places(self) -> tuple[int, ...]:
        """Return the place of each seat: 1 is best, and level seats share one."""
        return places_of([-rank for rank in self.ranks])


@dataclass(frozen=True, slots=True)
class ForeignLeague:
    """All that a folder holds. `origin`: the program, by name. `file`: where it keeps its ratings.

    `rating`: by which settings it rated; None where it says none. `commands`, `settings`: what else stands in its
    configuration, by the names that it has there. `players`: how many play a match; `seats`: how many may, by
    its configuration, () where it says nothing. `written_at`: when its matches were
    written, which is after they ended; None where there are none. `left_out`: what is not read, in sentences.
    """

    origin: str
    file: str
    bots: tuple[ForeignBot, ...]
    matches: tuple[ForeignMatch, ...]
    players: tuple[int, ...]
    written_at: datetime | None = None
    rating: RatingSettings | None = None
    commands: Mapping[str, str] = field(default_factory=dict[str, str])
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    seats: tuple[int, ...] = ()
    left_out: tuple[str, ...] = ()


def keys_of(contents: Sequence[str]) -> Iterator[str]:
    """Give a key for each match by all that is known of it; equal ones are counted."""
    seen: Counter[str] = Counter()
    for content in contents:
        seen[content] += 1
        yield sha256(f"{seen[content]} {content}".encode()).hexdigest()


def seed_of(value: object) -> int | None:
    """Return a seed, which may be written as text; None for anything that is none of ours."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    try:
        seed = int(value)
    except ValueError:
        return None
    return seed if -MOST_OF_A_SEED <= seed < MOST_OF_A_SEED else None
