"""The game by which a match is shown: it says how its states are drawn, as text and on pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import Refused, UnknownName
from engine.referees.edition import game_played

if TYPE_CHECKING:
    from cli.context import Context
    from engine.game import Game
    from ladder.views.turns.watched import WatchedMatch


def game_to_show(context: Context, watched: WatchedMatch) -> Game | None:
    """Return the game of a match; None where only a server has it: then the match is shown without pictures.

    Raises UnknownName, GameFault, SandboxFault, Unavailable.
    """
    try:
        return game_played(context.games, watched.game, watched.edition)
    except (UnknownName, Refused):
        if context.server is None:
            raise
        return None
