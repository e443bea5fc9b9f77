"""Our own Python files: by layer, and as modules."""

from functools import cache
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
LAYERS = ("cli", "workers", "ladder", "engine")


def sources(pattern: str = "*.py") -> list[Path]:
    return sorted(file for layer in LAYERS for file in (CHECKOUT / layer).rglob(pattern))


@cache
def modules() -> dict[str, Path]:
    return {dotted(file): file for file in sources() if not is_a_bot(file)}


def is_a_bot(file: Path) -> bool:
    return bool({"games", "new_game"} & set(file.parts)) and bool({"bots", "starters"} & set(file.parts))


def dotted(file: Path) -> str:
    parts = file.relative_to(CHECKOUT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
