"""What commands and pages show of accounts."""

from __future__ import annotations

from ladder.accounts import accounts, sessions, tokens
from ladder.accounts.accounts import ListedAccount
from ladder.accounts.sessions import ListedSession
from ladder.accounts.tokens import Token
from ladder.bots.players import HOUSE
from ladder.database.connection import Connection
from ladder.names import in_natural_order


def players(connection: Connection) -> list[ListedAccount]:
    return sorted(accounts.list_accounts(connection, HOUSE), key=lambda account: in_natural_order(account.name))


def members(connection: Connection, player: str) -> list[ListedAccount]:
    """Return the members of a player by name; none of one that is not a team. Raises UnknownName."""
    team = accounts.find_player(connection, player)
    return [account for account in players(connection) if account.team == team.name]


def tokens_of(connection: Connection, player: str) -> list[Token]:
    """Return the tokens of a player and its members that are not revoked; none for a name that is not a player's."""
    account = accounts.account_called(connection, player)
    return [] if account is None else tokens.tokens_of(connection, account.id)


def sessions_of(connection: Connection, player: str) -> list[ListedSession]:
    """Return the sessions of a player, the one seen last first; none of them asks. Raises UnknownName."""
    return sessions.sessions_of(connection, accounts.find_account(connection, player).id)
