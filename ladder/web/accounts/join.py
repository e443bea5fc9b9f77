"""Following a link that makes an account or a new password; where anybody may join, without a link."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from engine.errors import ArenaError, Refused, UnknownName, UsageFault
from ladder import actions
from ladder.accounts.invitations import Invitation
from ladder.web.accounts.forms import LimitsHere, OwnForm, browser_of, form_page, going_to, require_twice
from ladder.web.accounts.identity import keep_session, visitor
from ladder.web.accounts.limits import Limit
from ladder.web.problems import answer_to
from ladder.web.site import Site, SiteHere

router = APIRouter()
CLOSED = "this ladder lets people in by links of its operators: ask one of them"


@router.get("/join")
def register(request: Request, site: SiteHere) -> Response:
    """Ask for a name and a password, where anybody may join."""
    if not site.web.is_open:
        raise UnknownName(CLOSED)
    return form_page(request, "join.html", invitation=None, fault="", name="")


@router.get("/join/{secret}")
def join(request: Request, site: SiteHere, secret: str) -> Response:
    """Ask for a password, and for a name where the link is for everybody."""
    return form_page(request, "join.html", invitation=invitation_of(site, secret), fault="", name="")


def invitation_of(site: Site, secret: str) -> Invitation:
    """Return the invitation of a link. Raises UnknownName."""
    with site.reading() as connection:
        return actions.logins.invited_by(connection, secret)


@router.post("/join")
def do_register(request: Request, site: SiteHere, form: OwnForm, limits: LimitsHere) -> Response:
    """Make an account."""
    if not site.web.is_open:
        raise UnknownName(CLOSED)
    return joined(request, site, form.get("name", ""), form, limits, None)


@router.post("/join/{secret}")
def do_join(request: Request, site: SiteHere, secret: str, form: OwnForm, limits: LimitsHere) -> Response:
    """Follow a link."""
    invitation_of(site, secret)
    return joined(request, site, form.get("name", ""), form, limits, secret)


def joined(request: Request, site: Site, name: str, form: OwnForm, limits: LimitsHere, secret: str | None) -> Response:
    """Make the account or the new password, and log in; say what is wrong beside the form."""
    refusal = limits.refusal(Limit.LOGINS_FROM, visitor(request).address)
    if refusal is not None:
        return answer_to(request.scope, refusal)
    name, password = name.strip(), form.get("password", "")
    try:
        require_twice(form)
        if secret is None:
            session = actions.logins.register(site.pool, name, password, browser_of(request))
        else:
            session = actions.logins.accept(site.pool, secret, name, password, browser_of(request))
    except (UsageFault, Refused) as error:
        return said_beside(request, site, name, error, secret)
    answer = going_to("/account")
    keep_session(answer, session)
    return answer


def said_beside(request: Request, site: Site, name: str, error: ArenaError, secret: str | None) -> Response:
    """Show the form again, with what is wrong. Raises UnknownName for a link that is over."""
    invitation = None if secret is None else invitation_of(site, secret)
    return form_page(request, "join.html", status=422, invitation=invitation, fault=str(error), name=name)
