"""What commands and pages show of quotas."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from ladder.accounts import accounts
from ladder.database.connection import Connection
from ladder.quotas.quotas import own_quotas, quotas_of
from ladder.quotas.rules import Quota, possible_from
from ladder.quotas.used import used


@dataclass(frozen=True, slots=True)
class QuotaLine:
    """A quota. `limit`: None for none; `used`: None of everybody's quotas; `again_at`: when more is possible.

    That is None while more is possible, and where no time is known.
    """

    SHOWN: ClassVar = ("words",)

    quota: Quota
    limit: int | None
    used: float | None
    again_at: datetime | None

    @property
    def words(self) -> str:
        """Return what it is called."""
        return self.quota.words


@dataclass(frozen=True, slots=True)
class QuotaList:
    """The quotas of a player, or everybody's where `player` is None. `is_own`: they are not those by default."""

    player: str | None
    is_own: bool
    lines: list[QuotaLine]


def everybodys(connection: Connection) -> QuotaList:
    """Return the quotas of all who have none of their own."""
    found = quotas_of(connection, None)
    lines = [QuotaLine(quota, found.limit(quota), None, None) for quota in Quota]
    return QuotaList(None, own_quotas(connection, None) is not None, lines)


def of_player(connection: Connection, name: str) -> QuotaList:
    """Return a player's quotas and what is used of them. Raises UnknownName."""
    account = accounts.find_account(connection, name)
    found, lines = quotas_of(connection, account.id), []
    for quota in Quota:
        limit, so_far = found.limit(quota), used(connection, account, quota)
        again_at = None
        if limit is not None and so_far.counts_for is not None and so_far.much + 1 > limit:
            again_at = possible_from(so_far.uses, limit, 1, so_far.counts_for)
        lines.append(QuotaLine(quota, limit, so_far.much, again_at))
    return QuotaList(account.name, own_quotas(connection, account.id) is not None, lines)
