"""All routes that a served ladder has besides, and the part of the application that finds out who asks."""

from __future__ import annotations

from functools import cache

from fastapi import APIRouter, Depends, FastAPI
from starlette.routing import BaseRoute

from ladder.web.accounts import account, login, shared
from ladder.web.accounts.identity import Identity, is_let_in_still, visitor
from ladder.web.accounts.limits import Limits
from ladder.web.addresses import API
from ladder.web.api import name_of
from ladder.web.pages.clarifications import tell
from ladder.web.site import Site
from ladder.web.writing import (
    acts,
    browser,
    clarifications,
    contract_routes,
    desk,
    gauntlets,
    operating,
    own_bots,
    players,
)


@cache
def routes() -> list[BaseRoute]:
    together = APIRouter()
    below = APIRouter(prefix=API, generate_unique_id_function=name_of)
    for kind in (acts, own_bots, gauntlets, contract_routes, players, operating):
        below.include_router(kind.router)
    together.include_router(below)
    for part in (login, account, shared, browser, clarifications, desk):
        together.include_router(part.router, include_in_schema=False, dependencies=[Depends(tell)])
    return together.routes


def add_accounts(app: FastAPI, site: Site) -> None:
    limits = app.state.limits = Limits(site.web.rates)
    app.state.room_for_stream = lambda request: limits.stream(visitor(request).counted_as)
    app.state.may_follow = lambda request: is_let_in_still(request, site.pool, site.web)
    app.routes.extend(routes())
    app.add_middleware(Identity, pool=site.pool, web=site.web, limits=limits, note_proxy=site.note_proxy)
