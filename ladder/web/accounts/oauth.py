"""What programs ask that want to be let in: the device grant of RFC 8628; and giving a token back, RFC 7009."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from engine.errors import UsageFault
from ladder import actions
from ladder.access import Scope
from ladder.accounts.device_grants import INTERVAL_S, LASTS_S
from ladder.accounts.tokens import USUAL_DAYS
from ladder.errors import NotYet
from ladder.web.accounts.forms import AnyForm, LimitsHere
from ladder.web.accounts.identity import visitor
from ladder.web.accounts.limits import Limit
from ladder.web.problems import answer_to
from ladder.web.site import SiteHere

router = APIRouter()
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
