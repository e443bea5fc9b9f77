"""Tokens: what programs show in the place of a person. The database has their hashes alone.

Programs are given one by a device grant (RFC 8628): they ask to be let in, and people answer in a browser. A program
gets two secrets: a code for people to type, and one of its own with which it asks whether somebody has answered. The
database has the hashes of both.
"""

from collections.abc import Collection
from datetime import datetime
from typing import ClassVar

from engine.errors import Refused, UnknownName
from engine.immutable import immutable
from ladder.access import Role, Scope
from ladder.accounts.accounts import account_called
from ladder.accounts.secrets import digest, typed_code
from ladder.database.connection import Connection, Rows, one, without_nul
from ladder.ids import PlayerId

LONGEST_DAYS = 365
USUAL_DAYS = 90


@immutable
class Token:
    """A token, without its secret. `game`, `bot`: what alone it is for, None for all; `last_four`: how it ends."""

    HIDDEN: ClassVar = ("player_id",)

    id: int
    player_id: PlayerId
    player: str
    name: str
    last_four: str
    scopes: list[str]
    game: str | None
    bot: str | None
    created_at: datetime
    expires_at: datetime
    is_expired: bool
    last_used_at: datetime | None
    last_used_from: str | None
    revoked_at: datetime | None

    @property
    def is_for(self) -> str:
        return " of ".join(filter(None, [self.bot, self.game]))


SELECT = """
    SELECT tokens.id, player_id, players.name AS player, tokens.name, last_four, scopes, game, bot, tokens.created_at,
           expires_at, expires_at <= now() AS is_expired, last_used_at, last_used_from, revoked_at
    FROM tokens JOIN players ON players.id = player_id
"""


def insert_token(
    connection: Connection,
    player_id: PlayerId,
    name: str,
    secret: str,
    scopes: Collection[Scope],
    days: int,
    *,
    game: str | None = None,
    bot: str | None = None,
) -> Token:
    """Keep a token; an expired one of its name makes room. Raises Refused for a taken name, UsageFault."""
    query = """
        UPDATE tokens SET revoked_at = now()
        WHERE player_id = %s AND lower(name) = lower(%s) AND revoked_at IS NULL AND expires_at <= now()
        """
    connection.execute(query, [player_id, without_nul(name)])
    query = """
        INSERT INTO tokens (player_id, name, hash, last_four, scopes, game, bot, expires_at)
        VALUES (%s, %s, %s, %s, %s, %s, %s, now() + make_interval(days => %s)) RETURNING id
        """
    values = [player_id, without_nul(name), digest(secret), secret[-4:], sorted(scopes), game, bot, days]
    return token_with(connection, one(connection, query, values)[0])


def token_with(connection: Connection, token_id: int) -> Token:
    return Rows(connection, Token).one(SELECT + "WHERE tokens.id = %s", [token_id])


def tokens_of(connection: Connection, player_id: PlayerId) -> list[Token]:
    """Return the tokens of a player and its members that are not revoked, by name; expired ones too, after others."""
    query = "WHERE %s IN (player_id, team_id) AND revoked_at IS NULL ORDER BY lower(tokens.name), expires_at DESC"
    return Rows(connection, Token).all(SELECT + query, [player_id])


def of_player(connection: Connection, player: str) -> list[Token]:
    """Return the tokens of a player and its members that are not revoked; none for a name that is not a player's."""
    account = account_called(connection, player)
    return [] if account is None else tokens_of(connection, account.id)


def find_token(connection: Connection, player_id: PlayerId, name: str) -> Token:
    tokens = tokens_of(connection, player_id)
    for token in tokens:
        if token.name.lower() == name.lower():
            return token
    raise UnknownName.of("token", name, [token.name for token in tokens])


def revoke(connection: Connection, token_id: int) -> None:
    query = "UPDATE tokens SET revoked_at = now() WHERE id = %s AND revoked_at IS NULL"
    if not connection.execute(query, [token_id]).rowcount:
        raise Refused("this token is revoked already")


def revoke_all(connection: Connection, player_id: PlayerId) -> int:
    query = "UPDATE tokens SET revoked_at = now() WHERE player_id = %s AND revoked_at IS NULL"
    return connection.execute(query, [player_id]).rowcount


@immutable
class PresentedToken:
    """A token that was shown, and whose it is; `team`: a member's; `is_stale`: use written down over a minute ago."""

    id: int
    account: str
    team: str | None
    role: Role
    scopes: list[str]
    game: str | None
    bot: str | None
    expires_at: datetime
    is_expired: bool
    is_revoked: bool
    disabled_why: str | None
    is_stale: bool

    @property
    def refusal(self) -> str | None:
        if self.disabled_why is not None:
            return f"the account {self.account} is disabled ({self.disabled_why})"
        if self.is_revoked:
            return "this token is revoked"
        if self.is_expired:
            return f"this token expired on {self.expires_at:%Y-%m-%d}"
        return None


def presented(connection: Connection, secret: str) -> PresentedToken | None:
    query = """
        SELECT tokens.id, players.name AS account, teams.name AS team, players.role, scopes, game, bot, expires_at,
               expires_at <= now() AS is_expired,
               revoked_at IS NOT NULL AND revoked_at < expires_at AS is_revoked,
               coalesce(players.disabled_why, teams.disabled_why) AS disabled_why,
               coalesce(last_used_at < now() - interval '1 minute', true) AS is_stale
        FROM tokens JOIN players ON players.id = player_id LEFT JOIN players AS teams ON teams.id = players.team_id
        WHERE hash = %s
        """
    return Rows(connection, PresentedToken).first(query, [digest(secret)])


def write_down_use(connection: Connection, token_id: int, address: str | None) -> None:
    connection.execute("UPDATE tokens SET last_used_at = now(), last_used_from = %s WHERE id = %s", [address, token_id])


LASTS_S = 600
INTERVAL_S = 5
"""How long a program waits before it asks again."""


@immutable
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


SELECT_GRANT = """
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
        SELECT_GRANT + "WHERE user_code = %(code)s AND state = 'pending' AND expires_at > now() FOR UPDATE",
        {"code": digest(typed_code(typed)), "interval": INTERVAL_S},
    )


def answer_grant(connection: Connection, grant: Grant, player_id: PlayerId, *, agrees: bool) -> None:
    query = "UPDATE device_grants SET state = %s, player_id = %s WHERE device_hash = %s"
    connection.execute(query, ["granted" if agrees else "denied", player_id, grant.device_hash])


def asked_again(connection: Connection, device_code: str) -> Grant | None:
    """Return the grant of that secret, if there is one, as it was before; write down that it was asked about."""
    query = "WHERE device_hash = %(hash)s FOR UPDATE"
    grant = Rows(connection, Grant).first(SELECT_GRANT + query, {"hash": digest(device_code), "interval": INTERVAL_S})
    if grant is not None:
        connection.execute("UPDATE device_grants SET polled_at = now() WHERE device_hash = %s", [grant.device_hash])
    return grant


def use_up_grant(connection: Connection, grant: Grant) -> None:
    connection.execute("UPDATE device_grants SET state = 'used' WHERE device_hash = %s", [grant.device_hash])
