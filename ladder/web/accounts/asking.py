"""Who asks a served ladder at present, as the reading of the database needs to know it."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

from ladder.access import Actor
from ladder.sight import PUBLIC, Sight


@dataclass(frozen=True, slots=True)
class Asking:
    """A request. `actor`: None for somebody who has not logged in; `target`: its path; `sight`: what it may see."""

    actor: Actor | None = None
    target: str = ""
    sight: Sight = PUBLIC


NOBODY = Asking()
ASKING: ContextVar[Asking] = ContextVar("ASKING", default=NOBODY)
"""The request that is answered; on a ladder of somebody alone always the default."""
