"""What an export says of itself: its form, the schema it was made from, and what each of its files holds."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, TypeGuard

from engine.errors import UsageFault
from ladder.database import schema
from ladder.transfer.tables import FORMER_SEQUENCES, TABLES, Form

NAME = "ladder.json"
FORMAT = "ladder-export"
VERSION = 2
"""Of the form. It grows when a program that reads this one could not read, or would misread, what is written.

In version 1 `schema` counts the migrations from before the first release.
"""


@dataclass(frozen=True, slots=True)
class Part:
    """A table in an export. `columns`: those of each row; `rows`: how many; `sha256`: of its file, "" for sources."""

    columns: list[str]
    rows: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """`schema`: the number of the latest migration. `tables`: by their names; `next`: each sequence's next number."""

    schema: int
    tables: dict[str, Part]
    next: dict[str, int]

    @property
    def rows(self) -> int:
        return sum(part.rows for part in self.tables.values())

    def written(self) -> bytes:
        return (json.dumps({"format": FORMAT, "version": VERSION, **asdict(self)}, indent=2) + "\n").encode()


def read(content: bytes, place: str, form: Form) -> Manifest:
    """`place`: where it is, for people. Raises UsageFault where it makes no sense or is too new."""
    try:
        found: Any = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise UsageFault(f"{place} is not an export of a ladder: its {NAME} cannot be read ({error})") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise UsageFault(f'{place} is not an export of a ladder: its {NAME} does not say "format": "{FORMAT}"')
    check_age(found, place)
    try:
        return checked(found, form)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        if age(found) < (VERSION, schema.needed()):
            raise UsageFault(
                f"{place} was made by an older Ladder, whose schema {found['schema']} this one cannot read ({error}): "
                "import it with that Ladder, and update then"
            ) from error
        raise UsageFault(f"{place} is not a whole export of a ladder: its {NAME} is damaged ({error})") from error


def check_age(found: dict[str, Any], place: str) -> None:
    for what, known in (("version", VERSION), ("schema", schema.needed())):
        number = found.get(what)
        if not is_number(number):
            raise UsageFault(f"{place} is not a whole export of a ladder: its {NAME} says nothing of its {what}")
        if number > known and (what == "version" or found["version"] == VERSION):
            raise UsageFault(
                f"{place} was made by a newer Ladder ({what} {number}, this program knows {known} at most): update "
                "Ladder"
            )


def age(found: dict[str, Any]) -> tuple[int, int]:
    """Return what is the greater the newer the program is that made an export."""
    return found["version"], found["schema"]


def is_number(value: Any) -> TypeGuard[int]:
    return type(value) is int and value > 0


def checked(found: dict[str, Any], form: Form) -> Manifest:
    """Return a manifest whose tables, columns and sequences are those of that form, but for what was added since.

    Raises ValueError, or what else Python raises for values that are of other kinds.
    """
    known = {name: set(columns) for name, columns in form.columns.items()}
    former = {table.formerly.name: set[str](table.formerly.columns) for table in TABLES if table.formerly}
    parts = {name: Part(**part) for name, part in found["tables"].items()}
    for name, part in parts.items():
        strange = set(part.columns) - known.get(name, former.get(name, set()))
        if strange or not part.columns:
            raise ValueError(f"{name}: {', '.join(sorted(strange)) or 'no columns'}")
        if type(part.rows) is not int or type(part.sha256) is not str:
            raise ValueError(f"{name}: it does not say how many rows there are")
    numbers = {FORMER_SEQUENCES.get(name, name): number for name, number in found["next"].items()}
    if set(numbers) - set(form.sequences) or not all(map(is_number, numbers.values())):
        raise ValueError("its next numbers make no sense")
    if age(found) == (VERSION, schema.needed()) and {name: set(part.columns) for name, part in parts.items()} != known:
        raise ValueError("tables or columns are missing")
    return Manifest(found["schema"], parts, numbers)
