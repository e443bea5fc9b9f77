"""Shares: links with which others see one match as its player does. The database has their hashes alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from ladder.accounts.secrets import digest
from ladder.database.connection import Connection, Rows, one
from ladder.ids import MatchId, PlayerId, ShareId


@dataclass(frozen=True, slots=True)
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


def insert(connection: Connection, secret: str, match_id: MatchId, player: str, expires_in_s: int) -> Shared:
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
    (made,) = selected(connection, SELECT_SHARE + "WHERE shares.id = %s", [row[0]])
    return made


def find(connection: Connection, share_id: ShareId) -> Shared | None:
    found = selected(connection, SELECT_SHARE + "WHERE shares.id = %s", [share_id])
    return found[0] if found else None


def shown_by(connection: Connection, secret: str) -> Shared | None:
    found = selected(connection, SELECT_SHARE + "WHERE hash = %s", [digest(secret)])
    return found[0] if found and found[0].is_valid else None


def of_player(connection: Connection, player: str) -> list[Shared]:
    rows = selected(
        connection, SELECT_SHARE + "WHERE lower(players.name) = lower(%s) ORDER BY shares.id DESC", [player]
    )
    return [row for row in rows if row.is_valid]


def revoke(connection: Connection, share_id: ShareId) -> None:
    connection.execute("UPDATE shares SET revoked_at = coalesce(revoked_at, now()) WHERE id = %s", [share_id])


def bots_in(connection: Connection, match_id: MatchId, player: str) -> list[str]:
    rows = connection.execute(
        """
        SELECT DISTINCT bots.name FROM seats
        JOIN versions ON versions.id = version_id JOIN bots ON bots.id = bot_id JOIN players ON players.id = player_id
        WHERE match_id = %s AND lower(players.name) = lower(%s)
        """,
        [match_id, player],
    )
    return [name for (name,) in rows]


def selected(connection: Connection, query: LiteralString, given: Sequence[object]) -> list[Shared]:
    return Rows(connection, Shared).all(query, given)
