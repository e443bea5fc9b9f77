"""What operators do with the boards of a game: freeze them for all others, and thaw them."""

from __future__ import annotations

from datetime import datetime

from engine.errors import Refused
from ladder import audit
from ladder.access import Actor, Deed, require
from ladder.database.connection import Pool, transaction
from ladder.leagues.leagues import check_game
from ladder.ratings import freezes
from ladder.ratings.freezes import BoardFreeze


def freeze(actor: Actor, pool: Pool, game: str, frozen_from: datetime) -> BoardFreeze:
    """Let everybody but operators see the boards of a game as they are, or were, at a moment, from then on.

    Raises NotAllowed, UnknownName, Refused where they are frozen already.
    """
    require(actor, Deed.FREEZE_BOARDS)
    with transaction(pool) as connection:
        check_game(connection, game)
        done = freezes.begin(connection, game, frozen_from, actor.player)
        audit.write_deed(connection, actor, "board freeze", f"{game} from {frozen_from:%Y-%m-%d %H:%M %z}")
    return done


def thaw(actor: Actor, pool: Pool, game: str) -> str:
    """Let everybody see the true boards of a game again; return its name. Raises NotAllowed, UnknownName, Refused."""
    require(actor, Deed.FREEZE_BOARDS)
    with transaction(pool) as connection:
        check_game(connection, game)
        if not freezes.end(connection, game):
            raise Refused(f"the boards of {game} are not frozen")
        audit.write_deed(connection, actor, "board thaw", game)
    return game
