"""What operators do with matches: take one back."""

from __future__ import annotations

from ladder import audit
from ladder.access import Actor, Deed, require
from ladder.database.connection import Pool, transaction
from ladder.ids import MatchId
from ladder.ratings import rewrite
from ladder.ratings.rewrite import Voided


def void(actor: Actor, pool: Pool, match_id: MatchId, why: str) -> Voided:
    """Take back a finished match, and rate its league again without it; see `ladder.ratings.rewrite.void_match`.

    Raises NotAllowed, UnknownName, and Refused for a match that is not finished.
    """
    require(actor, Deed.VOID_MATCH)
    with transaction(pool) as connection:
        done = rewrite.void_match(connection, match_id, actor.player, why)
        audit.write_deed(connection, actor, "match void", f"match {match_id} of {done.league}: {why}")
    return done
