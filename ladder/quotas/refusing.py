"""Refusing what goes beyond a player's quotas, so that of two requests at once only one is the last.

How this works. Quotas hold for what comes through the web: by a token, or by the session of a browser. Whoever reaches
the database has none. The player's row is locked first, before anything else that the transaction locks, and until its
end: so what others of the same player have used is there to be counted, or waits.
"""

from __future__ import annotations

from datetime import datetime

from ladder.access import Actor, Via
from ladder.accounts import accounts
from ladder.accounts.accounts import Account
from ladder.database.connection import Connection, one
from ladder.errors import QuotaUsed
from ladder.quotas.quotas import quotas_of
from ladder.quotas.rules import Quota, Quotas, possible_from, refusal
from ladder.quotas.used import used


def holds_for(actor: Actor) -> bool:
    """Say whether quotas hold for what somebody does."""
    return actor.via in {Via.SESSION, Via.TOKEN}


def require_room(connection: Connection, actor: Actor, *wanted: Quota, much: float = 1) -> None:
    """Raise QuotaUsed where that goes beyond one of those quotas, and lock the player's row where it does not.

    `much`: versions, battles, gauntlets, tokens; of processor time a second has to be left.
    """
    if not holds_for(actor):
        return
    account = accounts.find_account(connection, actor.player)
    accounts.lock(connection, account.id)
    quotas = quotas_of(connection, account.id)
    now: datetime = one(connection, "SELECT now()", {})[0]
    for quota in wanted:
        require_one(connection, account, quotas, quota, 1 if quota is Quota.CPU_S_PER_DAY else much, now)


def require_one(
    connection: Connection, account: Account, quotas: Quotas, quota: Quota, much: float, now: datetime
) -> None:
    """Raise QuotaUsed where that goes beyond a quota."""
    limit = quotas.limit(quota)
    if limit is None:
        return
    so_far = used(connection, account, quota)
    if so_far.much + much <= limit:
        return
    again_at = None
    if so_far.counts_for is not None:
        again_at = possible_from(so_far.uses, limit, much, so_far.counts_for)
    wait_s = None if again_at is None else max((again_at - now).total_seconds(), 1)
    raise QuotaUsed(refusal(quota, account.name, limit, so_far.much, much, again_at, now), again_at, wait_s)
