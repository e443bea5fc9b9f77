"""What somebody wants to have imported."""

from __future__ import annotations

from dataclasses import dataclass
from re import Pattern

from ladder.imports.foreign import ForeignLeague


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be imported into a game, and how. `players`: the numbers of players that its matches can have.

    `group`: see ladder.imports.naming. `takes_settings`: the league is to rate as the other program did from now on.
    """

    game: str
    players: tuple[int, ...]
    league: ForeignLeague
    group: Pattern[str] | None = None
    takes_settings: bool = False
