"""All routes of accounts, and the part of the application that finds out who asks."""

from __future__ import annotations

from fastapi import FastAPI

from ladder.web.accounts import account, login, shared
from ladder.web.accounts.identity import Identity, is_let_in_still, visitor
from ladder.web.accounts.limits import Limits
from ladder.web.site import Site
from ladder.web.writing.routes import add_writing


def add_accounts(app: FastAPI, site: Site) -> None:
    limits = app.state.limits = Limits()
    app.state.room_for_stream = lambda request: limits.stream(visitor(request).address)
    app.state.may_follow = lambda request: is_let_in_still(request, site.pool, site.web)
    for part in (login, account, shared):
        app.include_router(part.router, include_in_schema=False)
    add_writing(app)
    app.add_middleware(Identity, pool=site.pool, web=site.web, limits=app.state.limits)
