"""What operators do with quotas: change how much players may ask for."""

from __future__ import annotations

from collections.abc import Mapping

from engine.errors import Refused, UsageFault
from ladder import audit
from ladder.access import Actor, Deed, require
from ladder.accounts import accounts
from ladder.accounts.accounts import Account
from ladder.bots.players import require_other_than_house
from ladder.database.connection import Connection, Pool, transaction
from ladder.quotas import quotas
from ladder.quotas.quotas import QuotaList
from ladder.quotas.rules import Quota

LARGEST = 1_000_000_000


def change(actor: Actor, pool: Pool, player: str | None, changes: Mapping[Quota, int | None]) -> QuotaList:
    """Give a player, or with None everybody, other quotas; None: no limit. Raises NotAllowed, UsageFault."""
    require(actor, Deed.CHANGE_PLAYERS)
    if not changes:
        raise UsageFault("say which quota changes")
    for limit in changes.values():
        if limit is not None and not 0 <= limit <= LARGEST:
            raise UsageFault(f"a quota is 0 to {LARGEST:,}, or none, not {limit}")
    words = ", ".join(f"{'no limit of' if limit is None else limit} {quota.words}" for quota, limit in changes.items())
    with transaction(pool) as connection:
        account = locked(connection, player)
        quotas.change(connection, account.id if account else None, changes)
        audit.write_deed(connection, actor, "player quota", f"{account.name if account else 'everybody'}: {words}")
        return found_by(connection, account)


def reset(actor: Actor, pool: Pool, player: str | None) -> QuotaList:
    """Let everybody's quotas hold for a player again, or those by default for everybody. Raises NotAllowed, Refused."""
    require(actor, Deed.CHANGE_PLAYERS)
    with transaction(pool) as connection:
        account = locked(connection, player)
        if not quotas.reset(connection, account.id if account else None):
            raise Refused(f"{account.name if account else 'everybody'} has the quotas by default already")
        audit.write_deed(
            connection, actor, "player quota", f"{account.name if account else 'everybody'}: as by default"
        )
        return found_by(connection, account)


def locked(connection: Connection, player: str | None) -> Account | None:
    """Return a player, locked for this transaction; None for everybody. Raises UnknownName, Refused."""
    if player is None:
        connection.execute("LOCK TABLE quotas IN SHARE ROW EXCLUSIVE MODE")  # two who change everybody's do it in turn
        return None
    require_other_than_house(player)
    account = accounts.find_player(connection, player)
    accounts.lock(connection, account.id)
    return account


def found_by(connection: Connection, account: Account | None) -> QuotaList:
    return quotas.everybodys(connection) if account is None else quotas.of_player(connection, account.name)
