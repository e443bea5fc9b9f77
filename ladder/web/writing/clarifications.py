"""The forms by which browsers ask, answer, announce and withdraw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from engine.errors import Refused, UsageFault
from ladder import actions
from ladder.ids import LARGEST_ID, ClarificationId
from ladder.web import addresses
from ladder.web.accounts.forms import OwnForm, Player, going_to
from ladder.web.pages.clarifications import listed
from ladder.web.site import Site, SiteHere

router = APIRouter(prefix="/clarifications")
Number = Annotated[ClarificationId, Path(ge=1, le=LARGEST_ID)]


def done(site: Site, form: Mapping[str, str], act: Callable[[], object], number: int | str = "") -> Response:
    """Do what a form asks for, and lead to the page; where it is refused, say so beside what was typed."""
    try:
        act()
    except (UsageFault, Refused) as error:
        return listed(site, {**form, "number": str(number)}, error)
    return going_to(addresses.clarifications())


@router.post("/ask")
def ask(site: SiteHere, player: Player, form: OwnForm) -> Response:
    return done(
        site, form, lambda: actions.clarifications.ask_question(player, site.pool, form.get("text", ""), game_in(form))
    )


@router.post("/announce")
def announce(site: SiteHere, player: Player, form: OwnForm) -> Response:
    return done(
        site, form, lambda: actions.clarifications.announce(player, site.pool, form.get("text", ""), game_in(form))
    )


@router.post("/{number}/answer")
def answer(site: SiteHere, player: Player, form: OwnForm, number: Number) -> Response:
    text, to_all = form.get("text", ""), form.get("to") == "all"
    return done(
        site, form, lambda: actions.clarifications.answer(player, site.pool, number, text, to_all=to_all), number
    )


@router.post("/{number}/withdraw")
def withdraw(site: SiteHere, player: Player, form: OwnForm, number: Number) -> Response:
    return done(site, form, lambda: actions.clarifications.withdraw(player, site.pool, number))


def game_in(form: Mapping[str, str]) -> str | None:
    return form.get("game", "").strip() or None
