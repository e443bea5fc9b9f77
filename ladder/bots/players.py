"""Players, and the name that none of them can have."""

from engine.errors import Refused
from ladder.database.connection import Connection, first_value, one, without_nul
from ladder.ids import PlayerId
from ladder.names import HOUSE


def require_other_than_house(player: str) -> None:
    """Raise Refused for the name of the player whose bots come with Ladder: no person acts in it."""
    if player.lower() == HOUSE:
        raise Refused(f"the bots of {HOUSE} come with Ladder and belong to no person: choose another name")


def new_player(connection: Connection, name: str) -> PlayerId | None:
    """Return the id of a new player; None where there is one of that name. Raises UsageFault for odd characters."""
    query = "INSERT INTO players (name) VALUES (%s) ON CONFLICT (lower(name)) DO NOTHING RETURNING id"
    return first_value(connection, query, [without_nul(name)])


def player_id(connection: Connection, name: str) -> PlayerId:
    """Return a player's id, made if new. Raises UsageFault for odd characters, Refused for a member of a team."""
    new_player(connection, name)
    query = """
        SELECT players.id, teams.name FROM players LEFT JOIN players AS teams ON teams.id = players.team_id
        WHERE lower(players.name) = lower(%(name)s)
        """
    id_, team = one(connection, query, {"name": without_nul(name)})
    if team is not None:
        raise Refused(f"{name} is a member of {team}, and bots are the team's: name {team}")
    return PlayerId(id_)
