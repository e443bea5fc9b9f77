"""What a game has in files of its own, or says in the key `lacks` of its `game.toml` that it does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.errors import UsageFault
from engine.game import Game
from engine.games.golden import MapRecord, first_difference, map_difference, numbered_records
from engine.games.loading import CAPABILITIES as NAMES

GOLDEN_FILES = ("golden.jsonl", "golden.jsonl.gz")


@dataclass(frozen=True, slots=True)
class Capability:
    """`name`: as `lacks` has it; `title`: for people; `place`: where its files belong; `has`: looks for them."""

    name: str
    title: str
    place: str
    has: Callable[[Path], bool]


def has_golden(folder: Path) -> bool:
    """Say whether a game's folder holds golden records."""
    return any((folder / name).is_file() for name in GOLDEN_FILES)


def has_secrets(folder: Path) -> bool:
    """Say whether a game's folder holds a list of secrets."""
    return (folder / "hidden.toml").is_file()


def has_starters(folder: Path) -> bool:
    """Say whether a game's folder holds a starter."""
    return any(path.is_file() for path in folder.glob("starters/*"))


CAPABILITIES = tuple(
    Capability(*row)
    for row in zip(
        NAMES,
        ("golden records", "secrets", "starters"),
        ("golden.jsonl", "hidden.toml", "starters/"),
        (has_golden, has_secrets, has_starters),
        strict=True,
    )
)


def contradictions(game: Game, capability: Capability) -> Iterator[str]:
    """Complain where a game neither has a capability nor says that it lacks it, or both."""
    if capability.has(game.folder) == (capability.name in game.lacks):
        table = game.folder / "game.toml"
        if capability.name in game.lacks:
            yield f'{table}: lacks names "{capability.name}", and {capability.place} is there'
        else:
            yield f'{table}: there is no {capability.place}: add it, or put "{capability.name}" into lacks'


def golden_file(game: Game) -> Path | None:
    """Return the file of golden records in a game's folder, or None."""
    return next((path for name in GOLDEN_FILES if (path := game.folder / name).is_file()), None)


def records_not_met(game: Game) -> Iterator[str]:
    """Complain about each golden record that the referee does not reproduce, and about a file that is none."""
    path = golden_file(game)
    try:
        for line, record in numbered_records(path) if path else ():
            if record.game != game.name:
                yield f"{path}, line {line}: a record of {record.game}"
            elif isinstance(record, MapRecord):
                facts = game.maps_or_refuse().facts(record.seed, game.leagues[-1].rules_level)
                if difference := map_difference(record, facts):
                    yield f"{path}, line {line}: {difference}"
            elif difference := first_difference(record, game):
                yield f"{path}, line {line}: {difference}"
    except UsageFault as fault:
        yield str(fault)
