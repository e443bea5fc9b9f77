"""Sessions: browsers in which somebody has logged in. The database has the hashes of their secrets alone."""

from datetime import datetime

from engine.immutable import immutable
from ladder.access import Role
from ladder.accounts.accounts import find_account
from ladder.accounts.secrets import digest, new_secret
from ladder.database.connection import Connection, Rows, without_nul
from ladder.ids import PlayerId

LASTS_DAYS = 14
MOST_AGENT_CHARS = 200


@immutable
class Session:
    """A valid session and whose it is; `team`: a member's; `is_stale`: it was written down a minute ago or longer."""

    account: str
    team: str | None
    role: Role
    is_stale: bool


def begin(connection: Connection, player_id: PlayerId, agent: str) -> str:
    """Begin a session and return its secret, which only the browser keeps. Sessions that are over make room."""
    secret = new_secret()
    connection.execute("DELETE FROM sessions WHERE expires_at <= now()")
    query = """
        INSERT INTO sessions (hash, player_id, expires_at, agent)
        VALUES (%s, %s, now() + make_interval(days => %s), %s)
        """
    connection.execute(query, [digest(secret), player_id, LASTS_DAYS, without_nul(agent[:MOST_AGENT_CHARS])])
    return secret


def find(connection: Connection, secret: str) -> Session | None:
    query = """
        SELECT players.name AS account, teams.name AS team, players.role,
               seen_at < now() - interval '1 minute' AS is_stale
        FROM sessions JOIN players ON players.id = player_id
        LEFT JOIN players AS teams ON teams.id = players.team_id
        WHERE hash = %s AND expires_at > now() AND players.disabled_at IS NULL AND teams.disabled_at IS NULL
        """
    return Rows(connection, Session).first(query, [digest(secret)])


def write_down_visit(connection: Connection, secret: str) -> None:
    connection.execute("UPDATE sessions SET seen_at = now() WHERE hash = %s", [digest(secret)])


def end(connection: Connection, secret: str) -> None:
    connection.execute("DELETE FROM sessions WHERE hash = %s", [digest(secret)])


def end_all(connection: Connection, player_id: PlayerId) -> int:
    return connection.execute("DELETE FROM sessions WHERE player_id = %s", [player_id]).rowcount


@immutable
class ListedSession:
    """A session as its player sees it. `agent`: what the browser calls itself; `is_this`: whether it asks."""

    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    agent: str
    is_this: bool


def sessions_of(connection: Connection, player_id: PlayerId, secret: str = "") -> list[ListedSession]:
    """Return a player's sessions, the one seen last first. `secret`: of the one that asks, if one does."""
    query = """
        SELECT created_at, seen_at, expires_at, agent, hash = %s AS is_this FROM sessions
        WHERE player_id = %s AND expires_at > now() ORDER BY seen_at DESC, hash
        """
    return Rows(connection, ListedSession).all(query, [digest(secret), player_id])


def of_player(connection: Connection, player: str) -> list[ListedSession]:
    """Return the sessions of a player, the one seen last first; none of them asks. Raises UnknownName."""
    return sessions_of(connection, find_account(connection, player).id)
