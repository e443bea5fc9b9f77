"""Device grants (RFC 8628): programs that ask to be let in, and people who answer in a browser.

A program gets two secrets: a code for people to type, and one of its own with which it asks whether somebody has
answered. The database has the hashes of both.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ladder.access import Scope
from ladder.accounts.secrets import digest, typed_code
from ladder.database.connection import Connection, Rows, without_nul
from ladder.ids import PlayerId

LASTS_S = 600
INTERVAL_S = 5
"""How long a program waits before it asks again."""


@dataclass(frozen=True, slots=True)
class Grant:
    """A program that asks. `client`: what it calls itself; `address`: from where; `expires_in_s`: negative if over.

    `too_soon`: it asked less than INTERVAL_S ago.
    """

    device_hash: bytes
    scopes: list[str]
    client: str
    address: str
    player_id: PlayerId | None
    state: str
    expires_in_s: int
    too_soon: bool

    @property
    def is_over(self) -> bool:
        return self.expires_in_s <= 0


SELECT = """
    SELECT device_hash, scopes, client, address, player_id, state,
           ceil(extract(epoch FROM expires_at - now()))::int AS expires_in_s,
           coalesce(polled_at > now() - make_interval(secs => 0.9 * %(interval)s), false) AS too_soon
    FROM device_grants
"""


def insert_grant(
    connection: Connection, device_code: str, user_code: str, scopes: Collection[Scope], client: str, address: str
) -> None:
    """Keep that a program asks. What is over for a day makes room."""
    connection.execute("DELETE FROM device_grants WHERE expires_at < now() - interval '1 day'")
    connection.execute(
        """
        INSERT INTO device_grants (device_hash, user_code, scopes, client, address, expires_at)
        VALUES (%s, %s, %s, %s, %s, now() + make_interval(secs => %s))
        """,
        [digest(device_code), digest(user_code), sorted(scopes), without_nul(client), address, LASTS_S],
    )


def with_user_code(connection: Connection, typed: str) -> Grant | None:
    return Rows(connection, Grant).first(
        SELECT + "WHERE user_code = %(code)s AND state = 'pending' AND expires_at > now() FOR UPDATE",
        {"code": digest(typed_code(typed)), "interval": INTERVAL_S},
    )


def answer(connection: Connection, grant: Grant, player_id: PlayerId, *, agrees: bool) -> None:
    connection.execute(
        "UPDATE device_grants SET state = %s, player_id = %s WHERE device_hash = %s",
        ["granted" if agrees else "denied", player_id, grant.device_hash],
    )


def asked(connection: Connection, device_code: str) -> Grant | None:
    """Return the grant of that secret, if there is one, as it was before; write down that it was asked about."""
    found = Rows(connection, Grant).first(
        SELECT + "WHERE device_hash = %(hash)s FOR UPDATE", {"hash": digest(device_code), "interval": INTERVAL_S}
    )
    if found is not None:
        connection.execute("UPDATE device_grants SET polled_at = now() WHERE device_hash = %s", [found.device_hash])
    return found


def use_up(connection: Connection, grant: Grant) -> None:
    connection.execute("UPDATE device_grants SET state = 'used' WHERE device_hash = %s", [grant.device_hash])
