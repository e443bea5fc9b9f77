"""All routes that a served ladder has besides, and the part of the application that finds out who asks."""

from __future__ import annotations

from functools import cache

from fastapi import APIRouter, Depends, FastAPI
from starlette.routing import BaseRoute

from ladder.web.accounts import account
from ladder.web.accounts.identity import ASKING, Identity, is_let_in_still
from ladder.web.accounts.limits import Limits
from ladder.web.addresses import API
from ladder.web.api import name_of
from ladder.web.pages import match
from ladder.web.pages.clarifications import tell
from ladder.web.site import Site
from ladder.web.writing import acts, browser, contract_routes, desk, operating, playing


@cache
def routes() -> list[BaseRoute]:
    together = APIRouter()
    below = APIRouter(prefix=API, generate_unique_id_function=name_of)
    for kind in (acts, playing, contract_routes, operating):
        below.include_router(kind.router)
    together.include_router(below)
    for router in (account.router, match.shared, browser.router, desk.router):
        together.include_router(router, include_in_schema=False, dependencies=[Depends(tell)])
    return together.routes


def add_accounts(app: FastAPI, site: Site) -> None:
    limits = app.state.limits = Limits(site.web.rates)
    app.state.room_for_stream = lambda: limits.stream(ASKING.get().counted_as)
    app.state.may_follow = lambda request: is_let_in_still(request, site.pool, site.web)
    app.routes.extend(routes())
    app.add_middleware(Identity, pool=site.pool, web=site.web, limits=limits, note_proxy=site.note_proxy)
