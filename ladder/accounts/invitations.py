"""Invitations: links with which somebody makes an account, or a new password. The database has their hashes alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import LiteralString

from ladder.access import Role
from ladder.accounts.secrets import digest
from ladder.database.connection import Connection, Rows, one
from ladder.ids import PlayerId
from ladder.names import in_natural_order

LASTS_DAYS = 7


class Kind(StrEnum):
    """What an invitation is for."""

    NEW = "new"
    CLAIM = "claim"
    RESET = "reset"
    JOIN = "join"


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation that is valid. `player_id`, `player`: for whom; None where it is for everybody who has the code.

    `team`: of a member.
    """

    kind: Kind
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
    kind: Kind,
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
    row = one(
        connection,
        """
        INSERT INTO invitations (hash, kind, role, player_id, uses_left, created_by, expires_at)
        VALUES (%(hash)s, %(kind)s, %(role)s, %(player)s, %(uses)s, %(by)s, now() + make_interval(days => %(days)s))
        RETURNING expires_at
        """,
        {
            "hash": digest(secret),
            "kind": kind,
            "role": role,
            "player": player_id,
            "uses": uses,
            "by": created_by,
            "days": LASTS_DAYS,
        },
    )
    found: datetime = row[0]
    return found


def find(connection: Connection, secret: str) -> Invitation | None:
    return Rows(connection, Invitation).first(SELECT_VALID + "AND hash = %s", [digest(secret)])


def was_used(connection: Connection, secret: str) -> bool:
    """Say whether an invitation was valid until it was used as often as it can be."""
    query = "SELECT FROM invitations WHERE hash = %s AND uses_left = 0 AND expires_at > now()"
    return connection.execute(query, [digest(secret)]).fetchone() is not None


def use(connection: Connection, secret: str) -> bool:
    """Use an invitation once, and return whether it could be; of two at once the second waits for the first."""
    done = connection.execute(
        """
        UPDATE invitations SET uses_left = uses_left - 1
        WHERE hash = %s AND uses_left > 0 AND expires_at > now()
        """,
        [digest(secret)],
    )
    return done.rowcount == 1


@dataclass(frozen=True, slots=True)
class Newcomer:
    """A player without a password, who waits for a link. `expires_at`: of the one that is valid, None without one."""

    player: str
    role: Role
    expires_at: datetime | None


def newcomers(connection: Connection) -> list[Newcomer]:
    """Return who lacks a password and has a valid link or is on a contest's list (of a team: its members), by name."""
    found = Rows(connection, Newcomer).all("""
        SELECT name AS player, coalesce(valid.role, players.role) AS role, expires_at
        FROM players LEFT JOIN invitations AS valid
            ON valid.player_id = players.id AND uses_left > 0 AND expires_at > now()
        WHERE password_hash IS NULL AND disabled_at IS NULL
          AND (expires_at IS NOT NULL OR coalesce(team_id, id) IN (SELECT player_id FROM contest_players)
                                         AND NOT EXISTS (SELECT FROM players AS own WHERE own.team_id = players.id))
        """)
    return sorted(found, key=lambda one: in_natural_order(one.player))


def still_open(connection: Connection) -> list[Invitation]:
    return Rows(connection, Invitation).all(SELECT_VALID + "ORDER BY expires_at, hash")
