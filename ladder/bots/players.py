"""Players, and the name that none of them can have."""

from __future__ import annotations

from engine.errors import Refused
from ladder.database.connection import Connection, one
from ladder.ids import PlayerId

HOUSE = "house"
"""The player to whom the bosses belong."""


def require_other_than_house(player: str) -> None:
    """Raise Refused for the name of the player whose bots come with Ladder: no person acts in it."""
    if player.lower() == HOUSE:
        raise Refused(f"the bots of {HOUSE} come with Ladder and belong to no person: name yourself with --player")


def player_id(connection: Connection, name: str) -> PlayerId:
    """Return the id of the player of that name, made if new. Raises UsageFault for a name with odd characters."""
    connection.execute(
        "INSERT INTO players (name) VALUES (%(name)s) ON CONFLICT (lower(name)) DO NOTHING", {"name": name}
    )
    row = one(connection, "SELECT id FROM players WHERE lower(name) = lower(%(name)s)", {"name": name})
    return PlayerId(row[0])
