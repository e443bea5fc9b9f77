"""What people do to be let in: log in, follow a link, answer a program that asks; and log out."""

from dataclasses import replace

from engine.errors import Refused, UnknownName, UsageFault
from engine.immutable import immutable
from ladder import audit
from ladder.access import Actor, Deed, Role, Scope, Via, require
from ladder.accounts import accounts, links, passwords, sessions, tokens
from ladder.accounts.links import Invitation, InvitationKind
from ladder.accounts.secrets import new_secret, new_user_code
from ladder.accounts.tokens import Grant
from ladder.actions.tokens import NewToken, WantedToken, described, insert
from ladder.bots.players import new_player, require_other_than_house
from ladder.database.connection import Connection, Pool, our_errors, transaction
from ladder.errors import LinkUsed, NotAllowed, NotYet
from ladder.ids import PlayerId
from ladder.names import free_name
from ladder.quotas.quotas import require_room
from ladder.quotas.rules import Quota

WRONG = "the name or the password is wrong"
"""Said of an unknown name, a wrong password and a disabled account alike."""
OVER = "this link leads to nothing, or its time is over: ask an operator for another one"
USED = "this link was used: if it was you, log in, else ask an operator for another one"
MOST_CLIENT_CHARS = 60


@immutable
class Browser:
    """A browser that somebody uses. `agent`: what it calls itself; `session`: the secret of its session, if any."""

    agent: str
    address: str | None
    session: str | None = None


def log_in(pool: Pool, name: str, password: str, browser: Browser) -> str:
    """Begin a session, in the place of the browser's one, and return its secret. Raises NotAllowed, always alike."""
    with transaction(pool) as connection:
        account = accounts.account_called(connection, name)
    password_hash = None if account is None or account.is_shut else account.password_hash
    fits = passwords.fits(password, password_hash)
    with transaction(pool) as connection:
        if account is None or password_hash is None or not fits:
            audit.write(connection, Actor(name[:60], via=Via.SESSION, address=browser.address), "login refused", "")
        else:
            if passwords.is_outdated(password_hash):
                accounts.set_password_hash(connection, account.id, passwords.hashed(password))
            return begin(connection, account.id, browser, "login")
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
    if (invitation := links.find_invitation(connection, secret)) is None:
        raise LinkUsed(USED) if links.was_used(connection, secret) else UnknownName(OVER)
    return invitation


def accept(pool: Pool, secret: str, name: str, password: str, browser: Browser) -> str:
    """Follow a link: all sessions end, and one begins. Raises as `invited_by`, UsageFault, Refused for a taken name."""
    passwords.require_usable(password)
    with transaction(pool) as connection:
        if invited_by(connection, secret).player_id is None:
            require_free(connection, name)
    password_hash = passwords.hashed(password)
    with transaction(pool) as connection:
        invitation = invited_by(connection, secret)
        if not links.use_invitation(connection, secret):
            raise LinkUsed(USED)
        player = invitation.player_id or make_player(connection, name)
        accounts.set_password_hash(connection, player, password_hash)
        if invitation.kind in {InvitationKind.NEW, InvitationKind.CLAIM} and invitation.role == Role.OPERATOR:
            accounts.set_role(connection, player, Role.OPERATOR)
        sessions.end_all(connection, player)
        return begin(connection, player, browser, f"account {invitation.kind}")


def register(pool: Pool, name: str, password: str, browser: Browser) -> str:
    """Make an account without a link, where anybody may; return a session's secret. Raises as `accept` does."""
    passwords.require_usable(password)
    with transaction(pool) as connection:
        require_free(connection, name)
    password_hash = passwords.hashed(password)
    with transaction(pool) as connection:
        player = make_player(connection, name)
        accounts.set_password_hash(connection, player, password_hash)
        return begin(connection, player, browser, "account register")


def require_free(connection: Connection, name: str) -> None:
    """Raise what `make_player` would, and make nothing: before the work of hashing a password."""
    with connection.transaction(force_rollback=True):
        make_player(connection, name)


def make_player(connection: Connection, name: str) -> PlayerId:
    """Return a new player of that name. Raises Refused where somebody has it, UsageFault for odd characters."""
    require_other_than_house(name)
    with our_errors():
        player = new_player(connection, name)
    if player is None:
        raise Refused(f"somebody is called {name} already: log in if it is you, or choose another name")
    return player


def change_password(actor: Actor, pool: Pool, before: str, password: str, browser: Browser) -> str:
    """Choose another password, which ends all sessions, and begin one. Raises NotAllowed, UsageFault."""
    require(actor, Deed.CHANGE_ACCOUNT, owner=actor.player)
    with transaction(pool) as connection:
        account = accounts.find_account(connection, actor.login)
    if not passwords.fits(before, account.password_hash):
        raise NotAllowed("the present password is another one")
    passwords.require_usable(password)
    password_hash = passwords.hashed(password)
    with transaction(pool) as connection:
        accounts.set_password_hash(connection, account.id, password_hash)
        sessions.end_all(connection, account.id)
        return begin(connection, account.id, browser, "password change")


@immutable
class DeviceCodes:
    """A program asks to be let in: the secret that it keeps, and the code that its user types."""

    device_code: str
    user_code: str


def ask(pool: Pool, scopes: frozenset[Scope], client: str, address: str) -> DeviceCodes:
    """Let a program ask. `client`: what it calls itself. Raises UsageFault where that is too long."""
    if len(client) > MOST_CLIENT_CHARS or not client.isprintable():
        raise UsageFault(f"a client's name has {MOST_CLIENT_CHARS} printable characters at most")
    codes = DeviceCodes(new_secret(), new_user_code())
    with transaction(pool) as connection:
        tokens.insert_grant(connection, codes.device_code, codes.user_code, scopes, client, address)
    return codes


def asking(pool: Pool, code: str) -> Grant:
    with transaction(pool) as connection:
        return waiting(connection, code)


def waiting(connection: Connection, code: str) -> Grant:
    if (grant := tokens.with_user_code(connection, code)) is None:
        raise UnknownName("no program waits with that code: look at it again, or start anew there")
    return grant


def answer(actor: Actor, pool: Pool, code: str, *, agrees: bool) -> Grant:
    """Let a program in, or not. Raises UnknownName, NotAllowed, QuotaUsed."""
    require(actor, Deed.CREATE_TOKEN, owner=actor.player)
    with transaction(pool) as connection:
        grant = waiting(connection, code)
        account = accounts.find_account(connection, actor.login)
        if agrees:
            require_room(connection, actor, Quota.TOKENS)
        tokens.answer_grant(connection, grant, account.id, agrees=agrees)
        audit.write(connection, actor, "device grant" if agrees else "device deny", grant.client)
    return grant


def collect(pool: Pool, device_code: str, address: str) -> NewToken:
    with transaction(pool) as connection:
        grant = tokens.asked_again(connection, device_code)
        fault = fault_of(grant)
        if grant is not None and grant.player_id is not None and fault is None:
            tokens.use_up_grant(connection, grant)
            account = accounts.account_of(connection, grant.player_id)
            scopes = frozenset(map(Scope, grant.scopes)) - (set() if account.role == Role.OPERATOR else {Scope.OPERATE})
            actor = accounts.actor_of(account, address)
            others = tokens.tokens_of(connection, accounts.find_account(connection, actor.player).id)
            name = free_name(grant.client[:30], {token.name.lower() for token in others}, "program")
            return insert(connection, actor, WantedToken(name, scopes or frozenset({Scope.READ})))
    raise NotYet(fault or "invalid_grant")


def give_back(pool: Pool, secret: str, address: str) -> bool:
    """End a token, for whoever has it, and return whether it was until now."""
    with transaction(pool) as connection:
        token = tokens.presented(connection, secret)
        if token is None or token.refusal is not None:
            return False
        tokens.revoke(connection, token.id)
        account = accounts.find_account(connection, token.account)
        actor = replace(accounts.actor_of(account, address), via=Via.TOKEN, token_id=token.id)
        audit.write(connection, actor, "token revoke", described(tokens.token_with(connection, token.id)))
    return True


def fault_of(grant: Grant | None) -> str | None:
    if grant is None or grant.state == "used":
        return "invalid_grant"
    if grant.is_over:
        return "expired_token"
    if grant.state == "denied":
        return "access_denied"
    if grant.too_soon:
        return "slow_down"
    return None if grant.state == "granted" else "authorization_pending"
