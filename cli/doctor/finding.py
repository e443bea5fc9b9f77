"""What came of looking at one thing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.errors import ArenaError, HostBusy


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at.

    `group`: its heading; `ok`: None where not known; `remedy`: a command, or a sentence. `needed`: workers do not
    start without it; `warning`: without it matches are slower, and no worse.
    """

    group: str
    name: str
    ok: bool | None
    detail: str
    remedy: str = ""
    needed: bool = False
    warning: bool = False


WAIT = "uptime  # and once less else runs here: ladder doctor"


def too_busy(group: str, name: str, fault: HostBusy) -> Finding:
    return Finding(group, name, ok=None, detail=str(fault), remedy=WAIT, needed=True)


def finding_of(group: str, name: str, look: Callable[[], str], *, remedy: str = "") -> Finding:
    try:
        return Finding(group, name, ok=True, detail=look())
    except ArenaError as error:
        return Finding(group, name, ok=False, detail=str(error), remedy=remedy)
