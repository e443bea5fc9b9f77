"""Which gauntlets wait: their players have used up their processor time of the day, or more of theirs run than may."""

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


def beyond_room(connection: Connection, players: Collection[str]) -> set[GauntletId]:
    """Return the gauntlets of these players that run although as many of theirs may as were begun before."""
    return {gauntlet_id for name in players for gauntlet_id in beyond_room_of(connection, name)}


def beyond_room_of(connection: Connection, player: str) -> list[GauntletId]:
    """Return those of a player. A gauntlet that begins by itself refuses nobody, so it comes to this."""
    account = accounts.account_called(connection, player)
    limit = None if account is None else quotas_of(connection, account.id).limit(Quota.GAUNTLETS_RUNNING)
    if limit is None:
        return []
    rows = connection.execute(
        "SELECT id FROM gauntlets WHERE state = 'running' AND lower(asked_by) = lower(%s) ORDER BY id OFFSET %s",
        [player, limit],
    )
    return [GauntletId(row[0]) for row in rows]


def write_down(connection: Connection, gauntlet_id: GauntletId, until: datetime | None, *, for_room: bool) -> None:
    """Write down until when a gauntlet waits for time, None where it does not, and whether it waits for room."""
    connection.execute(
        "UPDATE gauntlets SET waits_until = %s, waits_for_room = %s WHERE id = %s", [until, for_room, gauntlet_id]
    )


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
