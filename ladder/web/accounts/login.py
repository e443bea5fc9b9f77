"""Logging in and out, and letting programs in: the device grant of RFC 8628, and giving a token back, RFC 7009."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from engine.errors import UnknownName, UsageFault
from ladder import actions
from ladder.access import Actor, Role, Scope
from ladder.accounts.device_grants import INTERVAL_S, LASTS_S, Grant
from ladder.accounts.tokens import USUAL_DAYS
from ladder.errors import NotAllowed, NotYet
from ladder.web.accounts.forms import AnyForm, LimitsHere, OwnForm, Player, browser_of, form_page, going_to
from ladder.web.accounts.identity import forget_session, keep_session, visitor
from ladder.web.accounts.limits import Limit, Limits
from ladder.web.problems import answer_to
from ladder.web.site import Site, SiteHere

router = APIRouter()


MEANINGS = {
    Scope.READ: "see what is private of yours",
    Scope.SUBMIT: "submit versions",
    Scope.PLAY: "ask for battles and gauntlets, and choose which version is on the board",
    Scope.OPERATE: "do what operators do",
}


@router.get("/device")
def device(request: Request, player: Player) -> Response:
    code = request.query_params.get("user_code", "")
    return form_page(request, "device.html", code=code, grant=None, may=(), fault="", done="", player=player.player)


@router.post("/device")
def look_or_answer(request: Request, site: SiteHere, player: Player, form: OwnForm, limits: LimitsHere) -> Response:
    """Show which program asks with a code; with `answer` let it in, or not."""
    refusal = limits.used_up(Limit.CODES, player.player.lower())
    if refusal is not None:
        return answer_to(request.scope, refusal)
    code, answer = form.get("code", "")[:40], form.get("answer", "")
    grant, done, fault = None, "", ""
    try:
        if answer in {"yes", "no"}:
            grant = actions.logins.answer(player, site.pool, code, agrees=answer == "yes")
            done = answer
        else:
            grant = actions.logins.asking(site.pool, code)
    except UnknownName as error:
        limits.refusal(Limit.CODES, player.player.lower())
        fault = str(error)
    may = () if grant is None else meanings(player, grant)
    status = 422 if fault else 200
    shown = {"code": code, "grant": grant, "may": may, "fault": fault, "done": done, "player": player.player}
    return form_page(request, "device.html", status=status, **shown)


def meanings(player: Actor, grant: Grant) -> list[str]:
    operates = player.role is Role.OPERATOR
    return [
        about for scope, about in MEANINGS.items() if scope in grant.scopes and (operates or scope != Scope.OPERATE)
    ]


GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"
USUAL_SCOPES = "read submit play"
DAY_S = 24 * 3600
KEPT_BY_NOBODY = {"Cache-Control": "no-store"}


@router.post("/oauth/device")
def ask(request: Request, site: SiteHere, form: AnyForm, limits: LimitsHere) -> Response:
    """Give a program a code that its user types, and one with which it asks for its token."""
    address = visitor(request).address
    refusal = limits.refusal(Limit.LOGINS_FROM, address)
    if refusal is not None:
        return answer_to(request.scope, refusal)
    words = (form.get("scope") or USUAL_SCOPES).split()
    if not set(words) <= set(Scope):
        return fault("invalid_scope")
    try:
        client = form.get("client_id") or "a program"
        asked = actions.logins.ask(site.pool, frozenset(map(Scope, words)), client, address)
    except UsageFault as error:
        return fault("invalid_request", str(error))
    page = site.web.link("/device")
    body = {
        "device_code": asked.device_code,
        "user_code": asked.user_code,
        "verification_uri": page,
        "verification_uri_complete": f"{page}?user_code={asked.user_code}",
        "expires_in": LASTS_S,
        "interval": INTERVAL_S,
    }
    return JSONResponse(body, headers=KEPT_BY_NOBODY)


@router.post("/oauth/token")
def collect(request: Request, site: SiteHere, form: AnyForm) -> Response:
    """Give a program its token once its user has agreed; before that say what it waits for."""
    if form.get("grant_type") != GRANT_TYPE:
        return fault("unsupported_grant_type")
    try:
        made = actions.logins.collect(site.pool, form.get("device_code", ""), visitor(request).address)
    except NotYet as error:
        return fault(str(error))
    body = {
        "access_token": made.secret,
        "token_type": "Bearer",
        "expires_in": USUAL_DAYS * DAY_S,
        "scope": " ".join(made.token.scopes),
    }
    return JSONResponse(body, headers=KEPT_BY_NOBODY)


@router.post("/oauth/revoke")
def give_back(request: Request, site: SiteHere, form: AnyForm) -> Response:
    """End a token, for whoever has it. One that is unknown or over is no error."""
    actions.logins.give_back(site.pool, form.get("token", ""), visitor(request).address)
    return Response(headers=KEPT_BY_NOBODY)


def fault(error: str, description: str = "") -> Response:
    """Return an error as RFC 6749 has it."""
    body = {"error": error} | ({"error_description": description} if description else {})
    return JSONResponse(body, 400, KEPT_BY_NOBODY)


@router.get("/login")
def login(request: Request, site: SiteHere) -> Response:
    return form_page(
        request, "login.html", next=request.query_params.get("next", "/"), fault="", is_open=site.web.is_open
    )


@router.post("/login")
async def log_in(request: Request, site: SiteHere, form: OwnForm, limits: LimitsHere) -> Response:
    """Log in; unknown names, wrong passwords and disabled accounts get the same words.

    From an address only what fails is counted, with a name every try: a class logs in at once, and nobody guesses long.
    """
    address, name = visitor(request).address, form.get("name", "").strip()
    refusal = limits.used_up(Limit.LOGINS_FROM, address) or limits.refusal(Limit.LOGINS_OF, name.lower()[:60])
    if refusal is not None:
        return answer_to(request.scope, refusal)
    return await limits.in_turn(logged_in, request, site, name, form, limits)


def logged_in(request: Request, site: Site, name: str, form: Mapping[str, str], limits: Limits) -> Response:
    place = form.get("next", "/")
    try:
        secret = actions.logins.log_in(site.pool, name, form.get("password", ""), browser_of(request))
    except NotAllowed as error:
        limits.refusal(Limit.LOGINS_FROM, visitor(request).address)
        return form_page(request, "login.html", status=403, next=place, fault=str(error), is_open=site.web.is_open)
    answer = going_to(place)
    keep_session(answer, secret)
    return answer


@router.post("/logout")
def log_out(request: Request, site: SiteHere, player: Player, form: OwnForm) -> Response:
    del form
    actions.logins.log_out(player, site.pool, visitor(request).session or "")
    answer = going_to("/login")
    forget_session(answer)
    return answer
