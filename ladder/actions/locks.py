"""What operators do with games for a while: lock one, so that it takes no new versions, and unlock it."""

from __future__ import annotations

from engine.errors import Refused, UsageFault
from ladder import audit
from ladder.access import Actor, Deed, require
from ladder.database.connection import Pool, transaction
from ladder.leagues.leagues import check_game
from ladder.quotas import locks
from ladder.quotas.locks import GameLock


def lock(actor: Actor, pool: Pool, game: str, why: str) -> GameLock:
    """Let a game take no new versions, and no other ones on its boards; play goes on.

    Raises NotAllowed, UnknownName, UsageFault without a reason, Refused where it is locked already.
    """
    require(actor, Deed.LOCK_GAME)
    if not why.strip():
        raise UsageFault("say why the game is locked: players see it")
    with transaction(pool) as connection:
        check_game(connection, game)
        is_new = locks.put(connection, game, why, actor.player)
        found = locks.find(connection, game)
        if found is None or not is_new:
            by = f" by {found.by} ({found.why})" if found else ""
            raise Refused(f"{game} is locked already{by}; `ladder game unlock {game}` unlocks it")
        audit.write_deed(connection, actor, "game lock", f"{game}: {why}")
        return found


def unlock(actor: Actor, pool: Pool, game: str) -> str:
    """Let a game take versions again; return its name. Raises NotAllowed, UnknownName, Refused where it does."""
    require(actor, Deed.LOCK_GAME)
    with transaction(pool) as connection:
        check_game(connection, game)
        if not locks.remove(connection, game):
            raise Refused(f"{game} is not locked")
        audit.write_deed(connection, actor, "game unlock", game)
    return game
