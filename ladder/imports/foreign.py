"""What another league manager keeps in its folder: bots, matches in the order in which it rated them, and settings."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from engine.conversation import places_of
from engine.errors import UsageFault
from engine.metrics import LONGEST_WORD, keep
from engine.text import one_line
from engine.toolchains.source import goes_by_link
from ladder.ratings.models import Rating, RatingSettings


def metrics_from(*noted: Mapping[str, object]) -> dict[str, str]:
    """Return what was noted, the later in place of the earlier; values that are no numbers or words are left out."""
    found: dict[str, str] = {}
    for words in noted:
        for key, value in words.items():
            if isinstance(value, str | int | float):
                keep(found, one_line(key)[:LONGEST_WORD], one_line(str(value))[:LONGEST_WORD])
    return found


def broken(path: Path, number: int, why: str) -> UsageFault:
    return UsageFault(f"{path}, line {number}: {one_line(why)}; nothing is imported")


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Give each line that is not blank with its number, from 1. Raises UsageFault where it cannot be read."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield number, decoded(path, number, line)
    except OSError as error:
        raise UsageFault(f"cannot read {path}: {error.strerror}") from error


def decoded(path: Path, number: int, line: bytes) -> str:
    """Return a line as text without its end. Raises UsageFault."""
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise broken(path, number, f"byte {error.start + 1} is not UTF-8") from error


def read_toml(path: Path) -> dict[str, Any]:
    """Return what a TOML file holds. Raises UsageFault, which says where it is broken."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise UsageFault(f"cannot read {path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageFault(f"{path} cannot be read: {one_line(str(error))}; nothing is imported") from error


def inside(folder: Path, name: str) -> Path:
    """Return the path of what has that name in a folder, if it is there or not.

    Raises UsageFault where the name leads out of the folder or goes by a link: it could lead to any file of whoever
    imports, and what is imported is shown to players.
    """
    path = folder / name
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise UsageFault(f"{path} is not in {folder}: copy it there, and name it as it is there; nothing is imported")
    if goes_by_link(folder, name):
        raise UsageFault(f"{path} is a link or is behind one: put what it leads to in its place; nothing is imported")
    return path


def require_file(folder: Path, program: str, path: Path) -> None:
    if not path.is_file():
        name = path.relative_to(folder) if path.is_relative_to(folder) else path
        raise UsageFault(f"{folder} is not a folder of {program}: it has no {name}")


def written_at(path: Path) -> datetime:
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)


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
