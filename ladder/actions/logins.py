"""What people do to be let in: log in, follow a link, answer a program that asks; and log out."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from engine.errors import Refused, UnknownName, UsageFault
from ladder import audit
from ladder.access import Actor, Deed, Role, Scope, Via, require
from ladder.accounts import accounts, links, passwords, sessions, tokens
from ladder.accounts.links import Invitation, InvitationKind
from ladder.accounts.secrets import new_secret, new_user_code
from ladder.accounts.tokens import USUAL_DAYS, Grant, tokens_of
from ladder.actions.tokens import NewToken, WantedToken, described, insert
from ladder.bots.players import new_player, require_other_than_house
from ladder.database.connection import Connection, Pool, our_errors, transaction
from ladder.errors import LinkUsed, NotAllowed, NotYet
from ladder.ids import PlayerId
from ladder.quotas.quotas import require_room
from ladder.quotas.rules import Quota

WRONG = "the name or the password is wrong"
"""Said of an unknown name, a wrong password and a disabled account alike."""
OVER = "this link leads to nothing, or its time is over: ask an operator for another one"
USED = "this link was used: if it was you, log in, else ask an operator for another one"
MOST_CLIENT_CHARS = 60


@dataclass(frozen=True, slots=True)
class Browser:
    """A browser that somebody uses. `agent`: what it calls itself; `session`: the secret of its session, if any."""

    agent: str
    address: str | None
    session: str | None = None


def log_in(pool: Pool, name: str, password: str, browser: Browser) -> str:
    """Begin a session, in the place of the browser's one, and return its secret. Raises NotAllowed, always alike."""
    with transaction(pool) as connection:
        found = accounts.account_called(connection, name)
    kept = None if found is None or found.is_shut else found.password_hash
    fits = passwords.fits(password, kept)
    with transaction(pool) as connection:
        if found is None or kept is None or not fits:
            audit.write(connection, Actor(name[:60], via=Via.SESSION, address=browser.address), "login refused", "")
        else:
            if passwords.is_outdated(kept):
                accounts.set_password_hash(connection, found.id, passwords.hashed(password))
            return begin(connection, found.id, browser, "login")
    raise NotAllowed(WRONG)


def begin(connection: Connection, player_id: PlayerId, browser: Browser, action: str) -> str:
    account = accounts.account_of(connection, player_id)
    if browser.session is not None:
        sessions.end(connection, browser.session)
    secret = sessions.begin(connection, account.id, browser.agent)
    audit.write(connection, accounts.actor_of(account, browser.address), action, account.name)
    return secret


def log_out(actor: Actor, pool: Pool, secret: str) -> None:
    with transaction(pool) as connection:
        sessions.end(connection, secret)
        audit.write(connection, actor, "logout", actor.login)


def end_other_sessions(actor: Actor, pool: Pool, browser: Browser) -> str:
    with transaction(pool) as connection:
        account = accounts.find_account(connection, actor.login)
        sessions.end_all(connection, account.id)
        return begin(connection, account.id, browser, "sessions end")


def invited_by(connection: Connection, secret: str) -> Invitation:
    found = links.find_invitation(connection, secret)
    if found is None:
        raise LinkUsed(USED) if links.was_used(connection, secret) else UnknownName(OVER)
    return found


def accept(pool: Pool, secret: str, name: str, password: str, browser: Browser) -> str:
    """Follow a link: all sessions end, and one begins. Raises as `invited_by`, UsageFault, Refused for a taken name."""
    passwords.require_usable(password)
    with transaction(pool) as connection:
        if invited_by(connection, secret).player_id is None:
            require_free(connection, name)
    kept = passwords.hashed(password)
    with transaction(pool) as connection:
        found = invited_by(connection, secret)
        if not links.use_invitation(connection, secret):
            raise LinkUsed(USED)
        player = found.player_id or make_player(connection, name)
        accounts.set_password_hash(connection, player, kept)
        if found.kind in {InvitationKind.NEW, InvitationKind.CLAIM} and found.role == Role.OPERATOR:
            accounts.set_role(connection, player, Role.OPERATOR)
        sessions.end_all(connection, player)
        return begin(connection, player, browser, f"account {found.kind}")


def register(pool: Pool, name: str, password: str, browser: Browser) -> str:
    """Make an account without a link, where anybody may; return a session's secret. Raises as `accept` does."""
    passwords.require_usable(password)
    with transaction(pool) as connection:
        require_free(connection, name)
    kept = passwords.hashed(password)
    with transaction(pool) as connection:
        player = make_player(connection, name)
        accounts.set_password_hash(connection, player, kept)
        return begin(connection, player, browser, "account register")


def require_free(connection: Connection, name: str) -> None:
    """Raise what `named` would, and make nothing: before the work of hashing a password."""
    with connection.transaction(force_rollback=True):
        make_player(connection, name)


def make_player(connection: Connection, name: str) -> PlayerId:
    """Return a new player of that name. Raises Refused where somebody has it, UsageFault for odd characters."""
    require_other_than_house(name)
    with our_errors():
        made = new_player(connection, name)
    if made is None:
        raise Refused(f"somebody is called {name} already: log in if it is you, or choose another name")
    return made


def change_password(actor: Actor, pool: Pool, before: str, password: str, browser: Browser) -> str:
    """Choose another password, which ends all sessions, and begin one. Raises NotAllowed, UsageFault."""
    require(actor, Deed.CHANGE_ACCOUNT, owner=actor.player)
    with transaction(pool) as connection:
        found = accounts.find_account(connection, actor.login)
    if not passwords.fits(before, found.password_hash):
        raise NotAllowed("the present password is another one")
    passwords.require_usable(password)
    kept = passwords.hashed(password)
    with transaction(pool) as connection:
        accounts.set_password_hash(connection, found.id, kept)
        sessions.end_all(connection, found.id)
        return begin(connection, found.id, browser, "password change")


@dataclass(frozen=True, slots=True)
class DeviceCodes:
    """A program asks to be let in: the secret that it keeps, and the code that its user types."""

    device_code: str
    user_code: str


def ask(pool: Pool, scopes: frozenset[Scope], client: str, address: str) -> DeviceCodes:
    """Let a program ask. `client`: what it calls itself. Raises UsageFault where that is too long."""
    if len(client) > MOST_CLIENT_CHARS or not client.isprintable():
        raise UsageFault(f"a client's name has {MOST_CLIENT_CHARS} printable characters at most")
    asked = DeviceCodes(new_secret(), new_user_code())
    with transaction(pool) as connection:
        tokens.insert_grant(connection, asked.device_code, asked.user_code, scopes, client, address)
    return asked


def asking(pool: Pool, code: str) -> Grant:
    with transaction(pool) as connection:
        return waiting(connection, code)


def waiting(connection: Connection, code: str) -> Grant:
    found = tokens.with_user_code(connection, code)
    if found is None:
        raise UnknownName("no program waits with that code: look at it again, or start anew there")
    return found


def answer(actor: Actor, pool: Pool, code: str, *, agrees: bool) -> Grant:
    """Let a program in, or not. Raises UnknownName, NotAllowed, QuotaUsed."""
    require(actor, Deed.CREATE_TOKEN, owner=actor.player)
    with transaction(pool) as connection:
        found = waiting(connection, code)
        account = accounts.find_account(connection, actor.login)
        if agrees:
            require_room(connection, actor, Quota.TOKENS)
        tokens.answer_grant(connection, found, account.id, agrees=agrees)
        audit.write(connection, actor, "device grant" if agrees else "device deny", found.client)
    return found


def collect(pool: Pool, device_code: str, address: str) -> NewToken:
    with transaction(pool) as connection:
        found = tokens.asked_again(connection, device_code)
        fault = fault_of(found)
        if found is not None and found.player_id is not None and fault is None:
            tokens.use_up_grant(connection, found)
            return token_for(connection, found, found.player_id, address)
    raise NotYet(fault or "invalid_grant")


def give_back(pool: Pool, secret: str, address: str) -> bool:
    """End a token, for whoever has it, and return whether it was until now."""
    with transaction(pool) as connection:
        found = tokens.presented(connection, secret)
        if found is None or found.refusal is not None:
            return False
        tokens.revoke(connection, found.id)
        account = accounts.find_account(connection, found.account)
        actor = replace(accounts.actor_of(account, address), via=Via.TOKEN, token_id=found.id)
        audit.write(connection, actor, "token revoke", described(tokens.token_with(connection, found.id)))
    return True


def fault_of(found: Grant | None) -> str | None:
    if found is None or found.state == "used":
        return "invalid_grant"
    if found.is_over:
        return "expired_token"
    if found.state == "denied":
        return "access_denied"
    if found.too_soon:
        return "slow_down"
    return None if found.state == "granted" else "authorization_pending"


def token_for(connection: Connection, grant: Grant, player_id: PlayerId, address: str) -> NewToken:
    account = accounts.account_of(connection, player_id)
    scopes = frozenset(map(Scope, grant.scopes)) - (set() if account.role == Role.OPERATOR else {Scope.OPERATE})
    actor = accounts.actor_of(account, address)
    player = accounts.find_account(connection, actor.player)
    taken = {token.name.lower() for token in tokens_of(connection, player.id)}
    wanted = WantedToken(free_name(grant.client, taken), scopes or frozenset({Scope.READ}), USUAL_DAYS)
    return insert(connection, actor, wanted)


def free_name(client: str, taken: set[str]) -> str:
    plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", client).strip("-_.")[:30] or "program"
    names = [plain, *(f"{plain}-{number}" for number in range(2, len(taken) + 3))]
    return next(name for name in names if name.lower() not in taken)
