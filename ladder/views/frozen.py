"""Whether the boards of a game are frozen, and what that means for whoever looks at them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ladder.database.connection import Connection
from ladder.ratings import freezes
from ladder.sight import sees_everything


@dataclass(frozen=True, slots=True)
class Frozen:
    """Boards are frozen since a moment. `is_true`: whether the reader sees them as they are all the same."""

    since: datetime
    is_true: bool

    @property
    def meaning(self) -> str:
        """Say what that means for the reader."""
        if self.is_true:
            return "this is how it stands now, which only operators see; all others see how it stood then"
        return "this is how it stood then; what was played later shows when an operator thaws the boards"


def frozen_since(connection: Connection, game: str) -> Frozen | None:
    """Return since when the boards of a game are frozen; None where they are not."""
    found = freezes.find(connection, game)
    if found is None or not found.has_begun:
        return None
    return Frozen(found.frozen_from, sees_everything(connection))
