"""Which gauntlets wait because their players have used up their processor time of the day."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from ladder.accounts import accounts
from ladder.database.connection import Connection, one
from ladder.ids import GauntletId
from ladder.quotas.quotas import quotas_of
from ladder.quotas.rules import DAY, Quota, possible_from
from ladder.quotas.used import used


def waiting_until(connection: Connection, players: Collection[str]) -> dict[str, datetime]:
    """Return those of the players who have no processor time left, and when they have some again.

    Names count, and are returned, in small letters.
    """
    found = {name.lower(): until_of(connection, name) for name in players}
    return {name: until for name, until in found.items() if until is not None}


def write_down(connection: Connection, gauntlet_id: GauntletId, until: datetime | None) -> None:
    """Write down until when a gauntlet waits for that; None: it does not wait."""
    connection.execute("UPDATE gauntlets SET waits_until = %s WHERE id = %s", [until, gauntlet_id])


def until_of(connection: Connection, player: str) -> datetime | None:
    """Return when a player has processor time again, None where there is some; tomorrow where there never is any."""
    account = accounts.account_called(connection, player)
    if account is None:
        return None
    limit = quotas_of(connection, account.id).limit(Quota.CPU_S_PER_DAY)
    so_far = used(connection, account, Quota.CPU_S_PER_DAY)
    if limit is None or so_far.much + 1 <= limit:
        return None
    tomorrow: datetime = one(connection, "SELECT date_trunc('day', now(), 'UTC') + interval '1 day'", {})[0]
    return possible_from(so_far.uses, limit, 1, DAY) or tomorrow
