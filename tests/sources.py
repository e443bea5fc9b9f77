"""Our own Python files: by layer, and as modules."""

from __future__ import annotations

from functools import cache
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
LAYERS = ("cli", "workers", "ladder", "engine")


def sources(pattern: str = "*.py") -> list[Path]:
    """Return the files of all layers."""
    return sorted(file for layer in LAYERS for file in (CHECKOUT / layer).rglob(pattern))


@cache
def modules() -> dict[str, Path]:
    """Return our modules by their dotted names; bots and starters of games are programs of their own."""
    return {dotted(file): file for file in sources() if not is_a_bot(file)}


def is_a_bot(file: Path) -> bool:
    """Say whether a file is a bot or a starter of a game: a program of its own."""
    return bool({"games", "new_game"} & set(file.parts)) and bool({"bots", "starters"} & set(file.parts))


def dotted(file: Path) -> str:
    """Return the name by which a module is imported."""
    parts = file.relative_to(CHECKOUT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
