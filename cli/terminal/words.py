"""Short texts that several commands share."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from engine.boxes.tiers import NONE
from ladder.leagues.settings import Value

if TYPE_CHECKING:
    from ladder.views.boards import Frozen


def moment_text(moment: Value) -> str:
    """Write when a league opens, in this machine's time."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}" if isinstance(moment, datetime) else "open"


def frozen_text(frozen: Frozen) -> str:
    """Say that boards are frozen, and what that means for the reader."""
    return f"frozen since {moment_text(frozen.since)}: {frozen.meaning}"


def sandbox_text(tier: str) -> str:
    """Say in which tier a match was played; plainly where that contains nothing."""
    if tier == NONE:
        return "sandbox NONE: nothing contained these bots"
    return f"sandbox {tier}"


def milliseconds(time_us: int | None) -> str:
    """Write a time for people."""
    return "?" if time_us is None else f"{time_us / 1000:.2f} ms"


def indent(text: str) -> str:
    """Move every line to the right."""
    return "\n".join(f"    {line}" for line in text.rstrip("\n").split("\n"))
