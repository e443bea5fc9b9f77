"""Answering a program that asks to be let in: its code, then who it is, then yes or no."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from engine.errors import UnknownName
from ladder import actions
from ladder.access import Actor, Role, Scope
from ladder.accounts.device_grants import Grant
from ladder.web.accounts.forms import LimitsHere, OwnForm, Player, form_page
from ladder.web.accounts.limits import Limit
from ladder.web.problems import answer_to
from ladder.web.site import SiteHere

router = APIRouter()
MEANINGS = {
    Scope.READ: "see what is private of yours",
    Scope.SUBMIT: "submit versions",
    Scope.PLAY: "ask for battles and gauntlets, and choose which version is on the board",
    Scope.OPERATE: "do what operators do",
}


@router.get("/device")
def device(request: Request, player: Player) -> Response:
    """Ask for the code that the program shows."""
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
    """Say what a program may do; only an operator's may operate."""
    operates = player.role is Role.OPERATOR
    return [
        about for scope, about in MEANINGS.items() if scope in grant.scopes and (operates or scope != Scope.OPERATE)
    ]
