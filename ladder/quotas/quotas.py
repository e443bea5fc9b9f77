"""The table of quotas: everybody's, and those of players who have their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import LiteralString

from psycopg.rows import class_row

from ladder.database.connection import Connection
from ladder.ids import PlayerId
from ladder.quotas.rules import Quota, Quotas

SELECT: LiteralString = """
    SELECT versions_per_hour, versions_per_day, battles_per_day, gauntlets_running, cpu_s_per_day, tokens FROM quotas
    WHERE player_id IS NOT DISTINCT FROM %s
"""


def own_quotas(connection: Connection, player_id: PlayerId | None) -> Quotas | None:
    """Return a player's own quotas, or everybody's that an operator has set; None where there are none."""
    with connection.cursor(row_factory=class_row(Quotas)) as cursor:
        return cursor.execute(SELECT, [player_id]).fetchone()


def quotas_of(connection: Connection, player_id: PlayerId | None) -> Quotas:
    """Return the quotas that hold for a player: its own, else everybody's; with None everybody's."""
    own = None if player_id is None else own_quotas(connection, player_id)
    return own or own_quotas(connection, None) or Quotas()


def change(connection: Connection, player_id: PlayerId | None, changes: Mapping[Quota, int | None]) -> Quotas:
    """Give a player, or with None everybody, other quotas from now on; those that are not named stay as they are."""
    found = replace(quotas_of(connection, player_id), **{quota.value: limit for quota, limit in changes.items()})
    connection.execute(
        """
        INSERT INTO quotas (player_id, versions_per_hour, versions_per_day, battles_per_day, gauntlets_running,
                            cpu_s_per_day, tokens)
        VALUES (%(player)s, %(versions_per_hour)s, %(versions_per_day)s, %(battles_per_day)s, %(gauntlets_running)s,
                %(cpu_s_per_day)s, %(tokens)s)
        ON CONFLICT (player_id) DO UPDATE
        SET versions_per_hour = excluded.versions_per_hour, versions_per_day = excluded.versions_per_day,
            battles_per_day = excluded.battles_per_day, gauntlets_running = excluded.gauntlets_running,
            cpu_s_per_day = excluded.cpu_s_per_day, tokens = excluded.tokens
        """,
        {"player": player_id, **asdict(found)},
    )
    return found


def reset(connection: Connection, player_id: PlayerId | None) -> bool:
    """Let everybody's quotas hold for a player again, or for everybody those by default. Returns whether others did."""
    done = connection.execute("DELETE FROM quotas WHERE player_id IS NOT DISTINCT FROM %s", [player_id])
    return done.rowcount == 1
