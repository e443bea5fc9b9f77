"""A match turn by turn.

match           one match, with all that is stored of it, or judged again by another rule
watched         a match as it can be looked at, turn by turn
watched_stored  ... one of the ladder's database
watched_local   ... one that was played on this machine without a ladder
replay_data     ... as JSON
comparison      two of them beside each other
losing          in which turns a match was lost
rows            the turns of a match, one row for each
played          matches that this machine has just played
local           matches that it played before: in a list, and in detail
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.lazy import lazily

if TYPE_CHECKING:
    from ladder.views.turns import (
        comparison,
        local,
        losing,
        match,
        played,
        replay_data,
        rows,
        watched,
        watched_local,
        watched_stored,
    )
else:
    __getattr__ = lazily(__name__)

__all__ = [
    "comparison",
    "local",
    "losing",
    "match",
    "played",
    "replay_data",
    "rows",
    "watched",
    "watched_local",
    "watched_stored",
]
