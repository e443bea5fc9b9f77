"""What operators do with accounts: let people in, shut accounts, make operators, change how much players may ask."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from typing import ClassVar

from engine.errors import Refused, UsageFault
from engine.immutable import immutable
from ladder import audit
from ladder.access import Actor, Deed, Role
from ladder.accounts import accounts, links, sessions, tokens
from ladder.accounts.accounts import Account
from ladder.accounts.links import InvitationKind
from ladder.accounts.secrets import new_secret
from ladder.bots import bots
from ladder.bots.players import player_id, require_other_than_house
from ladder.database.connection import Connection, Pool, our_errors
from ladder.flows import departure
from ladder.ids import PlayerId
from ladder.quotas import quotas
from ladder.quotas.quotas import QuotaList
from ladder.quotas.rules import Quota

MOST_USES = 1000


@immutable
class Invited:
    """A link that lets somebody in. `secret`: its last part; `player`: None where who follows it chooses a name.

    `email`: the player's by a class list; None where none has it.
    """

    HIDDEN: ClassVar = ("secret", "email")

    kind: InvitationKind
    player: str | None
    role: Role
    uses: int
    expires_at: datetime
    secret: str
    email: str | None = None

    def link(self, ladder: str) -> str:
        """Return the address that somebody is to open. `ladder`: its public one."""
        return f"{ladder}/join/{self.secret}"


def invite(actor: Actor, pool: Pool, name: str, role: Role = Role.PLAYER, team: str | None = None) -> Invited:
    """Make a one-time link for a player's account, or a member's of `team`. Raises NotAllowed, Refused, UsageFault."""
    with audit.transaction_for(actor, pool, Deed.INVITE) as connection, our_errors():
        account, is_new = invited_account(connection, name) if team is None else member(connection, name, team)
        if account.logs_in:
            raise Refused(
                f"{account.name} has an account already: `ladder player reset {account.name}` makes a link for a new "
                f"password, `ladder player role {account.name} operator` an operator"
            )
        link = new_invitation(connection, actor, InvitationKind.NEW if is_new else InvitationKind.CLAIM, account, role)
        of_team = "" if account.team is None else f" of {account.team}"
        audit.write(connection, actor, "player invite", f"{account.name}{of_team}", role=role)
    return link


def member(connection: Connection, name: str, team: str) -> tuple[Account, bool]:
    """Return a member's account, and whether it is new; a new team becomes a player. Raises Refused, UsageFault."""
    require_other_than_house(name)
    account = accounts.account_called(connection, name)
    if name.lower() == team.lower():
        raise Refused(f"{team} cannot be a member of itself: choose another name for the member")
    if account is not None and account.team is None:
        raise Refused(f"{account.name} is a player already: choose another name for a member of {team}")
    if account is not None and account.player.lower() != team.lower():
        raise Refused(f"{account.name} is a member of {account.team} already: choose another name for one of {team}")
    of_team, _ = invited_account(connection, team)
    if of_team.team is not None:
        raise Refused(f"{of_team.name} is a member of {of_team.team}, and no team of its own")
    return account or accounts.add_member(connection, of_team.id, name), account is None


def invited_account(connection: Connection, name: str) -> tuple[Account, bool]:
    """Return the account of somebody who is let in, and whether it is new. Raises UsageFault for odd characters."""
    require_other_than_house(name)
    account = accounts.account_called(connection, name)
    return account or accounts.account_of(connection, player_id(connection, name)), account is None


def reset(actor: Actor, pool: Pool, name: str) -> Invited:
    with audit.transaction_for(actor, pool, Deed.INVITE) as connection:
        account = accounts.find_account(connection, name)
        if not account.logs_in:
            raise Refused(
                f"{account.name} has no password yet: `ladder player invite {account.name}` makes a link for one"
            )
        link = new_invitation(connection, actor, InvitationKind.RESET, account, account.role)
        audit.write(connection, actor, "player reset", account.name)
    return link


def new_invitation(connection: Connection, actor: Actor, kind: InvitationKind, account: Account, role: Role) -> Invited:
    if account.is_disabled:
        raise Refused(
            f"{account.name} is disabled ({account.disabled_why}): `ladder player enable {account.name}` first"
        )
    secret = new_secret()
    until = links.insert_invitation(connection, secret, kind, actor.player, player_id=account.id, role=role)
    email = accounts.email_of(connection, account.id)
    return Invited(kind, account.name, role, uses=1, expires_at=until, secret=secret, email=email)


def join_code(actor: Actor, pool: Pool, uses: int) -> Invited:
    secret = new_secret()
    with audit.transaction_for(actor, pool, Deed.INVITE) as connection:
        if not 1 <= uses <= MOST_USES:
            raise UsageFault(f"a join code has 1 to {MOST_USES} uses, not {uses}")
        until = links.insert_invitation(connection, secret, InvitationKind.JOIN, actor.player, uses=uses)
        audit.write(connection, actor, "player join-code", f"{uses} uses")
    return Invited(InvitationKind.JOIN, None, Role.PLAYER, uses=uses, expires_at=until, secret=secret)


@immutable
class Disabled:
    """An account is shut. `tokens`, `sessions`: how many of them ended; `bots`: those that left the boards.

    `guards`: its bots that guard leagues, which stay. `gauntlets`, `requests`: how many that it asked for ended.
    """

    player: str
    why: str
    tokens: int
    sessions: int
    bots: list[str]
    guards: list[str]
    gauntlets: int
    requests: int


def disable(actor: Actor, pool: Pool, name: str, why: str) -> Disabled:
    """Shut an account and end what it asked for; its results stay. Raises NotAllowed, UnknownName, Refused."""
    with audit.transaction_for(actor, pool, Deed.CHANGE_PLAYERS) as connection:
        require_other_than_house(name)
        account = accounts.find_account(connection, name)
        accounts.require_another_operator(connection, account)
        account = accounts.lock(connection, account.id)
        if account.is_disabled:
            raise Refused(f"{account.name} is disabled already ({account.disabled_why})")
        why_ended = f"the account {account.name} was disabled"
        stopped_gauntlets, lapsed_requests = departure.end_what_was_asked_for(connection, account.name, why_ended)
        on_boards = [bot for bot in bots.bots(connection) if bot.player == account.name and not bot.is_gone]
        leaving = [bot for bot in on_boards if bot.boss_of is None]
        for bot in leaving:
            departure.retire(connection, bot, actor.player, why_ended, with_player=True)
        accounts.disable(connection, account.id, why)
        logins = accounts.with_members(connection, account.id)
        outcome = Disabled(
            account.name,
            why,
            tokens=sum(tokens.revoke_all(connection, login) for login in logins),
            sessions=sum(sessions.end_all(connection, login) for login in logins),
            bots=[bot.name for bot in leaving],
            guards=[bot.name for bot in on_boards if bot.boss_of is not None],
            gauntlets=stopped_gauntlets,
            requests=lapsed_requests,
        )
        audit.write_deed(connection, actor, "player disable", f"{account.name}: {why}")
    return outcome


@immutable
class ChangedAccount:
    """An account as it is now. `bots`: those that came back to the boards, by name."""

    player: str
    role: Role
    is_disabled: bool
    bots: list[str] = field(default_factory=list[str])


def enable(actor: Actor, pool: Pool, name: str) -> ChangedAccount:
    """Open an account again, and bring back the bots that left with it. Raises NotAllowed, UnknownName, Refused."""
    with audit.transaction_for(actor, pool, Deed.CHANGE_PLAYERS) as connection:
        account = accounts.find_account(connection, name)
        if not accounts.lock(connection, account.id).is_disabled:
            raise Refused(f"{account.name} is not disabled")
        accounts.enable(connection, account.id)
        gone = bots.left_with_player(connection, account.id)
        came_back = [departure.come_back(connection, bot) for bot in gone]
        audit.write_deed(connection, actor, "player enable", account.name)
    return ChangedAccount(
        account.name, account.role, is_disabled=False, bots=[bot.name for bot in came_back if not bot.is_gone]
    )


def set_role(actor: Actor, pool: Pool, name: str, role: Role) -> ChangedAccount:
    """Make a player an operator, or an operator a player again. Raises NotAllowed, UnknownName, Refused."""
    with audit.transaction_for(actor, pool, Deed.CHANGE_PLAYERS) as connection:
        require_other_than_house(name)
        account = accounts.find_account(connection, name)
        if role is Role.PLAYER:
            accounts.require_another_operator(connection, account)
        account = accounts.lock(connection, account.id)
        if account.role == role:
            raise Refused(f"{account.name} is {'an operator' if role is Role.OPERATOR else 'a player'} already")
        accounts.set_role(connection, account.id, role)
        audit.write_deed(connection, actor, "player role", f"{account.name}: {role}")
    return ChangedAccount(account.name, role, account.is_disabled)


LARGEST_QUOTA = 1_000_000_000


def change_quotas(actor: Actor, pool: Pool, player: str | None, changes: Mapping[Quota, int | None]) -> QuotaList:
    """Give a player, or with None everybody, other quotas; None: no limit. Raises NotAllowed, UsageFault."""
    words = ", ".join(f"{'no limit of' if limit is None else limit} {quota.words}" for quota, limit in changes.items())
    with audit.transaction_for(actor, pool, Deed.CHANGE_PLAYERS) as connection:
        if not changes:
            raise UsageFault("say which quota changes")
        for limit in changes.values():
            if limit is not None and not 0 <= limit <= LARGEST_QUOTA:
                raise UsageFault(f"a quota is 0 to {LARGEST_QUOTA:,}, or none, not {limit}")
        account_id, name = locked_account(connection, player)
        quotas.change(connection, account_id, changes)
        audit.write_deed(connection, actor, "player quota", f"{name}: {words}")
        return quotas.everybodys(connection) if account_id is None else quotas.of_player(connection, name)


def reset_quotas(actor: Actor, pool: Pool, player: str | None) -> QuotaList:
    """Let everybody's quotas hold for a player again, or those by default for everybody. Raises NotAllowed, Refused."""
    with audit.transaction_for(actor, pool, Deed.CHANGE_PLAYERS) as connection:
        account_id, name = locked_account(connection, player)
        if not quotas.reset(connection, account_id):
            raise Refused(f"{name} has the quotas by default already")
        audit.write_deed(connection, actor, "player quota", f"{name}: as by default")
        return quotas.everybodys(connection) if account_id is None else quotas.of_player(connection, name)


def locked_account(connection: Connection, player: str | None) -> tuple[PlayerId | None, str]:
    """Return a player, locked for this transaction, and its name; None for everybody. Raises UnknownName, Refused."""
    if player is None:
        connection.execute("LOCK TABLE quotas IN SHARE ROW EXCLUSIVE MODE")  # two who change everybody's do it in turn
        return None, "everybody"
    require_other_than_house(player)
    account = accounts.find_player(connection, player)
    accounts.lock(connection, account.id)
    return account.id, account.name
