"""Which programs of this machine a program in a box can use: those below /usr, and those in folders shown besides."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.boxes import PATH_INSIDE, obstacle

SYSTEM = Path("/usr")


def present_folders(patterns: Iterable[str]) -> tuple[Path, ...]:
    """Expand `~` and `*` and return what exists and the bots' account can reach, each once, in the order asked for."""
    found = [Path(name) for pattern in patterns for name in sorted(glob.glob(os.path.expanduser(pattern)))]  # noqa: PTH111, PTH207 - patterns, not paths
    return tuple(path for path in dict.fromkeys(found) if obstacle(path) is None)


def shown_folders(folders: Iterable[Path]) -> tuple[Path, ...]:
    """Return those of `folders` that have to be named to a box to be visible; what is below /usr always is."""
    return tuple(folder for folder in folders if not folder.is_relative_to(SYSTEM))


def search_path(folders: Iterable[Path]) -> str:
    """Return PATH for a box that shows `folders`: their programs first, then the system's."""
    own = [folder / "bin" if (folder / "bin").is_dir() else folder for folder in folders]
    return ":".join([*(str(path) for path in own if path.is_dir() and path.parts[1] != "etc"), PATH_INSIDE])


def missing_tools(tools: Iterable[str], folders: Sequence[Path]) -> list[str]:
    """Return those of `tools` that a box showing `folders` would not find."""
    places = [Path(place) for place in search_path(folders).split(":")]
    seen = [SYSTEM, *(folder.resolve() for folder in folders)]
    return [tool for tool in tools if not any(_usable(place / tool, seen) for place in places)]


def is_usable(program: Path) -> bool:
    """Say whether a program of the system, given by its whole name, is one that bots may run."""
    return _usable(program, [SYSTEM, *map(Path, ("/bin", "/sbin"))])


def _usable(program: Path, seen: Iterable[Path]) -> bool:
    """Say whether this is a program that bots may run, also after its symbolic links, which may lead out of sight."""
    try:
        target = program.resolve(strict=True)
    except OSError:
        return False
    in_sight = any(target.is_relative_to(folder) for folder in seen)
    return in_sight and target.is_file() and os.access(target, os.X_OK) and obstacle(target) is None
