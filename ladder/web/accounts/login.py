"""Logging in and out."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from ladder import actions
from ladder.errors import NotAllowed
from ladder.web.accounts.forms import LimitsHere, OwnForm, Player, browser_of, form_page, going_to
from ladder.web.accounts.identity import forget_session, keep_session, visitor
from ladder.web.accounts.limits import Limit
from ladder.web.problems import answer_to
from ladder.web.site import SiteHere

router = APIRouter()


@router.get("/login")
def login(request: Request, site: SiteHere) -> Response:
    """Ask for name and password."""
    return form_page(
        request, "login.html", next=request.query_params.get("next", "/"), fault="", is_open=site.web.is_open
    )


@router.post("/login")
def log_in(request: Request, site: SiteHere, form: OwnForm, limits: LimitsHere) -> Response:
    """Log in; unknown names, wrong passwords and disabled accounts get the same words."""
    name = form.get("name", "").strip()
    refusal = limits.refusal(Limit.LOGINS_FROM, visitor(request).address)
    refusal = refusal or limits.refusal(Limit.LOGINS_OF, name.lower()[:60])
    if refusal is not None:
        return answer_to(request.scope, refusal)
    place = form.get("next", "/")
    try:
        secret = actions.logins.log_in(site.pool, name, form.get("password", ""), browser_of(request))
    except NotAllowed as error:
        return form_page(request, "login.html", status=403, next=place, fault=str(error), is_open=site.web.is_open)
    answer = going_to(place)
    keep_session(answer, secret)
    return answer


@router.post("/logout")
def log_out(request: Request, site: SiteHere, player: Player, form: OwnForm) -> Response:
    """End this session."""
    del form
    actions.logins.log_out(player, site.pool, visitor(request).session or "")
    answer = going_to("/login")
    forget_session(answer)
    return answer
