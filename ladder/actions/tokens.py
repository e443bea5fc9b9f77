"""What players do with their tokens: make and revoke them."""

from typing import ClassVar

from engine.errors import Refused, UnknownName, UsageFault
from engine.immutable import immutable
from engine.text import alternatives
from ladder import audit
from ladder.access import Actor, Deed, Role, Scope, require
from ladder.accounts import accounts, tokens
from ladder.accounts.secrets import TOKEN_PREFIX, new_secret
from ladder.accounts.tokens import LONGEST_DAYS, USUAL_DAYS, Token
from ladder.database.connection import Connection, Pool, our_errors, transaction
from ladder.errors import NotAllowed
from ladder.names import BOT
from ladder.quotas.quotas import require_room
from ladder.quotas.rules import Quota


@immutable
class NewToken:
    """A token that was just made. `secret`: what is shown once, and kept by nobody but its player."""

    MERGED: ClassVar = ("token",)

    secret: str
    token: Token


@immutable
class WantedToken:
    """What a token is to be for. `days`: how long; `game`, `bot`: what alone, None for all; the bot may come later."""

    name: str
    scopes: frozenset[Scope]
    days: int = USUAL_DAYS
    game: str | None = None
    bot: str | None = None


def create(actor: Actor, pool: Pool, wanted: WantedToken) -> NewToken:
    """Make a token of the actor's own. Raises NotAllowed, Refused, QuotaUsed, UsageFault, UnknownName."""
    require(actor, Deed.CREATE_TOKEN, owner=actor.player)
    with transaction(pool) as connection, our_errors():
        return insert(connection, actor, wanted)


def insert(connection: Connection, actor: Actor, wanted: WantedToken) -> NewToken:
    if not wanted.scopes:
        raise UsageFault(f"name at least one scope: {alternatives(list(Scope))}")
    if not 1 <= wanted.days <= LONGEST_DAYS:
        raise UsageFault(f"a token is valid for 1 to {LONGEST_DAYS} days, not {wanted.days}")
    if wanted.bot is not None and not BOT.fullmatch(wanted.bot):
        raise UsageFault(f"{wanted.bot!r} cannot be the name of a bot")
    require_room(connection, actor, Quota.TOKENS)
    account, player = (accounts.find_account(connection, name) for name in (actor.login, actor.player))
    if account.is_disabled:
        raise NotAllowed(f"the account {account.name} is disabled ({account.disabled_why})")
    if Scope.OPERATE in wanted.scopes and account.role != Role.OPERATOR:
        raise NotAllowed(f"the scope operate is for operators, and {account.name} is a player")
    for other in tokens.tokens_of(connection, player.id):
        if other.name.lower() == wanted.name.lower() and other.player_id != account.id and not other.is_expired:
            raise Refused(f"{other.player} of {player.name} has a token {other.name} already: choose another name")
    secret = TOKEN_PREFIX + new_secret()
    token = tokens.insert_token(
        connection, account.id, wanted.name, secret, wanted.scopes, wanted.days, game=wanted.game, bot=wanted.bot
    )
    audit.write(connection, actor, "token create", described(token), scopes=token.scopes)
    return NewToken(secret, token)


def revoke(actor: Actor, pool: Pool, player: str, name: str) -> Token:
    require(actor, Deed.REVOKE_TOKEN, f"the tokens of {player} are that player's to revoke, or an operator's", player)
    with transaction(pool) as connection:
        token = tokens.find_token(connection, accounts.find_account(connection, player).id, name)
        end(connection, actor, token)
    return token


def revoke_numbered(actor: Actor, pool: Pool, token_id: int) -> Token:
    """End a token of the actor's own. Raises NotAllowed, UnknownName also for others' tokens."""
    require(actor, Deed.REVOKE_TOKEN, owner=actor.player)
    with transaction(pool) as connection:
        own_tokens = tokens.tokens_of(connection, accounts.find_account(connection, actor.player).id)
        own_token = next((token for token in own_tokens if token.id == token_id), None)
        if own_token is None:
            raise UnknownName(f"you have no token with the number {token_id}")
        end(connection, actor, own_token)
    return own_token


def end(connection: Connection, actor: Actor, token: Token) -> None:
    tokens.revoke(connection, token.id)
    note = audit.write if actor.is_(token.player) else audit.write_deed
    note(connection, actor, "token revoke", described(token))


def described(token: Token) -> str:
    return f"{token.name} of {token.player}"
