"""Files of another program: reading their lines and metrics, and naming the line that is broken."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.errors import UsageFault
from engine.metrics import LONGEST_WORD, keep
from engine.text import one_line
from engine.toolchains.source import goes_by_link


def metrics_from(*noted: Mapping[str, object]) -> dict[str, str]:
    """Return what was noted, the later in place of the earlier; values that are no numbers or words are left out."""
    found: dict[str, str] = {}
    for words in noted:
        for key, value in words.items():
            if isinstance(value, str | int | float):
                keep(found, one_line(key)[:LONGEST_WORD], one_line(str(value))[:LONGEST_WORD])
    return found


def broken(path: Path, number: int, why: str) -> UsageFault:
    """Return the error for a line, counted from 1, that cannot be read."""
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
    """Raise UsageFault unless a folder has that file, as that program keeps one."""
    if not path.is_file():
        name = path.relative_to(folder) if path.is_relative_to(folder) else path
        raise UsageFault(f"{folder} is not a folder of {program}: it has no {name}")


def written_at(path: Path) -> datetime:
    """Return when a file was last written."""
    return datetime.fromtimestamp(path.stat().st_mtime, UTC)
