"""Links with which somebody gets in. The database has their hashes alone.

By an *invitation* somebody makes an account, or a new password; by a *share* others see one match as its player does.
"""

from datetime import datetime
from enum import StrEnum
from typing import LiteralString

from engine.immutable import immutable
from ladder.access import Role
from ladder.accounts.secrets import digest
from ladder.database.connection import Connection, Rows, first_column, one
from ladder.ids import MatchId, PlayerId, ShareId
from ladder.names import in_natural_order

LASTS_DAYS = 7


class InvitationKind(StrEnum):
    """What an invitation is for."""

    NEW = "new"
    CLAIM = "claim"
    RESET = "reset"
    JOIN = "join"


@immutable
class Invitation:
    """A valid invitation. `player_id`, `player`, a member's `team`: for whom; None: for everybody who has the code."""

    kind: InvitationKind
    role: Role
    player_id: PlayerId | None
    player: str | None
    team: str | None
    uses_left: int
    created_by: str
    expires_at: datetime


SELECT_VALID: LiteralString = """
    SELECT kind, invitations.role, player_id, players.name AS player, teams.name AS team, uses_left, created_by,
           expires_at
    FROM invitations
    LEFT JOIN players ON players.id = player_id
    LEFT JOIN players AS teams ON teams.id = players.team_id
    WHERE uses_left > 0 AND expires_at > now() AND players.disabled_at IS NULL AND teams.disabled_at IS NULL
"""


def insert_invitation(
    connection: Connection,
    secret: str,
    kind: InvitationKind,
    created_by: str,
    *,
    player_id: PlayerId | None = None,
    role: Role = Role.PLAYER,
    uses: int = 1,
) -> datetime:
    """Keep an invitation for LASTS_DAYS, in the place of others of its kind for that player; return when it ends."""
    connection.execute("DELETE FROM invitations WHERE expires_at <= now()")
    if player_id is not None:
        connection.execute("DELETE FROM invitations WHERE player_id = %s", [player_id])
    query = """
        INSERT INTO invitations (hash, kind, role, player_id, uses_left, created_by, expires_at)
        VALUES (%s, %s, %s, %s, %s, %s, now() + make_interval(days => %s)) RETURNING expires_at
        """
    values = [digest(secret), kind, role, player_id, uses, created_by, LASTS_DAYS]
    expires_at: datetime = one(connection, query, values)[0]
    return expires_at


def find_invitation(connection: Connection, secret: str) -> Invitation | None:
    return Rows(connection, Invitation).first(SELECT_VALID + "AND hash = %s", [digest(secret)])


def was_used(connection: Connection, secret: str) -> bool:
    """Say whether an invitation was valid until it was used as often as it can be."""
    query = "SELECT FROM invitations WHERE hash = %s AND uses_left = 0 AND expires_at > now()"
    return connection.execute(query, [digest(secret)]).fetchone() is not None


def use_invitation(connection: Connection, secret: str) -> bool:
    """Use an invitation once, and return whether it could be; of two at once the second waits for the first."""
    query = "UPDATE invitations SET uses_left = uses_left - 1 WHERE hash = %s AND uses_left > 0 AND expires_at > now()"
    return connection.execute(query, [digest(secret)]).rowcount == 1


@immutable
class Newcomer:
    """A player without a password, who waits for a link. `expires_at`: of the one that is valid, None without one."""

    player: str
    role: Role
    expires_at: datetime | None


def newcomers(connection: Connection) -> list[Newcomer]:
    """Return who lacks a password and has a valid link or is on a contest's list (of a team: its members), by name."""
    rows = Rows(connection, Newcomer).all("""
        SELECT name AS player, coalesce(valid.role, players.role) AS role, expires_at
        FROM players LEFT JOIN invitations AS valid
            ON valid.player_id = players.id AND uses_left > 0 AND expires_at > now()
        WHERE password_hash IS NULL AND disabled_at IS NULL
          AND (expires_at IS NOT NULL OR coalesce(team_id, id) IN (SELECT player_id FROM contest_players)
                                         AND NOT EXISTS (SELECT FROM players AS own WHERE own.team_id = players.id))
        """)
    return sorted(rows, key=lambda newcomer: in_natural_order(newcomer.player))


def still_open(connection: Connection) -> list[Invitation]:
    return Rows(connection, Invitation).all(SELECT_VALID + "ORDER BY expires_at, hash")


@immutable
class Shared:
    """A link, without its secret. `player`: as whom it shows the match; `is_valid`: whether it still does."""

    id: ShareId
    match_id: MatchId
    player_id: PlayerId
    player: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    is_valid: bool


SELECT_SHARE: LiteralString = """
    SELECT shares.id, match_id, player_id, players.name AS player, shares.created_at, expires_at, revoked_at,
           revoked_at IS NULL AND expires_at > now() AND disabled_at IS NULL AS is_valid
    FROM shares JOIN players ON players.id = player_id
"""


def insert_share(connection: Connection, secret: str, match_id: MatchId, player: str, expires_in_s: int) -> Shared:
    row = one(
        connection,
        """
        INSERT INTO shares (hash, match_id, player_id, expires_at)
        SELECT %(hash)s, %(match)s, id, now() + make_interval(secs => %(expires_in_s)s) FROM players
        WHERE lower(name) = lower(%(player)s)
        RETURNING id
        """,
        {"hash": digest(secret), "match": match_id, "player": player, "expires_in_s": expires_in_s},
    )
    return Rows(connection, Shared).one(SELECT_SHARE + "WHERE shares.id = %s", [row[0]])


def find_share(connection: Connection, share_id: ShareId) -> Shared | None:
    return Rows(connection, Shared).first(SELECT_SHARE + "WHERE shares.id = %s", [share_id])


def shown_by(connection: Connection, secret: str) -> Shared | None:
    share = Rows(connection, Shared).first(SELECT_SHARE + "WHERE hash = %s", [digest(secret)])
    return share if share is not None and share.is_valid else None


def shares_of_player(connection: Connection, player: str) -> list[Shared]:
    query = "WHERE lower(players.name) = lower(%s) ORDER BY shares.id DESC"
    shares = Rows(connection, Shared).all(SELECT_SHARE + query, [player])
    return [share for share in shares if share.is_valid]


def revoke_share(connection: Connection, share_id: ShareId) -> None:
    connection.execute("UPDATE shares SET revoked_at = coalesce(revoked_at, now()) WHERE id = %s", [share_id])


def bots_in(connection: Connection, match_id: MatchId, player: str) -> list[str]:
    query = """
        SELECT DISTINCT bots.name FROM seats
        JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id JOIN players ON players.id = player_id
        WHERE match_id = %s AND lower(players.name) = lower(%s)
        """
    return first_column(connection, query, [match_id, player])
