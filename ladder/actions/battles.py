"""Asking for battles, and taking back what was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from ladder.access import Actor, Deed, require
from ladder.database.connection import Pool, transaction
from ladder.ids import RequestId
from ladder.matchmaking import requesting
from ladder.matchmaking.requests import Request
from ladder.names import Named


def request(
    actor: Actor,
    pool: Pool,
    sides: Sequence[Named],
    battles: int,
    game: str | None = None,
    seed: int | None = None,
) -> Request:
    """Ask for battles between two versions or more; the scheduler makes them. See `ladder.matchmaking.requesting.ask`.

    Raises Refused where they do not stand on one board, or are not as many as a match has players; UsageFault,
    UnknownName.
    """
    require(actor, Deed.REQUEST_BATTLES)
    with transaction(pool) as connection:
        return requesting.ask(connection, sides, battles, actor.player, game, seed)


def cancel(actor: Actor, pool: Pool, request_id: RequestId) -> Request:
    """Take back what a player asked for: battles that are not made yet are not made any more.

    Raises NotAllowed for another player's request, Refused where nothing is left to be made, UnknownName.
    """
    with transaction(pool) as connection:
        return requesting.cancel(connection, actor, request_id)
