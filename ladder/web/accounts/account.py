"""Making an account by a link, or where anybody may join; one's own account: tokens, sessions, password."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from engine.errors import ArenaError, Refused, UnknownName, UsageFault
from ladder import actions
from ladder.access import Actor, Role, Scope
from ladder.accounts import accounts, reading, sessions
from ladder.accounts.invitations import Invitation
from ladder.accounts.tokens import LONGEST_DAYS, USUAL_DAYS
from ladder.errors import LinkUsed
from ladder.ids import HookId
from ladder.notices import hooks
from ladder.notices.events import OF_LADDER, Event, Form
from ladder.quotas.quotas import of_player as quotas_of_player
from ladder.web.accounts.forms import LimitsHere, OwnForm, Player, browser_of, form_page, going_to, require_twice
from ladder.web.accounts.identity import keep_session, visitor
from ladder.web.accounts.limits import Limit
from ladder.web.accounts.login import MEANINGS
from ladder.web.problems import answer_to
from ladder.web.site import Site, SiteHere

router = APIRouter()


HOOK_DEEDS = ("test", "remove")
CLOSED = "this ladder lets people in by links of its operators: ask one of them"


@router.get("/join")
def register(request: Request, site: SiteHere) -> Response:
    if not site.web.is_open:
        raise UnknownName(CLOSED)
    return form_page(request, "join.html", invitation=None, fault="", name="")


@router.get("/join/{secret}")
def join(request: Request, site: SiteHere, secret: str) -> Response:
    try:
        invitation = invitation_of(site, secret)
    except LinkUsed as error:
        return used(request, site, error)
    return form_page(request, "join.html", invitation=invitation, fault="", name="")


def used(request: Request, site: Site, error: LinkUsed) -> Response:
    """Let in who has made the account already, but whose answer was lost on its way."""
    return form_page(request, "login.html", status=410, next="/", fault=str(error), is_open=site.web.is_open)


def invitation_of(site: Site, secret: str) -> Invitation:
    with site.reading() as connection:
        return actions.logins.invited_by(connection, secret)


@router.post("/join")
async def do_register(request: Request, site: SiteHere, form: OwnForm, limits: LimitsHere) -> Response:
    if not site.web.is_open:
        raise UnknownName(CLOSED)
    refusal = limits.refusal(Limit.LOGINS_FROM, visitor(request).address)
    if refusal is not None:
        return answer_to(request.scope, refusal)
    return await limits.in_turn(joined, request, site, form, None)


@router.post("/join/{secret}")
async def do_join(request: Request, site: SiteHere, secret: str, form: OwnForm, limits: LimitsHere) -> Response:
    return await limits.in_turn(joined, request, site, form, secret)


def joined(request: Request, site: Site, form: Mapping[str, str], secret: str | None) -> Response:
    """Make the account or the new password, and log in; say what is wrong beside the form."""
    name, password = form.get("name", "").strip(), form.get("password", "")
    try:
        require_twice(form)
        if secret is None:
            session = actions.logins.register(site.pool, name, password, browser_of(request))
        else:
            session = actions.logins.accept(site.pool, secret, name, password, browser_of(request))
    except LinkUsed as error:
        return used(request, site, error)
    except (UsageFault, Refused) as error:
        return said_beside(request, site, name, error, secret)
    answer = going_to("/account")
    keep_session(answer, session)
    return answer


def said_beside(request: Request, site: Site, name: str, error: ArenaError, secret: str | None) -> Response:
    invitation = None if secret is None else invitation_of(site, secret)
    return form_page(request, "join.html", status=422, invitation=invitation, fault=str(error), name=name)


@router.get("/account")
def account(request: Request, site: SiteHere, player: Player) -> Response:
    return shown(request, site, player)


def shown(request: Request, site: Site, player: Actor, *, status: int = 200, **said: Any) -> Response:
    """Return the page. `said`: a token or a hook that was just made, or what is wrong."""
    with site.reading() as connection:
        found = accounts.find_account(connection, player.login)
        quotas = quotas_of_player(connection, player.player)
        own = reading.tokens_of(connection, player.player)
        browsers = sessions.sessions_of(connection, found.id, visitor(request).session or "")
        notified = hooks.of_player(connection, player.player)
    scopes = {
        scope: about for scope, about in MEANINGS.items() if scope != Scope.OPERATE or found.role == Role.OPERATOR
    }
    values = {"new": None, "new_hook": None, "fault": ""} | said
    return form_page(
        request,
        "account.html",
        status=status,
        account=found,
        tokens=own,
        quotas=quotas,
        sessions=browsers,
        hooks=notified,
        events=[event for event in Event if event not in OF_LADDER],
        forms=[*Form],
        scopes=scopes,
        usual_days=USUAL_DAYS,
        longest_days=LONGEST_DAYS,
        **values,
    )


def wrong(request: Request, site: Site, player: Actor, error: ArenaError) -> Response:
    return shown(request, site, player, status=422, fault=str(error))


@router.post("/account/tokens")
def create_token(request: Request, site: SiteHere, player: Player, form: OwnForm) -> Response:
    try:
        scopes = frozenset(scope for scope in Scope if form.get(f"scope_{scope}"))
        game, bot = (form.get(field, "").strip() or None for field in ("game", "bot"))
        wanted = actions.tokens.WantedToken(
            form.get("name", "").strip(),
            scopes,
            whole_number(form.get("days", ""), "the number of days"),
            None if game is None else site.games.find(game).name,
            bot,
        )
        made = actions.tokens.create(player, site.pool, wanted)
    except (UsageFault, Refused) as error:
        return wrong(request, site, player, error)
    return shown(request, site, player, new=made)


def whole_number(words: str, what: str) -> int:
    if not words.isascii() or not words.isdecimal() or len(words) > 6:
        raise UsageFault(f"{what} must be a whole number")
    return int(words)


@router.post("/account/tokens/revoke")
def revoke_token(request: Request, site: SiteHere, player: Player, form: OwnForm) -> Response:
    try:
        actions.tokens.revoke(player, site.pool, player.player, form.get("name", ""))
    except (UsageFault, Refused) as error:
        return wrong(request, site, player, error)
    return going_to("/account")


@router.post("/account/hooks")
def add_hook(request: Request, site: SiteHere, player: Player, form: OwnForm) -> Response:
    try:
        events = [event for event in Event if form.get(f"event_{event}")]
        kind = Form(form["form"]) if form.get("form") in set(Form) else Form.JSON
        made = actions.hooks.add(player, site.pool, form.get("url", "").strip(), events, kind)
    except (UsageFault, Refused) as error:
        return wrong(request, site, player, error)
    return shown(request, site, player, new_hook=made) if made.secret else going_to("/account#notices")


@router.post("/account/hooks/{deed}")
def change_hook(request: Request, site: SiteHere, player: Player, form: OwnForm, deed: str) -> Response:
    """Remove a hook, or let a notice go there that says that this is a test."""
    if deed not in HOOK_DEEDS:
        raise UnknownName.of("deed", deed, HOOK_DEEDS)
    try:
        act = actions.hooks.test if deed == "test" else actions.hooks.remove
        act(player, site.pool, HookId(whole_number(form.get("hook", ""), "the number of a hook")))
    except (UsageFault, Refused) as error:
        return wrong(request, site, player, error)
    return going_to("/account#notices")


@router.post("/account/sessions")
def end_sessions(request: Request, site: SiteHere, player: Player, form: OwnForm) -> Response:
    del form
    answer = going_to("/account")
    keep_session(answer, actions.logins.end_other_sessions(player, site.pool, browser_of(request)))
    return answer


@router.post("/account/password")
async def change_password(
    request: Request, site: SiteHere, player: Player, form: OwnForm, limits: LimitsHere
) -> Response:
    refusal = limits.refusal(Limit.LOGINS_OF, player.login.lower())
    if refusal is not None:
        return answer_to(request.scope, refusal)
    return await limits.in_turn(password_changed, request, site, player, form)


def password_changed(request: Request, site: Site, player: Actor, form: Mapping[str, str]) -> Response:
    try:
        require_twice(form)
        secret = actions.logins.change_password(
            player, site.pool, form.get("before", ""), form.get("password", ""), browser_of(request)
        )
    except (UsageFault, Refused) as error:
        return wrong(request, site, player, error)
    answer = going_to("/account")
    keep_session(answer, secret)
    return answer
