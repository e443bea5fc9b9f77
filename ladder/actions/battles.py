"""Asking for battles, and taking back what was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ladder import audit
from ladder.access import Actor, Deed, require, require_bot
from ladder.database.connection import Pool, transaction
from ladder.ids import RequestId
from ladder.matchmaking import requesting
from ladder.matchmaking.requests import Request
from ladder.names import Named, read_name
from ladder.quotas.quotas import require_room
from ladder.quotas.rules import Quota
from ladder.visibility import boards_shown_to


def request(
    actor: Actor,
    pool: Pool,
    sides: Sequence[Named],
    battles: int,
    game: str | None = None,
    seed: int | None = None,
) -> Request:
    """Ask for battles between two versions or more. Raises as `ladder.matchmaking.requesting.ask`, and QuotaUsed."""
    require(actor, Deed.REQUEST_BATTLES)
    with transaction(pool) as connection:
        require_room(connection, actor, Quota.BATTLES_PER_DAY, Quota.CPU_S_PER_DAY, much=battles)
        asked = requesting.ask(
            connection, sides, battles, actor.player, game, seed, partial(boards_shown_to, connection, actor)
        )
        require_bot(actor, asked.game, *bots_of(asked))
        audit.write(connection, actor, "match request", described(asked))
    return asked


def cancel(actor: Actor, pool: Pool, request_id: RequestId) -> Request:
    """Take back what a player asked for: battles that are not made yet are not made any more. Raises Refused."""
    with transaction(pool) as connection:
        done = requesting.cancel(connection, actor, request_id)
        require_bot(actor, done.game, *bots_of(done))
        audit.write(connection, actor, "match cancel", described(done))
    return done


def described(asked: Request) -> str:
    return f"request {asked.id}: {' against '.join(asked.versions)}, {asked.game}"


def bots_of(asked: Request) -> list[str]:
    return [read_name(version).bot for version in asked.versions]
