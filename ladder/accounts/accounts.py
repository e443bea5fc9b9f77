"""Players as accounts: their role, their password, whether they are disabled; and members of players that are teams."""

from datetime import datetime
from typing import ClassVar

from engine.errors import Refused, UnknownName
from engine.immutable import immutable
from ladder.access import Actor, Role, Via
from ladder.database.connection import Connection, Rows, first_column, first_value, one, without_nul
from ladder.errors import NotAllowed
from ladder.ids import PlayerId
from ladder.names import HOUSE, in_natural_order, in_short


@immutable
class Account:
    """A player as an account. `logs_in`: whether there is a password; `disabled_at`, `disabled_why`: None if it is not.

    `team`: of a member, the player whose bots are the member's; `is_shut`: whether it or its team is disabled.
    `password_hash` is for checking a password alone, and is never shown.
    """

    HIDDEN: ClassVar = ("password_hash",)
    SHOWN: ClassVar = ("logs_in",)

    id: PlayerId
    name: str
    role: Role
    created_at: datetime
    disabled_at: datetime | None
    disabled_why: str | None
    password_hash: str | None
    team: str | None
    is_shut: bool

    @property
    def player(self) -> str:
        return self.team or self.name

    @property
    def logs_in(self) -> bool:
        return self.password_hash is not None

    @property
    def is_disabled(self) -> bool:
        return self.disabled_at is not None


SELECT = """
    SELECT players.id, players.name, players.role, players.created_at, players.disabled_at, players.disabled_why,
           players.password_hash, teams.name AS team,
           coalesce(players.disabled_at, teams.disabled_at) IS NOT NULL AS is_shut
    FROM players LEFT JOIN players AS teams ON teams.id = players.team_id
"""


def account_called(connection: Connection, name: str) -> Account | None:
    return Rows(connection, Account).first(SELECT + "WHERE lower(players.name) = lower(%s)", [without_nul(name)])


def find_account(connection: Connection, name: str) -> Account:
    account = account_called(connection, name)
    if account is None:
        names = first_column(connection, "SELECT name FROM players ORDER BY lower(name)")
        raise UnknownName.of("player", name, in_short(names))
    return account


def account_of(connection: Connection, player_id: PlayerId) -> Account:
    return Rows(connection, Account).one(SELECT + "WHERE players.id = %s", [player_id])


def email_of(connection: Connection, player_id: PlayerId) -> str | None:
    """Return the address that the latest class list has of a player; None where none has one."""
    query = "SELECT email FROM contest_players WHERE player_id = %s AND email <> '' ORDER BY season DESC, game LIMIT 1"
    return first_value(connection, query, [player_id])


def find_player(connection: Connection, name: str) -> Account:
    account = find_account(connection, name)
    return account if account.team is None else find_account(connection, account.team)


def actor_of(account: Account, address: str | None) -> Actor:
    """Return who acts in a browser in which this account has logged in."""
    member = None if account.team is None else account.name
    return Actor(account.player, Role(account.role), Via.SESSION, address=address, member=member)


def add_member(connection: Connection, team_id: PlayerId, name: str) -> Account:
    """Make a member of a player. The name must be new. Raises UsageFault for odd characters."""
    query = "INSERT INTO players (name, team_id) VALUES (%s, %s) RETURNING id"
    return account_of(connection, one(connection, query, [without_nul(name), team_id])[0])


def with_members(connection: Connection, player_id: PlayerId) -> list[PlayerId]:
    return first_column(connection, "SELECT id FROM players WHERE %s IN (id, team_id)", [player_id])


def require_enabled(connection: Connection, name: str) -> None:
    account = account_called(connection, name)
    if account is not None and account.is_disabled:
        raise NotAllowed(f"the account {account.name} is disabled ({account.disabled_why})")


def lock(connection: Connection, player_id: PlayerId) -> Account:
    """Lock a player's row for this transaction; rows that refer to it can be added meanwhile, as recordings do."""
    return Rows(connection, Account).one(SELECT + "WHERE players.id = %s FOR NO KEY UPDATE OF players", [player_id])


def require_another_operator(connection: Connection, account: Account) -> None:
    """Raise Refused for the last operator. All operators are locked, so two at once cannot make each other the last."""
    operators = "SELECT id FROM players WHERE role = 'operator' AND disabled_at IS NULL ORDER BY id FOR NO KEY UPDATE"
    if first_column(connection, operators) == [account.id]:
        raise Refused(f"{account.name} is the last operator: make another player one first")


def set_role(connection: Connection, player_id: PlayerId, role: Role) -> None:
    connection.execute("UPDATE players SET role = %s WHERE id = %s", [role, player_id])


def set_password_hash(connection: Connection, player_id: PlayerId, password_hash: str) -> None:
    connection.execute("UPDATE players SET password_hash = %s WHERE id = %s", [password_hash, player_id])


def disable(connection: Connection, player_id: PlayerId, why: str) -> None:
    query = "UPDATE players SET disabled_at = now(), disabled_why = %s WHERE id = %s"
    connection.execute(query, [without_nul(why), player_id])


def enable(connection: Connection, player_id: PlayerId) -> None:
    connection.execute("UPDATE players SET disabled_at = NULL, disabled_why = NULL WHERE id = %s", [player_id])


@immutable
class ListedAccount:
    """An account in the list of all. `bots`: how many it has; `tokens`: how many that are valid; `seen_at`: when last.

    `seen_at` is by session or token, None where neither was used. `team`: the player whose member it is.
    """

    name: str
    team: str | None
    role: Role
    logs_in: bool
    bots: int
    tokens: int
    seen_at: datetime | None
    disabled_at: datetime | None
    disabled_why: str | None


def players(connection: Connection) -> list[ListedAccount]:
    """Return all accounts in natural order of their names, without the one that the bosses belong to."""
    query = """
        SELECT name, (SELECT teams.name FROM players AS teams WHERE teams.id = players.team_id) AS team, role,
            password_hash IS NOT NULL AS logs_in,
            (SELECT count(*) FROM bots WHERE player_id = players.id) AS bots,
            (SELECT count(*) FROM tokens
             WHERE player_id = players.id AND revoked_at IS NULL AND expires_at > now()) AS tokens,
            greatest((SELECT max(seen_at) FROM sessions WHERE player_id = players.id),
                     (SELECT max(last_used_at) FROM tokens WHERE player_id = players.id)) AS seen_at,
            disabled_at, disabled_why
        FROM players WHERE lower(name) <> %s
        """
    accounts = Rows(connection, ListedAccount).all(query, [HOUSE])
    return sorted(accounts, key=lambda account: in_natural_order(account.name))


def members(connection: Connection, player: str) -> list[ListedAccount]:
    """Return the members of a player by name; none of one that is not a team. Raises UnknownName."""
    team = find_player(connection, player)
    return [account for account in players(connection) if account.team == team.name]
