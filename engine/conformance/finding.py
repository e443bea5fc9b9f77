"""What a check of a game has found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found: `complaints` is empty where all is well; `lacks`: the game says that it has none of it."""

    check: str
    complaints: tuple[str, ...] = ()
    lacks: bool = False
