"""The players of a contest as files: the list that names them, and the links that let them in."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.errors import Refused, UsageFault, WrongLines
from ladder.accounts.class_list import names_in
from ladder.views.plain import to_csv


@dataclass(frozen=True, slots=True)
class Link:
    """What lets a player in, once."""

    player: str
    link: str


def read_names(path: Path) -> list[str]:
    """Read the names of players. Raises UsageFault for a file that cannot be read or has no name, WrongLines."""
    try:
        return names_in(path.read_bytes())
    except OSError as error:
        raise UsageFault(f"cannot read {path}: {error.strerror}") from error
    except WrongLines as fault:
        raise WrongLines(f"{path} is not a list of players: {fault}", fault.lines) from fault
    except UsageFault as fault:
        raise UsageFault(f"cannot read {path}: {fault}") from fault


def write_links(path: Path, links: Sequence[Link]) -> None:
    """Write players and their links into a new file that only this account reads. Raises Refused, UsageFault."""
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(to_csv(links))
    except FileExistsError as error:
        raise Refused(f"{path} exists already, and may hold links of others: name a new file with --links") from error
    except OSError as error:
        raise UsageFault(f"cannot write {path}: {error.strerror}") from error
