"""Making an account by a link, or where anybody may join; one's own account: tokens, sessions, password; the login.

Programs are let in by the device grant of RFC 8628, and give a token back by RFC 7009.

Here too: all routes that a served ladder has besides, and how the part that finds out who asks goes around them.
"""

from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute

from engine.errors import Refused, UnknownName, UsageFault
from ladder import actions
from ladder.access import Actor, Role, Scope
from ladder.accounts import accounts, sessions, tokens
from ladder.accounts.secrets import typed_code
from ladder.actions.hooks import NewHook
from ladder.actions.tokens import NewToken, WantedToken
from ladder.choices import NoticeEvent, NoticeForm
from ladder.errors import LinkUsed, NotAllowed, NotYet
from ladder.ids import HookId
from ladder.notices import hooks
from ladder.quotas.quotas import of_player as quotas_of_player
from ladder.web.api import below_api
from ladder.web.forms import (
    OWN,
    AnyForm,
    LimitsHere,
    OwnForm,
    Player,
    browser_of,
    form_page,
    going_to,
    number_in,
    require_twice,
)
from ladder.web.identity import ASKING, SESSION, Identity, Limit, RequestLimits, is_let_in_still, keep
from ladder.web.pages import match
from ladder.web.pages.seasons import tell
from ladder.web.site import Site, SiteHere
from ladder.web.writing import body_routes, browser, contract_routes, desk

router = APIRouter()
MEANINGS = {
    Scope.READ: "see what is private of yours",
    Scope.SUBMIT: "submit versions",
    Scope.PLAY: "ask for battles and gauntlets, and choose which version is on the board",
    Scope.OPERATE: "do what operators do",
}
GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"
USUAL_SCOPES = "read submit play"
DAY_S = 24 * 3600
KEPT_BY_NOBODY = {"Cache-Control": "no-store"}


def meanings(player: Actor, scopes: Collection[Scope | str] = tuple(Scope)) -> dict[Scope, str]:
    operates = player.role is Role.OPERATOR
    return {
        scope: words for scope, words in MEANINGS.items() if scope in scopes and (operates or scope != Scope.OPERATE)
    }


@router.get("/join")
@router.get("/join/{secret}")
def join(request: Request, site: SiteHere, secret: str | None = None) -> Response:
    try:
        return join_page(request, site, secret)
    except LinkUsed as error:
        return login_page(request, site, 410, error)  # lets in who has made the account, but whose answer was lost


def join_page(
    request: Request, site: Site, secret: str | None, status: int = 200, fault: object = "", name: str = ""
) -> Response:
    """Return the form. `secret`: of a link, None where there is none. Raises UnknownName, LinkUsed."""
    invitation = None
    if secret is not None:
        with site.reading() as connection:
            invitation = actions.logins.invited_by(connection, secret)
    else:
        require_open(site)
    return form_page(request, "join.html", status=status, invitation=invitation, fault=str(fault), name=name)


def require_open(site: Site) -> None:
    if not site.web.is_open:
        raise UnknownName("this ladder lets people in by links of its operators: ask one of them")


@router.post("/join")
@router.post("/join/{secret}")
async def do_join(
    request: Request, site: SiteHere, form: OwnForm, limits: LimitsHere, secret: str | None = None
) -> Response:
    if secret is None:
        require_open(site)
        limits.count(Limit.LOGINS_FROM, ASKING.get().address)
    return await limits.in_turn(joined, request, site, form, secret)


def joined(request: Request, site: Site, form: Mapping[str, str], secret: str | None) -> Response:
    name, password = form.get("name", "").strip(), form.get("password", "")
    try:
        require_twice(form)
        browser = browser_of(request)
        if secret is None:
            session = actions.logins.register(site.pool, name, password, browser)
        else:
            session = actions.logins.accept(site.pool, secret, name, password, browser)
    except LinkUsed as error:
        return login_page(request, site, 410, error)
    except (UsageFault, Refused) as error:
        return join_page(request, site, secret, 422, error, name)
    return with_session(session)


@router.get("/account")
def account(request: Request, site: SiteHere, player: Player) -> Response:
    return account_page(request, site, player)


def account_page(request: Request, site: Site, player: Actor, *, status: int = 200, **shown_once: Any) -> Response:
    """Return the page. `shown_once`: a token or a hook that was just made, or what is wrong."""
    with site.reading() as connection:
        own_account = accounts.find_account(connection, player.login)
        quotas = quotas_of_player(connection, player.player)
        own_tokens = tokens.of_player(connection, player.player)
        browsers = sessions.sessions_of(connection, own_account.id, ASKING.get().session or "")
        notified = hooks.of_player(connection, player.player)
    return form_page(
        request,
        "account.html",
        status=status,
        account=own_account,
        tokens=own_tokens,
        quotas=quotas,
        sessions=browsers,
        hooks=notified,
        events=[event for event in NoticeEvent if event not in hooks.OF_LADDER],
        forms=[*NoticeForm],
        scopes=meanings(player),
        usual_days=tokens.USUAL_DAYS,
        longest_days=tokens.LONGEST_DAYS,
        **{"new": None, "new_hook": None, "fault": ""} | shown_once,
    )


def create_token(player: Actor, site: Site, form: Mapping[str, str]) -> NewToken:
    game, bot = (form.get(field, "").strip() or None for field in ("game", "bot"))
    scopes = frozenset(scope for scope in Scope if form.get(f"scope_{scope}"))
    days = number_in(form, "days", int) or 0
    known_game = None if game is None else site.games.find(game).name
    token = WantedToken(form.get("name", "").strip(), scopes, days, known_game, bot)
    return actions.tokens.create(player, site.pool, token)


def add_hook(player: Actor, site: Site, form: Mapping[str, str]) -> NewHook:
    events = [event for event in NoticeEvent if form.get(f"event_{event}")]
    kind = NoticeForm(form["form"]) if form.get("form") in set(NoticeForm) else NoticeForm.JSON
    return actions.hooks.add(player, site.pool, form.get("url", "").strip(), events, kind)


def hook_in(form: Mapping[str, str]) -> HookId:
    return HookId(number_in(form, "hook", int) or 0)


DEEDS: Mapping[str, Callable[[Actor, Site, Mapping[str, str]], object]] = {
    "tokens": create_token,
    "tokens/revoke": lambda player, site, form: actions.tokens.revoke(
        player, site.pool, player.player, form.get("name", "")
    ),
    "hooks": add_hook,
    "hooks/test": lambda player, site, form: actions.hooks.test(player, site.pool, hook_in(form)),
    "hooks/remove": lambda player, site, form: actions.hooks.remove(player, site.pool, hook_in(form)),
}
"""What the forms do, by the rest of the address to which they are sent."""


@router.post("/account/sessions", dependencies=OWN)
def end_sessions(request: Request, site: SiteHere, player: Player) -> Response:
    return with_session(actions.logins.end_other_sessions(player, site.pool, browser_of(request)))


@router.post("/account/password")
async def change_password(
    request: Request, site: SiteHere, player: Player, form: OwnForm, limits: LimitsHere
) -> Response:
    limits.count(Limit.LOGINS_OF, player.login.lower())
    return await limits.in_turn(password_changed, request, site, player, form)


def password_changed(request: Request, site: Site, player: Actor, form: Mapping[str, str]) -> Response:
    try:
        require_twice(form)
        before, after = form.get("before", ""), form.get("password", "")
        secret = actions.logins.change_password(player, site.pool, before, after, browser_of(request))
    except (UsageFault, Refused) as error:
        return account_page(request, site, player, status=422, fault=str(error))
    return with_session(secret)


@router.post("/account/{deed:path}")
def act(request: Request, site: SiteHere, player: Player, form: OwnForm, deed: str) -> Response:
    """Do what a form of the page is for; a secret that comes of it is shown once."""
    if deed not in DEEDS:
        raise UnknownName.of("deed", deed, DEEDS)
    try:
        outcome = DEEDS[deed](player, site, form)
    except (UsageFault, Refused) as error:
        return account_page(request, site, player, status=422, fault=str(error))
    if isinstance(outcome, NewToken):
        return account_page(request, site, player, new=outcome)
    if isinstance(outcome, NewHook) and outcome.secret:
        return account_page(request, site, player, new_hook=outcome)
    return going_to("/account#notices" if deed.startswith("hooks") else "/account")


@router.get("/device")
def device(request: Request, player: Player) -> Response:
    return device_page(request, player, request.query_params.get("user_code", ""))


def device_page(
    request: Request, player: Actor, code: str, grant: tokens.Grant | None = None, done: str = "", fault: object = ""
) -> Response:
    may = () if grant is None else meanings(player, grant.scopes).values()
    values = {
        "code": typed_code(code) if grant else code,
        "grant": grant,
        "may": may,
        "done": done,
        "player": player.player,
    }
    return form_page(request, "device.html", status=422 if fault else 200, fault=str(fault), **values)


@router.post("/device")
def look_or_answer(request: Request, site: SiteHere, player: Player, form: OwnForm, limits: LimitsHere) -> Response:
    """Show which program asks with a code; with `answer` let it in, or not."""
    limits.require_room(Limit.CODES, player.player.lower())
    code, answer = form.get("code", "")[:40], form.get("answer", "")
    try:
        if answer in {"yes", "no"}:
            grant = actions.logins.answer(player, site.pool, code, agrees=answer == "yes")
            return device_page(request, player, code, grant, answer)
        return device_page(request, player, code, actions.logins.asking(site.pool, code))
    except UnknownName as error:
        limits.count(Limit.CODES, player.player.lower())
        return device_page(request, player, code, fault=error)


@router.post("/oauth/device")
def ask(site: SiteHere, form: AnyForm, limits: LimitsHere) -> Response:
    """Give a program a code that its user types, and one with which it asks for its token."""
    address = ASKING.get().address
    limits.count(Limit.LOGINS_FROM, address)
    words = (form.get("scope") or USUAL_SCOPES).split()
    if not set(words) <= set(Scope):
        return fault("invalid_scope")
    try:
        client = form.get("client_id") or "a program"
        codes = actions.logins.ask(site.pool, frozenset(map(Scope, words)), client, address)
    except UsageFault as error:
        return fault("invalid_request", str(error))
    page = site.web.link("/device")
    body = {
        "device_code": codes.device_code,
        "user_code": codes.user_code,
        "verification_uri": page,
        "verification_uri_complete": f"{page}?user_code={codes.user_code}",
        "expires_in": tokens.LASTS_S,
        "interval": tokens.INTERVAL_S,
    }
    return JSONResponse(body, headers=KEPT_BY_NOBODY)


@router.post("/oauth/token")
def collect(site: SiteHere, form: AnyForm) -> Response:
    """Give a program its token once its user has agreed; before that say what it waits for."""
    if form.get("grant_type") != GRANT_TYPE:
        return fault("unsupported_grant_type")
    try:
        new = actions.logins.collect(site.pool, form.get("device_code", ""), ASKING.get().address)
    except NotYet as error:
        return fault(str(error))
    scope, lasts_s = " ".join(new.token.scopes), tokens.USUAL_DAYS * DAY_S
    body = {"access_token": new.secret, "token_type": "Bearer", "expires_in": lasts_s, "scope": scope}
    return JSONResponse(body, headers=KEPT_BY_NOBODY)


@router.post("/oauth/revoke")
def give_back(site: SiteHere, form: AnyForm) -> Response:
    """End a token, for whoever has it. One that is unknown or over is not an error."""
    actions.logins.give_back(site.pool, form.get("token", ""), ASKING.get().address)
    return Response(headers=KEPT_BY_NOBODY)


def fault(error: str, description: str = "") -> Response:
    body = {"error": error} | ({"error_description": description} if description else {})
    return JSONResponse(body, 400, KEPT_BY_NOBODY)


@router.get("/login")
def login(request: Request, site: SiteHere) -> Response:
    return login_page(request, site, 200, next=request.query_params.get("next", "/"))


def login_page(request: Request, site: Site, status: int, fault: object = "", **values: str) -> Response:
    values = {"next": "/", "fault": str(fault)} | values
    return form_page(request, "login.html", status=status, is_open=site.web.is_open, **values)


def with_session(secret: str, place: str = "/account") -> Response:
    answer = going_to(place)
    keep(answer, SESSION, secret, sessions.LASTS_DAYS * DAY_S)
    return answer


@router.post("/login")
async def log_in(request: Request, site: SiteHere, form: OwnForm, limits: LimitsHere) -> Response:
    """Log in; unknown names, wrong passwords and disabled accounts get the same words.

    From an address only what fails is counted, with a name every try: a class logs in at once, and nobody guesses long.
    """
    name = form.get("name", "").strip()
    limits.require_room(Limit.LOGINS_FROM, ASKING.get().address)
    limits.count(Limit.LOGINS_OF, name.lower()[:60])
    return await limits.in_turn(logged_in, request, site, name, form, limits)


def logged_in(request: Request, site: Site, name: str, form: Mapping[str, str], limits: RequestLimits) -> Response:
    place = form.get("next", "/")
    try:
        secret = actions.logins.log_in(site.pool, name, form.get("password", ""), browser_of(request))
    except NotAllowed as error:
        limits.count(Limit.LOGINS_FROM, ASKING.get().address)
        return login_page(request, site, 403, error, next=place)
    return with_session(secret, place)


@router.post("/logout", dependencies=OWN)
def log_out(site: SiteHere, player: Player) -> Response:
    actions.logins.log_out(player, site.pool, ASKING.get().session or "")
    answer = going_to("/login")
    keep(answer, SESSION, "", 0)
    return answer


@cache
def routes() -> list[BaseRoute]:
    together = APIRouter()
    writes = (contract_routes.acts, body_routes.player_router, contract_routes.router, body_routes.operator_router)
    together.include_router(below_api(writes))
    for pages in (router, match.shared, browser.router, desk.router):
        together.include_router(pages, include_in_schema=False, dependencies=[Depends(tell)])
    return together.routes


def add_accounts(app: FastAPI, site: Site) -> None:
    limits = app.state.limits = RequestLimits(site.web.rates)
    app.state.room_for_stream = lambda: limits.stream(ASKING.get().counted_as)
    app.state.may_follow = lambda request: is_let_in_still(request, site.pool, site.web)
    app.routes.extend(routes())
    app.add_middleware(Identity, pool=site.pool, web=site.web, limits=limits, note_proxy=site.note_proxy)
